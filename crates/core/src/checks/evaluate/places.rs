//! From the places that rules name to spans and nodes.

use super::{Finding, State};
use crate::{
    expressions::{Base, Place, Suffix},
    text::{SourceId, Span},
    tree::Node,
};

impl<'t> State<'t> {
    /// The spans of a place in the file of a finding; several where the place is a list. `own` is the span
    /// of `self`.
    pub fn spans_of(&self, place: &Place, finding: &Finding<'t>, own: Span) -> Vec<Span> {
        let node = finding.node;
        let word = place.base.word();
        let named = || finding.places.iter().filter(|(name, _)| Some(*name) == word);
        let spans: Vec<Span> = match &place.base {
            Base::Own => vec![own],
            // What a grammar observes has no node; its rules may be called as the parts of nodes are.
            Base::Key | Base::Entry | Base::Parent | Base::Root
                if node.is_none() && named().next().is_some() =>
            {
                named().map(|(_, span)| *span).collect()
            }
            Base::Key => node.and_then(Node::own_entry).map(|entry| entry.key_span()).into_iter().collect(),
            Base::Entry => {
                let entry = node.and_then(Node::own_entry);
                entry.map(|entry| entry.key_span().cover(entry.value().span())).into_iter().collect()
            }
            Base::Parent => {
                let parent = node.and_then(Node::parent);
                if place.suffix == Some(Suffix::Key) {
                    return parent.and_then(Node::own_entry).map(|e| e.key_span()).into_iter().collect();
                }
                parent.map(Node::span).into_iter().collect()
            }
            Base::Root => vec![self.tree().root().span()],
            Base::Named(name) => {
                let mut spans: Vec<Span> = named().map(|(_, span)| *span).collect();
                if spans.is_empty() {
                    let ancestor = node.and_then(|node| self.ancestor(node, name));
                    spans.extend(ancestor.map(Node::span));
                }
                spans
            }
            Base::Route(route) => {
                let nodes = node.map(|node| self.follow(route, node)).unwrap_or_default();
                let near = nodes.into_iter().filter(|node| node.source_id() == finding.source);
                near.map(Node::span).collect()
            }
        };
        let source = self.tree().source(finding.source);
        let cut = |span: Span| match place.suffix {
            None => Some(span),
            Some(Suffix::Start) => Some(Span::at(span.start as usize)),
            Some(Suffix::End) => Some(Span::at(span.end as usize)),
            Some(Suffix::Line) => Some(source.full_line_span(span)),
            Some(Suffix::Text) => Some(source.line_span(span)),
            Some(Suffix::Rest) => {
                let end = self.tree().root().span().end;
                let start = source.full_line_span(span).start;
                Some(Span { start, end: end.max(start) })
            }
            Some(Suffix::Above) => {
                let lines = source.line_span(span);
                let before = (lines.start as usize).checked_sub(1)?;
                if before < self.tree().root().span().start as usize {
                    return None;
                }
                Some(Span { start: source.line_span(Span::at(before)).start, end: lines.end })
            }
            Some(Suffix::Key) => node.and_then(Node::own_entry).map(|entry| entry.key_span()),
        };
        spans.into_iter().filter_map(cut).collect()
    }

    /// The node at a place; nothing where there is none in the file of the finding.
    pub fn node_of(&self, place: &Place, finding: &Finding<'t>) -> Option<Node<'t>> {
        let node = finding.node;
        let found = match &place.base {
            Base::Own | Base::Key | Base::Entry => node?,
            Base::Parent => node?.parent()?,
            Base::Root => self.tree().root(),
            Base::Named(name) => {
                let named = finding.places.iter().find(|(place, _)| place == name);
                match named {
                    Some((_, span)) => node_at(self.tree().root(), *span, finding.source)?,
                    None => self.ancestor(node?, name)?,
                }
            }
            Base::Route(route) => self.follow(route, node?).into_iter().next()?,
        };
        (found.source_id() == finding.source).then_some(found)
    }
}

/// The innermost node whose value or key holds a span of a source.
fn node_at<'t>(root: Node<'t>, span: Span, source: SourceId) -> Option<Node<'t>> {
    let holds = |node: &Node<'t>| {
        let key = node.own_entry().is_some_and(|entry| entry.key_span().contains(span));
        node.source_id() == source && (key || node.span().contains(span))
    };
    let mut found = None;
    let mut candidates: Vec<Node<'t>> = vec![root];
    while let Some(node) = candidates.iter().copied().find(holds) {
        found = Some(node);
        candidates = node.children().collect();
    }
    found
}
