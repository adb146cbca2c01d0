//! Markdown against an independent reading of the dialect: the specification in the plainest code, on
//! top of `serde_yaml`, the parser that it was made with.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use proofmark::{
    Diagnostic, Document, Fragment, Kind, ParseOptions, Ruleset, Settings, Severity, Source, Span, Validator,
    internals::kinds::markdown::{Markdown, fields},
};
use proptest::prelude::*;
use serde_json::{Map, Value};
use serde_yaml::Value as Yaml;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Dialect {
    Seed,
    C2,
}

struct Block {
    start: usize,
    end: usize,
    tag: Tag,
    content: String,
    value: Option<Yaml>,
}

#[derive(PartialEq, Clone)]
enum Tag {
    Global,
    Quill,
    Scope(String),
}

type Fault = &'static str;

fn scan(text: &str, dialect: Dialect) -> Result<Vec<Block>, Fault> {
    let mut blocks = Vec::new();
    let mut pos = 0;
    while pos < text.len() {
        let lf = text[pos..].find("---\n").map(|at| (at, 4));
        let Some((at, length)) = lf.or_else(|| text[pos..].find("---\r\n").map(|at| (at, 5))) else { break };
        let start = pos + at;
        if dialect == Dialect::C2 && start > 0 && !matches!(text.as_bytes()[start - 1], b'\n' | b'\r') {
            pos = start + 1;
            continue;
        }
        let content = start + length;
        let rest = &text[content..];
        if rest.starts_with('\n') || rest.starts_with("\r\n") {
            pos = start + 3;
            continue;
        }
        let lines = ["\n---\n", "\r\n---\r\n", "\n---\r\n", "\r\n---\n"]
            .iter()
            .filter_map(|closer| rest.find(closer).map(|at| (at, closer.len())));
        let ends = ["\n---", "\r\n---"].iter().filter_map(|closer| {
            rest.find(closer).filter(|at| at + closer.len() == rest.len()).map(|at| (at, closer.len()))
        });
        let close = lines.chain(ends).min_by_key(|(at, _)| *at).filter(|(at, _)| {
            let blank = rest[..*at].contains("\n\n") || rest[..*at].contains("\r\n\r\n");
            dialect == Dialect::C2 || !blank
        });
        let Some((at, length)) = close else {
            if start == 0 {
                return Err("not closed");
            }
            pos = start + 3;
            continue;
        };
        pos = content + at + length;
        blocks.push(block(&rest[..at], start, pos, dialect)?);
    }
    Ok(blocks)
}

fn block(content: &str, start: usize, end: usize, dialect: Dialect) -> Result<Block, Fault> {
    let mut block = Block { start, end, tag: Tag::Global, content: content.to_owned(), value: None };
    let value = match serde_yaml::from_str::<Yaml>(content) {
        Ok(value) => value,
        Err(_) if dialect == Dialect::Seed => return Ok(block),
        Err(_) => return Err("YAML"),
    };
    if let Some(mapping) = value.as_mapping() {
        let mut mapping = mapping.clone();
        let (quill, scope) = (mapping.get("QUILL").cloned(), mapping.get("SCOPE").cloned());
        block.tag = match (quill, scope) {
            (Some(_), Some(_)) => return Err("both"),
            (Some(quill), None) => {
                name(&quill)?;
                Tag::Quill
            }
            (None, Some(scope)) => match name(&scope)? {
                name if name == "body" => return Err("reserved"),
                name => Tag::Scope(name),
            },
            (None, None) => Tag::Global,
        };
        if block.tag != Tag::Global {
            mapping.remove("QUILL");
            mapping.remove("SCOPE");
            block.content = serde_yaml::to_string(&mapping).map_err(|_| "YAML")?;
            block.value = Some(Yaml::Mapping(mapping));
            return Ok(block);
        }
    }
    block.value = Some(value);
    Ok(block)
}

fn name(value: &Yaml) -> Result<String, Fault> {
    let name = value.as_str().ok_or("not a string")?;
    let first = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let rest = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if first && rest { Ok(name.to_owned()) } else { Err("name") }
}

fn mapping(block: &Block, dialect: Dialect) -> Result<BTreeMap<String, Yaml>, Fault> {
    if dialect == Dialect::Seed {
        return serde_yaml::from_str(&block.content).map_err(|_| "mapping");
    }
    match &block.value {
        Some(Yaml::Mapping(mapping)) => {
            let text =
                mapping.iter().filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.clone())));
            Ok(text.collect())
        }
        Some(Yaml::Null) | None => Ok(BTreeMap::new()),
        Some(_) => Err("mapping"),
    }
}

fn json(value: &Yaml) -> Result<Value, Fault> {
    serde_json::to_value(value).map_err(|_| "no JSON")
}

/// The fields that the dialect reads from text, or why it reads none.
fn decompose(text: &str, dialect: Dialect) -> Result<Value, Fault> {
    let blocks = scan(text, dialect)?;
    let mut fields = Map::new();
    let globals: Vec<usize> = (0..blocks.len()).filter(|index| blocks[*index].tag == Tag::Global).collect();
    let quills: Vec<usize> = (0..blocks.len()).filter(|index| blocks[*index].tag == Tag::Quill).collect();
    if globals.len() > 1 || quills.len() > 1 {
        return Err("several");
    }
    let scopes = || {
        blocks.iter().filter_map(|block| if let Tag::Scope(name) = &block.tag { Some(name) } else { None })
    };
    if let Some(global) = globals.first() {
        let own = mapping(&blocks[*global], dialect)?;
        for scope in scopes() {
            if own.get(scope).is_some_and(|field| dialect == Dialect::Seed || field.as_sequence().is_none()) {
                return Err("collision");
            }
        }
        for (key, value) in own {
            fields.insert(key, json(&value)?);
        }
    }
    if let Some(quill) = quills.first() {
        for (key, value) in mapping(&blocks[*quill], dialect)? {
            if fields.insert(key, json(&value)?).is_some() {
                return Err("collision");
            }
        }
    }
    let mut collections: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (index, block) in blocks.iter().enumerate() {
        let Tag::Scope(name) = &block.tag else { continue };
        if fields.get(name).is_some_and(|field| dialect == Dialect::Seed || !field.is_array()) {
            return Err("collision");
        }
        let mut item = Map::new();
        for (key, value) in mapping(block, dialect)? {
            item.insert(key, json(&value)?);
        }
        let end = blocks.get(index + 1).map_or(text.len(), |next| next.start);
        item.insert("body".into(), text[block.end..end].into());
        collections.entry(name.clone()).or_default().push(item.into());
    }
    let first_scope = |from: usize| {
        let mut scopes = blocks[from..].iter().filter(|block| matches!(block.tag, Tag::Scope(_)));
        scopes.next().map_or(text.len(), |block| block.start)
    };
    let body = match globals.first().or(quills.first()) {
        Some(own) => &text[blocks[*own].end..first_scope(own + 1)],
        None => &text[..first_scope(0)],
    };
    fields.insert("body".into(), body.into());
    for (name, mut items) in collections {
        match fields.get_mut(&name).and_then(Value::as_array_mut) {
            Some(present) => present.append(&mut items),
            None => drop(fields.insert(name, items.into())),
        }
    }
    Ok(fields.into())
}

fn read(text: &str, dialect: &str) -> Document {
    let source = Arc::new(Source::new("test.md", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    Markdown.parse(&source, &fragment, &ParseOptions { dialect: Some(dialect), ..ParseOptions::default() })
}

/// What makes the document one that is rejected: errors of YAML, observations that a rule reports as errors, and
/// errors that rules find in the tree.
fn rejecting(document: &Document) -> Vec<String> {
    static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
        Validator::new(Ruleset::builtin(), Settings { select: vec!["FM".into()], ..Settings::default() })
    });
    static ERRORS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let ruleset = Ruleset::builtin();
        let rules = ruleset.rules().iter().filter(|rule| {
            rule.severity == Severity::Error && rule.kinds.iter().any(|kind| kind == "markdown")
        });
        rules.filter_map(|rule| rule.check.observed()).map(|(_, name)| name.to_owned()).collect()
    });
    let declarative = |id: &str| {
        VALIDATOR.ruleset().rules().iter().any(|rule| rule.id == id && rule.check.observed().is_none())
    };
    let observed = document.observations.iter().map(|observation| observation.name.to_string());
    let observed = observed.filter(|name| ERRORS.contains(name) || name.starts_with("yaml_"));
    let diagnostics = VALIDATOR.validate_document(document).into_iter();
    let errors = diagnostics.filter(|d| d.severity == Severity::Error && declarative(&d.id)).map(|d| d.name);
    observed.chain(errors).collect()
}

fn agrees(text: &str) -> Result<(), TestCaseError> {
    for (name, dialect) in [("seed", Dialect::Seed), ("c2", Dialect::C2)] {
        let document = read(text, name);
        let faults = rejecting(&document);
        match decompose(text, dialect) {
            Ok(expected) => {
                prop_assert!(faults.is_empty(), "{name} accepts {text:?}, we find {faults:?}");
                prop_assert_eq!(fields(&document), expected, "{} {:?}", name, text);
            }
            Err(fault) => {
                prop_assert!(!faults.is_empty(), "{name} rejects {text:?} ({fault}), we find nothing");
            }
        }
    }
    Ok(())
}

/// Random documents made of blocks, near misses and prose. Without `...`, on which the two parsers
/// of YAML differ where no value is above it.
fn documents() -> impl Strategy<Value = String> {
    let marker = prop::sample::select(vec![
        "---\n", "---\n", "---\n", "---\r\n", "---", "--- \n", "----\n", " ---\n", "...\n",
    ]);
    let field = prop::sample::select(vec![
        "title: T\n",
        "title: U\r\n",
        "QUILL: memo\n",
        "QUILL: Memo\n",
        "SCOPE: items\n",
        "SCOPE: items\n",
        "SCOPE: tags\n",
        "SCOPE: body\n",
        "SCOPE: 1\n",
        "\"SCOPE\": items\n",
        "{SCOPE: items, a: 1}\n",
        "quill: q\n",
        "items: [1, 2]\n",
        "items: x\n",
        "tags: []\n",
        "body: own\n",
        "1: a\n",
        "true: b\n",
        "~: c\n",
        "? [a]\n: 1\n",
        "m: {1: a, true: b}\n",
        "n: {~: a}\n",
        "n: {[a]: b}\n",
        "x: |\n  one\n  two\n",
        "x: >\n  one\n\n  two\n",
        "x: |+\n  one\n\n",
        "x: |-\n  one\n",
        "x: 'a\n  b'\n",
        "x: \"a\\n\"\n",
        "x: &a [1]\ny: *a\n",
        "x: !t v\n",
        "x: !t {a: b}\n",
        "!t\n",
        "x: 1e3\n",
        "x: 0o17\n",
        "x: ~\n",
        "x: [1\n",
        "x: a: b\n",
        "x: *none\n",
        "# comment\n",
        "- item\n",
        "just words\n",
        "~\n",
        "a: 1\nb:\n  - c\n  - d: e\n",
        "k: v # c\n",
        "x: \"a\n  b\"\n",
        "x:\n",
        "x: 2025-10-09\n",
        "x: .inf\n",
        "x: 18446744073709551616\n",
    ]);
    let line = prop::sample::select(vec![
        "\n",
        "\r\n",
        " \n",
        "Words.\n",
        "# Heading\n",
        "```\n",
        "> ---\n",
        "a --- b\n",
        "é\n",
        "\r",
    ]);
    let block = (prop::collection::vec(field.clone(), 0..4), prop::collection::vec(line.clone(), 0..3))
        .prop_map(|(fields, lines)| format!("---\n{}---\n{}", fields.concat(), lines.concat()));
    let loose =
        prop::collection::vec(prop_oneof![marker, field, line], 1..5).prop_map(|parts| parts.concat());
    let start = prop::sample::select(vec!["", "", "", "\u{FEFF}", "\n"]);
    let rest = prop::collection::vec(prop_oneof![3 => block, 1 => loose], 1..5);
    (start, rest).prop_map(|(start, rest)| format!("{start}{}", rest.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn verdict_and_fields_agree_with_the_specification(text in documents()) {
        agrees(&text)?;
    }
}

/// The labeled documents, without those nested too deep for `serde_json`.
fn labeled(name: &str) -> Option<Vec<Value>> {
    let text = crate::corpus::read(&format!("scope/{name}"))?;
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

#[test]
fn verdicts_and_fields_are_those_of_the_original_parser() {
    for (name, dialect) in [("c2.jsonl", "c2"), ("seed.jsonl", "seed")] {
        let mut different = Vec::new();
        let Some(cases) = labeled(name) else { return };
        assert!(cases.len() > 200, "{name} has {} documents", cases.len());
        for case in cases {
            let Some(input) = case["input"].as_str() else { continue };
            let document = read(input, dialect);
            let faults = rejecting(&document);
            if faults.is_empty() != case["ok"].as_bool().unwrap() {
                different.push(format!("{}: we find {faults:?}", case["name"]));
            } else if faults.is_empty() && fields(&document) != case["expected_json"] {
                let (ours, wanted) = (fields(&document), &case["expected_json"]);
                different.push(format!("{}: {ours} is not {wanted}", case["name"]));
            }
        }
        assert!(different.is_empty(), "{dialect}:\n{}", different.join("\n"));
    }
}

#[test]
fn text_above_the_limit_of_a_block_is_refused() {
    let large = format!("---\ndata: \"{}\"\n---\n\nBody", "x".repeat(1024 * 1024));
    assert_eq!(rejecting(&read(&large, "c2")), ["err_block_too_large"]);
    let allowed = format!("---\ndata: \"{}\"\n---\n\nBody", "x".repeat(1024 * 1024 - 8));
    assert!(rejecting(&read(&allowed, "c2")).is_empty());
}

#[test]
fn the_dialect_nests_deeper_than_other_yaml() {
    let nested = |depth: usize| format!("---\na: {}{}\n---\n", "[".repeat(depth), "]".repeat(depth));
    assert!(rejecting(&read(&nested(127), "c2")).is_empty());
    assert_eq!(rejecting(&read(&nested(128), "c2")), ["yaml_too_deep"]);
}

/// The documents of a folder of `examples/`, by name.
fn examples(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
    let files = fs::read_dir(root).unwrap().flatten().map(|entry| entry.path());
    let documents = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    documents.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

fn findings(name: &str, text: &str) -> Vec<String> {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let source = Arc::new(Source::new(name, text));
    let options = ParseOptions { dialect: Some("c2"), ..ParseOptions::default() };
    let outcome = validator.validate(&source, &Markdown, &options);
    let show = |d: &Diagnostic| format!("{}:{} {} {}", d.location.file, d.location.line, d.id, d.message);
    outcome.diagnostics.iter().filter(|d| d.suppressed.is_none()).map(show).collect()
}

#[test]
fn right_examples_are_right_and_the_others_are_not() {
    let mut wrong = Vec::new();
    for (name, text) in examples("markdown") {
        wrong.extend(findings(&name, &text));
    }
    for (name, text) in examples("markdown/broken") {
        let is_readme = name.ends_with("README.md");
        if findings(&name, &text).is_empty() != is_readme {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Spans of all nodes and observations, down to the embedded documents.
fn spans(document: &Document) -> Vec<Span> {
    let mut found: Vec<Span> = document.embedded.iter().flat_map(spans).collect();
    let mut open = vec![document.tree.root()];
    while let Some(node) = open.pop() {
        found.push(node.span());
        found.extend(node.entries().map(proofmark::Entry::key_span));
        open.extend(node.children());
    }
    // What reading YAML observes is tried where YAML is.
    for observation in document.observations.iter().filter(|o| !o.name.starts_with("yaml")) {
        found.push(observation.span);
        found.extend(observation.places.iter().map(|(_, place)| *place));
    }
    found.extend(document.comments.iter().flat_map(|comment| [comment.span, comment.text]));
    found
}

fn holds_spans(text: &str) -> Result<(), TestCaseError> {
    for dialect in ["seed", "c2"] {
        for span in spans(&read(text, dialect)) {
            prop_assert!(text.get(span.range()).is_some(), "{span:?} does not fit {text:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_read_and_every_span_fits_it(text in "\\PC*|[-\\n\\r `~#\\[\\]()!<>a:é\u{FEFF}\u{200B}]{0,80}") {
        holds_spans(&text)?;
    }

    #[test]
    fn every_span_of_a_document_fits_it(text in documents(), words in "[-\\n `~#\\[\\]()!<>a:é]{0,60}") {
        holds_spans(&format!("{text}{words}"))?;
    }
}

/// The dialect has no fences: the content of a fence cannot make the document invalid.
#[test]
fn malformed_yaml_in_a_fence_is_only_a_warning() {
    let text = "---\ntitle: x\n---\n\n```yaml\na: [1\nb: c: d\n```\n";
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let source = Arc::new(Source::new("snippet.md", text));
    let options = ParseOptions { dialect: Some("c2"), ..ParseOptions::default() };
    let outcome = validator.validate(&source, &Markdown, &options);
    let found: Vec<_> = outcome.diagnostics.iter().map(|found| (&*found.id, found.location.line)).collect();
    assert_eq!(found, [("MD115", 6)]);
    assert!(outcome.is_valid());
}
