use std::{borrow::Cow, sync::Arc};

use foldhash::{HashMap, HashMapExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany, evaluate::Name};
use crate::tree::{JsonPath, Node};

/// The edges between the selected nodes lead into no cycle. A cycle is one finding, at the edge that
/// closes it when nodes are followed in the order of the document.
///
/// ```yaml
/// check: {acyclic: {name: '@.id', edges: '@.depends_on[*]'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Acyclic {
    /// Path from a selected node to its name (default: its key).
    name: Option<String>,
    /// Path, or paths, from a selected node to the names that it leads to.
    edges: Option<OneOrMany<String>>,
}

impl CheckKind for Acyclic {
    const NAME: &'static str = "acyclic";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("cycle", "the names of the cycle in order, with arrows between them")];
    const PLACES: &'static [(&'static str, &'static str)] =
        &[("next", "the edge that follows the finding's in the cycle")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let name = self.name.and_then(|name| compiler.path(&name, &at.key("name")));
        let edges = compiler.paths(self.edges.as_ref(), &at.key("edges"));
        Some(Arc::new(Graph { name, edges }))
    }
}

#[derive(Debug)]
struct Graph {
    /// Path to a node's name (default: its key).
    name: Option<JsonPath>,
    /// Paths to the names it leads to.
    edges: Vec<JsonPath>,
}

impl Evaluate for Graph {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            let name = match &self.name {
                Some(path) => path.first(*node).and_then(Node::scalar_text),
                None => node.key().map(Cow::Borrowed),
            };
            if let Some(name) = name {
                by_name.entry(name.into_owned()).or_insert(index);
            }
        }
        let edges: Vec<Vec<(usize, String, Node<'t>)>> = nodes
            .iter()
            .map(|node| {
                let targets = context.state.names(&self.edges, *node).into_iter();
                let edge = |name: Name<'t>| {
                    Some((*by_name.get(name.text.as_ref())?, name.text.into_owned(), name.node))
                };
                targets.filter_map(edge).collect()
            })
            .collect();
        let mut search = Search { edges: &edges, state: vec![Mark::New; nodes.len()], findings: Vec::new() };
        for start in 0..nodes.len() {
            search.follow(start);
        }
        search.findings
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

struct Search<'e, 't> {
    edges: &'e [Vec<(usize, String, Node<'t>)>],
    state: Vec<Mark>,
    findings: Vec<Finding<'t>>,
}

impl Search<'_, '_> {
    /// Depth first, with a stack of its own: a chain may be as long as the document.
    fn follow(&mut self, start: usize) {
        if self.state[start] != Mark::New {
            return;
        }
        self.state[start] = Mark::Open;
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some((to, _, at)) = self.edges[node].get(*next) else {
                self.state[node] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match self.state[*to] {
                Mark::Done => {}
                Mark::New => {
                    self.state[*to] = Mark::Open;
                    path.push((*to, 0));
                }
                Mark::Open => {
                    let finding = self.cycle(&path, *to, *at);
                    self.findings.push(finding);
                }
            }
        }
    }

    fn cycle<'t>(&self, path: &[(usize, usize)], to: usize, at: Node<'t>) -> Finding<'t> {
        let from = path.iter().position(|(node, _)| *node == to).unwrap_or_default();
        // The edge that was last taken from a node names the next one.
        let taken = |(node, next): &(usize, usize)| self.edges[*node].get(next.wrapping_sub(1));
        let mut names: Vec<&str> =
            path[from..].iter().filter_map(taken).map(|(_, name, _)| name.as_str()).collect();
        if let Some(last) = names.pop() {
            names.insert(0, last);
            names.push(last);
        }
        let next = path.get(from).and_then(taken).map(|(_, _, at)| at.span());
        let finding = Finding::at(at).with("cycle", names.join(" → "));
        match next {
            Some(span) => finding.place("next", span),
            None => finding,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn a_cycle_is_reported_where_it_closes() {
        let text = "[{id: a, needs: [b]}, {id: b, needs: [c, a]}, {id: c, needs: []}]";
        assert_eq!(
            findings("{acyclic: {name: '@.id', edges: '@.needs[*]'}}", "$[*]", text),
            ["/1/needs/1 a"]
        );
        assert_eq!(findings("{acyclic: {edges: '@'}}", "$.*", "{a: b, b: c, c: a, d: a}"), ["/c a"]);
    }
}
