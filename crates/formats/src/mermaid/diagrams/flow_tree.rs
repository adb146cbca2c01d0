//! A flowchart as a graph: every node once, with its label, its shape and its links; every link with the
//! nodes at its ends.

use foldhash::HashMap;

use crate::mermaid::{
    diagram::trimmed_text,
    grammars::rules::flowchart as rule,
    syntax::{Part, Syntax},
    tree::TreeWriter,
};

/// Most links that are written: `a & b --> c & d` makes four, and lists may be long.
const LINKS: usize = 20_000;

/// The rules of shapes, whose names are those of the shapes.
const SHAPES: &[u16] = &[
    rule::DOUBLE_CIRCLE,
    rule::STADIUM,
    rule::SUBROUTINE,
    rule::PROPERTY,
    rule::CYLINDER,
    rule::TRAPEZOID,
    rule::ELLIPSE,
    rule::CIRCLE,
    rule::ROUND,
    rule::SQUARE,
    rule::HEXAGON,
    rule::DIAMOND,
    rule::ODD,
];

/// The rules of labels in shapes.
const LABELS: &[u16] = &[rule::LABEL, rule::ELLIPSE_LABEL, rule::TRAPEZOID_LABEL];

/// The rules of labels of links.
const LINK_LABELS: &[u16] = &[rule::LABEL, rule::DASH_TEXT, rule::THICK_TEXT, rule::DOT_TEXT];

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
        match part.number() {
            rule::EDGES => graph.chain(part),
            rule::LINK_INDEX => graph.styled.push((part, graph.made)),
            _ => {}
        }
    }
    tree.list("nodes", |tree| graph.nodes.iter().for_each(|node| node.write(tree)));
    tree.list("edges", |tree| {
        for link in &graph.links {
            tree.object(link.between, |tree| {
                tree.field("from", graph.nodes[link.from].id);
                tree.field("to", graph.nodes[link.to].id);
                if let Some(arrow) = link.between.find(rule::ARROW) {
                    tree.field("arrow", arrow);
                }
                if let Some(label) = LINK_LABELS.iter().find_map(|label| link.between.find(*label)) {
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
            match part.number() {
                rule::NODES => {
                    let here: Vec<usize> = part
                        .children()
                        .filter(|node| node.is(rule::VERTEX))
                        .filter_map(|node| self.node(node))
                        .collect();
                    self.made += before.len() * here.len();
                    if let Some(between) = between.take() {
                        self.link(&before, &here, between);
                    }
                    before = here;
                }
                rule::LINK_BETWEEN => between = Some(part),
                _ => {}
            }
        }
    }

    fn node(&mut self, vertex: Part<'s>) -> Option<usize> {
        let id = vertex.find(rule::ID)?;
        let index = *self.by_id.entry(trimmed_text(id).0).or_insert_with(|| {
            self.nodes.push(Node { id, labels: Vec::new(), shape: None, links: 0 });
            self.nodes.len() - 1
        });
        let node = &mut self.nodes[index];
        if let Some(shape) = vertex.children().find(|part| SHAPES.contains(&part.number())) {
            node.shape = Some(shape);
            let label = shape.descendants().find(|part| LABELS.contains(&part.number()));
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
    trimmed_text(one).0.trim_matches('"') == trimmed_text(other).0.trim_matches('"')
}

impl Node<'_> {
    fn write(&self, tree: &mut TreeWriter<'_>) {
        let place = tree.place_of(self.id);
        tree.object_placed(place, |tree| {
            tree.field("id", self.id);
            if let Some(label) = self.labels.last() {
                tree.field("label", *label);
            }
            if let Some(shape) = self.shape {
                tree.word("shape", shape.rule(), shape);
            }
            tree.number_at("links", self.links, place);
            tree.list("labels", |tree| self.labels.iter().for_each(|label| tree.text(*label)));
        });
    }
}
