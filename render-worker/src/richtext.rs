//! The strings of a document that are Markdown: bodies, and values of rich-text fields.

use serde_json::{Map, Value};

/// The document `{fields, body, cards}` with `change` applied to all its Markdown, in the order of the pages:
/// fields, body, cards.
pub(crate) fn map(manifest: &Value, document: &Value, change: &mut dyn FnMut(&str) -> String) -> Value {
    let mut document = card(manifest.get("main"), document, change);
    let cards = document.get_mut("cards").and_then(Value::as_array_mut);
    for written in cards.into_iter().flatten() {
        let kind = written.get("kind").and_then(Value::as_str).unwrap_or_default();
        let schema = manifest.get("card_kinds").and_then(|kinds| kinds.get(kind));
        *written = card(schema, written, change);
    }
    document
}

fn card(schema: Option<&Value>, written: &Value, change: &mut dyn FnMut(&str) -> String) -> Value {
    let mut result = written.clone();
    let schema = schema.and_then(|schema| schema.get("fields"));
    if let Some(fields) = result.get_mut("fields").and_then(Value::as_object_mut) {
        all(schema, fields, change);
    }
    if let Some(Value::String(body)) = result.get_mut("body") {
        *body = change(body);
    }
    result
}

fn all(schema: Option<&Value>, fields: &mut Map<String, Value>, change: &mut dyn FnMut(&str) -> String) {
    for (name, value) in fields {
        if let Some(field) = schema.and_then(|schema| schema.get(name)) {
            one(field, value, change);
        }
    }
}

fn one(field: &Value, value: &mut Value, change: &mut dyn FnMut(&str) -> String) {
    let written = field.get("type").and_then(Value::as_str).unwrap_or_default();
    match value {
        Value::String(text) if written.trim_end_matches('?') == "richtext" => *text = change(text),
        Value::Array(items) => {
            if let Some(of_items) = field.get("items") {
                for item in items {
                    one(of_items, item, change);
                }
            }
        }
        Value::Object(entries) => all(field.get("properties"), entries, change),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markdown_is_changed_and_other_strings_are_not() {
        let rich = json!({"type": "richtext?"});
        let manifest = json!({
            "main": {"fields": {"summary": rich, "title": {"type": "text"}, "notes": {"type": "array", "items": rich}}},
            "card_kinds": {"jobs": {"fields": {"what": {"type": "object", "properties": {"text": rich}}}}},
        });
        let document = json!({
            "fields": {"summary": "a", "title": "b", "notes": ["c"]},
            "body": "d",
            "cards": [{"kind": "jobs", "fields": {"what": {"text": "e"}}, "body": "f"}],
        });
        let mut seen = Vec::new();
        let changed = map(&manifest, &document, &mut |text| {
            seen.push(text.to_owned());
            text.to_uppercase()
        });
        seen.sort();
        assert_eq!(seen, ["a", "c", "d", "e", "f"]);
        assert_eq!(changed["fields"], json!({"summary": "A", "title": "b", "notes": ["C"]}));
        assert_eq!(changed["cards"][0]["fields"]["what"]["text"], "E");
    }
}
