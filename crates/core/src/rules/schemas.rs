use std::collections::BTreeSet;

use serde_json::{Map, Value};

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
    let mut definitions = Map::new();
    for (name, mut schema) in
        [("RuleFile", rule_file_schema()), ("Pack", pack_schema()), ("Kind", kind_schema())]
    {
        let own = schema.as_object_mut().and_then(|object| {
            object.remove("$schema");
            object.remove("$defs")
        });
        let Some(Value::Object(own)) = own else {
            definitions.insert(name.to_owned(), schema);
            continue;
        };
        let differing = differing(&definitions, &own);
        let renamed = |key: &str| differing.contains(key).then(|| format!("{name}{key}"));
        rename_references(&mut schema, &renamed);
        for (key, mut definition) in own {
            rename_references(&mut definition, &renamed);
            definitions.insert(renamed(&key).unwrap_or(key), definition);
        }
        definitions.insert(name.to_owned(), schema);
    }
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Proofmark rule file, pack or document kind",
        "if": {"required": ["rules"]},
        "then": {"$ref": "#/$defs/RuleFile"},
        "else": {
            "if": {"anyOf": [{"required": ["grammar"]}, {"required": ["references"]}]},
            "then": {"$ref": "#/$defs/Kind"},
            "else": {"$ref": "#/$defs/Pack"},
        },
        "$defs": definitions,
    })
}

/// Where the definitions of a schema are.
const DEFINITIONS: &str = "#/$defs/";

/// The definitions of a schema whose names mean something else in `known`, also because of what they refer to. Names are made
/// by number where several types have the same one, so that they mean different things in different schemas.
fn differing(known: &Map<String, Value>, own: &Map<String, Value>) -> BTreeSet<String> {
    let mut differing = BTreeSet::new();
    loop {
        let refers = |definition: &Value| {
            let mut definition = definition.clone();
            let before = definition.clone();
            rename_references(&mut definition, &|key| differing.contains(key).then(String::new));
            definition != before
        };
        let differs = |(key, definition): &(&String, &Value)| {
            !differing.contains(*key)
                && known.get(*key).is_some_and(|other| other != *definition || refers(definition))
        };
        let more: Vec<String> = own.iter().filter(differs).map(|(key, _)| key.clone()).collect();
        if more.is_empty() {
            return differing;
        }
        differing.extend(more);
    }
}

/// Changes references to definitions that have another name.
fn rename_references(schema: &mut Value, renamed: &impl Fn(&str) -> Option<String>) {
    match schema {
        Value::Object(members) => {
            for (key, member) in members {
                let target =
                    member.as_str().filter(|_| key == "$ref").and_then(|to| to.strip_prefix(DEFINITIONS));
                match target.and_then(renamed) {
                    Some(name) => *member = format!("{DEFINITIONS}{name}").into(),
                    None => rename_references(member, renamed),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_references(item, renamed)),
        _ => {}
    }
}

/// What is wrong with the shape of a rule file or pack so that a rule cannot run: the errors that the schema has
/// names for. Those without one keep a rule from being decoded, or do no harm.
pub(super) fn shape_errors(root: Node<'_>) -> Vec<Violation<'_>> {
    let mut errors = all_errors(root);
    errors.retain(|error| error.name != error.keyword);
    errors
}

/// Whether a rule file or pack has the shape that the schema describes.
pub(super) fn conforms(root: Node<'_>) -> bool {
    all_errors(root).is_empty()
}

fn all_errors(root: Node<'_>) -> Vec<Violation<'_>> {
    static STRUCTURE: Lazy<Result<Structure, Vec<SchemaError>>> =
        Lazy::new(|| Structure::new(&document_schema(), ""));
    let Ok(structure) = &*STRUCTURE else { return Vec::new() };
    evaluate(structure, root).unwrap_or_default().into_found()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn definitions_of_the_same_name_do_not_replace_each_other() {
        let refer = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
        let known = json!({"a": {"type": "string"}, "b": {"type": "null"}, "c": refer("b")});
        let own = json!({"a": {"type": "string"}, "b": {"type": "array"}, "c": refer("b"), "d": refer("c")});
        let (known, own) = (known.as_object().unwrap(), own.as_object().unwrap());
        assert_eq!(differing(known, own), ["b".to_owned(), "c".to_owned()].into());
        let whole = document_schema();
        for schema in [rule_file_schema(), pack_schema(), kind_schema()] {
            for (name, definition) in schema["$defs"].as_object().unwrap() {
                let all = whole["$defs"].as_object().unwrap();
                let is_kept = |(other, merged): (&String, &Value)| {
                    other.ends_with(name.as_str())
                        && merged["description"] == definition["description"]
                        && merged.as_object().map(Map::len) == definition.as_object().map(Map::len)
                };
                assert!(all.iter().any(is_kept), "{name}");
            }
        }
    }
}
