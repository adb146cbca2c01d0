use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{Edit, EditInfo, KINDS, registry::Form};
use crate::checks::{Compiler, Fault, Field};

/// One edit, as a rule file says it: the fields of one edit kind.
///
/// Other combinations of fields are read, too, so that they can be reported in their place.
#[derive(Debug, Clone, Default)]
pub struct RawEdit(Reading);

#[derive(Debug, Clone, Default)]
enum Reading {
    #[default]
    Empty,
    Form(Form),
    /// The fields do not fit together: why.
    Misfit(String),
}

impl RawEdit {
    /// Whether it has no field.
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Reading::Empty)
    }

    /// The edit that runs; every fault is reported to the compiler.
    pub fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Edit> {
        let detail = match self.0 {
            Reading::Form(form) => return form.compile(at, compiler),
            Reading::Misfit(detail) => detail,
            Reading::Empty => NO_EDIT.to_owned(),
        };
        compiler.report(Fault::new("bad-fix", at).with("detail", detail).with("kinds", edit_kinds()));
        None
    }
}

/// What is wrong with a fix or an edit that has no kind of edit.
pub const NO_EDIT: &str = "it has no edit";

/// The names of all kinds of edits.
pub fn edit_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}

/// The kind of edit that some fields are of, or why they are of none.
fn kind_of(fields: &Map<String, Value>) -> Result<&'static EditInfo, String> {
    let mut kinds = KINDS.iter().filter(|kind| fields.contains_key(kind.name));
    let kind = kinds.next().ok_or(NO_EDIT)?;
    if let Some(other) = kinds.next() {
        return Err(format!("it has `{}` and `{}`, which are two edits", kind.name, other.name));
    }
    let Some(stray) = fields.keys().find(|field| !kind.fields.contains(&field.as_str())) else {
        return Ok(kind);
    };
    let home = KINDS.iter().find(|kind| kind.fields.contains(&stray.as_str())).map_or("", |home| home.name);
    let own: Vec<String> =
        kind.fields.iter().filter(|field| **field != kind.name).map(|field| format!("`{field}`")).collect();
    let fields = if own.is_empty() {
        format!("`{}` has no further fields and names the place itself", kind.name)
    } else {
        format!("`{}` has {}", kind.name, own.join(", "))
    };
    Err(format!("`{stray}` goes with `{home}`, not with `{}`; {fields}", kind.name))
}

impl<'de> Deserialize<'de> for RawEdit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = RawEdit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an edit, such as `delete: self`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawEdit, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if !KINDS.iter().any(|kind| kind.fields.contains(&name.as_str())) {
                return Err(Error::custom(format!("unknown field `{name}`")));
            }
            fields.insert(name, map.next_value()?);
        }
        if fields.is_empty() {
            return Ok(RawEdit(Reading::Empty));
        }
        Ok(RawEdit(match kind_of(&fields) {
            Ok(kind) => match Form::read(kind.name, Value::Object(fields)) {
                Some(form) => Reading::Form(form.map_err(Error::custom)?),
                None => Reading::Empty,
            },
            Err(misfit) => Reading::Misfit(misfit),
        }))
    }
}

impl JsonSchema for RawEdit {
    fn schema_name() -> Cow<'static, str> {
        "Edit".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for kind in KINDS {
            let schema = (kind.schema)(generator).to_value();
            let about = schema["description"].as_str().unwrap_or_default().to_owned();
            let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            for (name, mut field) in fields {
                if name == kind.name {
                    field["description"] = about.as_str().into();
                }
                properties.insert(name, field);
            }
        }
        json_schema!({
            "description": "One edit of a fix.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}
