use std::sync::Arc;

use serde_json::Value;

use crate::{
    syntax::yaml::{self, YamlOptions},
    text::{Fragment, Source},
    tree::{Tree, TreeBuilder},
};

/// A YAML file of a pack as JSON.
pub(in crate::rules) fn yaml_to_json(name: &str, text: &str) -> Value {
    yaml_tree(name, text).root().to_json()
}

/// The tree of a YAML file; what cannot be read is left out.
pub(in crate::rules) fn yaml_tree(name: &str, text: &str) -> Tree {
    let source = Arc::new(Source::new(name, text));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let fragment = Fragment::contiguous(source.text(), source.span());
    yaml::read(&mut builder, &fragment, &YamlOptions::default(), &mut Vec::new());
    builder.finish()
}
