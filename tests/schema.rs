//! JSON Schema on the value tree agrees with an independent implementation.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::sync::Arc;

use proofmark::{
    kinds::{Kind as _, ParseOptions, rulefile::RuleFile},
    schema::{Structure, evaluate},
    text::{Fragment, Source},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Whether a value conforms, by evaluation on the tree.
fn conforms(schema: &Value, value: &Value) -> bool {
    let source = Arc::new(Source::new("value.yaml", value.to_string()));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = RuleFile.parse(&source, &fragment, &ParseOptions::default());
    let structure = Structure::new(schema, "").unwrap();
    evaluate(&structure, document.tree.root()).iter().all(|violation| violation.keyword == "misspelled")
}

/// The same by the library.
fn reference(schema: &Value, value: &Value) -> bool {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    options.build(schema).unwrap().is_valid(value)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "ab", "abc"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.5, 2.0, -1.0]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "ab", "abc", "éé"]).prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// One keyword with what it holds; `inner` makes schemas.
fn keyword(inner: BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    let types = vec!["null", "boolean", "integer", "number", "string", "array", "object"];
    let named = |name: &'static str| move |value: Value| (name.to_owned(), value);
    let count = || (0_u64..4).prop_map(Value::from);
    let bound = || prop_oneof![(-2_i64..5).prop_map(Value::from), Just(json!(1.5))];
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
    let members = prop::collection::btree_map(name(), inner.clone(), 1..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed();
    let names = || {
        prop::collection::vec(name(), 0..3).prop_map(|mut names| {
            names.sort();
            names.dedup();
            json!(names)
        })
    };
    prop_oneof![
        prop::sample::select(types).prop_map(|name| ("type".to_owned(), json!(name))),
        scalar().prop_map(named("const")),
        prop::collection::vec(scalar(), 1..4).prop_map(|values| ("enum".to_owned(), json!(values))),
        bound().prop_map(named("minimum")),
        bound().prop_map(named("exclusiveMinimum")),
        bound().prop_map(named("maximum")),
        bound().prop_map(named("exclusiveMaximum")),
        prop::sample::select(vec![1, 2, 3]).prop_map(|of| ("multipleOf".to_owned(), json!(of))),
        count().prop_map(named("minLength")),
        count().prop_map(named("maxLength")),
        prop::sample::select(vec!["^a", "b", "^$"]).prop_map(|p| ("pattern".to_owned(), json!(p))),
        list.clone().prop_map(named("prefixItems")),
        inner.clone().prop_map(named("items")),
        inner.clone().prop_map(named("contains")),
        count().prop_map(named("minItems")),
        count().prop_map(named("maxItems")),
        any::<bool>().prop_map(|unique| ("uniqueItems".to_owned(), json!(unique))),
        inner.clone().prop_map(named("unevaluatedItems")),
        members.clone().prop_map(named("properties")),
        members.clone().prop_map(named("patternProperties")),
        inner.clone().prop_map(named("additionalProperties")),
        inner.clone().prop_map(named("unevaluatedProperties")),
        inner.clone().prop_map(named("propertyNames")),
        names().prop_map(named("required")),
        count().prop_map(named("minProperties")),
        count().prop_map(named("maxProperties")),
        (name(), names()).prop_map(|(name, keys)| ("dependentRequired".to_owned(), json!({name: keys}))),
        members.prop_map(named("dependentSchemas")),
        list.clone().prop_map(named("allOf")),
        list.clone().prop_map(named("anyOf")),
        list.prop_map(named("oneOf")),
        inner.clone().prop_map(named("not")),
        inner.clone().prop_map(named("if")),
        inner.clone().prop_map(named("then")),
        inner.prop_map(named("else")),
    ]
    .boxed()
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![any::<bool>().prop_map(Value::from), Just(json!({}))];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::vec(keyword(inner.boxed()), 1..4)
            .prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn the_result_is_that_of_the_library(schema in schema(), value in value()) {
        prop_assert_eq!(conforms(&schema, &value), reference(&schema, &value), "{} on {}", schema, value);
    }
}

#[test]
fn references_anchors_and_recursion_are_followed() {
    let schema = json!({
        "$id": "https://example.org/tree",
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
                "name": {"$ref": "#name"},
                "children": {"type": "array", "items": {"$ref": "https://example.org/tree#/$defs/node"}},
            }},
            "text": {"$anchor": "name", "type": "string", "minLength": 1},
        },
    });
    for value in [
        json!({"name": "a", "children": [{"name": "b"}]}),
        json!({"name": "a", "children": [{"name": ""}]}),
        json!({"name": "a", "children": [{"nam": "b"}]}),
    ] {
        assert_eq!(conforms(&schema, &value), reference(&schema, &value), "{value}");
    }
}
