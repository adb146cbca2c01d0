use std::{fs, path::PathBuf, sync::Arc};

use serde_json::Value;

use super::{Markdown, fields};
use crate::{
    kinds::{Document, Kind, ParseOptions},
    text::{Fragment, Source},
};

fn read_as(text: &str, dialect: &str) -> Document {
    let source = Arc::new(Source::new("test.md", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    Markdown.parse(&source, &fragment, &ParseOptions { dialect: Some(dialect), ..ParseOptions::default() })
}

fn read(text: &str) -> Document {
    read_as(text, "c2")
}

/// Observations that make a document one which the dialect rejects.
const REJECTING: &[&str] = &[
    "err_unclosed_frontmatter",
    "err_closer_trailing_blanks",
    "err_closer_indented",
    "err_closer_more_dashes",
    "err_closer_dots",
    "err_closer_run_on",
    "err_empty_block",
    "err_blank_line_in_frontmatter",
    "err_block_too_large",
    "both-quill-and-scope",
    "quill-not-a-string",
    "quill-name-invalid",
    "scope-not-a-string",
    "scope-name-invalid",
    "scope-name-reserved",
    "block-not-a-mapping",
    "text-between-rules",
    "key-without-text",
    "second-frontmatter",
    "second-quill-block",
    "scope-collides-with-field",
    "quill-field-collides",
    "scope-collides-with-quill-field",
];

fn is_rejected(document: &Document) -> bool {
    document.observations.iter().any(|o| REJECTING.contains(&o.name) || o.name.starts_with("yaml_"))
}

/// The labelled documents beside the repository, where they are; without those nested too deep for
/// `serde_json`.
fn corpus(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/scope").join(name);
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn verdicts_and_fields_are_those_of_the_original_parser() {
    for (name, dialect) in [("c2.jsonl", "c2"), ("seed.jsonl", "seed")] {
        let mut different = Vec::new();
        for case in corpus(name) {
            let Some(input) = case["input"].as_str() else { continue };
            let document = read_as(input, dialect);
            let accepted = !is_rejected(&document);
            let expected = case["ok"].as_bool().unwrap();
            let names: Vec<_> = document.observations.iter().map(|o| o.name).collect();
            if accepted != expected {
                different.push(format!("{}: {:?}", case["name"], names));
            } else if accepted && fields(&document) != case["expected_json"] {
                different.push(format!(
                    "{}: {} != {}",
                    case["name"],
                    fields(&document),
                    case["expected_json"]
                ));
            }
        }
        assert!(different.is_empty(), "{dialect}:\n{}", different.join("\n"));
    }
}

#[test]
#[ignore = "prints what is observed in the labelled documents"]
fn survey() {
    for (name, dialect) in [("c2.jsonl", "c2"), ("seed.jsonl", "seed")] {
        for case in corpus(name) {
            let Some(input) = case["input"].as_str() else { continue };
            let document = read_as(input, dialect);
            let error = case["error_full"].as_str().unwrap_or("ok");
            println!(
                "{dialect} {} | {} | {:?}",
                case["name"],
                error,
                input.chars().take(120).collect::<String>()
            );
            for o in &document.observations {
                println!(
                    "      {} {:?} {:?}",
                    o.name,
                    o.span.of(input).chars().take(60).collect::<String>(),
                    o.values
                );
            }
        }
    }
}
