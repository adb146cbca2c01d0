//! TOML documents.

use std::sync::Arc;

use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    syntax::{
        actions::Language,
        toml::{self, OBSERVABLES},
    },
    templated,
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// Any TOML file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Toml;

impl Kind for Toml {
    fn name(&self) -> &'static str {
        "toml"
    }

    fn description(&self) -> &'static str {
        "TOML of any meaning"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.toml"]
    }

    fn is_data(&self) -> bool {
        true
    }

    fn has_templates(&self) -> bool {
        true
    }

    fn observables(&self) -> &'static [Observable] {
        OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/toml.schema.json")
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let trial = |fragment: &Fragment<'_>| document("toml", source, fragment).observations;
        let of = (source.name(), source.text());
        let view = templated::view(of, fragment, Language::Toml, options, &trial);
        let mut document = document("toml", source, &view.fragment);
        view.retain_certain(source.text(), &mut document.observations, 0);
        document.template = view.template;
        document
    }
}

/// The TOML in a fragment as a document of a kind.
pub(super) fn document(kind: &'static str, source: &Arc<Source>, fragment: &Fragment<'_>) -> Document {
    let mut builder = TreeBuilder::new(Arc::clone(source));
    let mut observations = Vec::new();
    let comments = toml::read(&mut builder, fragment, &mut observations);
    Document { observations, comments, ..Document::new(kind, builder.finish()) }
}
