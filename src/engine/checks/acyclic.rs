use foldhash::{HashMap, HashMapExt};

use crate::{
    engine::{finding::Finding, route::Name, state::State},
    rules::check::Acyclic,
    tree::Node,
};

/// `acyclic`: the edges of the selected nodes lead into no cycle. One finding a cycle, at the edge
/// that closes it when nodes are followed in the order of the document.
pub(super) fn run<'t>(acyclic: &Acyclic, nodes: &[Node<'t>], state: &State<'t>) -> Vec<Finding<'t>> {
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(name) = acyclic.name.first(*node).and_then(Node::scalar_text) {
            by_name.entry(name.into_owned()).or_insert(index);
        }
    }
    let edges: Vec<Vec<(usize, String, Node<'t>)>> = nodes
        .iter()
        .map(|node| {
            let targets = state.names(&acyclic.edges, *node).into_iter();
            let edge =
                |name: Name<'t>| Some((*by_name.get(name.text.as_ref())?, name.text.into_owned(), name.node));
            targets.filter_map(edge).collect()
        })
        .collect();
    let mut search = Search { edges: &edges, state: vec![Mark::New; nodes.len()], findings: Vec::new() };
    for start in 0..nodes.len() {
        search.follow(start);
    }
    search.findings
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
