//! Quills: the formats that documents are rendered with, and what they ask of documents.
//!
//! A *manifest* – `Quill.toml` of the classic bundles, `Quill.yaml` of the current ones – is a document
//! of kind `quill`. One without faults is a [`Quill`]; those there are make a [`QuillSet`]. [`observe`]
//! holds a document's fields to the quill it names.

mod check;
mod field;
mod folder;
mod manifest;
mod set;

use std::{
    ffi::OsStr,
    path::Path,
    sync::{Arc, LazyLock},
};

pub use self::{
    check::{FIELD_OBSERVABLES, check_fields, is_date, observe},
    field::{FieldSchema, FieldType},
    manifest::{Quill, is_name},
    set::{MANIFESTS, Problem, QuillSet, Registered},
};
use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    syntax::{
        toml,
        yaml::{self, YamlOptions},
    },
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// Name of the kind.
pub const NAME: &str = "quill";

/// The kind of quills' manifests.
#[derive(Debug)]
pub struct Manifest;

impl Kind for Manifest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "manifests of quills: `Quill.toml` and `Quill.yaml`"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["quill.toml", "quill.yaml"]
    }

    fn observables(&self) -> &[Observable] {
        &OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        "{\"type\":\"object\"}"
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut observations = Vec::new();
        let comments = if is_yaml(source, fragment.text()) {
            let yaml = YamlOptions { depth: options.limits.yaml_depth, ..YamlOptions::default() };
            yaml::read(&mut builder, fragment, &yaml, &mut observations).comments
        } else {
            toml::read(&mut builder, fragment, &mut observations)
        };
        let mut document = Document::new(NAME, builder.finish());
        if observations.is_empty() {
            manifest::observe(&document.tree, &mut observations);
            // A text that came without its folder has no files to be held to.
            let own = Path::new(source.name()).file_name().unwrap_or_default().to_string_lossy();
            let usable = observations.iter().all(|seen| MINOR.contains(&&*seen.name));
            let beside = options.read.filter(|read| usable && read(&own).is_ok());
            if let Some(read) = beside {
                folder::observe(&document.tree, read, &mut observations);
            }
        }
        document.observations = observations;
        document.comments = comments;
        document
    }
}

/// By the name of the file; for a text without one, by its first line that is neither blank nor a
/// comment: in TOML it opens a table or has a `=`.
fn is_yaml(source: &Source, text: &str) -> bool {
    let extension = Path::new(source.name()).extension().map(OsStr::to_ascii_lowercase);
    match extension.as_deref().and_then(OsStr::to_str) {
        Some("yaml" | "yml") => true,
        Some("toml") => false,
        _ => {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
            first.is_some_and(|line| !line.starts_with('[') && !line.contains('='))
        }
    }
}

/// Reads a manifest; there is no quill when it has faults.
pub fn parse(source: &Arc<Source>) -> (Document, Option<Quill>) {
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = Manifest.parse(source, &fragment, &ParseOptions::default());
    let usable = document.observations.iter().all(|seen| MINOR.contains(&&*seen.name));
    let quill = usable.then(|| Quill::read(&document.tree));
    (document, quill)
}

/// What is worth telling and leaves the quill usable.
const MINOR: [&str; 6] = [
    "quill-misspelt-key",
    "quill-required-default",
    "quill-sample-type",
    "quill-sample-value",
    "quill-unknown-backend",
    "quill-bad-field-name",
];

/// Names of the fields in a document's first metadata block, read cheaply: keys at the start of a line.
fn example_fields(text: &str) -> Vec<String> {
    let Some(block) = text.strip_prefix("---").and_then(|rest| rest.split("\n---").next()) else {
        return Vec::new();
    };
    let keys = block.lines().filter_map(|line| line.split_once(':')).map(|(key, _)| key);
    let plain = |key: &&str| key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !key.is_empty();
    keys.filter(plain).filter(|key| *key != "QUILL").map(str::to_owned).collect()
}

const OWN: &[Observable] = &[
    Observable::fact("quill-section-missing", &["found"], &[]),
    Observable::fact("quill-key-missing", &["key"], &[]),
    Observable::fact("quill-misspelt-key", &["key", "nearest"], &[]),
    Observable::fact("quill-wrong-type", &["key", "expected", "actual"], &[]),
    Observable::fact("quill-bad-name", &["name", "suggestion"], &[]),
    Observable::fact("quill-unknown-backend", &["backend", "nearest", "known"], &[]),
    Observable::fact("quill-bad-field-name", &["field"], &[]),
    Observable::fact("quill-unknown-type", &["field", "type", "nearest", "known"], &[]),
    Observable::fact("quill-enum-without-values", &["field"], &[]),
    Observable::fact("quill-sample-type", &["field", "key", "expected", "actual"], &[]),
    Observable::fact("quill-sample-value", &["field", "key", "value", "nearest", "expected"], &[]),
    Observable::fact("quill-required-default", &["field"], &[]),
];

static OBSERVABLES: LazyLock<Vec<Observable>> =
    LazyLock::new(|| [OWN, folder::OBSERVABLES, toml::OBSERVABLES, yaml::OBSERVABLES].concat());
