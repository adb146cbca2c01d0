use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    kinds::quill::{FieldType, Quill},
    tree::Tree,
};

/// Keys of a field that the engine knows and that matter to a layout. Descriptions and examples are
/// ours to check; the engine refuses keys it does not know.
const FIELD_KEYS: [&str; 10] =
    ["type", "default", "values", "variants", "properties", "items", "multiline", "max", "members", "open"];

/// The manifest of a quill as the engine takes it: with its sections and keys and nothing else.
pub(super) fn manifest(quill: &Quill, written: &Value) -> Value {
    let mut manifest = about(quill);
    let main = written.get("main");
    let fields = written.get("fields").or_else(|| main?.get("fields"));
    manifest.insert("main".into(), card(fields, main));
    let kinds = ["card_kinds", "cards", "scopes"].into_iter().filter_map(|key| written.get(key)?.as_object());
    let kinds: Map<String, Value> =
        kinds.flatten().map(|(name, kind)| (name.clone(), card(kind.get("fields"), Some(kind)))).collect();
    if !kinds.is_empty() {
        manifest.insert("card_kinds".into(), kinds.into());
    }
    if let Some(section) = written.get(&quill.backend) {
        manifest.insert(quill.backend.clone(), section.clone());
    } else if let Some(glue) = &quill.glue_file {
        manifest.insert(quill.backend.clone(), json!({"plate_file": glue}));
    }
    manifest.into()
}

/// The manifest of a classic bundle, whose layout is the file `plate` and whose rich text fields have these
/// names.
pub(super) fn classic(quill: &Quill) -> Value {
    about(quill).into()
}

/// The filters that a manifest defines for its glue template, as templates by name.
pub(super) fn filters(manifest: &Tree) -> BTreeMap<String, String> {
    let section = manifest.root().get("filters");
    let entries = section.into_iter().flat_map(|section| section.entries());
    entries.filter_map(|entry| Some((entry.key().to_owned(), entry.value().as_str()?.to_owned()))).collect()
}

fn about(quill: &Quill) -> Map<String, Value> {
    let description = if quill.description.trim().is_empty() { &quill.name } else { &quill.description };
    // The engine wants names that start with a letter and versions of three numbers.
    let name = if quill.name.starts_with('_') { format!("q{}", quill.name) } else { quill.name.clone() };
    let version = quill.version.as_deref().filter(|version| is_version(version)).unwrap_or("0.1.0");
    let about = json!({
        "name": name, "backend": quill.backend, "description": description, "version": version,
    });
    Map::from_iter([("quill".to_owned(), about)])
}

fn is_version(text: &str) -> bool {
    let number = |part: &str| part.len() < 6 && part.parse::<u32>().is_ok();
    text.split('.').count() == 3 && text.split('.').all(number)
}

fn card(fields: Option<&Value>, section: Option<&Value>) -> Value {
    let mut card = Map::new();
    card.insert("fields".into(), all_fields(fields));
    let enabled = section.and_then(|section| section.get("body")?.get("enabled"));
    if let Some(enabled) = enabled {
        card.insert("body".into(), json!({"enabled": enabled}));
    }
    card.into()
}

fn all_fields(fields: Option<&Value>) -> Value {
    let fields = fields.and_then(Value::as_object).into_iter().flatten();
    Value::Object(fields.map(|(name, value)| (name.clone(), field(value))).collect())
}

fn field(written: &Value) -> Value {
    let Some(keys) = written.as_object() else {
        return json!({"type": type_name(written.as_str().unwrap_or_default(), false)});
    };
    let mut field: Map<String, Value> = keys
        .iter()
        .filter(|(key, value)| FIELD_KEYS.contains(&key.as_str()) && !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if let Some(values) = keys.get("enum") {
        field.insert("values".into(), values.clone());
    }
    let listed = field.contains_key("values");
    let word = keys.get("type").and_then(Value::as_str).unwrap_or_default();
    field.insert("type".into(), type_name(word, listed).into());
    if let Some(properties) = keys.get("properties") {
        field.insert("properties".into(), all_fields(Some(properties)));
    }
    match keys.get("items") {
        Some(items) => _ = field.insert("items".into(), self::field(items)),
        None if field["type"].as_str().is_some_and(|name| name.starts_with("array")) => {
            field.insert("items".into(), json!({"type": "text"}));
        }
        None => {}
    }
    field.into()
}

/// The engine's name for a type; that of a string where none is given.
fn type_name(word: &str, listed: bool) -> String {
    let (word, optional) = word.strip_suffix('?').map_or((word, ""), |word| (word, "?"));
    let name = match FieldType::named(word) {
        _ if listed => "enum",
        None | Some(FieldType::String) => "text",
        Some(known) => known.name(),
    };
    format!("{name}{optional}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_gets_only_keys_it_knows() {
        let written = json!({
            "type": "string", "required": true, "description": "Who", "tags": ["a"], "colour": "red", "max": 3,
        });
        assert_eq!(field(&written), json!({"type": "text", "max": 3}));
    }

    #[test]
    fn types_are_named_as_the_engine_names_them() {
        assert_eq!(field(&json!("date?")), json!({"type": "date?"}));
        assert_eq!(field(&json!({"enum": ["a", "b"]})), json!({"values": ["a", "b"], "type": "enum"}));
        assert_eq!(field(&json!({"type": "list"})), json!({"type": "array", "items": {"type": "text"}}));
        let table =
            json!({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "int"}}}});
        assert_eq!(field(&table)["items"]["properties"]["n"], json!({"type": "integer"}));
    }
}
