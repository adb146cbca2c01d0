//! JSON Schema of the trees of all diagram types: made from their descriptions, over what the descriptions
//! do not say.

use serde_json::{Value, json};

use super::grammars::DIAGRAMS;
use crate::{budget::Lazy, syntax::mapping};

/// What keys mean, and the keys that Rust code adds.
const BASE: &str = include_str!("../../../../grammars/mermaid/tree.schema.json");

/// The schema as JSON text.
pub(super) fn text() -> &'static str {
    static TEXT: Lazy<String> = Lazy::new(|| all().to_string());
    &TEXT
}

fn all() -> Value {
    let mut all: Value = serde_json::from_str(BASE).unwrap_or_default();
    for diagram in &DIAGRAMS {
        merge(&mut all, mapping::schema(&diagram.tree, diagram.grammar));
    }
    let properties = all["properties"].as_object_mut().into_iter().flatten();
    for (key, schema) in properties.filter(|(_, schema)| schema.get("description").is_none()) {
        let has = |diagram: &&super::diagram::Diagram| {
            diagram.tree.fields.iter().any(|field| field.key.as_ref() == key.as_str())
        };
        let types: Vec<&str> = DIAGRAMS.iter().filter(has).map(|diagram| diagram.name).collect();
        schema["description"] = json!(format!("In diagrams of type {}", types.join(", ")));
    }
    all
}

/// Adds what another type has. A key is of each of the JSON types that it has in some diagram type; none is
/// required, and none is the last one, since the types differ.
fn merge(schema: &mut Value, other: Value) {
    let Value::Object(other) = other else { return };
    for (keyword, value) in other {
        match keyword.as_str() {
            "$schema" | "required" | "additionalProperties" => {}
            "enum" => merge(schema, json!({"type": "string"})),
            "properties" => {
                for (key, value) in value.as_object().cloned().unwrap_or_default() {
                    if schema["properties"].get(&key).is_none() {
                        schema["properties"][&key] = json!({});
                    }
                    merge(&mut schema["properties"][&key], value);
                }
            }
            "items" => {
                if schema.get("items").is_none() {
                    schema["items"] = json!({});
                }
                merge(&mut schema["items"], value);
            }
            "type" => add_type(schema, value),
            _ if schema.get(&keyword).is_none() => schema[keyword] = value,
            _ => {}
        }
    }
}

fn add_type(schema: &mut Value, other: Value) {
    match &mut schema["type"] {
        Value::Null => schema["type"] = other,
        Value::Array(types) if types.contains(&other) => {}
        Value::Array(types) => types.push(other),
        known if *known == other => {}
        known => *known = json!([known.take(), other]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_every_description_has_a_type_and_a_meaning() {
        let all = all();
        for diagram in &DIAGRAMS {
            for field in diagram.tree.fields.iter() {
                let schema = &all["properties"][field.key.as_ref()];
                assert!(schema["type"].is_string() || schema["type"].is_array(), "{}: {schema}", field.key);
                assert!(schema["description"].is_string(), "{}", field.key);
            }
        }
    }

    #[test]
    fn types_of_a_key_add_up() {
        let mut schema = json!({"properties": {"a": {"description": "b", "type": "string"}}});
        merge(&mut schema, json!({"properties": {"a": {"type": "number"}}, "required": ["a"]}));
        merge(&mut schema, json!({"properties": {"a": {"enum": ["x"]}}}));
        assert_eq!(schema["properties"]["a"], json!({"description": "b", "type": ["string", "number"]}));
        assert_eq!(schema.get("required"), None);
    }
}
