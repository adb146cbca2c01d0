//! JSON Schemas in files of a pack.

use std::sync::Arc;

use serde_json::Value;

use super::{ReadFile, yaml::yaml_tree};
use crate::{
    checks::{Fault, Field},
    schema::{self, Structure},
    text::{Source, SourceId, Span, io_reason},
    tree::{Node, Tree},
};

/// Reads a JSON Schema. What is wrong with it is reported at its place in the file; `at` is where the pack names
/// the file.
pub(super) fn read_schema(
    file: &str,
    at: &Field<'_>,
    read: ReadFile<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Value> {
    let text = match read(file) {
        Ok(text) => text,
        Err(error) => {
            let fault = Fault::new("unreadable-file", at).with("file", file);
            faults.push(fault.with("detail", io_reason(&error)));
            return None;
        }
    };
    let schema = match serde_json::from_str(&text) {
        Ok(schema) => schema,
        Err(error) => {
            let detail = error.to_string();
            let detail = detail.split(" at line ").next().unwrap_or_default();
            let offset = offset_of(&text, error.line(), error.column());
            let source = Arc::new(Source::new(file, text));
            let fault = Fault::new("bad-schema", at).in_file(&source, Span::new(offset, offset + 1));
            faults.push(fault.with("detail", detail));
            return None;
        }
    };
    let errors = Structure::faults(&schema);
    if !errors.is_empty() {
        // JSON is YAML.
        let tree = yaml_tree(file, &text);
        let source = tree.source(SourceId(0));
        faults.extend(errors.into_iter().map(|error| {
            let fault = Fault::new("bad-schema", at).in_file(source, span_of(&tree, &error.pointer));
            fault.with("detail", error.problem.to_string())
        }));
    }
    Some(schema)
}

/// Keywords that look misspelled in the schema files of a pack, given as JSON.
pub(in crate::rules) fn misspelled_keywords(pack: &Value, read: ReadFile<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let files = pack["schemas"].as_object().into_iter().flatten();
    for (name, file) in files.filter_map(|(name, file)| Some((name, file.as_str()?))) {
        let Some(text) = read(file).ok() else { continue };
        let Ok(schema) = serde_json::from_str::<Value>(&text) else { continue };
        let tree = yaml_tree(file, &text);
        let source = tree.source(SourceId(0));
        let (schemas, at) = (Field::at("/schemas"), name.as_str());
        for found in schema::misspelled_keywords(&schema) {
            let entry = tree.at_pointer(&found.pointer).and_then(Node::own_entry);
            let span = entry.map_or(tree.root().span(), |entry| entry.key_span());
            let fault = Fault::new("misspelled-keyword", &schemas.key(at)).in_file(source, span);
            faults.push(fault.with("keyword", found.keyword).with("nearest", found.nearest));
        }
    }
    faults
}

/// The byte at a line and a column, both counted from 1, columns in bytes.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut offset = (before + column.saturating_sub(1)).min(text.len().saturating_sub(1));
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The bytes of the value at a JSON Pointer; of a mapping, those of its first key.
fn span_of(tree: &Tree, pointer: &str) -> Span {
    let node = tree.at_pointer(pointer).unwrap_or(tree.root());
    node.entries().next().map_or(node.span(), |entry| entry.key_span())
}
