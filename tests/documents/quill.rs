//! Quills: what their manifests may get wrong, and what they ask of documents.

use std::{fs, path::Path, sync::Arc};

use proofmark::{
    Fragment, ParseOptions, Ruleset, Settings, Source, Tree, TreeBuilder, Validator,
    internals::{
        engine::Contract,
        files::{DiskFolder, Links},
        kinds::quill::{FieldType, Manifest, Problem, Quill, QuillSet, parse},
        syntax::yaml::{self, YamlOptions},
    },
};

use crate::observations::lines;

const CLASSIC: &str = r#"
[Quill]
name = "letter"
backend = "typst"
glue_file = "glue.typ"
example_file = "letter.md"
description = "A letter"
version = "1.2"
tags = ["mail"]
department = "office"

[fields]
title = { description = "Heading", type = "string", required = true }
copies = { type = "integer", default = 1 }

[fields.recipient]
type = "object"
required = true
properties.name = { type = "string", required = true }
properties.street = { type = "string" }

[fields.date]
type = "date"
example = "2026-01-31"
required = true

[fields.tone]
type = "enum"
values = ["formal", "friendly"]
default = "formal"
ui = { widget = "radio" }

[fields.cc]
type = "array"
items = { type = "string" }

[fields.sealed]
type = "boolean"

[fields.subject]
deprecated = "it is called `title` now"
replaced_by = "title"

[scopes.quotes.fields]
author = { type = "string", required = true }
year = { type = "integer" }
"#;

const CURRENT: &str = r#"
quill:
  name: usaf_memo
  version: "1.0.0"
  backend: typst
  description: A memo
typst:
  plate_file: plate.typ
main:
  fields:
    subject: { type: text?, required: true }
    refs: { type: array, items: { type: text } }
card_kinds:
  indorsement:
    fields:
      from: { type: text }
"#;

fn quill(name: &str, text: &str) -> Quill {
    let source = Arc::new(Source::new(name, text));
    let (document, quill) = parse(&source);
    assert_eq!(lines(&source, &document.observations), "");
    quill.unwrap()
}

/// A tree as that of a Markdown document, written as YAML.
fn document(text: &str) -> (Arc<Source>, Tree) {
    let source = Arc::new(Source::new("doc", text));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let fragment = Fragment::contiguous(source.text(), source.span());
    yaml::read(&mut builder, &fragment, &YamlOptions::default(), &mut Vec::new());
    let tree = builder.finish();
    (source, tree)
}

#[test]
fn a_classic_manifest_is_read() {
    let quill =
        quill("Quill.toml", CLASSIC).completed(Some("{{ title }} {{ closing | String }}"), &["ps".into()]);
    assert_eq!((quill.name.as_str(), quill.backend.as_str()), ("letter", "typst"));
    assert_eq!(quill.glue_file.as_deref(), Some("glue.typ"));
    assert_eq!(quill.metadata["department"], "office");
    let names: Vec<&str> = quill.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["title", "copies", "recipient", "date", "tone", "cc", "sealed", "subject"]);
    assert_eq!(quill.used, ["closing", "ps"]);
    let tone = quill.field("tone").unwrap();
    assert_eq!(tone.field_type, Some(FieldType::Enum));
    assert_eq!(tone.custom["ui"]["widget"], "radio");
    assert!(quill.field("title").unwrap().required);
}

#[test]
fn a_current_manifest_is_read() {
    let quill = quill("Quill.yaml", CURRENT);
    assert_eq!(quill.name, "usaf_memo");
    assert_eq!(quill.glue_file.as_deref(), Some("plate.typ"));
    assert_eq!(quill.field("subject").unwrap().field_type, Some(FieldType::Text));
    assert_eq!(quill.collection("indorsement").unwrap().len(), 1);
}

#[test]
fn a_document_is_validated_against_its_quill() {
    let quill = quill("Quill.toml", CLASSIC);
    let (source, tree) = document(
        "quill: {name: letter}
frontmatter:
  titel: Hello
  recipient: {nam: Ada, street: 5}
  tone: frendly
  copies: '3'
  sealed: yes
  cc: [a, 7]
  date: 2026/1/5
  subject: x
  closing: Yours
scopes:
  quotes:
    - {author: Ada, yeer: 1843}
    - {year: 1843.5}
  qoutes:
    - {author: x}
",
    );
    insta::assert_snapshot!(lines(&source, &Contract::Quill(&quill).observe(&tree)));
}

#[test]
fn a_right_document_gives_nothing() {
    let quill = quill("Quill.toml", CLASSIC);
    let text = "quill: {name: letter}\nfrontmatter: {title: x, recipient: {name: Ada}, date: 2026-01-31, cc: , copies: 2}\n";
    let (source, tree) = document(text);
    assert_eq!(lines(&source, &Contract::Quill(&quill).observe(&tree)), "");
}

#[test]
fn missing_fields_are_reported_at_the_name_of_the_quill() {
    let quill = quill("Quill.toml", CLASSIC);
    let (source, tree) = document("quill: {name: letter}\nfrontmatter: {copies: 1}\n");
    insta::assert_snapshot!(lines(&source, &Contract::Quill(&quill).observe(&tree)));
    let (source, tree) = document("quill: {name: letter}\n");
    assert_eq!(lines(&source, &Contract::Quill(&quill).observe(&tree)).lines().count(), 3);
}

#[test]
fn a_quill_that_is_not_there_has_a_neighbour() {
    let mut quills = QuillSet::default();
    let (source, tree) = document("quill: {name: leter}\n");
    assert_eq!(lines(&source, &Contract::Named(&quills).observe(&tree)), "");
    quills.insert(quill("Quill.toml", CLASSIC), None);
    assert_eq!(
        lines(&source, &Contract::Named(&quills).observe(&tree)),
        " 1: unknown-quill `leter` quill=\"leter\" nearest=\"letter\" known=[\"letter\"]"
    );
    let (source, tree) = document("frontmatter: {a: 1}\n");
    assert_eq!(lines(&source, &Contract::Named(&quills).observe(&tree)), "");
}

#[test]
fn every_error_in_a_manifest_is_observed() {
    let text = r#"
[Quill]
name = "My Letter"
backnd = "typst"
descripton = "x"
author = ["a"]

[fields]
"bad name" = { type = "string" }
title = { type = "strng", requierd = true }
copies = { type = "integer", default = "one" }
tone = { type = "enum" }
mood = { enum = ["a", "be"], default = "bee", required = true }
cc = 5
kind = "nmber"
"#;
    let source = Arc::new(Source::new("Quill.toml", text));
    assert!(parse(&source).1.is_none());
    insta::assert_snapshot!(reported(&source));
    let source = Arc::new(Source::new("Quill.yaml", "quil:\n  name: x\n"));
    let rename = " 1: QL001 the manifest has no `Quill` section; did you mean `Quill` instead of `quil`? (rename `quil`)";
    assert_eq!(reported(&source), rename);
}

/// What the rules say of a manifest, a line each.
fn reported(manifest: &Arc<Source>) -> String {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let outcome = validator.validate(manifest, &Manifest, &ParseOptions::default());
    let lines = outcome.diagnostics.iter().map(|diagnostic| {
        let hint = diagnostic.fix_hint.as_deref().unwrap_or_default();
        format!("{:2}: {} {} ({hint})", diagnostic.location.line, diagnostic.id, diagnostic.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_folder_of_quills_is_loaded_and_broken_ones_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "letter/Quill.toml", CLASSIC);
    write(root, "letter/glue.typ", "{{ closing | String }}");
    write(root, "letter/letter.md", "---\nQUILL: letter\nps: x\n---\n");
    write(root, "memo/Quill.yaml", CURRENT);
    write(root, "second/Quill.toml", CLASSIC);
    write(root, "broken/Quill.toml", "[Quill\n");
    write(
        root,
        "escape/Quill.toml",
        "[Quill]\nname = \"escape\"\nbackend = \"typst\"\nglue = \"../secret.typ\"\n",
    );
    write(root, "secret.typ", "{{ secret }}");
    write(root, "empty/readme.md", "");
    let mut quills = QuillSet::default();
    let opened = |path: &str| DiskFolder::open(&root.join(path), 1 << 20, Links::Followed).unwrap();
    let problems = quills.load_all(&opened(""));
    assert_eq!(quills.names().collect::<Vec<_>>(), ["escape", "letter", "usaf_memo"]);
    assert_eq!(quills.get("letter").unwrap().used, ["closing", "ps"]);
    assert_eq!(quills.get("escape").unwrap().used, Vec::<String>::new());
    assert!(matches!(&problems[..], [Problem::Faults(_), Problem::Duplicate { .. }]), "{problems:?}");
    quills.load(&opened("second"), Some("formal")).unwrap();
    assert_eq!(quills.get("formal").unwrap().name, "formal");
    assert!(matches!(quills.load(&opened("second"), Some("../x")), Err(Problem::BadName { .. })));
    assert!(matches!(quills.load(&opened("empty"), None), Err(Problem::NoManifest(_))));
    let gone = opened("empty");
    fs::remove_dir_all(root.join("empty")).unwrap();
    assert!(quills.load(&gone, None).is_err());
}

#[test]
fn the_report_says_what_the_quill_of_a_document_requires() {
    use proofmark::{
        Kinds,
        report::{FileReport, Format, Outcome, ReportOptions, Run, write as report},
    };

    let mut quills = QuillSet::default();
    quills.insert(quill("Quill.toml", CLASSIC), None);
    let text = "---\nQUILL: letter\ntitel: 5\nrecipient: {name: Ada, street: 5}\ntone: frendly\n---\n\nDear Ada,\n\n---\nSCOPE: quotes\nyear: 1843\n---\n";
    let source = Arc::new(Source::new("letter.md", text));
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kinds = Kinds::builtin();
    let kind = kinds.get("markdown").unwrap();
    let contract = Contract::Named(&quills);
    let outcome = validator.validate_against(contract, &source, kind.as_ref(), &ParseOptions::default());
    let file = FileReport {
        name: "letter.md",
        sources: outcome.document.tree.sources(),
        diagnostics: &outcome.diagnostics,
    };
    let run = Run { options: ReportOptions { width: Some(100), ..Default::default() }, ..Default::default() };
    let mut out = Vec::new();
    report(Format::Pretty, &run, &[file], &Outcome::default(), &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}
