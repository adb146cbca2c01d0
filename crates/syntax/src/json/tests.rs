use std::sync::Arc;

use proptest::prelude::*;

use super::read;
use crate::{
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// The value, and what was observed with its text.
fn parse(text: &str) -> (serde_json::Value, Vec<String>, bool) {
    let source = Arc::new(Source::new("a.json", text));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let mut observations = Vec::new();
    let fragment = Fragment::contiguous(source.text(), source.span());
    let read = read(&mut builder, &fragment, 64, false, &mut observations);
    let observed = observations.iter().map(|seen| format!("{} {}", seen.name, source.slice(seen.span)));
    (builder.finish().root().to_json(), observed.collect(), read.complete)
}

#[test]
fn what_people_write_is_read_and_observed() {
    for (text, value, observed) in [
        (r#"{"a": [1, 2,]}"#, r#"{"a":[1,2]}"#, "json_trailing_comma ,"),
        ("{\"a\": 1\n \"b\": 2}", r#"{"a":1,"b":2}"#, "json_missing_comma \""),
        ("{'a': 1}", r#"{"a":1}"#, "json_single_quotes 'a'"),
        ("{a: 1}", r#"{"a":1}"#, "json_unquoted_key a"),
        ("// why\n[1]", "[1]", "json_comment // why"),
        (r#"{"a": 1, "a": 2}"#, r#"{"a":2}"#, "json_duplicate_key \"a\""),
        (r"['it\'s']", r#"["it's"]"#, r"json_single_quotes 'it\'s'"),
        ("'a", r#""a""#, "json_bad_string 'a"),
        ("[1] /*/ x */", "[1]", "json_comment /*/ x */"),
        ("[1] /*/ x", "[1]", "json_unclosed /*"),
        (r#"["\x"]"#, r#"["\\x"]"#, "json_bad_string \\x"),
        ("[01]", r#"["01"]"#, "json_bad_number 01"),
        ("{\"a\": [1, 2}", r#"{"a":[1,2]}"#, "json_unclosed ["),
        ("[True]", "[]", "json_syntax True"),
        ("", "null", "json_syntax "),
        ("1 2", "1", "json_syntax 2"),
    ] {
        let (found, seen, complete) = parse(text);
        assert_eq!(seen, [observed], "{text}");
        assert_eq!(complete, observed.starts_with("json_comment"), "{text}");
        assert_eq!(found.to_string(), value, "{text}");
    }
}

#[test]
fn the_place_of_a_missing_comma_is_a_whole_character() {
    let (_, seen, _) = parse("[1 ä]");
    assert_eq!(seen[0], "json_missing_comma ä");
}

#[test]
fn a_string_in_single_quotes_is_the_same_in_double_quotes() {
    for (content, written) in [
        ("a", "a"),
        (r"it\'s", "it's"),
        (r#"say "x""#, r#"say \"x\""#),
        (r#"say \"x\""#, r#"say \"x\""#),
        (r"C:\\dir\\", r"C:\\dir\\"),
        (r"a\nb\u00e9", r"a\nb\u00e9"),
    ] {
        assert_eq!(super::string::between_double_quotes(content), written);
        let (value, observed, _) = parse(&format!("['{content}']"));
        let [observed] = observed.as_slice() else { panic!("{content}: {observed:?}") };
        assert!(observed.starts_with("json_single_quotes"), "{content}: {observed}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&format!("[\"{written}\"]")).unwrap(), value);
    }
}

#[test]
fn nesting_is_limited() {
    let (_, observed, _) = parse(&"[".repeat(100));
    assert_eq!(observed, ["json_too_deep ["]);
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1.0e9..1.0e9).prop_map(|number: f64| number.into()),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::hash_map(any::<String>(), inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_json_writes_is_read_the_same(value in json()) {
        for text in [value.to_string(), format!("{value:#}")] {
            let (found, observed, complete) = parse(&text);
            prop_assert_eq!(&observed, &Vec::<String>::new());
            prop_assert!(complete);
            prop_assert_eq!(&found, &value);
        }
    }

    #[test]
    fn text_is_json_exactly_where_serde_json_says_so(parts in prop::collection::vec(
        prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\"", "1", "-0.5e3", "01", "true", "null", " ", "\n", "x", "'"]), 0..14)) {
        let text = parts.concat();
        let (_, observed, complete) = parse(&text);
        // Skipping values checks syntax only: which numbers are too large is left to programs (RFC 8259, section 6).
        let reference = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        let duplicate = observed.iter().all(|seen| seen.starts_with("json_duplicate_key"));
        prop_assert_eq!(complete || (duplicate && !observed.is_empty()), reference, "{:?}: {:?}", text, observed);
    }
}
