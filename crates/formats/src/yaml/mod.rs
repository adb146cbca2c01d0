//! YAML files of any meaning.

use std::sync::Arc;

use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    syntax::yaml::{self, Dialect, Documents, OBSERVABLES, YamlOptions},
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// YAML files of any meaning. It reads no fences: YAML in a fence is a snippet, often a part of a file.
pub struct Yaml;

impl Kind for Yaml {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn description(&self) -> &'static str {
        "YAML of any meaning: its syntax and its traps"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.yaml", "*.yml"]
    }

    fn observables(&self) -> &'static [Observable] {
        OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/yaml.schema.json")
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn dialects(&self) -> &[&str] {
        &["serde_yaml", "pyyaml"]
    }

    /// The dialects are `serde_yaml` and `pyyaml`, which say whose verdict counts; without one, text is
    /// valid when `libyaml` or the grammar of YAML 1.2 accepts it.
    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let base = match options.dialect {
            Some("pyyaml") => YamlOptions::py_yaml(),
            Some("serde_yaml") => YamlOptions::default(),
            _ => YamlOptions { dialect: Dialect::Any, documents: Documents::Any, ..YamlOptions::default() },
        };
        let options =
            YamlOptions { depth: options.limits.yaml_depth, alias_nodes: options.limits.alias_nodes, ..base };
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut observations = Vec::new();
        let read = yaml::read(&mut builder, fragment, &options, &mut observations);
        let tree = builder.finish();
        let parts =
            if read.several { tree.root().items().map(|part| part.id()).collect() } else { Vec::new() };
        Document { observations, comments: read.comments, parts, ..Document::new("yaml", tree) }
    }
}
