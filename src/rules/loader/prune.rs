//! The parts of a rule that can be checked although the rule cannot be decoded, so that one run reports
//! all of its errors.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::rules::{raw::RawRule, schemas::rule_file_schema};

/// A rule without the fields that rule files do not have, and with something for those that are missing;
/// nothing when it cannot be decoded even so.
pub(super) fn rule(rule: &Value) -> Option<RawRule> {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let schema = SCHEMA.get_or_init(rule_file_schema);
    let mut rule = rule.clone();
    prune(&mut rule, &schema["$defs"]["Rule"], schema);
    let rule = rule.as_object_mut()?;
    if !rule.get("id").is_some_and(|id| id != "") || !rule.contains_key("check") {
        return None;
    }
    for (key, value) in [("name", ""), ("severity", "error"), ("since", ""), ("message", ""), ("explain", "")]
    {
        rule.entry(key).or_insert_with(|| value.into());
    }
    serde_json::from_value(Value::Object(std::mem::take(rule))).ok()
}

/// Takes away what the closed objects of a schema do not have. Of a union only a branch that is the
/// only one for objects or lists is followed.
fn prune(value: &mut Value, schema: &Value, root: &Value) {
    let Some(schema) = resolve(schema, root) else { return };
    if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
        let kind = if value.is_object() { "object" } else { "array" };
        let branches = branches.iter().filter_map(|branch| resolve(branch, root));
        let mut fitting = branches.filter(|branch| branch.get("type").is_some_and(|t| t == kind));
        if let (Some(branch), None) = (fitting.next(), fitting.next()) {
            prune(value, branch, root);
        }
        return;
    }
    match value {
        Value::Object(fields) => {
            let known = schema.get("properties").and_then(Value::as_object);
            if let Some(known) =
                known.filter(|_| schema.get("additionalProperties") == Some(&Value::Bool(false)))
            {
                fields.retain(|key, _| known.contains_key(key));
            }
            prune_fields(fields, schema, root);
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    prune(item, schema, root);
                }
            }
        }
        _ => {}
    }
}

fn prune_fields(fields: &mut Map<String, Value>, schema: &Value, root: &Value) {
    for (key, value) in fields {
        let own = schema.get("properties").and_then(|known| known.get(key));
        if let Some(schema) = own.or_else(|| schema.get("additionalProperties")) {
            prune(value, schema, root);
        }
    }
}

/// A schema, or the one it refers to.
fn resolve<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => root.pointer(reference.strip_prefix('#')?),
        None => Some(schema),
    }
}
