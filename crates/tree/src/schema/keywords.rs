use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

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
