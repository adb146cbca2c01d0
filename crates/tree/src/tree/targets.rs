//! Values that stand for other values of the tree, as a mapping with `$ref` does.

use std::sync::Arc;

use super::{
    links::Links,
    node::{Node, NodeId, Tree},
};

impl Tree {
    /// Makes values stand for others. A path that leads to one of them leads to the other one; code that asks for a
    /// value itself still gets what is written.
    pub fn set_links(&mut self, links: impl IntoIterator<Item = (NodeId, NodeId)>) {
        let links = Links::new(links.into_iter().map(|(from, to)| (from.0, to.0)).collect());
        self.links = (!links.is_empty()).then(|| Arc::new(links));
        self.refers = true;
    }

    /// Whether values of the tree stand for others.
    pub fn has_links(&self) -> bool {
        self.links.is_some()
    }

    /// Whether values may stand for others in this kind of document, also where none of those was found.
    pub fn has_references(&self) -> bool {
        self.refers
    }

    /// The values that stand for others, each with the one that it names.
    pub fn links(&self) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
        let pairs = self.links.iter().flat_map(|links| links.pairs());
        pairs.map(|(from, to)| (self.node(NodeId(from)), self.node(NodeId(to))))
    }

    /// The values that others name; one for each of those.
    pub fn link_targets(&self) -> impl Iterator<Item = Node<'_>> {
        self.links.iter().flat_map(|links| links.named()).map(|id| self.node(NodeId(id)))
    }
}

impl Node<'_> {
    /// The value that this one stands for, or the value itself.
    #[must_use]
    #[inline]
    pub fn target(self) -> Self {
        let end = self.tree().links.as_ref().and_then(|links| links.end(self.id().0));
        end.map_or(self, |id| self.tree().node(NodeId(id)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{JsonPath, KeyType, Scalar, Tree, TreeBuilder};
    use crate::text::{Source, Span};

    /// `{a: {b: 1}, c: [<a>]}`
    fn linked() -> Tree {
        let span = Span::new(0, 0);
        let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
        builder.open_mapping(span);
        builder.key("a", span, KeyType::String);
        let target = builder.open_mapping(span);
        builder.key("b", span, KeyType::String);
        builder.scalar(Scalar::Integer(1), span);
        builder.close(None);
        builder.key("c", span, KeyType::String);
        builder.open_sequence(span);
        let reference = builder.open_mapping(span);
        builder.key("$ref", span, KeyType::String);
        builder.scalar(Scalar::Text("#/a"), span);
        let mut tree = builder.finish();
        tree.set_links([(reference, target)]);
        tree
    }

    fn selected(path: &str) -> Vec<String> {
        let path: JsonPath = path.parse().unwrap();
        path.select(linked().root()).iter().map(|node| node.pointer()).collect()
    }

    #[test]
    fn paths_lead_through_links() {
        assert_eq!(selected("$.c[0].b"), ["/a/b"]);
        assert_eq!(selected("$.c[*]"), ["/a"]);
        assert_eq!(selected("$.c[?@.b == 1]"), ["/a"]);
    }

    #[test]
    fn descendants_are_visited_where_they_are_written() {
        assert_eq!(selected("$..b"), ["/a/b"]);
        assert_eq!(selected("$..['$ref']"), ["/c/0/$ref"]);
        assert_eq!(selected("$..[?@['$ref']]"), ["/c/0"]);
        assert_eq!(selected("$..c[*].b"), ["/a/b"]);
    }
}
