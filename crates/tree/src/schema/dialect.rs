//! Schemas inside documents, which may be written in another dialect than 2020-12: a copy of the document in which
//! they are not.

use serde_json::{Map, Value};

/// How schemas in a document differ from those of JSON Schema 2020-12.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// A keyword whose value `true` allows null as well.
    pub nullable: Option<&'static str>,
    /// `exclusiveMinimum` and `exclusiveMaximum` are booleans about `minimum` and `maximum`, and keywords beside a
    /// `$ref` have no effect.
    pub early: bool,
    /// Required keys whose schema has one of these keywords with the value `true` may be missing.
    pub optional: Vec<String>,
}

/// Keywords whose values are mappings from names to schemas.
const NAMES: &[&str] = &[
    "properties",
    "patternProperties",
    "definitions",
    "$defs",
    "dependentSchemas",
    "schemas",
    "parameters",
    "headers",
    "responses",
    "callbacks",
    "paths",
    "webhooks",
];

/// Keywords whose values are not schemas.
const VALUES: &[&str] = &["default", "enum", "const", "example", "examples"];

impl Dialect {
    /// JSON Schema as it was up to draft 04.
    pub fn early() -> Self {
        Self { early: true, ..Self::default() }
    }

    /// A document with its schemas as they are written in 2020-12. JSON Pointers stay the same.
    pub fn normalized(&self, document: &Value) -> Value {
        let mut copy = document.clone();
        self.object(&mut copy, document, false);
        copy
    }

    fn object(&self, value: &mut Value, document: &Value, names: bool) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.object(item, document, false)),
            Value::Object(members) => {
                if !names {
                    self.schema(members, document);
                }
                for (key, member) in members {
                    if names || !VALUES.contains(&key.as_str()) {
                        self.object(member, document, !names && NAMES.contains(&key.as_str()));
                    }
                }
            }
            _ => {}
        }
    }

    /// Rewrites what may be a schema. Of other objects this concerns nothing that counts.
    fn schema(&self, schema: &mut Map<String, Value>, document: &Value) {
        // Names in the document do not choose branches, and a schema in a document is not a separate resource.
        for keyword in ["discriminator", "x-fault", "x-target", "$id", "id"] {
            schema.remove(keyword);
        }
        if self.early && schema.get("$ref").is_some_and(Value::is_string) {
            schema.retain(|keyword, _| keyword == "$ref");
            return;
        }
        if let Some(kind) = schema.get("type").and_then(Value::as_str)
            && self.nullable.is_some_and(|keyword| schema.get(keyword) == Some(&Value::Bool(true)))
        {
            let types = Value::from(vec![kind, "null"]);
            schema.insert("type".to_owned(), types);
        }
        if self.early {
            bound(schema, "minimum", "exclusiveMinimum");
            bound(schema, "maximum", "exclusiveMaximum");
        }
        self.relax(schema, document);
    }

    /// Drops what may be missing from `required`.
    fn relax(&self, schema: &mut Map<String, Value>, document: &Value) {
        if self.optional.is_empty() {
            return;
        }
        let may_be_missing = |name: &Value| {
            let property = name.as_str().and_then(|name| schema.get("properties")?.get(name));
            property.is_some_and(|property| self.is_optional(property, document))
        };
        let Some(required) = schema.get("required").and_then(Value::as_array) else { return };
        let kept: Vec<Value> = required.iter().filter(|name| !may_be_missing(name)).cloned().collect();
        schema.insert("required".to_owned(), kept.into());
    }

    fn is_optional(&self, property: &Value, document: &Value) -> bool {
        let has = |schema: &Value| self.optional.iter().any(|keyword| schema[keyword] == Value::Bool(true));
        let reference = property.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| document.pointer(reference.strip_prefix('#')?));
        has(property) || target.is_some_and(has)
    }
}

/// Makes a boolean about a bound the bound.
fn bound(schema: &mut Map<String, Value>, inclusive: &str, exclusive: &str) {
    let Some(excludes) = schema.get(exclusive).and_then(Value::as_bool) else { return };
    schema.remove(exclusive);
    if excludes && let Some(bound) = schema.remove(inclusive) {
        schema.insert(exclusive.to_owned(), bound);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_properties_are_not_keywords() {
        let document =
            json!({"properties": {"discriminator": {"type": "string", "nullable": true}, "id": {}}});
        let dialect = Dialect { nullable: Some("nullable"), ..Dialect::early() };
        let expected = json!({"properties": {"discriminator": {"type": ["string", "null"], "nullable": true}, "id": {}}});
        assert_eq!(dialect.normalized(&document), expected);
    }

    #[test]
    fn booleans_become_bounds() {
        let document =
            json!({"minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": false});
        let expected = json!({"exclusiveMinimum": 1, "maximum": 2});
        assert_eq!(Dialect::early().normalized(&document), expected);
        assert_eq!(Dialect::default().normalized(&document), document);
    }
}
