//! The examples of rules against the programs that define their languages.
//!
//! `tests/data/verdicts/` pins what Mermaid 12.3.0 and QType 0.1.18 say about the examples of the rules
//! for diagrams and flows: whether they accept the text. An example that was changed or added has to
//! be labeled again, see `tests/data/verdicts/README.md`.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf, sync::Arc};

use proofmark::{
    ParseOptions, Ruleset, Settings, Source, Validator,
    internals::{rules::Sample, text::Fingerprint},
};
use serde_json::{Value, json};

/// Examples on which Proofmark and the reference differ on purpose, with the reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("MM054-1-invalid", "ZenUML is an extension that the reference loads separately; a note says so"),
    ("MM056-1-invalid", "the brackets exceed our limit on nesting"),
    ("MM060-1-invalid", "the diagram exceeds our limit on effort"),
    ("QT201-1-invalid", "depends on the environment of the process"),
    ("QT211-1-invalid", "depends on the environment of the process"),
    ("QT410-7-valid", "depends on the environment of the process"),
    ("QT925-2-invalid", "depends on the environment of the process"),
    ("QT209-1-invalid", "QType loads includes over the network"),
    ("QT606-1-invalid", "QType reports the type, Proofmark warns"),
    ("QT309-1-invalid", "QType fails with an internal error; Proofmark warns"),
    ("QT310-1-invalid", "QType fails with an internal error; Proofmark warns"),
    ("QT312-1-invalid", "QType accepts a custom type that hides a primitive one"),
];

fn path(kind: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/verdicts/{kind}.jsonl"))
}

/// Examples of the built-in rules that consist of one text of this kind, by an id such as
/// `MM201-1-invalid`.
fn examples(ruleset: &Ruleset, kind: &str) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for rule in ruleset.rules().iter().filter(|rule| rule.kinds.first().is_some_and(|own| own == kind)) {
        for example in &ruleset.help(rule).examples {
            let name = if example.invalid { "invalid" } else { "valid" };
            let samples = [(name, Some(&example.sample)), ("fixed", example.fixed.as_ref())];
            for (name, sample) in samples {
                let Some(text) = sample.and_then(|sample| alone(sample, kind)) else { continue };
                texts.insert(format!("{}-{}-{name}", rule.id, example.index + 1), text.to_owned());
            }
        }
    }
    texts
}

/// The text of a sample that depends on nothing else.
fn alone<'s>(sample: &'s Sample, kind: &str) -> Option<&'s str> {
    let raw = &sample.raw;
    let plain = raw.files.is_empty() && raw.options.is_empty() && raw.limits.is_none();
    let same = raw.kind.as_ref().is_none_or(|own| own == kind);
    sample.text.as_deref().filter(|_| plain && same)
}

fn fingerprint(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}

fn compare(kind: &str) {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let texts = examples(validator.ruleset(), kind);
    assert!(texts.len() > 300, "{} examples of {kind}", texts.len());
    let pinned = fs::read_to_string(path(kind)).unwrap();
    let pinned: BTreeMap<String, Value> = pinned
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| (row["id"].as_str().unwrap().to_owned(), row))
        .collect();
    let kind = validator.ruleset().kind(kind).unwrap();
    let mut problems = String::new();
    for (id, text) in &texts {
        let Some(row) = pinned.get(id).filter(|row| row["text"] == fingerprint(text)) else {
            writeln!(problems, "{id}: not labeled, or changed since").unwrap();
            continue;
        };
        let source = Arc::new(Source::new("example", text.as_str()));
        let valid = validator.validate(&source, kind.as_ref(), &ParseOptions::default()).is_valid();
        let agrees = row["ok"] == valid;
        let known = DIFFERENT.iter().any(|(different, _)| different == id);
        match (agrees, known) {
            (false, false) => writeln!(problems, "{id}: the reference says ok={}", row["ok"]).unwrap(),
            (true, true) => writeln!(problems, "{id}: does not differ any more").unwrap(),
            _ => {}
        }
    }
    for id in pinned.keys().filter(|id| !texts.contains_key(*id)) {
        writeln!(problems, "{id}: is labeled, but not an example").unwrap();
    }
    assert!(problems.is_empty(), "see tests/data/verdicts/README.md\n{problems}");
}

#[test]
fn diagrams_are_valid_where_mermaid_accepts_them() {
    compare("mermaid");
}

#[test]
fn flows_are_valid_where_qtype_accepts_them() {
    compare("qtype");
}

#[test]
#[ignore = "writes the examples to be labeled to target/"]
fn write_examples() {
    let ruleset = Ruleset::builtin();
    for kind in ["mermaid", "qtype"] {
        let mut lines = String::new();
        for (id, text) in examples(&ruleset, kind) {
            let row = json!({"id": id, "text": text, "fingerprint": fingerprint(&text)});
            writeln!(lines, "{row}").unwrap();
        }
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("examples-{kind}.jsonl")), lines).unwrap();
    }
}
