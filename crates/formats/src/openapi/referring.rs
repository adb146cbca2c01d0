//! Kinds that packs define for YAML and JSON with references: they are read as OpenAPI descriptions are.

use std::sync::Arc;

use super::{OBSERVABLES, read};
use crate::{
    Document, Kind, Observable, ParseOptions,
    text::{Fragment, Source},
};

/// A kind of YAML and JSON in which a mapping with `$ref` stands for what the reference leads to.
#[derive(Debug)]
pub struct ReferringKind {
    /// Name of the kind.
    pub name: String,
    /// One line on what it is.
    pub description: String,
    /// File names it is for.
    pub globs: Vec<String>,
    /// Fence languages it is for.
    pub fences: Vec<String>,
    /// JSON Schema of the tree; `{}` where nothing is known of it.
    pub schema: String,
}

impl Kind for ReferringKind {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn globs(&self) -> Vec<&str> {
        self.globs.iter().map(String::as_str).collect()
    }

    fn languages(&self) -> Vec<&str> {
        self.fences.iter().map(String::as_str).collect()
    }

    fn observables(&self) -> &[Observable] {
        &OBSERVABLES
    }

    fn tree_schema(&self) -> &str {
        &self.schema
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        read(self.name.clone(), source, fragment, options)
    }
}
