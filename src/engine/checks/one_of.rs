use serde_json::Value;

use crate::{engine::finding::Finding, rules::check::OneOf, tree::Node};

/// `one_of`: the value is one of these.
pub(super) fn test<'t>(one_of: &OneOf, node: Node<'t>) -> Option<Finding<'t>> {
    let selected = one_of.from.iter().flat_map(|path| path.select(node));
    let mut expected: Vec<String> = one_of.values.iter().map(text).collect();
    expected.extend(selected.filter_map(|found| found.scalar_text().map(std::borrow::Cow::into_owned)));
    let Some(value) = node.scalar_text() else { return Some(Finding { expected, ..Finding::at(node) }) };
    let same = |candidate: &String| {
        if one_of.fold { candidate.to_lowercase() == value.to_lowercase() } else { *candidate == value }
    };
    if expected.iter().any(same) {
        return None;
    }
    Some(Finding::at(node).among(&value, expected))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
