//! `$ref`: where references lead, and what is wrong with those that lead nowhere.

use std::{borrow::Cow, cell::Cell};

use foldhash::{HashMap, HashMapExt};

use super::files::Files;
use crate::{
    Observation, budget,
    text::{Span, nearest, percent_decoded},
    tree::{Node, NodeId, Tree},
};

/// Most names that are compared to find the nearest ones, for all references of a document.
const COMPARISONS: usize = 200_000;

/// The key of a reference.
const KEY: &str = "$ref";

/// The mappings that are references, with the value of `$ref`.
pub(super) fn references(tree: &Tree) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
    tree.nodes().filter(|node| node.is_mapping()).filter_map(|node| {
        let reference = node.get(KEY)?;
        reference.as_str().map(|_| (node, reference))
    })
}

/// The file that a reference names, if it is one beside the document.
pub(super) fn file_of(reference: &str) -> Option<String> {
    let file = reference.split('#').next().unwrap_or_default();
    let is_local = !file.is_empty() && !file.contains("://") && !file.starts_with(['/', '\\']);
    is_local.then(|| percent_decoded(file).into_owned())
}

/// Links the references of a tree to what they lead to; returns what is wrong with those of the document itself.
pub(super) fn resolve(tree: &mut Tree, files: &Files) -> Vec<Observation> {
    let mut observations = Vec::new();
    let mut targets: HashMap<NodeId, NodeId> = HashMap::new();
    let resolver = Resolver::new(tree, files);
    for (node, reference) in references(tree) {
        if !budget::charge(1) {
            break;
        }
        let text = reference.as_str().unwrap_or_default();
        match resolver.find(reference, text) {
            Ok(Some(found)) => {
                targets.insert(node.id(), found.id());
            }
            Ok(None) => {}
            Err(wrong) => observations.extend(resolver.observation(reference, text, wrong)),
        }
    }
    let linked: Vec<NodeId> = targets.keys().copied().collect();
    tree.set_links(targets);
    let mut circular: Vec<Node<'_>> = linked.into_iter().map(|id| tree.node(id)).collect();
    circular.retain(|node| node.target().id() == node.id() && is_own(*node));
    circular.sort_by_key(|node| node.id());
    observations.extend(circular.into_iter().filter_map(circle));
    observations
}

/// A reference that leads only to others.
fn circle(node: Node<'_>) -> Option<Observation> {
    let reference = node.get(KEY)?;
    let observation = Observation::new("circular-reference", reference.span()).on(reference.id());
    Some(observation.with("reference", reference.as_str()))
}

fn is_own(node: Node<'_>) -> bool {
    node.source_id().0 == 0
}

/// Why a reference leads nowhere.
enum Wrong<'t> {
    /// A name of its JSON Pointer is not there; the value that lacks it.
    Missing(String, Node<'t>),
    /// The file cannot be read.
    File(String, String),
}

struct Resolver<'t> {
    tree: &'t Tree,
    files: &'t Files,
    /// Values with an anchor, by the anchor.
    anchors: HashMap<&'t str, Node<'t>>,
    /// Names that may still be compared with missing ones.
    comparisons: Cell<usize>,
}

impl<'t> Resolver<'t> {
    fn new(tree: &'t Tree, files: &'t Files) -> Self {
        let mut anchors = HashMap::new();
        for node in tree.nodes().filter(|node| node.is_mapping()) {
            let named = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(|key| node.get(key)?.as_str());
            for name in named {
                anchors.entry(name).or_insert(node);
            }
        }
        Self { tree, files, anchors, comparisons: Cell::new(COMPARISONS) }
    }

    /// What a reference leads to; nothing where that cannot be known.
    fn find(&self, reference: Node<'t>, text: &str) -> Result<Option<Node<'t>>, Wrong<'t>> {
        let (file, fragment) = text.split_once('#').unwrap_or((text, ""));
        let root = if file.is_empty() {
            root_of(reference)
        } else {
            let Some(file) = file_of(text) else { return Ok(None) };
            let path = self.files.path(reference.source_id(), &file);
            match self.files.by_path.get(&path) {
                Some(Ok(root)) => self.tree.node(*root),
                Some(Err(why)) => return Err(Wrong::File(path, why.clone())),
                None => return Ok(None),
            }
        };
        self.below(root, &percent_decoded(fragment))
    }

    /// The value at a fragment of a URI: a JSON Pointer or an anchor.
    fn below(&self, root: Node<'t>, fragment: &str) -> Result<Option<Node<'t>>, Wrong<'t>> {
        let Some(pointer) = fragment.strip_prefix('/') else {
            let anchor = || self.anchors.get(fragment).copied();
            let found = if fragment.is_empty() { Some(root) } else { anchor() };
            return found.map(Some).ok_or_else(|| Wrong::Missing(fragment.to_owned(), root));
        };
        let mut node = root;
        for token in pointer.split('/') {
            let name = unescaped(token);
            let index = || name.parse().ok().and_then(|index| node.item(index));
            let child = if node.is_sequence() { index() } else { node.get(&name) };
            match child {
                Some(child) => node = child,
                // A pointer that leads through another reference is not a JSON Pointer, but programs follow it.
                None if node.get(KEY).is_some() => return Ok(None),
                None => return Err(Wrong::Missing(name.into_owned(), node)),
            }
        }
        Ok(Some(node))
    }

    fn observation(&self, reference: Node<'t>, text: &str, wrong: Wrong<'t>) -> Option<Observation> {
        if !is_own(reference) {
            return None;
        }
        let at = |name: &'static str| {
            Observation::new(name, reference.span()).on(reference.id()).with("reference", text)
        };
        Some(match wrong {
            Wrong::Missing(missing, node) => {
                let left = self.comparisons.get();
                self.comparisons.set(left.saturating_sub(node.len()));
                let near = nearest(&missing, node.entries().take(left).map(|entry| entry.key()));
                let observation = at("unresolved-reference").with("nearest", near);
                let place = written(reference, &missing).unwrap_or(reference.span());
                observation.with("missing", missing).at("missing", place)
            }
            Wrong::File(path, why) => at("unreadable-reference").with("file", path).with("detail", why),
        })
    }
}

/// The value of the file that a node is in.
fn root_of(node: Node<'_>) -> Node<'_> {
    node.ancestors().last().unwrap_or(node)
}

/// Where a name is written in a reference: its last part, as the names before it exist.
fn written(reference: Node<'_>, name: &str) -> Option<Span> {
    let at = reference.raw().rfind(name).filter(|_| !name.is_empty())?;
    Some(Span::new(at, at + name.len()).shifted(reference.span().start as usize))
}

/// A name of a JSON Pointer as it is (RFC 6901).
fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}
