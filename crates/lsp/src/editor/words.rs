//! What the schema of a document's kind says about a value, and about what could be there.

use serde_json::Value;

use super::outline::is_written;
use crate::{
    kinds::{Document, Kinds},
    text::{SourceId, Span},
    tree::Node,
};

/// What a schema knows about a key or a value that could be somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) text: String,
    pub(super) description: Option<String>,
    /// Whether it is a key that is missing.
    pub(super) required: bool,
}

/// The keys that a mapping can have besides those that it has.
pub(super) fn keys(schema: &Value, mapping: Node<'_>, cursor: &str) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for place in places_of(schema, mapping, cursor) {
        let required = place.get("required").and_then(Value::as_array);
        let is_required =
            |key: &str| required.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)));
        let known = place.get("properties").and_then(Value::as_object);
        for (key, inner) in known.into_iter().flatten().filter(|(key, _)| mapping.get(key).is_none()) {
            let required = is_required(key);
            match offers.iter_mut().find(|offer| offer.text == *key) {
                Some(offer) => offer.required |= required,
                None => offers.push(Offer {
                    text: key.clone(),
                    description: description(schema, inner).map(str::to_owned),
                    required,
                }),
            }
        }
    }
    offers
}

/// The values that a node can have, where the schema lists them.
pub(super) fn values(schema: &Value, node: Node<'_>, cursor: &str) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    let mut add = |text: &Value, place: &Value| {
        let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        if offers.iter().all(|offer| offer.text != text) {
            let description = description(schema, place).map(str::to_owned);
            offers.push(Offer { text, description, required: false });
        }
    };
    for place in places_of(schema, node, cursor) {
        let listed = place.get("enum").and_then(Value::as_array).into_iter().flatten();
        listed.chain(place.get("const")).for_each(|value| add(value, place));
        if place.get("type").and_then(Value::as_str) == Some("boolean") {
            add(&true.into(), place);
            add(&false.into(), place);
        }
    }
    offers
}

/// The places of a schema that a node is validated against.
fn places_of<'s>(schema: &'s Value, node: Node<'_>, cursor: &str) -> Vec<&'s Value> {
    let mut chain: Vec<Node<'_>> = node.ancestors().collect();
    chain.reverse();
    let Some((root, below_root)) = chain.split_first() else { return Vec::new() };
    let mut places = vec![(schema, *root)];
    for child in below_root {
        places = places
            .iter()
            .flat_map(|(place, parent)| below(schema, place, *parent, *child, cursor))
            .map(|place| (place, *child))
            .collect();
    }
    places.into_iter().flat_map(|(place, node)| branches(schema, place, node, cursor, 0)).collect()
}

/// The description of the value at a byte, with its key and the bytes of the key.
pub(super) fn words(document: &Document, kinds: &Kinds, at: u32) -> Option<(String, Span)> {
    let contains = |inner: &&Document| covers(inner.tree.root().span(), at);
    if let Some(found) = document.embedded.iter().find(contains).and_then(|inner| words(inner, kinds, at)) {
        return Some(found);
    }
    let schema: Value = serde_json::from_str(kinds.get(&document.kind)?.tree_schema()).ok()?;
    let (chain, key) = chain(document.tree.root(), document.source().text(), at);
    let mut places = vec![(&schema, document.tree.root())];
    for node in &chain {
        places = places
            .iter()
            .flat_map(|(place, parent)| below(&schema, place, *parent, *node, ""))
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
fn chain<'t>(root: Node<'t>, text: &str, at: u32) -> (Vec<Node<'t>>, Option<Span>) {
    let (mut chain, mut key, mut node) = (Vec::new(), None, root);
    loop {
        let own = |node: Node<'_>| node.source_id() == SourceId(0);
        let named = node.entries().find(|entry| is_written(*entry, text) && covers(entry.key_span(), at));
        if let Some(entry) = named {
            chain.push(entry.value());
            return (chain, Some(entry.key_span()));
        }
        let inside = node.children().find(|child| own(*child) && covers(child.span(), at));
        let Some(child) = inside else { return (chain, key) };
        key = child.own_entry().filter(|entry| is_written(*entry, text)).map(|entry| entry.key_span());
        chain.push(child);
        node = child;
    }
}

/// The schemas that a place of a schema has for a child.
fn below<'s>(
    whole: &'s Value,
    place: &'s Value,
    parent: Node<'_>,
    child: Node<'_>,
    cursor: &str,
) -> Vec<&'s Value> {
    let mut found = Vec::new();
    for place in branches(whole, place, parent, cursor, 0) {
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

/// A place of a schema with the branches that a value can be in, and references followed; `cursor` is what stands for a
/// value that is not written yet.
fn branches<'s>(
    whole: &'s Value,
    place: &'s Value,
    node: Node<'_>,
    cursor: &str,
    depth: usize,
) -> Vec<&'s Value> {
    if depth > DEPTH || !may_be(place, node, cursor) {
        return Vec::new();
    }
    let mut found = vec![place];
    let target =
        place.get("$ref").and_then(Value::as_str).and_then(|target| whole.pointer(target.strip_prefix('#')?));
    found.extend(target.into_iter().flat_map(|target| branches(whole, target, node, cursor, depth + 1)));
    for name in ["allOf", "anyOf", "oneOf"] {
        let list = place.get(name).and_then(Value::as_array);
        found.extend(
            list.into_iter().flatten().flat_map(|inner| branches(whole, inner, node, cursor, depth + 1)),
        );
    }
    if let Some(condition) = place.get("if") {
        let holds = is_of_type(condition, node);
        for (name, is_meant) in [("then", holds != Some(false)), ("else", holds != Some(true))] {
            let inner = place.get(name).filter(|_| is_meant);
            found.extend(inner.into_iter().flat_map(|inner| branches(whole, inner, node, cursor, depth + 1)));
        }
    }
    found
}

/// Whether a condition that is only about the type of a value holds; nothing for other conditions.
fn is_of_type(condition: &Value, node: Node<'_>) -> Option<bool> {
    let members = condition.as_object().filter(|members| members.len() == 1)?;
    Some(match members.get("type")?.as_str()? {
        "object" => node.is_mapping(),
        "array" => node.is_sequence(),
        "string" => node.as_str().is_some(),
        "null" => {
            !node.is_mapping() && !node.is_sequence() && node.as_str().is_none() && node.raw().is_empty()
        }
        _ => return None,
    })
}

/// Whether the constants that a schema has for keys of a value are those of the value.
fn may_be(place: &Value, node: Node<'_>, cursor: &str) -> bool {
    let known = place.get("properties").and_then(Value::as_object);
    known.into_iter().flatten().all(|(key, schema)| {
        match (schema.get("const").and_then(Value::as_str), node.get(key)) {
            (Some(constant), Some(value)) => {
                value.as_str().is_none_or(|text| text == constant || text == cursor)
            }
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
