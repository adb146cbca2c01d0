//! The tables of the grammars mean what pest's own interpreter takes the grammars to mean.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use pest_vm::Vm;
use serde_yaml::Value;

use super::{detect, diagrams, grammars, prepare::Prepared};
use crate::kinds::peg::Grammar;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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
    for found in grammar.document(text).ok()? {
        let _ = writeln!(shown, "{} {}..{}", found.rule, found.span.start, found.span.end);
    }
    Some(shown)
}

/// All texts below `source:` in a rule file.
fn sources(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Sequence(items) => items.iter().for_each(|item| sources(item, texts)),
        Value::Mapping(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(text) if key.as_str() == Some("source") => texts.push(text.to_owned()),
                    _ => sources(value, texts),
                }
            }
        }
        _ => {}
    }
}

/// The example texts of the pack, and labelled diagrams where they are at hand.
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
        let Some(diagram) = detect::detect(&prepared).and_then(diagrams::diagram) else { continue };
        let grammar = diagram.grammar;
        let (name, _) = grammars::ALL.iter().find(|(_, known)| std::ptr::eq(*known, grammar)).unwrap();
        let vm = interpreters.entry(name).or_insert_with(|| interpreter(name));
        if prepared.len() > 4_000 {
            continue;
        }
        assert_eq!(by_tables(grammar, &prepared), by_pest(vm, &prepared), "{name}: {prepared}");
        compared += 1;
    }
    assert!(compared > 150 && interpreters.len() > 25, "{compared} texts, {} grammars", interpreters.len());
}
