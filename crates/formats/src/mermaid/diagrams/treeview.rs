//! treeView-beta.

use crate::mermaid::{
    diagram::Findings,
    grammars::rules::treeview as rule,
    syntax::{Part, Syntax},
};

/// Reports nodes that are indented by whitespace in a diagram that has box-drawing characters anywhere.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    const BOX: &[char] = &['─', '━', '│', '┃', '└', '┗', '├', '┣'];
    let nodes: Vec<Part<'t>> = syntax.named("node").collect();
    if !nodes.iter().any(|node| node.text().contains(BOX)) {
        return;
    }
    for node in nodes {
        let before = &syntax.text()[..node.span().start as usize];
        let indented = before.ends_with([' ', '\t']);
        if node.find(rule::BOX_PREFIX).is_none() && indented && !node.text().contains(BOX) {
            findings.at("treeview-mixed-indentation", node);
        }
    }
}
