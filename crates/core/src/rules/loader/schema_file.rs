//! JSON Schemas in files of a pack.

use serde_json::Value;

use super::{ReadFile, yaml::yaml_tree};
use crate::{
    checks::{Fault, Field},
    schema::Structure,
    text::{SourceId, Span, io_reason},
    tree::Tree,
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
            faults.push(Fault::new("bad-schema", at).with("detail", error.to_string()));
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

/// The bytes of the value at a JSON Pointer; of a mapping, those of its first key.
fn span_of(tree: &Tree, pointer: &str) -> Span {
    let node = tree.at_pointer(pointer).unwrap_or(tree.root());
    node.entries().next().map_or(node.span(), |entry| entry.key_span())
}
