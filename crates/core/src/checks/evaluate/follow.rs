//! Following routes: from nodes over declarations to names.

use std::borrow::Cow;

use super::{heard::Name, state::State, symbols::matched, words::Word};
use crate::{
    budget,
    expressions::{LazyRegex, Part, Route},
    text::{Span, placeholders},
    tree::{Entry, JsonPath, Node},
};

/// Where a name at the end of a route is.
#[derive(Debug, Clone)]
pub enum Held<'t> {
    /// It is the one that a node holds.
    By(Node<'t>),
    /// It is a part of what the node says.
    Within(Name<'t>),
}

impl<'t> Held<'t> {
    /// The node that says it.
    pub fn node(&self) -> Node<'t> {
        match self {
            Self::By(node) => *node,
            Self::Within(name) => name.node,
        }
    }

    /// The name.
    pub fn name(self, state: &State<'t>) -> Option<Name<'t>> {
        match self {
            Self::By(node) => state.name_of(node),
            Self::Within(name) => Some(name),
        }
    }
}

impl<'t> State<'t> {
    /// The name that a node holds: its text, or that of its reference key.
    pub fn name_of(&self, node: Node<'t>) -> Option<Name<'t>> {
        if let Some(text) = node.scalar_text() {
            return Some(Name { text, node, span: node.span() });
        }
        let held = node.get(self.vocabulary.reference_key.as_deref()?)?;
        Some(Name { text: held.scalar_text()?, node, span: held.span() })
    }

    /// The names in a node: what a regular expression matches, each with its span, or else the name that it holds.
    pub fn names_in(&self, node: Node<'t>, pattern: Option<&LazyRegex>) -> Vec<Name<'t>> {
        let whole = self.name_of(node);
        let Some(pattern) = pattern else { return whole.into_iter().collect() };
        let Some(Name { text, node, span }) = whole else { return Vec::new() };
        let is_held = node.scalar().is_some();
        let place = |part| if is_held { node.part(part) } else { span };
        let names = matched(pattern, &text).into_iter();
        let name =
            |(name, part): (&str, Span)| Name { text: name.to_owned().into(), node, span: place(part) };
        names.map(name).collect()
    }

    /// The names of the nodes that paths select.
    pub fn names(&self, paths: &[JsonPath], node: Node<'t>) -> Vec<Name<'t>> {
        let mut names = Vec::new();
        for path in paths {
            path.visit(node, &mut |selected| names.extend(self.name_of(selected)));
        }
        names
    }

    /// Passes the names of the nodes that paths select to `found`, by their numbers.
    pub fn visit_selected_words(
        &self,
        paths: &[JsonPath],
        node: Node<'t>,
        found: &mut dyn FnMut(Word, Node<'t>),
    ) {
        for path in paths {
            path.visit(node, &mut |selected| {
                if let Some(word) = self.word_of(selected) {
                    found(word, selected);
                }
            });
        }
    }

    /// The node at which a route starts.
    pub fn start(&self, route: &Route, node: Node<'t>) -> Option<Node<'t>> {
        match &route.from {
            Some(name) => self.ancestor(node, name),
            None => Some(node),
        }
    }

    /// The nodes at the end of a route.
    pub fn follow(&self, route: &Route, node: Node<'t>) -> Vec<Node<'t>> {
        self.over_declarations(route, self.selected(route, node))
    }

    /// The nodes that the path of a route selects.
    fn selected(&self, route: &Route, node: Node<'t>) -> Vec<Node<'t>> {
        let mut selected = Vec::new();
        if let Some(start) = self.start(route, node) {
            route.path.visit(start, &mut |found| selected.push(found));
        }
        selected
    }

    /// The nodes at the end of a route, from those that its path selects.
    fn over_declarations(&self, route: &Route, mut nodes: Vec<Node<'t>>) -> Vec<Node<'t>> {
        for hop in &route.hops {
            let mut next = Vec::new();
            for name in nodes.into_iter().filter_map(|node| self.name_of(node)) {
                let declarations = self.find(&name.text, name.node);
                let mut fitting = declarations.filter(|d| hop.tables.iter().any(|t| t == d.table));
                if let Some(declaration) = fitting.find_map(|declaration| declaration.node) {
                    hop.path.visit(declaration, &mut |found| next.push(found));
                }
            }
            nodes = next;
        }
        nodes
    }

    /// Passes the nodes at the end of a route to `found`.
    fn visit_ends(&self, route: &Route, node: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
        if !route.hops.is_empty() {
            return self.follow(route, node).into_iter().for_each(found);
        }
        if let Some(start) = self.start(route, node) {
            route.path.visit(start, found);
        }
    }

    /// The names at the end of a route.
    pub fn route_names(&self, route: &Route, node: Node<'t>) -> Vec<Name<'t>> {
        let mut names = Vec::new();
        self.visit_ends(route, node, &mut |end| {
            self.visit_names_of(route.part, end, &mut |name| names.push(name));
        });
        names
    }

    /// Passes the names at the end of a route to `found`, by their numbers.
    pub fn visit_words(&self, route: &Route, node: Node<'t>, found: &mut dyn FnMut(Word, Held<'t>)) {
        self.visit_ends(route, node, &mut |end| self.visit_words_of(route.part, end, found));
    }

    /// Like [`Self::visit_words`], from the nodes that the path of the route selects.
    pub fn visit_words_from(
        &self,
        route: &Route,
        selected: &[Node<'t>],
        found: &mut dyn FnMut(Word, Held<'t>),
    ) {
        let ends;
        let ends = if route.hops.is_empty() {
            selected
        } else {
            ends = self.over_declarations(route, selected.to_vec());
            &ends
        };
        for end in ends {
            self.visit_words_of(route.part, *end, found);
        }
    }

    /// Passes the names to `found` that a part of a node has, with their numbers.
    fn visit_words_of(&self, part: Part, node: Node<'t>, found: &mut dyn FnMut(Word, Held<'t>)) {
        if part == Part::Value {
            if let Some(word) = self.word_of(node) {
                found(word, Held::By(node));
            }
        } else {
            self.visit_names_of(part, node, &mut |name| found(self.word(&name.text), Held::Within(name)));
        }
    }

    /// Passes the names to `found` that a part of a node has.
    fn visit_names_of(&self, part: Part, node: Node<'t>, found: &mut dyn FnMut(Name<'t>)) {
        match part {
            Part::Value => self.name_of(node).into_iter().for_each(found),
            Part::Key => node.own_entry().map(key_of).into_iter().for_each(found),
            Part::Keys => node.entries().map(key_of).for_each(found),
            Part::Placeholders => value_fields(node).into_iter().for_each(found),
            Part::KeyPlaceholders => node.own_entry().into_iter().flat_map(key_fields).for_each(found),
        }
    }
}

fn key_of(entry: Entry<'_>) -> Name<'_> {
    Name { text: Cow::Borrowed(entry.key()), node: entry.value(), span: entry.key_span() }
}

/// Most fields that are looked for in the written text in vain: those with escapes in their names. Further ones are at
/// the place of the whole string.
const UNFOUND: usize = 100;

fn value_fields(node: Node<'_>) -> Vec<Name<'_>> {
    node.as_str().map(|text| fields(node, text, node.span())).unwrap_or_default()
}

fn key_fields(entry: Entry<'_>) -> Vec<Name<'_>> {
    fields(entry.value(), entry.key(), entry.key_span())
}

/// Where a brace with a name after it is.
fn opened(text: &str, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'{', bytes).find(|at| bytes[at + 1..].starts_with(name.as_bytes()))
}

/// The replacement fields of a format string, each at the place where it is written; `whole` is the string's place.
fn fields<'t>(node: Node<'t>, text: &'t str, whole: Span) -> Vec<Name<'t>> {
    let Ok(found) = placeholders(text) else { return Vec::new() };
    let written = node.source().slice(whole);
    let (mut from, mut unfound) = (0, 0);
    let mut place = |name: &str| {
        if unfound > UNFOUND {
            return None;
        }
        let Some(at) = opened(written.get(from..)?, name) else {
            unfound += 1;
            return None;
        };
        from += at + 1;
        Some(Span::new(from, from + name.len()).shifted(whole.start as usize))
    };
    let mut names = Vec::new();
    for field in found {
        let span = place(field.name).unwrap_or(whole);
        budget::push(&mut names, Name { text: Cow::Borrowed(field.name), span, node });
    }
    names
}
