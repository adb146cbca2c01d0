//! Files of the project that documents take values from.

use std::sync::Arc;

use serde_json::Value;

use super::metadata::relocated;

use crate::{
    kinds::{Limits, quarto},
    syntax::yaml::{self, YamlOptions},
    text::{Fragment, Source},
    tree::{Tree, TreeBuilder},
};

/// Reads a file by its path from the document's folder. Whoever asks for the same file shares its bytes.
pub(super) type ReadFile<'f> = &'f dyn Fn(&str) -> Option<Arc<[u8]>>;

/// The content of a file as text; nothing where it is not UTF-8.
pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The values of the first of these files, in the document's folder or above it.
pub(super) fn find(names: &[&str], read: ReadFile<'_>, limits: Limits) -> Value {
    find_in(names, read, limits).map_or(Value::Null, |(values, _)| values)
}

/// Like [`find`], with the path of the folder that the file is in, which is empty or ends with a slash.
pub(super) fn find_in(names: &[&str], read: ReadFile<'_>, limits: Limits) -> Option<(Value, String)> {
    quarto::nearest(names, |path| Some(value(text(&read(path)?)?, limits)))
}

/// What the folders from that of the project to that of the document say about the documents below them, the outermost
/// first. `folder` is the path from the document to the project's folder.
pub(super) fn of_folders(folder: &str, read: ReadFile<'_>, limits: Limits) -> Vec<Value> {
    let above = folder.matches("../").count();
    let layers = (0..=above).rev().filter_map(|steps| {
        let folder = "../".repeat(steps);
        let found =
            ["_metadata.yml", "_metadata.yaml"].iter().find_map(|name| read(&format!("{folder}{name}")));
        Some(relocated(value(text(found.as_deref()?)?, limits), &folder))
    });
    layers.filter(Value::is_object).collect()
}

/// YAML as a value.
pub(super) fn value(text: &str, limits: Limits) -> Value {
    tree(&Arc::new(Source::new("", text)), limits).root().to_json()
}

/// YAML as a tree.
pub(super) fn tree(source: &Arc<Source>, limits: Limits) -> Tree {
    let fragment = Fragment::contiguous(source.text(), source.span());
    let mut builder = TreeBuilder::new(Arc::clone(source));
    let options = YamlOptions {
        depth: limits.yaml_depth,
        alias_nodes: limits.alias_nodes,
        merge_keys: true,
        ..YamlOptions::default()
    };
    yaml::read(&mut builder, &fragment, &options, &mut Vec::new());
    builder.finish()
}
