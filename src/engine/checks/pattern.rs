use crate::{engine::finding::Finding, rules::check::Pattern, text::Span, tree::Node};

/// `pattern`: the text matches a regular expression, or does not. Only texts have patterns.
pub(super) fn test<'t>(pattern: &Pattern, node: Node<'t>) -> Option<Finding<'t>> {
    let (text, place) = if pattern.key {
        let entry = node.own_entry()?;
        (entry.key(), entry.key_span())
    } else {
        (node.as_str()?, node.span())
    };
    let found = pattern.regex.get()?.find(text);
    if found.is_some() == pattern.expected {
        return None;
    }
    let finding = Finding { span: place, ..Finding::at(node) }.with("pattern", pattern.regex.source());
    let Some(found) = found else { return Some(finding) };
    // The match is a place of its own where the text stands in the file as it is.
    let written = node.source().slice(place);
    let at = written.find(text).map(|start| place.start as usize + start + found.start());
    Some(match at {
        Some(start) => finding.place("match", Span::new(start, start + found.len())),
        None => finding,
    })
}
