//! The parts of a rule that can be checked although the rule cannot be decoded, so that one run reports
//! all of its errors.

use serde_json::{Map, Value, json};

use crate::{
    budget::Once,
    rules::{raw::RawRule, schemas::rule_file_schema},
};

/// A rule without the fields that rule files do not have or that cannot be decoded, and with something for those that
/// are missing; nothing where too little is left. A check that cannot be decoded is empty: what depends on it is not
/// looked at.
pub(super) fn rule(rule: &Value) -> Option<RawRule> {
    static SCHEMA: Once<Value> = Once::new();
    let schema = SCHEMA.get_or_init(rule_file_schema);
    let mut rule = rule.clone();
    prune(&mut rule, &schema["$defs"]["Rule"], schema);
    let fields = rule.as_object()?;
    let has_id = fields.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
    if has_id && fields.contains_key("check") { decodable(fields) } else { None }
}

/// The rule with the fields that can be decoded.
fn decodable(fields: &Map<String, Value>) -> Option<RawRule> {
    let decoded = |fields: &Map<String, Value>| serde_json::from_value(Value::Object(fields.clone())).ok();
    let mut kept = Map::new();
    for (key, value) in
        [("id", ""), ("name", ""), ("severity", "error"), ("since", ""), ("message", ""), ("explain", "")]
    {
        kept.insert(key.to_owned(), value.into());
    }
    kept.insert("check".to_owned(), json!({}));
    let mut rule: RawRule = decoded(&kept)?;
    for (key, value) in fields {
        let least = kept.insert(key.clone(), value.clone());
        if let Some(more) = decoded(&kept) {
            rule = more;
            continue;
        }
        match (key.as_str(), least) {
            // What selectors and facts may name depends on it.
            ("kind", _) => return None,
            ("options", _) => {
                kept.insert(key.clone(), named_only(value));
                rule = decoded(&kept)?;
            }
            (_, Some(least)) => {
                kept.insert(key.clone(), least);
            }
            (_, None) => {
                kept.remove(key);
            }
        }
    }
    Some(rule)
}

/// Options of which only the names count.
fn named_only(options: &Value) -> Value {
    let names = options.as_object().into_iter().flat_map(Map::keys);
    let option = json!({"type": "string", "default": "", "description": ""});
    Value::Object(names.map(|name| (name.clone(), option.clone())).collect())
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
