use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, Site,
    remove::remove,
    yaml::{dash, is_blank, is_flow, line_start},
};
use crate::{
    checks::{Compiler, Field},
    expressions::Place,
    text::Span,
    tree::Node,
};

/// Moves an item of a YAML sequence in block style ahead of another item of the same sequence.
///
/// ```yaml
/// fix: {applicability: unsafe, reorder: '@.steps[-1]', ahead_of: '@.steps[0]'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reorder {
    /// The item to move, or a place inside it.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    reorder: String,
    /// The item to move it ahead of, or a place inside that.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    ahead_of: String,
}

impl EditKind for Reorder {
    const NAME: &'static str = "reorder";
    const FIELDS: &'static [&'static str] = &["reorder", "ahead_of"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let item = compiler.place(&self.reorder, &at.key("reorder"))?;
        let target = compiler.place(&self.ahead_of, &at.key("ahead_of"))?;
        Some(Arc::new(Reordering { item, target }))
    }
}

#[derive(Debug)]
struct Reordering {
    item: Place,
    target: Place,
}

impl Apply for Reordering {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let (item, target) = siblings(site.node(&self.item)?, site.node(&self.target)?)?;
        reorder(item, target)
    }

    fn title(&self) -> Option<String> {
        Some("change the order of the items".to_owned())
    }
}

/// The items of the innermost sequence that has both nodes in different items.
fn siblings<'t>(one: Node<'t>, other: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let line = |node: Node<'t>| std::iter::once(node).chain(node.ancestors()).collect::<Vec<_>>();
    let (one, other) = (line(one), line(other));
    let parents = |item: &&Node<'t>| item.parent().filter(|parent| parent.is_sequence()).map(Node::id);
    one.iter().find_map(|item| {
        let parent = parents(&item)?;
        let sibling = other.iter().find(|other| parents(other) == Some(parent))?;
        (sibling.id() != item.id()).then_some((*item, *sibling))
    })
}

fn reorder(item: Node<'_>, target: Node<'_>) -> Option<Vec<Change>> {
    let text = item.source().text();
    if item.parent().is_none_or(is_flow) {
        return None;
    }
    let changes = remove(item)?;
    let [(taken, _)] = changes.as_slice() else { return None };
    let start = line_start(text, dash(text, target)?);
    let lines = taken.of(text);
    let whole = lines.ends_with('\n') && text[..taken.start as usize].ends_with('\n');
    let indent = &text[start..dash(text, target)?];
    if !whole || !is_blank(indent) || taken.contains(Span::at(start)) {
        return None;
    }
    Some(vec![(Span::at(start), lines.to_owned()), (*taken, String::new())])
}
