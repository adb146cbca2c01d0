//! Files of the project that documents take values from.

use std::sync::Arc;

use serde_json::Value;

use super::metadata::relocated;

use crate::{
    kinds::Limits,
    syntax::yaml::{self, YamlOptions},
    text::{Fragment, Source},
    tree::{Tree, TreeBuilder},
};

/// Reads a file by its path from the document's folder.
pub(super) type ReadFile<'f> = &'f dyn Fn(&str) -> Option<Vec<u8>>;

/// How many folders above the document a file of the project is looked for in.
const FOLDERS_ABOVE: usize = 6;

/// The values of the first of these files, in the document's folder or above it.
pub(super) fn find(names: &[&str], read: ReadFile<'_>, limits: Limits) -> Value {
    find_in(names, read, limits).map_or(Value::Null, |(values, _)| values)
}

/// Like [`find`], with the path of the folder that the file is in, which is empty or ends with a slash.
pub(super) fn find_in(names: &[&str], read: ReadFile<'_>, limits: Limits) -> Option<(Value, String)> {
    let mut folder = String::new();
    for _ in 0..=FOLDERS_ABOVE {
        let found = names.iter().find_map(|name| read(&format!("{folder}{name}")));
        if let Some(text) = found.and_then(|bytes| String::from_utf8(bytes).ok()) {
            return Some((value(&text, limits), folder));
        }
        folder.push_str("../");
    }
    None
}

/// What the folders from that of the project to that of the document say about the documents below them, the outermost
/// first. `folder` is the path from the document to the project's folder.
pub(super) fn of_folders(folder: &str, read: ReadFile<'_>, limits: Limits) -> Vec<Value> {
    let above = folder.matches("../").count();
    let layers = (0..=above).rev().filter_map(|steps| {
        let folder = "../".repeat(steps);
        let found =
            ["_metadata.yml", "_metadata.yaml"].iter().find_map(|name| read(&format!("{folder}{name}")));
        let text = found.and_then(|bytes| String::from_utf8(bytes).ok())?;
        Some(relocated(value(&text, limits), &folder))
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
