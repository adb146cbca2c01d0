//! YAML files of any meaning.

use std::sync::Arc;

use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    syntax::{
        actions::Language,
        yaml::{self, Dialect, Documents, OBSERVABLES, YamlOptions},
    },
    templated,
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

    fn has_templates(&self) -> bool {
        true
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
        let yaml =
            YamlOptions { depth: options.limits.yaml_depth, alias_nodes: options.limits.alias_nodes, ..base };
        let read_into = |builder: &mut TreeBuilder, fragment: &Fragment<'_>| {
            let mut observations = Vec::new();
            let read = yaml::read(builder, fragment, &yaml, &mut observations);
            (read, observations)
        };
        let trial =
            |fragment: &Fragment<'_>| read_into(&mut TreeBuilder::new(Arc::clone(source)), fragment).1;
        let of = (source.name(), source.text());
        let view = templated::view(of, fragment, Language::Yaml, options, &trial);
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let (read, mut observations) = read_into(&mut builder, &view.fragment);
        view.retain_certain(source.text(), &mut observations, 0);
        let tree = builder.finish();
        let parts =
            if read.several { tree.root().items().map(|part| part.id()).collect() } else { Vec::new() };
        let template = view.template;
        Document { observations, comments: read.comments, parts, template, ..Document::new("yaml", tree) }
    }
}
