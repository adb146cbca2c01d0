use serde_json::{Map, Value, json};

use super::{Field, Items, Mapping, Scalar, Source};
use crate::peg::Grammar;

/// JSON Schema of the trees that a mapping makes.
pub fn schema(mapping: &Mapping, grammar: &Grammar) -> Value {
    let mut schema = object(&mapping.fields, &[], grammar);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    }
    schema
}

/// The schema of an object that is a match of one of these rules.
fn object(fields: &[Field], rules: &[u16], grammar: &Grammar) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = match &field.source {
            Source::Scalar { scalar: kind, .. } => scalar(*kind),
            Source::Object { rules, fields } => object(fields, rules, grammar),
            Source::List { rules, items } => {
                let items = match items {
                    Items::Scalars(kind) => scalar(*kind),
                    Items::Objects(fields) => object(fields, rules, grammar),
                };
                json!({"type": "array", "items": items})
            }
            Source::Has { .. } => json!({"type": "boolean"}),
            Source::Rule => {
                let names: Vec<&str> = rules.iter().map(|rule| grammar.name(*rule)).collect();
                json!({"enum": names})
            }
            Source::Indent => json!({"type": "integer"}),
        };
        if let Some(schema) = schema.as_object_mut().filter(|_| !field.about.is_empty()) {
            schema.insert("description".into(), field.about.as_ref().into());
        }
        if matches!(field.source, Source::List { .. } | Source::Has { .. } | Source::Rule | Source::Indent) {
            required.push(field.key.as_ref());
        }
        properties.insert(field.key.clone().into_owned(), schema);
    }
    let mut schema = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if let Some(schema) = schema.as_object_mut().filter(|_| !required.is_empty()) {
        schema.insert("required".into(), json!(required));
    }
    schema
}

fn scalar(scalar: Scalar) -> Value {
    json!({"type": match scalar {
        Scalar::String => "string",
        Scalar::Number => "number",
        Scalar::Integer => "integer",
        Scalar::Boolean => "boolean",
    }})
}
