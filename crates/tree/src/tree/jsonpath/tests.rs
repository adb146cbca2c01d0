use std::sync::Arc;

use serde_json::{Value, json};

use super::{JsonPath, PathSet, Selected};
use crate::{
    text::{Source, Span},
    tree::{KeyType, Node, Scalar, Tree, TreeBuilder},
};

fn tree(value: &Value) -> Tree {
    let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
    add(&mut builder, value);
    builder.finish()
}

fn add(builder: &mut TreeBuilder, value: &Value) {
    let span = Span::default();
    match value {
        Value::Null => drop(builder.scalar(Scalar::Null, span)),
        Value::Bool(value) => drop(builder.scalar(Scalar::Bool(*value), span)),
        Value::Number(number) => match number.as_i64() {
            Some(value) => drop(builder.scalar(Scalar::Integer(value), span)),
            None => drop(builder.scalar(Scalar::Float(number.as_f64().unwrap()), span)),
        },
        Value::String(text) => drop(builder.scalar(Scalar::Text(text), span)),
        Value::Array(items) => {
            builder.open_sequence(span);
            for item in items {
                add(builder, item);
            }
            builder.close(None);
        }
        Value::Object(entries) => {
            builder.open_mapping(span);
            for (key, value) in entries {
                builder.key(key, span, KeyType::String);
                add(builder, value);
            }
            builder.close(None);
        }
    }
}

fn document() -> Value {
    json!({
        "store": {"book": [
            {"title": "A", "price": 8.95, "isbn": "x", "tags": []},
            {"title": "B", "price": 12, "authors": ["n", "m"]},
            {"title": "Ç'\"", "price": 22.99, "nested": {"price": 1}},
        ], "num-columns": 2},
        "limit": 10, "a b": null, "flag": true,
    })
}

/// The expected result comes from a crate that is known to follow the RFC.
#[test]
fn agrees_with_serde_json_path() {
    let document = document();
    let tree = tree(&document);
    let paths = [
        "$",
        "$.store.book[*].title",
        "$..price",
        "$.store.book[-1].title",
        "$.store.book[0:2].title",
        "$.store.book[::-1].title",
        "$.store.book[5:0:-2].title",
        "$.store.book[?@.price < 10].title",
        "$.store.book[?@.isbn].price",
        "$.store.book[?!@.isbn].price",
        "$['a b']",
        "$[\"a b\", 'flag']",
        "$.store.book[?@.price < $.limit].title",
        "$.store.book[?length(@.title) == 1]",
        "$.store.book[?count(@.authors[*]) == 2].title",
        "$.store.book[?match(@.title, '[AB]')].title",
        "$.store.book[?search(@.title, '\"')].title",
        "$.store.book[?@.title == 'A' || @.title == \"B\"].price",
        "$.store.book[?@.price >= 12 && !(@.title == 'B')].title",
        "$..book[*]..price",
        "$.*",
        "$..*",
        "$.store.book[?@.title == 'Ç\\'\"'].price",
        "$[?@ == true]",
        "$[?@ == null]",
        "$.store.book[?@.none == @.nix]",
        "$.store.book[?value(@..price) == 12].title",
        "$.store.book[1, 0, -1].title",
        "$.store.book[?@.tags == @.tags]",
        "$.store.book[?@.nested.price<=1].title",
        "$ .store [ 'book' ] [ 0 ]",
    ];
    for path in paths {
        let expected = serde_json_path::JsonPath::parse(path).unwrap();
        let expected: Vec<Value> = expected.query(&document).all().into_iter().cloned().collect();
        let found: Vec<Value> =
            path.parse::<JsonPath>().unwrap().select(tree.root()).iter().map(|n| n.to_json()).collect();
        let sort = |mut values: Vec<Value>| {
            values.sort_by_key(ToString::to_string);
            values
        };
        assert_eq!(sort(found), sort(expected), "{path}");
    }
}

#[test]
fn rejects_what_serde_json_path_rejects() {
    for path in [
        "",
        "store",
        "$.",
        "$[",
        "$[01]",
        "$[-0]",
        "$.a b",
        "$[?@.a]]",
        "$[?@..a == 1]",
        "$[?length(@.a)]",
        "$[?nope(@)]",
        "$[?match(@.a)]",
        "$[9007199254740992]",
        "$[?(@.a]",
        "$[?match(@.a, '(')]",
        "$['\\x']",
    ] {
        assert!(path.parse::<JsonPath>().is_err(), "{path} must be refused");
    }
    let error = "$[?lenght(@.a) == 1]".parse::<JsonPath>().unwrap_err();
    assert_eq!(error.message, "there is no function `lenght`; did you mean `length`?");
}

#[test]
fn a_relative_path_starts_at_the_current_node() {
    let tree = tree(&document());
    let book = tree.at_pointer("/store/book/1").unwrap();
    let path: JsonPath = "@.authors[0]".parse().unwrap();
    assert_eq!(path.first(book).unwrap().pointer(), "/store/book/1/authors/0");
    assert_eq!("$.store.num-columns".parse::<JsonPath>().unwrap().select(book).len(), 1);
}

#[test]
fn deep_nesting_is_rejected_before_the_stack_overflows() {
    let path = format!("$[?{}@.a{}]", "(".repeat(5000), ")".repeat(5000));
    assert!(path.parse::<JsonPath>().unwrap_err().message.contains("nested deeper"));
}

/// Whether the path is one of the simple forms, after it is compared with what the grammar reads.
fn is_simple(source: &str) -> bool {
    let Some(path) = super::simple::path(source) else { return false };
    let read = super::parse::by_grammar(source, true);
    assert_eq!(format!("{path:?}"), format!("{:?}", read.unwrap()), "{source}");
    true
}

#[test]
fn simple_paths_are_read_as_by_the_grammar() {
    for source in [
        "$",
        "@",
        "$.a.b-c._d",
        "$ .a [0]",
        "$..a",
        "$..*",
        "$..['a', \"b\"]",
        "@.a[*]['x y'][-1]",
        "$.a[?@.b]",
        "$.a[?!@.b]",
        "$.a[? ! @.b.c && @['d'] == 'e' ]",
        "$.a[?@.b=='c' || @.d != \"e\" && @.f == true || @[0] == null].g",
        "$[?@.a[?@.b == 'c']]",
    ] {
        assert!(is_simple(source), "{source}");
    }
    for source in [
        "$.é",
        "$.aé",
        "$[1:2]",
        "$[?length(@.a) == 1]",
        "$[?(@.a)]",
        "$[?@.a < 1]",
        "$['a\\n']",
        "$ ",
        "a",
        "$.a b",
        "$[01]",
    ] {
        assert!(!is_simple(source), "{source}");
    }
}

#[test]
fn paths_of_any_parts_are_read_as_by_the_grammar() {
    let parts = [
        "$", "@", ".a", "..", "*", "['b']", "[", "]", "?", "!", " ", "@.c", "==", "'d'", "&&", "||", "0",
        "-1", ",", "true",
    ];
    let base = parts.len();
    let mut simple = 0;
    for number in 0..base.pow(4) {
        let digits = (0..4).map(|place| number / base.pow(place) % base);
        let written: String = digits.map(|digit| parts[digit]).collect();
        simple += usize::from(is_simple(&format!("${written}")));
        simple += usize::from(is_simple(&format!("$[?@.a{written}]")));
    }
    assert!(simple > 0);
}

#[test]
fn paths_of_a_set_select_what_each_selects_alone() {
    let document = tree(&json!({
        "steps": [
            {"type": "a", "in": ["x", "y"], "out": {"z": 1}},
            {"type": "b", "in": ["y"]},
            {"type": "a", "in": []},
            "none",
        ],
        "flows": {"one": {"steps": [{"type": "a"}]}},
    }));
    let paths = [
        "$.steps[*].in[*]",
        "$.steps[*]['in','out'][*]",
        "$.steps[?@.type == 'a'].in[*]",
        "$.steps[?@.type == 'b']",
        "$.steps[?@.type == 'c']",
        "$.steps[?@.type == 'a' && @.in]",
        "$.steps[?@.in && @.type == 'a' && @.in != 'x'].in[*]",
        "$.steps[?@.type == 'a' && @.type == 'b']",
        "$.steps[?@.type == 'b' && $.steps]",
        "$.steps[?@.missing == 'x' && @.type]",
        "$.steps[?@.in].in[*]",
        "$.steps[?@.in][*]",
        "$.steps[?@.type != 'b' && @.in].out.*",
        "$.steps[?$.flows && @.in]",
        "$.steps[?$.none]",
        "$[*][*]",
        "$.*.*.type",
        "@[?@ == 'a']",
        "$.steps[?@.type == 'a' || @.in]",
        "$.steps[1].type",
        "$..type",
        "$..steps[?@.type == 'a'].type",
        "$",
        "@",
        "@.in[*]",
        "@.missing",
        "$.steps[*].in[*]",
    ];
    let paths = paths.map(|path| path.parse::<JsonPath>().unwrap());
    let set = PathSet::new(&paths);
    let mut selected = Selected::default();
    for node in document.root().get("steps").unwrap().items() {
        set.select(node, &mut selected);
        for (index, path) in paths.iter().enumerate() {
            let ids = |nodes: &[Node<'_>]| nodes.iter().map(|node| node.id()).collect::<Vec<_>>();
            assert_eq!(ids(selected.of(index..index + 1)), ids(&path.select(node)), "{}", path.source());
        }
    }
}
