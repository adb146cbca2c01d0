//! JSON Schema on the value tree agrees with an independent implementation.

use std::{collections::BTreeSet, fs, path::Path};

use proofmark::{
    Tree,
    internals::schema::{FORMATS, Structure, evaluate},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Whether a value conforms, by evaluation on the tree.
fn conforms(schema: &Value, value: &Value) -> bool {
    let structure = Structure::new(schema, "").unwrap();
    evaluate(&structure, Tree::from_json(value).root()).unwrap().iter().all(|found| !found.is_error())
}

/// The crate's validator.
fn oracle(schema: &Value) -> jsonschema::Validator {
    let options = jsonschema::options().should_validate_formats(true);
    options.with_pattern_options(jsonschema::PatternOptions::regex()).build(schema).unwrap()
}

#[track_caller]
fn agree(schema: &Value, value: &Value) {
    assert_eq!(conforms(schema, value), oracle(schema).is_valid(value), "{schema} on {value}");
}

/// Names that are not similar, so that none is taken for another one misspelled.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["fig", "lamp", "north", "quartz"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.5, 2.0, -1.0, 0.3]).prop_map(Value::from),
        prop::sample::select(vec![i64::MAX, i64::MAX - 1, i64::MIN]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "ab", "abc", "éé", "2026-01-31"]).prop_map(Value::from),
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

fn named<T: Into<Value>>(keyword: &'static str) -> impl Fn(T) -> (String, Value) {
    move |value| (keyword.to_owned(), value.into())
}

fn members(inner: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let members = prop::collection::btree_map(name(), inner, 1..3);
    members.prop_map(|members| Value::Object(members.into_iter().collect())).boxed()
}

fn names() -> impl Strategy<Value = Value> {
    prop::collection::btree_set(name(), 0..3).prop_map(|names| json!(names))
}

/// One keyword about a value by itself; `inner` makes schemas of what is in it.
fn plain_keyword(inner: BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    let types = vec!["null", "boolean", "integer", "number", "string", "array", "object"];
    let count = || (0_u64..4).prop_map(Value::from);
    let bound = || {
        let large = prop::sample::select(vec![i64::MAX, i64::MAX - 1]);
        prop_oneof![(-2_i64..5).prop_map(Value::from), large.prop_map(Value::from), Just(json!(1.5))]
    };
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
    // The crate rounds large numbers before it divides them by a fraction.
    let divisors = vec![json!(1), json!(2), json!(0.5)];
    prop_oneof![
        prop::sample::select(types).prop_map(named("type")),
        scalar().prop_map(named("const")),
        prop::collection::vec(scalar(), 1..4).prop_map(named("enum")),
        bound().prop_map(named("minimum")),
        bound().prop_map(named("exclusiveMinimum")),
        bound().prop_map(named("maximum")),
        bound().prop_map(named("exclusiveMaximum")),
        prop::sample::select(divisors).prop_map(named("multipleOf")),
        count().prop_map(named("minLength")),
        count().prop_map(named("maxLength")),
        prop::sample::select(vec!["^a", "b", "^$", r"^\w+$", r"\d"]).prop_map(named("pattern")),
        prop::sample::select(vec!["date", "ipv4", "unknown"]).prop_map(named("format")),
        list.prop_map(named("prefixItems")),
        inner.clone().prop_map(named("items")),
        count().prop_map(named("minItems")),
        count().prop_map(named("maxItems")),
        any::<bool>().prop_map(named("uniqueItems")),
        members(inner.clone()).prop_map(named("properties")),
        members(inner.clone()).prop_map(named("patternProperties")),
        inner.prop_map(named("additionalProperties")),
        names().prop_map(named("required")),
        count().prop_map(named("minProperties")),
        count().prop_map(named("maxProperties")),
    ]
    .boxed()
}

/// One keyword that applies other schemas to the same value, or depends on what they look at.
fn combining_keyword(inner: BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
    let count = || (0_u64..4).prop_map(Value::from);
    prop_oneof![
        list.clone().prop_map(named("allOf")),
        list.clone().prop_map(named("anyOf")),
        list.prop_map(named("oneOf")),
        inner.clone().prop_map(named("not")),
        inner.clone().prop_map(named("if")),
        inner.clone().prop_map(named("then")),
        inner.clone().prop_map(named("else")),
        inner.clone().prop_map(named("contains")),
        count().prop_map(named("minContains")),
        count().prop_map(named("maxContains")),
        inner.clone().prop_map(named("unevaluatedItems")),
        inner.clone().prop_map(named("unevaluatedProperties")),
        inner.clone().prop_map(named("propertyNames")),
        (name(), names()).prop_map(|(name, keys)| ("dependentRequired".to_owned(), json!({name: keys}))),
        members(inner).prop_map(named("dependentSchemas")),
    ]
    .boxed()
}

type Keyword = fn(BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)>;

fn schema(keyword: Keyword) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![any::<bool>().prop_map(Value::from), Just(json!({}))];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop::collection::vec(keyword(inner.boxed()), 1..4)
            .prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
    })
}

fn any_keyword(inner: BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    prop_oneof![plain_keyword(inner.clone()), combining_keyword(inner)].boxed()
}

/// Paths of the errors as the crate has them: those of keys and items that a mapping or list must not have
/// belong to it.
fn own_paths(schema: &Value, value: &Value) -> (BTreeSet<String>, Vec<String>) {
    let structure = Structure::new(schema, "").unwrap();
    let tree = Tree::from_json(value);
    let mut wrong_types = Vec::new();
    let mut paths = BTreeSet::new();
    for found in evaluate(&structure, tree.root()).unwrap().iter().filter(|found| found.is_error()) {
        let whole = matches!(found.keyword, "additionalProperties" | "uniqueItems");
        let node = if whole { found.node.parent().unwrap() } else { found.node };
        if found.keyword == "type" {
            wrong_types.push(format!("{}/", node.pointer()));
        }
        paths.insert(node.pointer());
    }
    (paths, wrong_types)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn the_result_is_that_of_the_crate(schema in schema(any_keyword), value in value()) {
        prop_assert_eq!(conforms(&schema, &value), oracle(&schema).is_valid(&value), "{} on {}", schema, value);
    }

    #[test]
    fn errors_are_where_the_crate_finds_them(schema in schema(plain_keyword), value in value()) {
        let expected: BTreeSet<String> =
            oracle(&schema).iter_errors(&value).map(|error| error.instance_path().to_string()).collect();
        let (found, wrong_types) = own_paths(&schema, &value);
        prop_assert!(found.is_subset(&expected), "{} on {}: {:?}, {:?}", schema, value, found, expected);
        // What is in a value of the wrong type is not looked at.
        let missed = expected.difference(&found).all(|path| wrong_types.iter().any(|at| path.starts_with(at)));
        prop_assert!(missed, "{} on {}: {:?}, {:?}", schema, value, found, expected);
    }

    #[test]
    fn formats_are_those_of_the_crate(
        format in prop::sample::select(COMMON_FORMATS), text in "[a-zA-Z0-9@.:/?#%\\[\\]+PT~_ -]{0,24}",
    ) {
        agree(&json!({"format": format}), &json!(text));
    }
}

/// Formats that the crate has, too. Its `regex` is that of ECMAScript and ours is the linear-time engine's.
const COMMON_FORMATS: &[&str] = &[
    "uri",
    "uri-reference",
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
    "json-pointer",
];

#[test]
#[allow(clippy::too_many_lines, reason = "a list of samples")]
fn formats_agree_on_what_people_write() {
    let samples = [
        "",
        "a",
        "https://example.org/a?b=c#d",
        "https://[::1]:80/",
        "http://a b",
        "urn:isbn:1",
        "//x",
        "a:b",
        "1:b",
        "http://user:pass@host:8080/%7Efoo",
        "http://host:port/",
        "http://ex[ample",
        "a%zz",
        "../a",
        "#",
        "#a#b",
        "http://[v1.a:b]/",
        "http://a@b@c/",
        "http://[::1",
        "mailto:a@b.c",
        "é",
        "http://é/",
        "2026-11-21",
        "2024-02-29",
        "2023-02-29",
        "2026-1-1",
        "2026-11-31",
        "0000-01-01",
        "10:00:00Z",
        "10:00:00.5+01:30",
        "23:59:60Z",
        "22:59:60Z",
        "22:59:60-01:00",
        "10:00",
        "10:00:00+0100",
        "2026-11-21T10:00:00Z",
        "2026-11-21t10:00:00z",
        "2026-11-21 10:00:00Z",
        "2026-11-21T10:00:00",
        "P1Y",
        "P1Y2M3DT4H5M6S",
        "P1W",
        "P1WT1H",
        "PT",
        "P",
        "P1Y1D",
        "PT1H1S",
        "P1M",
        "PT1M",
        "P1D2M",
        "P1.5D",
        "ada@example.org",
        "ada@localhost",
        "a.b@c",
        ".a@b",
        "a.@b",
        "a..b@c",
        "\"a b\"@c",
        "\"\"@c",
        "a@[127.0.0.1]",
        "a@[IPv6:::1]",
        "a@[300.0.0.1]",
        "a@-b",
        "a@b-",
        "@",
        "a@@b",
        "localhost",
        "a-b.c",
        "-a.b",
        "a-.b",
        "a..b",
        "a.",
        "a_b",
        "xn--bcher-kva",
        "ab--cd",
        "1.2.3.4",
        "127.0.0.1",
        "127.0.0.01",
        "256.0.0.1",
        "1.2.3",
        "0x7f.0.0.1",
        "::",
        "::1",
        "1::2::3",
        "fe80::1%eth0",
        "::ffff:1.2.3.4",
        "12345::",
        "1:2:3:4:5:6:7:8",
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
        "2eb8aa08aa9811eab4aa73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa73b441d16380",
        "/a/b",
        "/a~0~1",
        "/a~",
        "/~2",
        "a/b",
        "/",
    ];
    for format in COMMON_FORMATS {
        for text in samples {
            agree(&json!({"format": format}), &json!(text));
        }
    }
    let known: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
    assert!(COMMON_FORMATS.iter().all(|format| known.contains(format)));
}

#[test]
fn patterns_are_those_of_ecmascript() {
    let patterns = [
        r"^\d+$",
        r"^\w+$",
        r"\s",
        r"^[\w.-]+$",
        "^[a-z&&b]$",
        "^[[a]$",
        r"^\/x$",
        r"^\u0041$",
        "a{2}",
        "^[+--]$",
        "^.$",
    ];
    let samples = [
        "", "1", "٣", "a", "é", "é a", "\u{feff}", "\u{85}", "a-b.c", "&", "[", "/x", "]", "A", "aa", ",",
        "\n",
    ];
    for pattern in patterns {
        for text in samples {
            agree(&json!({"pattern": pattern}), &json!(text));
        }
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
                "other": {"$ref": "#/$defs/a%20b"},
            }},
            "text": {"$anchor": "name", "type": "string", "minLength": 1},
            "a b": {"$dynamicRef": "#name"},
        },
    });
    for value in [
        json!({"name": "a", "children": [{"name": "b"}]}),
        json!({"name": "a", "children": [{"name": ""}]}),
        json!({"name": "a", "children": [{"nam": "b"}]}),
        json!({"name": "a", "other": 1}),
    ] {
        agree(&schema, &value);
    }
}

#[test]
fn earlier_drafts_are_understood() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"text": {"type": "string", "$id": "#text"}},
        "items": [{"$ref": "#/definitions/text", "minLength": 9}, {"$ref": "#text"}],
        "additionalItems": {"type": "integer"},
        "dependencies": {"fig": ["lamp"], "north": {"maxProperties": 1}},
    });
    for value in [
        json!(["a", "b", 1]),
        json!(["a", "b", "c"]),
        json!([1]),
        json!({"fig": 1}),
        json!({"fig": 1, "lamp": 2}),
        json!({"north": 1, "lamp": 2}),
    ] {
        agree(&schema, &value);
    }
}

/// Every value that a path of the project leads to, with the value there replaced.
fn mutations(value: &Value, random: &mut impl FnMut(usize) -> usize) -> Value {
    let replacements =
        [Value::Null, json!(true), json!(-1), json!(1.5), json!(""), json!([]), json!({"x": 1})];
    let mut mutated = value.clone();
    let mut at = &mut mutated;
    for _ in 0..random(6) {
        let len = match at {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if len == 0 {
            break;
        }
        at = match at {
            Value::Array(items) => &mut items[random(len)],
            Value::Object(members) => members.iter_mut().nth(random(len)).unwrap().1,
            _ => break,
        };
    }
    *at = replacements[random(replacements.len())].clone();
    mutated
}

/// Schemas of the project with a document of each.
#[test]
fn schemas_of_the_project_agree_with_the_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let rule_file = yaml(&read(&root.join("rules/config/values.yaml")));
    let pack = yaml(&read(&root.join("rules/qtype/pack.yaml")));
    let (empty, versioned) = (json!({}), json!({"version": 1}));
    let mut seen = 0;
    let mut state = 17_usize;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for folder in ["schemas", "schemas/tree", "rules/rulefile"] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let schema: Value = serde_json::from_str(&read(&path)).unwrap();
            assert_eq!(Structure::faults(&schema), [], "{}", path.display());
            // What the crate does not have: the discriminator chooses a branch, and `$data` leads into the document.
            let own = ["\"discriminator\"", "\"$data\""].iter().any(|own| schema.to_string().contains(own));
            if own {
                continue;
            }
            seen += 1;
            let oracle = oracle(&without_own_formats(schema.clone()));
            for base in [&rule_file, &pack, &empty, &versioned, &schema] {
                for _ in 0..40 {
                    let value = mutations(base, &mut random);
                    let (own, other) =
                        (conforms(&without_own_formats(schema.clone()), &value), oracle.is_valid(&value));
                    assert_eq!(own, other, "{} on {value}", path.display());
                }
            }
        }
    }
    assert!(seen > 8, "only {seen} schemas were compared");
}

/// A schema without the formats that only we have.
fn without_own_formats(mut schema: Value) -> Value {
    let mut waiting = vec![&mut schema];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => {
                let format = members.get("format").and_then(Value::as_str);
                if format.is_some_and(|format| !COMMON_FORMATS.contains(&format)) {
                    members.remove("format");
                }
                waiting.extend(members.values_mut());
            }
            _ => {}
        }
    }
    schema
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn unions_in_unions_end_with_an_error() {
    // Each level has two branches that both look at the next level twice.
    let schema = json!({
        "$ref": "#/$defs/node",
        "$defs": {"node": {"anyOf": [
            {"required": ["kind"], "properties": {"next": {"$ref": "#/$defs/node"}, "kind": {"const": "a"}}},
            {"required": ["kind"], "properties": {"next": {"$ref": "#/$defs/node"}, "kind": {"const": "b"}}},
        ]}},
    });
    let structure = Structure::new(&schema, "").unwrap();
    let nested = |depth| (0..depth).fold(json!({"kind": "c"}), |next, _| json!({"kind": "a", "next": next}));
    assert!(!evaluate(&structure, Tree::from_json(&nested(8)).root()).unwrap().is_empty());
    // A trial of every branch on every value is remembered, so depth alone does not multiply.
    let deep = Tree::from_json(&nested(60));
    let result = evaluate(&structure, deep.root());
    assert!(result.is_err() || !result.unwrap().is_empty());
}

#[test]
fn a_value_of_a_type_that_no_branch_takes_is_reported_with_the_types() {
    // Each union refers to the next one three times.
    let union = |index: usize| {
        let next = json!({"$ref": format!("#/$defs/{}", (index + 1) % 10)});
        let mut branches = vec![next; 3];
        branches.push(json!({"type": if index == 3 { "string" } else { "object" }}));
        (index.to_string(), json!({"anyOf": branches}))
    };
    let definitions: serde_json::Map<String, Value> = (1..10).map(union).collect();
    let mut schema =
        json!({"anyOf": [{"$ref": "#/$defs/1"}, {"type": ["object", "null"]}], "$defs": definitions});
    schema["$defs"]["0"] = json!({"type": "boolean"});
    let structure = Structure::new(&schema, "").unwrap();
    let tree = Tree::from_json(&json!([1]));
    let found = evaluate(&structure, tree.root()).unwrap();
    let details: Vec<&str> = found.iter().map(|one| one.detail.as_str()).collect();
    assert_eq!(details, ["must be a boolean or a mapping or a string, not a list"]);
}

#[test]
fn doubling_chains_end_with_an_error() {
    let link = |index: usize| {
        let next = format!("#/$defs/{}", index + 1);
        (index.to_string(), json!({"allOf": [{"$ref": next.clone()}, {"$ref": next}]}))
    };
    let mut definitions: serde_json::Map<String, Value> = (0..30).map(link).collect();
    definitions.insert("30".into(), json!({"type": "string"}));
    let schema = json!({"$ref": "#/$defs/0", "$defs": definitions});
    let structure = Structure::new(&schema, "").unwrap();
    let error = evaluate(&structure, Tree::from_json(&json!("a")).root()).unwrap_err();
    assert!(error.to_string().contains("too complex"), "{error}");
}
