//! Quills: the formats that documents are rendered with, and what they ask of documents.
//!
//! A *manifest* – `Quill.toml` of the classic bundles, `Quill.yaml` of the current ones – is a document
//! of kind `quill`. One without faults is a [`Quill`]; those there are make a [`QuillSet`].

mod builtin;
mod date;
mod field;
mod manifest;
mod observables;
mod set;

use std::{ffi::OsStr, path::Path, sync::Arc};

pub use self::{
    builtin::folders,
    manifest::is_name,
    set::{LARGEST_FILE, MANIFESTS},
};
pub use self::{
    date::padded_date,
    manifest::{about, collections, fields, glue_names},
};
pub use self::{field::FieldSchema, observables::FIELD_OBSERVABLES, set::Registered};
pub use self::{
    field::FieldType,
    manifest::Quill,
    set::{Problem, QuillSet},
};
use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    budget::Lazy,
    schema::{SchemaError, Structure, evaluate},
    syntax::{
        toml,
        yaml::{self, YamlOptions},
    },
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// Name of the kind.
pub const NAME: &str = "quill";

/// JSON Schema of manifests.
const SCHEMA: &str = include_str!("../../../../schemas/tree/quill.schema.json");

/// The manual of rendering, whose section on layouts is the only description of what a layout can use.
const MANUAL: &str = include_str!("../../../../docs/rendering.md");

/// The kind of quills' manifests.
#[derive(Debug)]
pub struct Manifest;

impl Kind for Manifest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn configures(&self) -> bool {
        true
    }

    fn description(&self) -> &'static str {
        "manifests of quills: `Quill.toml` and `Quill.yaml`"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["quill.toml", "quill.yaml"]
    }

    fn observables(&self) -> &[Observable] {
        &observables::ALL
    }

    fn tree_schema(&self) -> &'static str {
        SCHEMA
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn notes(&self) -> Vec<&str> {
        let section = |from: &str| {
            let (_, rest) = MANUAL.split_once(from)?;
            Some(rest.split("\n## ").next()?.split("\n### ").next()?.trim())
        };
        section("\n### The layout\n").into_iter().collect()
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
        document.observations = observations;
        document.comments = comments;
        document
    }
}

/// By the name of the file; for text without one, by its first line that is not empty and not a
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
    let quill = is_usable(&document).then(|| Quill::read(&document.tree));
    (document, quill)
}

/// Whether a manifest can be read as a quill.
pub fn is_usable(document: &Document) -> bool {
    static STRUCTURE: Lazy<Result<Structure, Vec<SchemaError>>> = Lazy::new(|| {
        let schema = serde_json::from_str(SCHEMA).unwrap_or_default();
        Structure::new(&schema, "")
    });
    let Ok(structure) = &*STRUCTURE else { return false };
    let Ok(violations) = evaluate(structure, document.tree.root()) else { return false };
    document.observations.is_empty() && violations.iter().all(|found| MINOR.contains(&found.name.as_str()))
}

/// Errors of the schema that leave the quill usable.
const MINOR: [&str; 6] =
    ["misspelled", "required-default", "sample-type", "sample-value", "unknown-backend", "bad-field-name"];

/// Names of the fields in a document's first metadata block, read cheaply: keys at the start of a line.
fn example_fields(text: &str) -> Vec<String> {
    let Some(block) = text.strip_prefix("---").and_then(|rest| rest.split("\n---").next()) else {
        return Vec::new();
    };
    let keys = block.lines().filter_map(|line| line.split_once(':')).map(|(key, _)| key);
    let plain = |key: &&str| key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !key.is_empty();
    keys.filter(plain).filter(|key| *key != "QUILL").map(str::to_owned).collect()
}
