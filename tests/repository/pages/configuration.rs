//! The part of `docs/configuration.md` that the code knows: every key.

use std::fmt::Write as _;

use proofmark::internals::reference::configuration_schema;
use serde_json::{Map, Value};

use super::{
    Part,
    form::{Field, Forms, cell},
};

pub(super) fn parts() -> Vec<Part> {
    let schema = configuration_schema();
    let none = Map::new();
    let forms = Forms::new(schema["$defs"].as_object().unwrap_or(&none));
    let mut text = String::new();
    let (own, sections): (Vec<Field<'_>>, Vec<Field<'_>>) =
        forms.fields(schema).into_iter().partition(|field| forms.fields(field.schema).is_empty());
    text.push_str(
        "\n### Before the first section\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
    );
    for Field { name, takes, schema, about, .. } in own {
        let _ =
            writeln!(text, "| `{name}` | {} | `{}` | {} |", cell(&takes), schema["default"], cell(&about));
    }
    for section in sections {
        table(&forms, &format!("[{}]", section.name), section.schema, &mut text);
    }
    vec![("keys".into(), text)]
}

/// A section for a table of the configuration, and for the tables in it.
fn table<'s>(forms: &Forms<'s>, name: &str, schema: &'s Value, text: &mut String) {
    let about = forms.about(schema);
    let (own, inner): (Vec<Field<'_>>, Vec<Field<'_>>) =
        forms.fields(schema).into_iter().partition(|field| nested(forms, field.schema).is_none());
    if !own.is_empty() {
        let _ = write!(
            text,
            "\n### `{name}`\n\n{about}\n\n| key | type | default | meaning |\n|---|---|---|---|\n"
        );
    }
    let required = forms.resolve(schema)["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    for Field { name, takes, schema, about, .. } in own {
        let default = match &schema["default"] {
            Value::Null if is_required(name) => "required".to_owned(),
            Value::Null => "none".to_owned(),
            default => format!("`{default}`"),
        };
        let _ = writeln!(text, "| `{name}` | {} | {default} | {} |", cell(&takes), cell(&about));
    }
    let further = &forms.resolve(schema)["additionalProperties"];
    if further.is_object() {
        let takes = forms.takes(further);
        let _ = writeln!(text, "| any other | {} | | {} |", cell(&takes), cell(forms.about(further)));
    }
    for field in inner {
        let (schema, list) = nested(forms, field.schema).unwrap_or((field.schema, false));
        let inner = name.trim_matches(['[', ']']);
        let name = format!("[{inner}.{}]", field.name);
        table(forms, &if list { format!("[{name}]") } else { name }, schema, text);
    }
}

/// The table that a key holds, or that the items of its list are; whether it is a list.
fn nested<'s>(forms: &Forms<'s>, schema: &'s Value) -> Option<(&'s Value, bool)> {
    let has_fields = |schema: &'s Value| !forms.fields(schema).is_empty();
    if has_fields(schema) {
        return Some((schema, false));
    }
    let items = &forms.resolve(schema)["items"];
    has_fields(items).then_some((items, true))
}
