use serde_json::Value;

use super::raw::{RawKind, RawPack, RawRuleFile};

/// JSON Schema of a rule file.
pub fn rule_file_schema() -> Value {
    titled(schemars::schema_for!(RawRuleFile).to_value(), "Proofmark rule file")
}

/// JSON Schema of a `pack.yaml`.
pub fn pack_schema() -> Value {
    titled(schemars::schema_for!(RawPack).to_value(), "Proofmark pack")
}

/// JSON Schema of a `kind.yaml`.
pub fn kind_schema() -> Value {
    titled(schemars::schema_for!(RawKind).to_value(), "Proofmark document kind")
}

fn titled(mut schema: Value, title: &str) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".into(), title.into());
    }
    schema
}

/// JSON Schema of all three: what kind `rulefile` reads.
pub fn document_schema() -> Value {
    let mut definitions = serde_json::Map::new();
    for (name, mut schema) in
        [("RuleFile", rule_file_schema()), ("Pack", pack_schema()), ("Kind", kind_schema())]
    {
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
            if let Some(Value::Object(own)) = object.remove("$defs") {
                definitions.extend(own);
            }
        }
        definitions.insert(name.to_owned(), schema);
    }
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Proofmark rule file, pack or document kind",
        "if": {"required": ["rules"]},
        "then": {"$ref": "#/$defs/RuleFile"},
        "else": {
            "if": {"required": ["grammar"]},
            "then": {"$ref": "#/$defs/Kind"},
            "else": {"$ref": "#/$defs/Pack"},
        },
        "$defs": definitions,
    })
}
