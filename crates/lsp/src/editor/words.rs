//! What the schema of a document's kind says about a value.

use serde_json::Value;

use crate::{
    kinds::{Document, Kinds},
    text::{SourceId, Span},
    tree::Node,
};

/// The description of the value at a byte, with its key and the bytes of the key.
pub(super) fn words(document: &Document, kinds: &Kinds, at: u32) -> Option<(String, Span)> {
    let contains = |inner: &&Document| covers(inner.tree.root().span(), at);
    if let Some(found) = document.embedded.iter().find(contains).and_then(|inner| words(inner, kinds, at)) {
        return Some(found);
    }
    let schema: Value = serde_json::from_str(kinds.get(&document.kind)?.tree_schema()).ok()?;
    let (chain, key) = chain(document.tree.root(), at);
    let mut places = vec![(&schema, document.tree.root())];
    for node in &chain {
        places = places
            .iter()
            .flat_map(|(place, parent)| below(&schema, place, *parent, *node))
            .map(|place| (place, *node))
            .collect();
    }
    let name = chain.last()?.key()?;
    let description = places.iter().find_map(|(place, _)| description(&schema, place))?;
    Some((format!("`{name}`: {description}"), key?))
}

fn covers(span: Span, at: u32) -> bool {
    span.start <= at && at <= span.end
}

/// The nodes from the root to the one whose key is at a byte, or whose value is.
fn chain(root: Node<'_>, at: u32) -> (Vec<Node<'_>>, Option<Span>) {
    let (mut chain, mut key, mut node) = (Vec::new(), None, root);
    loop {
        let own = |node: Node<'_>| node.source_id() == SourceId(0);
        let named = node.entries().find(|entry| own(entry.value()) && covers(entry.key_span(), at));
        if let Some(entry) = named {
            chain.push(entry.value());
            return (chain, Some(entry.key_span()));
        }
        let inside = node.children().find(|child| own(*child) && covers(child.span(), at));
        let Some(child) = inside else { return (chain, key) };
        key = child.own_entry().map(|entry| entry.key_span());
        chain.push(child);
        node = child;
    }
}

/// The schemas that a place of a schema has for a child.
fn below<'s>(whole: &'s Value, place: &'s Value, parent: Node<'_>, child: Node<'_>) -> Vec<&'s Value> {
    let mut found = Vec::new();
    for place in branches(whole, place, parent, 0) {
        let own = match child.key() {
            Some(key) => place
                .pointer("/properties")
                .and_then(|known| known.get(key))
                .or_else(|| place.get("additionalProperties")),
            None => place.get("items"),
        };
        found.extend(own.filter(|own| own.is_object()));
    }
    found
}

/// Most references that are followed.
const DEPTH: usize = 16;

/// A place of a schema with the branches that a value can be in, and references followed.
fn branches<'s>(whole: &'s Value, place: &'s Value, node: Node<'_>, depth: usize) -> Vec<&'s Value> {
    if depth > DEPTH || !may_be(place, node) {
        return Vec::new();
    }
    let mut found = vec![place];
    let target =
        place.get("$ref").and_then(Value::as_str).and_then(|target| whole.pointer(target.strip_prefix('#')?));
    found.extend(target.into_iter().flat_map(|target| branches(whole, target, node, depth + 1)));
    for name in ["allOf", "anyOf", "oneOf"] {
        let list = place.get(name).and_then(Value::as_array);
        found.extend(list.into_iter().flatten().flat_map(|inner| branches(whole, inner, node, depth + 1)));
    }
    found
}

/// Whether the constants that a schema has for keys of a value are those of the value.
fn may_be(place: &Value, node: Node<'_>) -> bool {
    let known = place.get("properties").and_then(Value::as_object);
    known.into_iter().flatten().all(|(key, schema)| {
        match (schema.get("const").and_then(Value::as_str), node.get(key)) {
            (Some(constant), Some(value)) => value.as_str().is_none_or(|text| text == constant),
            _ => true,
        }
    })
}

/// The description of a place, or of what it refers to.
fn description<'s>(whole: &'s Value, place: &'s Value) -> Option<&'s str> {
    let target = || whole.pointer(place.get("$ref")?.as_str()?.strip_prefix('#')?);
    let own = |place: &'s Value| place.get("description").and_then(Value::as_str);
    own(place).or_else(|| own(target()?))
}
