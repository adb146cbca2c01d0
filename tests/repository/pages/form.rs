//! What a JSON Schema says of values, in the words of the reference.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Schemas with their definitions.
pub(super) struct Forms<'s> {
    definitions: &'s Map<String, Value>,
}

/// A field of an object.
pub(super) struct Field<'s> {
    pub(super) name: &'s str,
    pub(super) schema: &'s Value,
    /// What values it takes.
    pub(super) takes: String,
    /// Its default as JSON; nothing where none needs to be documented.
    pub(super) default: Option<String>,
    pub(super) about: String,
}

impl<'s> Forms<'s> {
    pub(super) fn new(definitions: &'s Map<String, Value>) -> Self {
        Self { definitions }
    }

    /// The schema, or the definition that it refers to.
    pub(super) fn resolve(&self, schema: &'s Value) -> &'s Value {
        let name = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        // A definition may be another one with a description of its own.
        name.and_then(|name| self.definitions.get(name)).map_or(schema, |found| self.resolve(found))
    }

    /// What values a schema takes, as a noun phrase: `string`, `list of checks`.
    pub(super) fn takes(&self, schema: &'s Value) -> String {
        if schema["$ref"] == "#/$defs/Check" {
            return "check".into();
        }
        let schema = self.resolve(schema);
        if let Some(values) = values(schema) {
            return values.join(", ");
        }
        if let Some(branches) = branches(schema) {
            let mut words: Vec<String> = Vec::new();
            for branch in branches {
                let takes = self.takes(branch);
                if !words.contains(&takes) {
                    words.push(takes);
                }
            }
            return words.join(" or ");
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).filter(|t| *t != "null").collect(),
            one => one.as_str().into_iter().collect(),
        };
        match types.as_slice() {
            ["array"] => format!("list of {}", plural(&self.takes(&schema["items"]))),
            ["object"] => match &schema["additionalProperties"] {
                inner @ Value::Object(_) => format!("mapping to {}", plural(&self.takes(inner))),
                _ => "mapping".into(),
            },
            [] => "any value".into(),
            types => types.join(" or "),
        }
    }

    /// The fields of an object.
    pub(super) fn fields(&self, schema: &'s Value) -> Vec<Field<'s>> {
        let properties = self.resolve(schema)["properties"].as_object();
        let field = |(name, schema): (&'s String, &'s Value)| Field {
            name,
            schema,
            takes: self.takes(schema),
            default: default(&schema["default"]),
            about: one_line(self.about(schema)),
        };
        properties.into_iter().flatten().map(field).collect()
    }

    /// What a schema says of itself, or the definition that it refers to.
    pub(super) fn about(&self, schema: &'s Value) -> &'s str {
        let named =
            schema["$ref"].as_str().and_then(|target| self.definitions.get(target.rsplit('/').next()?));
        match schema["description"].as_str() {
            Some(own) => own,
            None => named.map_or("", |named| self.about(named)),
        }
    }

    /// The fields of an object as a table; empty when it has none.
    pub(super) fn table(&self, schema: &'s Value) -> String {
        let fields = self.fields(schema);
        if fields.is_empty() {
            return String::new();
        }
        let mut table = String::from("| field | type | meaning |\n|---|---|---|\n");
        for Field { name, takes, default, about, .. } in fields {
            let default = default.map(|default| format!(" Default: `{default}`.")).unwrap_or_default();
            let _ = writeln!(table, "| `{name}` | {} | {}{default} |", cell(&takes), cell(&about));
        }
        table
    }

    /// What a check takes: the fields of its object, or the forms it can have.
    pub(super) fn forms(&self, schema: &'s Value) -> String {
        let schema = self.resolve(schema);
        if schema["x-fault"]["maxProperties"] == "several-checks" {
            return "Takes a check.\n".to_owned();
        }
        let Some(branches) = branches(schema) else {
            let table = self.table(schema);
            return if table.is_empty() { format!("Takes a {}.\n", self.takes(schema)) } else { table };
        };
        let mut text = String::from("Takes one of:\n\n");
        for branch in branches {
            let about = one_line(self.about(branch));
            let _ = writeln!(text, "- {}: {about}", self.takes(branch));
            for Field { name, takes, default, about, .. } in self.fields(branch) {
                let default = default.map(|default| format!(" Default: `{default}`.")).unwrap_or_default();
                let _ = writeln!(text, "  - `{name}` ({takes}): {about}{default}");
            }
        }
        text
    }
}

/// The branches of a union, without `null`.
fn branches(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let union = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    Some(union.iter().filter(|branch| branch["type"] != "null"))
}

/// The values of an enumeration.
fn values(schema: &Value) -> Option<Vec<String>> {
    let code =
        |value: &Value| format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    if let Some(list) = schema["enum"].as_array() {
        return Some(list.iter().filter(|value| !value.is_null()).map(code).collect());
    }
    branches(schema)?.map(|branch| branch.get("const").map(code)).collect()
}

fn default(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Object(_) | Value::Bool(false) => None,
        Value::Array(items) if items.is_empty() => None,
        Value::String(text) if text.is_empty() => None,
        other => Some(other.to_string()),
    }
}

fn plural(noun: &str) -> String {
    match noun {
        "any value" => "any values".into(),
        noun if noun.contains(['`', ' ']) => noun.to_owned(),
        noun => format!("{noun}s"),
    }
}

/// Text for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
