use serde_json::Value;

use super::raw::{RawPack, RawRuleFile};

/// JSON Schema of a rule file.
pub fn rule_file_schema() -> Value {
    titled(schemars::schema_for!(RawRuleFile).to_value(), "Proofmark rule file")
}

/// JSON Schema of a `pack.yaml`.
pub fn pack_schema() -> Value {
    titled(schemars::schema_for!(RawPack).to_value(), "Proofmark pack")
}

fn titled(mut schema: Value, title: &str) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".into(), title.into());
    }
    schema
}
