//! Steps to the descendants of a document whose references lead to other files: what they lead to is visited, too, since
//! it is outside the root.

use foldhash::{HashSet, HashSetExt};

use super::Segment;
use crate::{
    text::SourceId,
    tree::{Node, NodeId},
};

/// A walk through a document and the parts of other files that its references lead to.
pub(super) struct Walk<'s, 't> {
    segment: &'s Segment,
    /// The document itself, which is visited as it is written.
    home: SourceId,
    /// Parts of other files that are still to be visited. Chains of files are long, and are not walked by recursion.
    waiting: Vec<Node<'t>>,
    /// What was visited of other files: several references may lead to the same part.
    visited: HashSet<NodeId>,
    /// What was selected of other files.
    selected: HashSet<NodeId>,
}

impl<'s, 't> Walk<'s, 't> {
    /// Whether a step from a node visits other files: only from the root, since the same part of a file would otherwise be
    /// visited from each of many nodes.
    pub(super) fn is_needed(segment: &Segment, node: Node<'_>) -> bool {
        let tree = node.tree();
        segment.descendant && tree.has_links() && tree.sources().len() > 1 && node.id() == tree.root().id()
    }

    pub(super) fn run(segment: &'s Segment, root: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
        let home = root.source_id();
        let (visited, selected) = (HashSet::new(), HashSet::new());
        let mut walk = Self { segment, home, waiting: vec![root], visited, selected };
        while let Some(node) = walk.waiting.pop() {
            walk.visit(node, found);
        }
    }

    fn visit(&mut self, node: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
        if self.is_away(node) && !self.visited.insert(node.id()) {
            return;
        }
        if !self.step(node, false, found) {
            return;
        }
        let mut leads_away = false;
        for child in node.children() {
            let target = child.target();
            if target.id() != child.id() && self.is_away(target) {
                leads_away = true;
                self.waiting.push(target);
            }
            self.visit(child, found);
        }
        if leads_away {
            self.step(node, true, found);
        }
    }

    /// Passes on what the step selects from a node: its children as they are written, or what they stand for in other files;
    /// whether there was budget for it.
    fn step(&mut self, node: Node<'t>, follow: bool, found: &mut dyn FnMut(Node<'t>)) -> bool {
        let (segment, home, selected) = (self.segment, self.home, &mut self.selected);
        segment.step(node, follow, node.len() as u64, &mut |child| {
            let is_new = child.source_id() == home && !follow
                || child.source_id() != home && selected.insert(child.id());
            if is_new {
                found(child);
            }
        })
    }

    fn is_away(&self, node: Node<'_>) -> bool {
        node.source_id() != self.home
    }
}
