//! A flowchart as a graph: every node once, with its label, its shape and its links; every link with the
//! nodes at its ends.

use foldhash::HashMap;

use crate::mermaid::{
    syntax::{Part, Syntax},
    tree::TreeWriter,
};

/// Most links that are written: `a & b --> c & d` makes four, and lists may be long.
const LINKS: usize = 20_000;

/// Names of shapes by the rule of the grammar.
const SHAPES: &[&str] = &[
    "double_circle",
    "stadium",
    "subroutine",
    "property",
    "cylinder",
    "trapezoid",
    "ellipse",
    "circle",
    "round",
    "square",
    "hexagon",
    "diamond",
    "odd",
];

#[derive(Default)]
struct Graph<'s> {
    nodes: Vec<Node<'s>>,
    by_id: HashMap<&'s str, usize>,
    links: Vec<Link<'s>>,
    /// How many links there are, also beyond those that are written.
    made: usize,
    /// The numbers of links that `linkStyle` names, with how many links there were before.
    styled: Vec<(Part<'s>, usize)>,
}

/// A node, wherever it is written.
struct Node<'s> {
    id: Part<'s>,
    /// The different labels that it is given; the last one is drawn.
    labels: Vec<Part<'s>>,
    shape: Option<Part<'s>>,
    links: usize,
}

struct Link<'s> {
    from: usize,
    to: usize,
    between: Part<'s>,
}

/// Adds `nodes`, `edges` and `linkStyles`.
pub(super) fn write<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    let mut graph = Graph::default();
    for part in syntax.all() {
        match part.rule() {
            "edges" => graph.chain(part),
            "link_index" => graph.styled.push((part, graph.made)),
            _ => {}
        }
    }
    tree.list("nodes", |tree| graph.nodes.iter().for_each(|node| node.write(tree)));
    tree.list("edges", |tree| {
        for link in &graph.links {
            tree.object(link.between, |tree| {
                tree.field("from", graph.nodes[link.from].id);
                tree.field("to", graph.nodes[link.to].id);
                if let Some(arrow) = link.between.find("arrow") {
                    tree.field("arrow", arrow);
                }
                let texts = ["label", "dash_text", "thick_text", "dot_text"];
                if let Some(label) = texts.iter().find_map(|text| link.between.find(text)) {
                    tree.field("label", label);
                }
            });
        }
    });
    tree.list("linkStyles", |tree| {
        for (index, edges) in &graph.styled {
            tree.object(*index, |tree| {
                tree.field("index", *index);
                tree.number("edges", *edges, *index);
            });
        }
    });
}

impl<'s> Graph<'s> {
    /// `a & b --> c --> d`: nodes and what is between them.
    fn chain(&mut self, chain: Part<'s>) {
        let mut before: Vec<usize> = Vec::new();
        let mut between = None;
        for part in chain.children() {
            match part.rule() {
                "nodes" => {
                    let here: Vec<usize> = part
                        .children()
                        .filter(|node| node.is("vertex"))
                        .filter_map(|node| self.node(node))
                        .collect();
                    self.made += before.len() * here.len();
                    if let Some(between) = between.take() {
                        self.link(&before, &here, between);
                    }
                    before = here;
                }
                "link_between" => between = Some(part),
                _ => {}
            }
        }
    }

    fn node(&mut self, vertex: Part<'s>) -> Option<usize> {
        let id = vertex.find("id")?;
        let index = *self.by_id.entry(id.text().trim()).or_insert_with(|| {
            self.nodes.push(Node { id, labels: Vec::new(), shape: None, links: 0 });
            self.nodes.len() - 1
        });
        let node = &mut self.nodes[index];
        if let Some(shape) = vertex.children().find(|part| SHAPES.contains(&part.rule())) {
            node.shape = Some(shape);
            let labels = ["label", "ellipse_label", "trapezoid_label"];
            let label = shape.descendants().find(|part| labels.contains(&part.rule()));
            if let Some(label) = label.filter(|label| node.labels.iter().all(|known| !same(*known, *label))) {
                node.labels.push(label);
            }
        }
        Some(index)
    }

    fn link(&mut self, before: &[usize], here: &[usize], between: Part<'s>) {
        for &from in before {
            for &to in here {
                if self.links.len() == LINKS {
                    return;
                }
                self.nodes[from].links += 1;
                self.nodes[to].links += 1;
                self.links.push(Link { from, to, between });
            }
        }
    }
}

/// Whether two labels are the same but for their quotes.
fn same(one: Part<'_>, other: Part<'_>) -> bool {
    one.text().trim().trim_matches('"') == other.text().trim().trim_matches('"')
}

impl Node<'_> {
    fn write(&self, tree: &mut TreeWriter<'_>) {
        tree.object(self.id, |tree| {
            tree.field("id", self.id);
            if let Some(label) = self.labels.last() {
                tree.field("label", *label);
            }
            if let Some(shape) = self.shape {
                tree.word("shape", shape.rule(), shape);
            }
            tree.number("links", self.links, self.id);
            tree.list("labels", |tree| self.labels.iter().for_each(|label| tree.text(*label)));
        });
    }
}
