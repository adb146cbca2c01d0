use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::{text::nearest, tree::pointer::escape};

/// Keywords of JSON Schema 2020-12 that rules may use; a misspelled one would be silently ignored.
const KEYWORDS: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "$comment",
    "$anchor",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "format",
    "prefixItems",
    "items",
    "contains",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// What a keyword holds, where that is schemas.
fn value_of(keyword: &str, schema: &Value) -> Value {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
            json!({"type": "object", "additionalProperties": schema})
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => json!({"type": "array", "items": schema}),
        "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems" => schema.clone(),
        _ => json!({}),
    }
}

/// A keyword that a schema has and JSON Schema does not, although it has a similar one.
#[derive(Debug, PartialEq, Eq)]
pub struct Misspelled {
    /// JSON Pointer to the value of the keyword.
    pub pointer: String,
    /// The keyword as it is written.
    pub keyword: String,
    /// The keyword of JSON Schema.
    pub nearest: &'static str,
}

/// The keywords of a schema that look misspelled. What is not known is ignored otherwise: it may be an annotation.
pub fn misspelled_keywords(schema: &Value) -> Vec<Misspelled> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), schema)];
    while let Some((at, schema)) = waiting.pop() {
        let Some(members) = schema.as_object() else { continue };
        for (keyword, value) in members {
            let pointer = format!("{at}/{}", escape(keyword));
            let Some(known) = KEYWORDS.iter().find(|known| *known == keyword) else {
                let near = nearest(keyword, KEYWORDS.iter().copied()).filter(|_| !keyword.starts_with("x-"));
                let near = near.and_then(|near| KEYWORDS.iter().find(|known| **known == near));
                found.extend(near.map(|nearest| Misspelled { pointer, keyword: keyword.clone(), nearest }));
                continue;
            };
            let form = value_of(known, &Value::Bool(true));
            let inner = |(key, value)| (format!("{pointer}/{key}"), value);
            match (&form, value) {
                (Value::Bool(true), _) => waiting.push((pointer, value)),
                (form, Value::Object(members)) if form["type"] == "object" => {
                    waiting
                        .extend(members.iter().map(|(key, value)| inner((escape(key).into_owned(), value))));
                }
                (form, Value::Array(items)) if form["type"] == "array" => {
                    let numbered = items.iter().enumerate();
                    waiting.extend(numbered.map(|(index, value)| inner((index.to_string(), value))));
                }
                _ => {}
            }
        }
    }
    found.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    found
}

/// The schema of the schemas that rules may use: a misspelled keyword would be ignored silently.
pub fn schema_of_schemas(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<AnySchema>()
}

struct AnySchema;

impl JsonSchema for AnySchema {
    fn schema_name() -> Cow<'static, str> {
        "JsonSchema".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = generator.subschema_for::<Self>().to_value();
        let properties: Map<String, Value> =
            KEYWORDS.iter().map(|keyword| ((*keyword).to_owned(), value_of(keyword, &own))).collect();
        json_schema!({
            "description": "A JSON Schema (2020-12). Keywords that start with `x-` are custom ones.",
            "type": ["object", "boolean"],
            "properties": properties,
            "patternProperties": {"^x-": {}},
            "additionalProperties": false,
            "x-fault": {"additionalProperties": "unknown-schema-keyword"},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_that_look_misspelled_are_found_in_all_parts() {
        let schema = json!({
            "type": "object", "requried": ["a"], "audience": 1, "x-enmu": 1,
            "properties": {"enmu": {"enmu": [1]}, "b": {"anyOf": [{"patern": "a"}]}},
            "default": {"enmu": 1},
        });
        let found = misspelled_keywords(&schema);
        let found: Vec<&str> = found.iter().map(|one| one.pointer.as_str()).collect();
        assert_eq!(found, ["/properties/b/anyOf/0/patern", "/properties/enmu/enmu", "/requried"]);
    }
}
