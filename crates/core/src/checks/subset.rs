use std::{borrow::Cow, cell::OnceCell, sync::Arc};

use foldhash::{HashMap, HashMapExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany,
    evaluate::{Held, Meaning, Name, Word},
};
use crate::{
    budget::Once,
    expressions::Route,
    text::around,
    tree::{
        Node, NodeId,
        jsonpath::{PathSet, Selected},
    },
};

/// Every name of one route is among those of others. A route is a JSONPath that may lead over
/// declarations; see [Routes](#routes).
///
/// ```yaml
/// check: {subset: {of: '@.tags[*]', in: '$.vocabulary[*]'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Subset {
    /// Route to the names (default: the node itself).
    of: Option<String>,
    /// Route, or routes, to the names that they must be among.
    #[serde(rename = "in")]
    within: Option<OneOrMany<String>>,
    /// Points at the selected node instead of the name.
    #[serde(default)]
    blame_node: bool,
    /// Points at the mapping that has the name as a value.
    #[serde(default)]
    blame_parent: bool,
    /// Whether names of the other routes are suggested instead; if not given, where a finding points at a name.
    suggest: Option<bool>,
    /// Whether uppercase and lowercase letters are the same.
    #[serde(default)]
    fold: bool,
}

impl CheckKind for Subset {
    const NAME: &'static str = "subset";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("name", "the name that is not among the others")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let of = self.of.and_then(|of| compiler.route(&of, &at.key("of")));
        let within = compiler.routes(self.within.as_ref(), &at.key("in"));
        let blame = match (self.blame_node, self.blame_parent) {
            (true, _) => Blame::Node,
            (false, true) => Blame::Parent,
            (false, false) => Blame::Name,
        };
        let suggest = self.suggest.unwrap_or(blame == Blame::Name);
        Some(Arc::new(Among { of, within, absolute: Once::new(), blame, suggest, fold: self.fold }))
    }
}

/// What a finding points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// The name.
    Name,
    /// The selected node.
    Node,
    /// The mapping around the name.
    Parent,
}

#[derive(Debug)]
struct Among {
    of: Option<Route>,
    within: Vec<Route>,
    /// The paths of the routes that do not depend on the node.
    absolute: Once<PathSet>,
    blame: Blame,
    suggest: bool,
    fold: bool,
}

/// The names of routes that depend on the node.
#[derive(Default)]
struct Own {
    /// Where the routes start, where others may start there, too.
    starts: Option<Vec<Option<NodeId>>>,
    names: Names,
}

/// Most names that are compared one after the other.
const FEW: usize = 12;

/// Names as they are written, by how they are compared. The names of one node are few, mostly.
#[derive(Default)]
struct Names {
    few: Vec<(Word, Word)>,
    /// All of them, where they are many.
    many: HashMap<Word, Word>,
}

impl Names {
    fn contains(&self, key: Word) -> bool {
        self.few.iter().any(|(known, _)| *known == key)
            || !self.many.is_empty() && self.many.contains_key(&key)
    }

    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    fn add(&mut self, key: Word, written: Word) {
        if !self.many.is_empty() {
            self.many.insert(key, written);
        } else if let Some((_, known)) = self.few.iter_mut().find(|(known, _)| *known == key) {
            *known = written;
        } else {
            self.few.push((key, written));
            if self.few.len() > FEW {
                self.many.extend(self.few.drain(..));
            }
        }
    }

    fn written(&self) -> impl Iterator<Item = Word> {
        self.many.values().chain(self.few.iter().map(|(_, written)| written)).copied()
    }
}

/// Names with where they are, by how they are compared.
type KnownNames<'t> = HashMap<String, Name<'t>>;

impl Evaluate for Among {
    /// Routes that do not depend on the node are followed once for all nodes.
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let Some(first) = nodes.first() else { return Vec::new() };
        let check = std::ptr::from_ref(self) as usize;
        let absolute = || self.absolute_names(*first, context);
        let shared = context.state.known(check, absolute);
        let mut findings = Vec::new();
        let mut own = Own::default();
        let shares_starts = self.within.iter().all(|route| route.is_absolute() || route.from.is_some());
        let mut names: Vec<(Word, Held<'t>)> = Vec::new();
        let mut known_names: Option<(Vec<Option<NodeId>>, KnownNames<'t>)> = None;
        for node in nodes {
            if context.state.listens() {
                let names = self.names(*node, context);
                let starts = self.starts(*node, context);
                let known = match known_names.take() {
                    Some((before, known)) if before == starts => known,
                    _ => self.known_names(*node, context),
                };
                self.hear(&names, &known, context);
                known_names = Some((starts, known));
            }
            names.clear();
            self.visit_words(*node, context, &mut |word, held| {
                let key = self.key(word, context);
                if shared.written.is_empty() || !shared.written.contains_key(&key) {
                    names.push((key, held));
                }
            });
            if names.is_empty() {
                continue;
            }
            // Neighbors mostly share the ancestors that routes start at, and so the names.
            let starts = shares_starts.then(|| self.starts(*node, context));
            if starts.is_none() || own.starts != starts {
                own.starts = starts;
                self.collect_own(*node, context, &mut own.names);
            }
            let own = &own.names;
            let own_sorted = OnceCell::new();
            for (key, held) in names.drain(..) {
                if own.contains(key) {
                    continue;
                }
                let Some(name) = held.name(context.state) else { continue };
                if findings.len() < context.most {
                    let own = own_sorted.get_or_init(|| context.state.sorted(own.written()));
                    let shared = around(shared.sorted(context.state), &name.text);
                    let candidates = shared.iter().chain(around(own, &name.text)).map(|name| &**name);
                    findings.push(self.finding(*node, &name, candidates.filter(|_| self.suggest)));
                } else {
                    context.state.count(1);
                }
            }
        }
        findings
    }
}

impl Among {
    fn folded<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.fold { name.to_lowercase().into() } else { name.into() }
    }

    /// The names of a node that must be among the others.
    fn names<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Vec<Name<'t>> {
        match &self.of {
            Some(route) => context.state.route_names(route, node),
            None => context.state.name_of(node).into_iter().collect(),
        }
    }

    /// Passes these names to `found`, by their numbers.
    fn visit_words<'t>(
        &self,
        node: Node<'t>,
        context: &Context<'_, 't>,
        found: &mut dyn FnMut(Word, Held<'t>),
    ) {
        match &self.of {
            Some(route) => context.state.visit_words(route, node, found),
            None => {
                if let Some(word) = context.state.word_of(node) {
                    found(word, Held::By(node));
                }
            }
        }
    }

    /// What a name is compared by.
    fn key(&self, word: Word, context: &Context<'_, '_>) -> Word {
        if self.fold { context.state.word(&context.state.text(word).to_lowercase().into()) } else { word }
    }

    /// Where the routes start that depend on the node.
    fn starts<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Vec<Option<NodeId>> {
        let routes = self.within.iter().filter(|route| !route.is_absolute());
        routes.map(|route| context.state.start(route, node).map(Node::id)).collect()
    }

    /// The names that others must be among, by how they are compared, with where they are first.
    fn known_names<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> KnownNames<'t> {
        let mut known = KnownNames::default();
        for name in self.within.iter().flat_map(|route| context.state.route_names(route, node)) {
            let folded = self.folded(&name.text).into_owned();
            known.entry(folded).or_insert(name);
        }
        known
    }

    /// Notes which names are the same as those that they must be among.
    fn hear<'t>(&self, names: &[Name<'t>], known: &KnownNames<'t>, context: &Context<'_, 't>) {
        for name in names {
            if let Some(same) = known.get(&*self.folded(&name.text)) {
                context.state.hear(name, || Meaning::Same(same.clone()));
            }
        }
    }

    /// The names at the ends of the routes that do not depend on the node.
    fn absolute_names<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> HashMap<Word, Word> {
        let routes = || self.within.iter().filter(|route| route.is_absolute());
        let paths = self.absolute.get_or_init(|| PathSet::new(routes().map(|route| &route.path)));
        let mut selected = Selected::default();
        paths.select(node, &mut selected);
        let mut names = HashMap::with_capacity(selected.len());
        for (index, route) in routes().enumerate() {
            let nodes = selected.of(index..index + 1);
            context.state.visit_words_from(route, nodes, &mut |word, _| {
                names.insert(self.key(word, context), word);
            });
        }
        names
    }

    /// Replaces names by those at the ends of the routes that depend on the node.
    fn collect_own<'t>(&self, node: Node<'t>, context: &Context<'_, 't>, names: &mut Names) {
        names.clear();
        for route in self.within.iter().filter(|route| !route.is_absolute()) {
            context.state.visit_words(route, node, &mut |word, _| names.add(self.key(word, context), word));
        }
    }

    fn finding<'n, 't: 'n>(
        &self,
        node: Node<'t>,
        name: &Name<'t>,
        candidates: impl Iterator<Item = &'n str>,
    ) -> Finding<'t> {
        let finding = match self.blame {
            Blame::Node => Finding::at_key(node),
            Blame::Parent => Finding::at_key(name.node.parent().unwrap_or(name.node)),
            Blame::Name => Finding { span: name.span, ..Finding::at(name.node) },
        };
        let mut known: Vec<String> = candidates.map(str::to_owned).collect();
        known.sort_unstable();
        known.dedup();
        finding.among(&name.text, known).with("name", name.text.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn names_are_among_those_of_another_route() {
        let text = "known: [a, b]\nused: [b, c]\n";
        assert_eq!(findings("{subset: {in: '$.known[*]'}}", "$.used[*]", text), ["/used/1 c"]);
        let blamed = "{subset: {of: '@[*]', in: '$.known[*]', blame_node: true}}";
        assert_eq!(findings(blamed, "$.used", text), ["/used used"]);
        let text = "known: [a]\nused: {x: {name: b}}\n";
        let blamed = "{subset: {of: '@.*.name', in: '$.known[*]', blame_parent: true}}";
        assert_eq!(findings(blamed, "$.used", text), ["/used/x x"]);
    }

    #[test]
    fn letters_are_folded_and_names_suggested_as_they_are_written() {
        let text = "known: [Alpha, beta]\nused: [ALPHA, alhpa]\n";
        let check = "{subset: {in: '$.known[*]', fold: true}}";
        assert_eq!(findings(check, "$.used[*]", text), ["/used/1 alhpa (Alpha?)"]);
        let silent = "{subset: {in: '$.known[*]', fold: true, suggest: false}}";
        assert_eq!(findings(silent, "$.used[*]", text), ["/used/1 alhpa"]);
    }
}
