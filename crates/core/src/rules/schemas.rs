use serde_json::Value;

use super::raw::{RawKind, RawPack, RawRuleFile};
use crate::{
    budget::Lazy,
    schema::{SchemaError, Structure, Violation, evaluate},
    tree::Node,
};

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

/// What is wrong with the shape of a rule file or pack so that a rule cannot run: the errors that the schema has
/// names for. Those without one keep a rule from being decoded, or do no harm.
pub(super) fn shape_errors(root: Node<'_>) -> Vec<Violation<'_>> {
    static STRUCTURE: Lazy<Result<Structure, Vec<SchemaError>>> =
        Lazy::new(|| Structure::new(&document_schema(), ""));
    let Ok(structure) = &*STRUCTURE else { return Vec::new() };
    let mut errors = evaluate(structure, root).unwrap_or_default().into_found();
    errors.retain(|error| error.name != error.keyword);
    errors
}
