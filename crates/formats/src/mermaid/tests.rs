//! The tables of the grammars mean what pest's own interpreter takes the grammars to mean.

#[path = "../../../../tests/support/numbers.rs"]
mod numbers;

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use pest_vm::Vm;
use serde_yaml::Value;

use self::numbers::Numbers;
use super::{Mermaid, detect, grammars, prepare::Prepared};
use crate::{
    Kind, ParseOptions,
    peg::Grammar,
    text::{Fragment, Source},
};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn interpreter(name: &str) -> Vm {
    let read = |name: &str| fs::read_to_string(root().join(format!("grammars/mermaid/{name}.pest"))).unwrap();
    let text = format!("{}\n{}", read("common"), read(name));
    Vm::new(pest_meta::parse_and_optimize(&text).unwrap().1)
}

fn by_pest(vm: &Vm, text: &str) -> Option<String> {
    let mut shown = String::new();
    for pair in vm.parse("document", text).ok()?.flatten() {
        let _ = writeln!(shown, "{} {}..{}", pair.as_rule(), pair.as_span().start(), pair.as_span().end());
    }
    Some(shown)
}

fn by_tables(grammar: &Grammar, text: &str) -> Option<String> {
    let mut shown = String::new();
    for found in grammar.read("document", text).ok()? {
        let rule = grammar.name(found.rule);
        let _ = writeln!(shown, "{} {}..{}", rule, found.span.start, found.span.end);
    }
    Some(shown)
}

/// All strings below `source:` in a rule file.
fn sources(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Sequence(items) => items.iter().for_each(|item| sources(item, found)),
        Value::Mapping(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(text) if key.as_str() == Some("source") => found.push(text.to_owned()),
                    _ => sources(value, found),
                }
            }
        }
        _ => {}
    }
}

/// The examples of the pack, and labeled diagrams where they are available.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for file in fs::read_dir(root().join("rules/mermaid")).unwrap() {
        let path: PathBuf = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let value = serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            sources(&value, &mut texts);
        }
    }
    assert!(texts.len() > 150, "the pack has examples");
    for name in ["real", "mutated"] {
        let path = root().join(format!("../shared/corpus/mermaid/{name}.jsonl"));
        for line in fs::read_to_string(path).unwrap_or_default().lines().step_by(5) {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            texts.push(row["text"].as_str().unwrap().to_owned());
        }
    }
    texts
}

#[test]
fn tables_and_the_interpreter_of_pest_make_the_same_parts() {
    let mut interpreters: HashMap<&str, Vm> = HashMap::new();
    let mut compared = 0;
    for text in texts() {
        let prepared = Prepared::new(&text).text;
        let Some(diagram) = detect::diagram(&prepared) else { continue };
        let grammar = diagram.grammar;
        let (name, _) = grammars::ALL.iter().find(|(_, known)| std::ptr::eq(*known, grammar)).unwrap();
        let vm = interpreters.entry(name).or_insert_with(|| interpreter(name));
        if prepared.len() > 4_000 {
            continue;
        }
        assert_eq!(by_tables(grammar, &prepared), by_pest(vm, &prepared), "{name}: {prepared}");
        compared += 1;
    }
    assert!(
        compared > 150 && interpreters.len() > 25,
        "{compared} diagrams, {} grammars",
        interpreters.len()
    );
}

/// What is inserted into diagrams: elements of the languages, and what parsers often get wrong.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "|",
    "\"",
    "'",
    "`",
    ":",
    ";",
    ",",
    ".",
    "-",
    "=",
    "~",
    "@",
    "#",
    "%",
    "&",
    "*",
    "+",
    "/",
    "\\",
    " ",
    "\n",
    "\t",
    "\r\n",
    "\0",
    "0",
    "a",
    "end",
    "-->",
    "---",
    "%%",
    "%%{",
    "}%%",
    "日",
    "é",
    "𝒳",
    "\u{2028}",
    "\u{85}",
    "\u{A0}",
    "\u{FEFF}",
    "\u{200B}",
    "→",
    "“",
    "ﬂ°",
    "¶ß",
    "#35;",
    "\"`",
    "@{",
    "{{",
    "[[",
    "((",
    "<<",
    "subgraph ",
    "direction TB",
    "accDescr {",
    "\n---\n",
    "```",
    "-.->",
    "==>",
    "\\\"",
    "&lt;",
    "...",
    "${x}",
];

/// `text` with a few random changes.
fn mutated(text: &str, others: &[String], numbers: &mut Numbers) -> String {
    let mut text = text.to_owned();
    for _ in 0..=numbers.below(4) {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (one, other) = (*numbers.of(&ends), *numbers.of(&ends));
        let (start, end) = (one.min(other), one.max(other));
        match numbers.below(6) {
            0 | 1 => {
                let piece = *numbers.of::<&str>(PIECES);
                text.insert_str(start, piece);
            }
            2 => text.insert_str(start, &numbers.of::<&str>(PIECES).repeat(numbers.below(40))),
            3 => text.replace_range(start..end, ""),
            4 => text.truncate(end),
            _ => {
                let source = numbers.of::<String>(others);
                let line = source.lines().nth(numbers.below(source.lines().count())).unwrap_or_default();
                text.insert_str(start, line);
            }
        }
    }
    text
}

/// Whether reading a diagram panics, takes long or reports spans outside of it. `FUZZ_SECONDS` sets how long to
/// search, instead of the few diagrams that a run of all tests has time for.
#[test]
fn mutated_diagrams_are_read_within_bounds() {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let mut numbers = Numbers(seed.unwrap_or(0x9E37_79B9_7F4A_7C15));
    let texts: Vec<String> = texts().into_iter().filter(|text| text.len() < 4_000).collect();
    let start = Instant::now();
    let mut read = 0;
    while seconds.map_or(read < 3_000, |seconds| start.elapsed() < Duration::from_secs(seconds)) {
        let chosen = numbers.of::<String>(&texts).clone();
        let text = mutated(&chosen, &texts, &mut numbers);
        let source = Arc::new(Source::new("mutated.mmd", text));
        let fragment = Fragment::contiguous(source.text(), source.span());
        let document = Mermaid.parse(&source, &fragment, &ParseOptions::default());
        for seen in &document.observations {
            let spans = seen.places.iter().map(|(_, span)| span).chain([&seen.span]);
            for span in spans {
                assert!(source.text().get(span.range()).is_some(), "{seen:?} in {}", source.text());
            }
        }
        read += 1;
    }
    assert!(read > 0);
}
