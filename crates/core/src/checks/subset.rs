use std::{borrow::Cow, cell::OnceCell, sync::Arc};

use foldhash::{HashMap, HashMapExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany,
    evaluate::{Meaning, Name},
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
struct Own<'t> {
    /// Where the routes start.
    starts: Vec<Option<NodeId>>,
    names: Names<'t>,
}

/// Most names that are compared one after the other.
const FEW: usize = 12;

/// Names as they are written, by how they are compared. The names of one node are few, mostly.
#[derive(Default)]
struct Names<'t> {
    few: Vec<(Cow<'t, str>, Cow<'t, str>)>,
    /// All of them, where they are many.
    many: HashMap<Cow<'t, str>, Cow<'t, str>>,
}

impl<'t> Names<'t> {
    fn contains(&self, key: &str) -> bool {
        self.many.contains_key(key) || self.few.iter().any(|(known, _)| known == key)
    }

    fn add(&mut self, key: Cow<'t, str>, written: Cow<'t, str>) {
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

    fn written(&self) -> impl Iterator<Item = &Cow<'t, str>> {
        self.many.values().chain(self.few.iter().map(|(_, written)| written))
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
        let mut last: Option<Own<'t>> = None;
        let mut known_names: Option<(Vec<Option<NodeId>>, KnownNames<'t>)> = None;
        for node in nodes {
            if context.state.listens() {
                let mut names = Vec::new();
                self.visit_names(*node, context, &mut |name| names.push(name));
                let starts = self.starts(*node, context);
                let known = match known_names.take() {
                    Some((before, known)) if before == starts => known,
                    _ => self.known_names(*node, context),
                };
                self.hear(&names, &known, context);
                known_names = Some((starts, known));
            }
            let mut names = Vec::new();
            self.visit_names(*node, context, &mut |name| {
                if !shared.written.contains_key(&self.folded(&name.text)) {
                    names.push(name);
                }
            });
            if names.is_empty() {
                continue;
            }
            let starts = self.starts(*node, context);
            // Neighbors mostly share the ancestors that routes start at, and so the names.
            let own = match last.take() {
                Some(own) if own.starts == starts => own,
                _ => Own { starts, names: self.own_names(*node, context) },
            };
            let own = &last.insert(own).names;
            let own_sorted = OnceCell::new();
            for name in names {
                if own.contains(&self.folded(&name.text)) {
                    continue;
                }
                if findings.len() < context.most {
                    let own = own_sorted.get_or_init(|| sorted_names(own));
                    let shared = around(shared.sorted(), &name.text).iter().map(|name| &**name);
                    let candidates = shared.chain(around(own, &name.text).iter().copied());
                    findings.push(self.finding(*node, &name, candidates.filter(|_| self.suggest)));
                } else {
                    context.state.count(1);
                }
            }
        }
        findings
    }
}

fn sorted_names<'n>(names: &'n Names<'_>) -> Vec<&'n str> {
    let mut sorted: Vec<&str> = names.written().map(AsRef::as_ref).collect();
    sorted.sort_unstable();
    sorted
}

impl Among {
    fn folded<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.fold { name.to_lowercase().into() } else { name.into() }
    }

    /// Passes the names of a node to `found` that must be among the others.
    fn visit_names<'t>(&self, node: Node<'t>, context: &Context<'_, 't>, found: &mut dyn FnMut(Name<'t>)) {
        match &self.of {
            Some(route) => context.state.visit_names(route, node, found),
            None => context.state.name_of(node).into_iter().for_each(found),
        }
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
    fn absolute_names<'t>(
        &self,
        node: Node<'t>,
        context: &Context<'_, 't>,
    ) -> HashMap<Cow<'t, str>, Cow<'t, str>> {
        let routes = || self.within.iter().filter(|route| route.is_absolute());
        let paths = self.absolute.get_or_init(|| PathSet::new(routes().map(|route| &route.path)));
        let mut selected = Selected::default();
        paths.select(node, &mut selected);
        let mut names = HashMap::with_capacity(selected.len());
        for (index, route) in routes().enumerate() {
            let nodes = selected.of(index..index + 1);
            context.state.visit_names_from(route, nodes, &mut |name| names.extend([self.keyed(name)]));
        }
        names
    }

    /// The names at the ends of the routes that depend on the node.
    fn own_names<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Names<'t> {
        let mut names = Names::default();
        for route in self.within.iter().filter(|route| !route.is_absolute()) {
            context.state.visit_names(route, node, &mut |name| {
                let (key, written) = self.keyed(name);
                names.add(key, written);
            });
        }
        names
    }

    /// A name by how it is compared, and as it is written.
    fn keyed<'t>(&self, name: Name<'t>) -> (Cow<'t, str>, Cow<'t, str>) {
        let key = if self.fold { name.text.to_lowercase().into() } else { name.text.clone() };
        (key, name.text)
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
