//! YAML fragments become spanned trees, and their errors are reported.

use std::{fmt::Write as _, sync::Arc};

use proofmark::{
    Fragment, Layer, Node, Observation, Scalar, Source, Span, Tree, TreeBuilder,
    internals::syntax::yaml::{
        self, Dialect, Documents, OBSERVABLES, TagReader, Tagged, YamlOptions, YamlRead,
    },
};

fn read_with(text: &str, options: &YamlOptions) -> (Tree, Vec<Observation>, YamlRead) {
    let source = Arc::new(Source::new("t.yaml", text));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let mut observations = Vec::new();
    let fragment = Fragment::contiguous(source.text(), source.span());
    let read = yaml::read(&mut builder, &fragment, options, &mut observations);
    (builder.finish(), observations, read)
}

fn read(text: &str) -> (Tree, Vec<Observation>) {
    let (tree, observations, _) = read_with(text, &YamlOptions::default());
    (tree, observations)
}

fn json(text: &str) -> String {
    let (tree, observations) = read(text);
    assert!(observations.is_empty(), "{text:?}: {observations:?}");
    tree.root().to_json().to_string()
}

fn names(observations: &[Observation]) -> Vec<&str> {
    observations.iter().map(|observation| observation.name.as_ref()).collect()
}

fn is_syntax_error(observation: &Observation) -> bool {
    OBSERVABLES.iter().any(|o| o.name == observation.name && o.layer == Layer::Syntax)
}

#[test]
fn values_have_types_and_spans() {
    let text =
        "title: Hello World # c\nn: 0x1F\nlist:\n- a\n- [x, {y: 1}]\ntext: |\n  one\n  two\n\nlast: 'q'\n";
    let (tree, observations) = read(text);
    assert!(observations.is_empty(), "{observations:?}");
    let place = |pointer: &str| tree.at_pointer(pointer).unwrap().raw();
    assert_eq!(place("/title"), "Hello World");
    assert_eq!(place("/n"), "0x1F");
    assert_eq!(place("/list"), "- a\n- [x, {y: 1}]");
    assert_eq!(place("/list/1/1"), "{y: 1}");
    assert_eq!(place("/text"), "|\n  one\n  two");
    assert_eq!(place("/last"), "'q'");
    assert_eq!(tree.at_pointer("/n").unwrap().as_i64(), Some(31));
    assert_eq!(tree.at_pointer("/text").unwrap().as_str(), Some("one\ntwo\n"));
}

#[test]
fn the_span_of_a_missing_value_is_after_its_colon() {
    let (tree, _) = read("a:\nb: 1\n");
    assert_eq!(tree.at_pointer("/a").unwrap().span(), Span::new(2, 2));
}

#[test]
fn a_fragment_in_a_block_quote_has_the_spans_of_its_host() {
    let host = "> a: one\n> b:\n>   - two\n";
    let source = Arc::new(Source::new("t.md", host));
    let pieces = [Span::new(2, 9), Span::new(11, 14), Span::new(16, 24)];
    let fragment = Fragment::pieces(source.text(), &pieces);
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let read = yaml::read(&mut builder, &fragment, &YamlOptions::default(), &mut Vec::new());
    let tree = builder.finish();
    assert!(read.complete);
    assert_eq!(tree.at_pointer("/a").unwrap().raw(), "one");
    assert_eq!(tree.at_pointer("/b/0").unwrap().raw(), "two");
    assert_eq!(tree.root().to_json().to_string(), r#"{"a":"one","b":["two"]}"#);
}

#[test]
fn aliases_are_copies_with_the_span_of_the_alias() {
    let (tree, _) = read("a: &x {k: 1}\nb: *x\nc: &y text\nd: *y\n? *y\n: 2\n");
    let copy = tree.at_pointer("/b").unwrap();
    assert_eq!((copy.raw(), copy.get("k").unwrap().raw()), ("*x", "1"));
    let text = tree.at_pointer("/d").unwrap();
    assert_eq!((text.raw(), text.as_str()), ("*y", Some("text")));
    assert_eq!(tree.root().entry("text").unwrap().key_span(), Span::new(38, 40));
}

#[test]
fn custom_tags_become_mappings_or_are_ignored() {
    assert_eq!(json("a: !t [1]\nb: !u x\n"), r#"{"a":{"!t":[1]},"b":{"!u":"x"}}"#);
    let options = YamlOptions { tags: yaml::Tags::Ignore, ..YamlOptions::default() };
    assert_eq!(read_with("a: !t [1]\n", &options).0.root().to_json().to_string(), r#"{"a":[1]}"#);
}

struct Include;

impl TagReader for Include {
    fn read(&mut self, builder: &mut TreeBuilder, tagged: Tagged<'_>, _: &mut Vec<Observation>) -> bool {
        let known = tagged.tag == "!include";
        if known {
            builder.open_mapping(tagged.span);
            builder.field("path", Scalar::Text(tagged.text), tagged.span);
            builder.close(None);
        }
        known
    }
}

#[test]
fn a_kind_reads_its_custom_tags() {
    let source = Arc::new(Source::new("t.yaml", "a: !include part.yaml\nb: [!include c]\n"));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let fragment = Fragment::contiguous(source.text(), source.span());
    yaml::read_with(&mut builder, &fragment, &YamlOptions::default(), &mut Vec::new(), &mut Include);
    let json = builder.finish().root().to_json().to_string();
    assert_eq!(json, r#"{"a":{"path":"part.yaml"},"b":[{"path":"c"}]}"#);
}

#[test]
fn several_documents_are_a_list_if_allowed() {
    let options = YamlOptions { documents: Documents::Any, ..YamlOptions::default() };
    let (tree, observations, _) = read_with("a: 1\n---\n- b\n---\n", &options);
    assert!(observations.is_empty());
    assert_eq!(tree.root().to_json().to_string(), r#"[{"a":1},["b"],null]"#);
    assert_eq!(read_with("a: 1\n", &options).0.root().to_json().to_string(), r#"{"a":1}"#);
    assert_eq!(names(&read("a: 1\n---\nb: 2\n").1), ["yaml_several_documents"]);
}

#[test]
fn the_dialect_any_also_accepts_the_grammar_of_yaml_1_2() {
    let any = YamlOptions { dialect: Dialect::Any, report_traps: false, ..YamlOptions::default() };
    for (text, expected) in [("-\t1", "[1]"), (": 1", r#"{"null":1}"#)] {
        let (tree, observations, read) = read_with(text, &any);
        assert!(read.complete, "{text}");
        assert_eq!(names(&observations), ["yaml-refused-by-libyaml"], "{text}");
        assert_eq!(tree.root().to_json().to_string(), expected, "{text}");
    }
    assert_eq!(names(&read("-\t1").1), ["yaml_tab_separator"]);
}

#[test]
fn comments_are_found_everywhere() {
    let text = "# one\na: 1 # two\nb: | # three\n  # text\nc: [1, # four\n  2]\n";
    let (_, _, read) = read_with(text, &YamlOptions::default());
    let found: Vec<&str> = read.comments.iter().map(|comment| comment.text.of(text)).collect();
    assert_eq!(found, ["one", "two", "three", "four"]);
}

#[test]
fn all_line_endings_are_supported() {
    assert_eq!(json("a: 1\r\nb:\r\n- x\r\nc: |\r\n  y\r\n"), r#"{"a":1,"b":["x"],"c":"y\n"}"#);
    assert_eq!(json("a: 1\rb: 2\r"), r#"{"a":1,"b":2}"#);
    let (tree, _) = read("a: \"é😀\"\r\nb: é\r\n");
    assert_eq!(tree.at_pointer("/b").unwrap().raw(), "é");
}

/// The options that the first line of a case asks for.
fn options_of(head: &str) -> YamlOptions {
    if head.contains("pyyaml") {
        YamlOptions::py_yaml()
    } else if head.contains("any reader") {
        YamlOptions { dialect: Dialect::Any, ..YamlOptions::default() }
    } else {
        YamlOptions::default()
    }
}

/// Every syntax error and trap: the observation with its values and locations.
#[test]
fn syntax_errors_and_traps_are_observed_at_their_location() {
    let cases = include_str!("../data/yaml_faults.txt");
    let mut shown = String::new();
    for case in cases.split("\n=====\n") {
        let (head, text) = case.split_once('\n').unwrap();
        let options = options_of(head);
        let text = text.replace("<TAB>", "\t").replace("<BEL>", "\u{7}").replace("<BOM>", "\u{feff}");
        let (tree, observations, read) = read_with(&text, &options);
        let _ = writeln!(shown, "{head}");
        for observation in &observations {
            show(&mut shown, &text, observation);
        }
        let outcome = if read.complete {
            "sound"
        } else if read.whole {
            "whole"
        } else {
            "cut short"
        };
        let value = tree.root().to_json().to_string();
        // What is very long is not read by anyone.
        let value = match value.get(..2_000) {
            Some(start) => format!("{start}… ({} bytes)", value.len()),
            None => value,
        };
        let _ = writeln!(shown, "  {outcome}: {value}\n");
    }
    insta::assert_snapshot!(shown);
}

fn show(shown: &mut String, text: &str, observation: &Observation) {
    let line = text[..observation.span.start as usize].matches('\n').count() + 1;
    let _ = writeln!(shown, "  {line}: {} {:?}", observation.name, observation.span.of(text));
    for (name, value) in &observation.values {
        let _ = writeln!(shown, "       {name} = {value}");
    }
    for (name, place) in &observation.places {
        let _ = writeln!(shown, "       at {name}: {:?}", place.of(text));
    }
}

#[test]
fn every_observation_has_the_declared_values_and_locations() {
    let mut seen = std::collections::BTreeSet::new();
    for case in include_str!("../data/yaml_faults.txt").split("\n=====\n") {
        let (head, text) = case.split_once('\n').unwrap();
        let options = options_of(head);
        let text = text.replace("<TAB>", "\t").replace("<BEL>", "\u{7}").replace("<BOM>", "\u{feff}");
        for observation in read_with(&text, &options).1 {
            let declared = OBSERVABLES.iter().find(|o| o.name == observation.name).unwrap();
            let values: Vec<&str> = observation.values.iter().map(|(name, _)| name.as_ref()).collect();
            let places: Vec<&str> = observation.places.iter().map(|(name, _)| name.as_ref()).collect();
            for name in declared.values.iter() {
                assert!(values.contains(&name), "{}: no value {name} in {values:?}", observation.name);
            }
            for name in declared.places.iter() {
                assert!(places.contains(&name), "{}: no location {name} in {places:?}", observation.name);
            }
            seen.insert(observation.name.into_owned());
        }
    }
    let unseen: Vec<&str> =
        OBSERVABLES.iter().map(|o| o.name.as_ref()).filter(|name| !seen.contains(*name)).collect();
    assert!(unseen.is_empty(), "no case covers {unseen:?}");
}

#[test]
fn an_invalid_value_does_not_hide_other_errors() {
    let text = "title: Part 1: intro\ncontact: @jane\nok: 1\npath: \"C:\\Users\"\nlist: [a, b\nend: 2\n";
    let (tree, observations) = read(text);
    assert_eq!(
        names(&observations),
        ["yaml_unquoted_colon", "yaml_reserved_start", "yaml_invalid_escape", "yaml_unclosed_bracket"]
    );
    assert_eq!(tree.at_pointer("/title").unwrap().as_str(), Some("Part 1: intro"));
    assert_eq!(tree.at_pointer("/end").unwrap().as_i64(), Some(2));
}

#[test]
fn ordinary_documents_have_no_observations() {
    let text = "title: The Report\ndate: 2026-11-21\ntime: 12:30\nprice: 19.90\ntags: [a, b-c, 3]\nurl: https://x.org/a#b\n\
                draft: false\nratio: 1.5\nname: O'Brien\nquote: say \"hi\"\nempty: \"\"\ntext: >-\n  some text\n  more\n# note\n";
    assert_eq!(names(&read(text).1), Vec::<&str>::new());
}

#[test]
fn hostile_input_stops_with_one_observation() {
    let deep = |text: &str| names(&read(text).1).join(",");
    assert_eq!(deep(&"[".repeat(100_000)), "yaml_too_deep");
    assert_eq!(deep(&"[\n".repeat(100_000)), "yaml_too_deep");
    assert_eq!(deep(&"- ".repeat(100_000)), "yaml_too_deep");
    assert_eq!(deep(&"{a: ".repeat(100_000)), "yaml_too_deep");
    assert_eq!(
        deep(&(0..1000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>()),
        "yaml_too_deep"
    );
    let bomb: String = (0..30)
        .map(|n| {
            if n == 0 {
                "a0: &a0 [x, x]\n".into()
            } else {
                format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1)
            }
        })
        .collect();
    assert_eq!(deep(&bomb), "yaml_alias_limit");
    assert_eq!(deep("a: &a [*a]\n"), "yaml_recursive_alias");
    assert_eq!(deep("a: \0b\n"), "yaml_control_character");
}

#[test]
fn large_input_is_read_in_linear_time() {
    let line = format!("a: {}\n", "x ".repeat(2_500_000));
    assert_eq!(read(&line).0.at_pointer("/a").unwrap().as_str().unwrap().len(), 4_999_999);
    let keys: String = (0..50_000).map(|n| format!("key{n}: {n}\n")).collect();
    assert_eq!(read(&keys).0.root().len(), 50_000);
    let flow = format!("[{}]", "a,".repeat(200_000));
    assert_eq!(read(&flow).0.root().len(), 200_000);
    let faults: String = (0..5_000).map(|n| format!("k{n}: a: b\n")).collect();
    assert!(read(&faults).1.len() <= 20);
}

/// The verdicts and values of `PyYAML` 6.0.3's `SafeLoader`, with dates as strings.
#[test]
fn verdicts_and_values_are_those_of_pyyaml() {
    let options = YamlOptions { report_traps: false, ..YamlOptions::py_yaml() };
    for line in include_str!("../data/pyyaml.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let (tree, observations, _) = read_with(text, &options);
        assert_eq!(observations.is_empty(), case["ok"], "{text:?}: {observations:?}");
        if observations.is_empty() {
            assert_eq!(tree.root().to_json(), case["json"], "{text:?}");
        }
    }
}

/// Children are inside their parents, and spans are inside the text.
fn check_spans(node: Node<'_>, text: &str) {
    let span = node.span();
    assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
    for child in node.children() {
        assert!(span.contains(child.span()), "{:?} outside of {span:?} in {text:?}", child.span());
        check_spans(child, text);
    }
}

mod differential {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Fragments of YAML syntax, to be combined at random.
    const PIECES: &[&str] = &[
        "a",
        "b",
        "key",
        "a b",
        "1",
        "-1",
        "0x1F",
        "017",
        "1e3",
        ".inf",
        "true",
        "null",
        "~",
        ": ",
        ":",
        ":\n",
        " ",
        "  ",
        "\n",
        "\n",
        "\n  ",
        "\n    ",
        "\n- ",
        "- ",
        "-",
        "\n  - ",
        "? ",
        "?",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "\"",
        "'",
        "\"a\"",
        "'b'",
        "#",
        " # c",
        "#c\n",
        "&a ",
        "*a",
        "&b ",
        "*b",
        "!t ",
        "!!str ",
        "!!int ",
        "! ",
        "|\n",
        ">\n",
        "|-\n",
        ">+\n",
        "|2\n",
        "  x\n",
        "---\n",
        "...\n",
        "--- ",
        "%YAML 1.2\n",
        "%TAG !e! x\n",
        "%",
        "@",
        "`",
        "\t",
        "\r\n",
        "\r",
        "\\n",
        "\\",
        "\\x41",
        "\\u00e9",
        "é",
        "😀",
        "<<: ",
        "a: 1\n",
        "b: 2\n",
        "  c: 3\n",
        "- a\n",
        "  - b\n",
        "=",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\u{7f}",
        "\u{7}",
        "{{ x }}",
        "**b**",
    ];

    fn jumble() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(PIECES), 1..20).prop_map(|pieces| pieces.concat())
    }

    /// Lines that look like a metadata block, some of them broken.
    fn block() -> impl Strategy<Value = String> {
        let key = prop::sample::select(&["title", "a b", "\"q\"", "1", "on", "x-y", "é"][..]);
        let value = prop::sample::select(
            &[
                "text",
                "a: b",
                "[a, b]",
                "[a",
                "{a: 1}",
                "{{ x }}",
                "*x",
                "**x**",
                "@x",
                "'it''s'",
                "'it's'",
                "\"a\\n\"",
                "\"\\q\"",
                "1.10",
                "# c",
                "a #b",
                "|",
                ">-",
                "&x 1",
                "!t x",
                "- a",
                "",
                "\t",
                "a\tb",
                "%x",
                "? a",
                "017",
                "184467440737095516160",
                "2026-11-21",
                "~",
            ][..],
        );
        let indent = prop::sample::select(&["", "", "", "  ", "  ", " ", "    ", "- ", "  - ", "\t"][..]);
        let colon = prop::sample::select(&[": ", ": ", ": ", ":", " : ", " = ", "\n"][..]);
        let line = (indent, key, colon, value)
            .prop_map(|(indent, key, colon, value)| format!("{indent}{key}{colon}{value}\n"));
        prop::collection::vec(line, 1..8).prop_map(|lines| lines.concat())
    }

    fn options() -> YamlOptions {
        YamlOptions { report_traps: false, depth: 128, ..YamlOptions::default() }
    }

    /// The value of `serde_yaml` as JSON; `None` if JSON cannot express it.
    fn oracle(text: &str) -> Result<Option<Value>, serde_yaml::Error> {
        serde_yaml::from_str::<serde_yaml::Value>(text).map(|value| serde_json::to_value(value).ok())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(4_000), ..ProptestConfig::default() })]

        #[test]
        fn verdict_and_value_are_those_of_serde_yaml(text in prop_oneof![jumble(), block()]) {
            let (tree, observations, read) = read_with(&text, &options());
            let oracle = oracle(&text);
            prop_assert_eq!(observations.is_empty(), oracle.is_ok(), "{:?} {:?}", observations, oracle);
            prop_assert_eq!(read.complete, !observations.iter().any(|o| o.name != "yaml_duplicate_key"
                && o.name != "yaml_unknown_anchor" && o.name != "yaml_integer_range" && o.name != "yaml_tag_mismatch"));
            if let Ok(Some(value)) = oracle {
                prop_assert_eq!(tree.root().to_json(), value);
            }
        }

        #[test]
        fn reading_never_panics_and_all_spans_are_valid(text in prop_oneof![jumble(), block()], python: bool, any: bool) {
            let base = if python { YamlOptions::py_yaml() } else { YamlOptions::default() };
            let dialect = if any { Dialect::Any } else { base.dialect };
            let (tree, observations, _) = read_with(&text, &YamlOptions { dialect, ..base });
            if !text.contains('*') && !text.contains("<<") {
                check_spans(tree.root(), &text);
            }
            for observation in &observations {
                prop_assert!(text.get(observation.span.range()).is_some(), "{observation:?}");
                for (_, place) in &observation.places {
                    prop_assert!(text.get(place.range()).is_some(), "{observation:?}");
                }
            }
            prop_assert!(observations.iter().filter(|o| is_syntax_error(o)).count() <= 40);
        }

        #[test]
        fn quoting_a_value_resolves_its_observation(text in block()) {
            let (_, observations, _) = read_with(&text, &options());
            for observation in observations {
                let value = observation.places.iter().find(|(name, _)| *name == "value");
                let quoted = observation.values.iter().find(|(name, _)| *name == "quoted");
                if let (Some((_, place)), Some((_, Value::String(quoted)))) = (value, quoted) {
                    let mut quoted_text = text.clone();
                    quoted_text.replace_range(place.range(), quoted);
                    let again = read_with(&quoted_text, &options()).1;
                    prop_assert!(again.iter().all(|o| o.span.start != observation.span.start || o.name != observation.name),
                        "{text:?} -> {quoted_text:?}: {again:?}");
                }
            }
        }
    }
}

#[test]
fn keys_in_keys_do_not_multiply() {
    let nested = |levels: usize| format!("{}\"a\": 1{}", "{".repeat(levels), "}: 1".repeat(levels - 1) + "}");
    let key = |levels: usize| read(&nested(levels)).0.root().entries().next().unwrap().key().len();
    assert_eq!(read(&nested(2)).0.root().entries().next().unwrap().key(), r#"{"a":1}"#);
    for levels in [10, 20, 40] {
        assert!(key(levels) <= nested(levels).len(), "{levels} levels: a key of {} bytes", key(levels));
    }
}
