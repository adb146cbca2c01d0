use std::{collections::BTreeSet, ops::Range, sync::Arc};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde_json::Value;

use super::settings::Settings;
use crate::{
    budget::{self, Once},
    checks::{Context, State},
    diagnostic::Severity,
    kinds::{Document, Kind, Layer},
    rules::{Rule, Ruleset},
    tree::{
        Node, NodeId,
        jsonpath::{Groups, PathTrie},
    },
};

/// The rules for one kind of document, indexed by what they look at: observations by name, nodes by
/// a trie of selector steps, so that steps which rules share are taken once.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) rules: Vec<Planned>,
    observed: HashMap<(Layer, String), Vec<usize>>,
    /// Names of the syntax errors that a rule reports, also where the rule is off.
    reported: HashSet<String>,
    /// Its roots are [`ALWAYS`], [`LINKED`] and [`PARTS`], and from [`SOUGHT`] on one for each of the rules that are sought;
    /// at the ends are the numbers of selectors.
    trie: PathTrie<u32>,
    /// For each of the roots from [`SOUGHT`] on, the characters without which the text of a document has nothing to find.
    sought: Vec<String>,
    /// Positions of the rules that selectors are for, by the number of the selector.
    selectors: Vec<usize>,
    /// Positions of the rules that ask for the files that a document refers to.
    linking: Vec<usize>,
    /// Positions of the rules whose findings may cause those of a rule, by position.
    pub(super) order: Vec<usize>,
    /// The parts of the tree that a rule asks for.
    asked_keys: Once<Vec<&'static str>>,
}

/// A rule with what the settings say of it.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) rule: Arc<Rule>,
    pub(super) severity: Severity,
    pub(super) options: Value,
    /// Position of the pack.
    pub(super) pack: usize,
    /// Numbers of its selectors, in their order.
    pub(super) selectors: Range<usize>,
    /// Positions of the rules it follows.
    pub(super) follows: Vec<usize>,
    /// Positions of the rules it yields to.
    pub(super) yields_to: Vec<usize>,
    placeholders: Once<BTreeSet<String>>,
    guards_findings: Once<bool>,
}

impl Planned {
    /// What the rule is evaluated with.
    pub(super) fn context<'s, 't>(&'s self, state: &'s State<'t>) -> Context<'s, 't> {
        Context { rule: &self.rule.id, state, options: &self.options, most: usize::MAX }
    }

    /// The nodes that the rule is about.
    pub(super) fn selected<'t>(&self, context: &Context<'_, 't>) -> Vec<Node<'t>> {
        let root = context.state.document.tree.root();
        let mut nodes: Vec<Node<'t>> = self.rule.given.iter().flat_map(|path| path.select(root)).collect();
        if let Some(when) = &self.rule.when {
            nodes.retain(|node| context.bindings(*node).hold(when, false));
        }
        nodes
    }
}

/// The nodes that each selector selects, by its number, in document order.
pub(super) type Selection = Groups<NodeId>;

/// Root of the selectors of most rules.
const ALWAYS: usize = 0;

/// Root of the selectors of rules that find nothing in a document whose links were not followed: they look at every
/// link.
const LINKED: usize = 1;

/// Root of the selectors of rules that look at each document of a file with several by itself.
const PARTS: usize = 2;

/// The first of the roots of rules that are sought: each has its own, which is left out where the rule finds nothing.
const SOUGHT: usize = 3;

impl Plan {
    /// The plan for documents of a kind. Nodes are selected also for rules that are known to find nothing in a document
    /// where `selects_all` asks for it.
    pub(super) fn new(ruleset: &Ruleset, settings: &Settings, kind: &str, selects_all: bool) -> Self {
        let rules = ruleset.rules_for(kind);
        let sought = |rule: &Arc<Rule>| {
            let is_planned = !selects_all && settings.enables(rule);
            if is_planned && !rule.looks_at_parts() && !rule.needs_links() {
                rule.sought_prefix()
            } else {
                None
            }
        };
        let sought: Vec<Option<String>> = rules.iter().map(|rule| sought(rule)).collect();
        let mut plan = Self {
            rules: Vec::new(),
            observed: HashMap::new(),
            reported: HashSet::new(),
            trie: PathTrie::new(SOUGHT + sought.iter().flatten().count()),
            sought: Vec::new(),
            selectors: Vec::new(),
            linking: Vec::new(),
            order: Vec::new(),
            asked_keys: Once::new(),
        };
        for (rule, sought) in rules.into_iter().zip(sought) {
            if let Some((Layer::Syntax, name)) = rule.observed() {
                plan.reported.insert(name.to_owned());
            }
            if settings.enables(rule) {
                let pack = ruleset.packs().iter().position(|pack| pack.name == rule.pack).unwrap_or_default();
                plan.add(Arc::clone(rule), settings, pack, sought);
            }
        }
        plan.resolve_follows();
        plan
    }

    fn add(&mut self, rule: Arc<Rule>, settings: &Settings, pack: usize, sought: Option<String>) {
        let index = self.rules.len();
        let first = self.selectors.len();
        match rule.observed() {
            Some((layer, name)) => self.observed.entry((layer, name.to_owned())).or_default().push(index),
            None => {
                let root = match () {
                    () if rule.looks_at_parts() => PARTS,
                    () if rule.needs_links() => LINKED,
                    () if sought.is_some() => SOUGHT + self.sought.len(),
                    () => ALWAYS,
                };
                self.sought.extend(sought);
                for path in rule.selectors() {
                    self.trie.add(root, path, self.selectors.len() as u32);
                    self.selectors.push(index);
                }
            }
        }
        if rule.follows_links() {
            self.linking.push(index);
        }
        self.rules.push(Planned {
            severity: settings.severity_of(&rule),
            options: settings.options_of(&rule),
            pack,
            selectors: first..self.selectors.len(),
            follows: Vec::new(),
            yields_to: Vec::new(),
            placeholders: Once::new(),
            guards_findings: Once::new(),
            rule,
        });
    }

    /// The rules that ask for the files that a document refers to.
    pub(super) fn linking(&self) -> impl Iterator<Item = &Planned> {
        self.linking.iter().map(|index| &self.rules[*index])
    }

    /// Whether a rule looks up values of other documents.
    pub(super) fn looks_up(&self) -> bool {
        self.rules.iter().any(|planned| planned.rule.compares_documents && !planned.rule.lookups.is_empty())
    }

    /// Puts every rule after those it follows; a cycle is broken at the rule that comes first.
    fn resolve_follows(&mut self) {
        let named = self.by_name();
        let positions = |names: &[String]| {
            let meant = names.iter().filter_map(|name| named.get(name.as_str())).flatten();
            // A rule that several of the names mean counts once.
            Vec::from_iter(meant.copied().collect::<BTreeSet<usize>>())
        };
        let all: Vec<_> = self.rules.iter().map(|planned| planned.rule.causes().map(&positions)).collect();
        for (planned, [follows, yields_to]) in self.rules.iter_mut().zip(all) {
            planned.follows = follows;
            planned.yields_to = yields_to;
        }
        let mut done = vec![false; self.rules.len()];
        for index in 0..self.rules.len() {
            self.place_in_order(index, &mut done);
        }
    }

    /// Positions of the rules that other rules mean by a name: an id, a name or a tag. What no rule mentions is left out.
    fn by_name(&self) -> HashMap<&str, Vec<usize>> {
        let mentioned = self.rules.iter().flat_map(|planned| planned.rule.causes()).flatten();
        let mut named: HashMap<&str, Vec<usize>> =
            mentioned.map(|name| (name.as_str(), Vec::new())).collect();
        for (index, Planned { rule, .. }) in self.rules.iter().enumerate() {
            for name in [&rule.id, &rule.name].into_iter().chain(&rule.tags) {
                if let Some(positions) = named.get_mut(name.as_str()) {
                    positions.push(index);
                }
            }
        }
        named
    }

    fn place_in_order(&mut self, index: usize, done: &mut [bool]) {
        if std::mem::replace(&mut done[index], true) {
            return;
        }
        for before in [self.rules[index].follows.clone(), self.rules[index].yields_to.clone()].concat() {
            self.place_in_order(before, done);
        }
        self.order.push(index);
    }

    /// Which rules, by position, are neither for errors nor among `only`, nor decide what such a rule reports.
    pub(super) fn beside(&self, only: &[&str]) -> Vec<bool> {
        let mut left_out = vec![true; self.rules.len()];
        for &rule in self.order.iter().rev() {
            let planned = &self.rules[rule];
            if planned.severity == Severity::Error || only.contains(&planned.rule.id.as_str()) {
                left_out[rule] = false;
            }
            if !left_out[rule] {
                planned.follows.iter().chain(&planned.yields_to).for_each(|cause| left_out[*cause] = false);
            }
        }
        left_out
    }

    /// The parts of the tree of the plan's kind that are made only if a rule asks for them, and that a rule does ask for.
    pub(super) fn asked_keys(&self, kind: &dyn Kind) -> &[&'static str] {
        self.asked_keys.get_or_init(|| self.find_asked_keys(kind))
    }

    fn find_asked_keys(&self, kind: &dyn Kind) -> Vec<&'static str> {
        let named = |key: &str| {
            let mut roots = 0..SOUGHT + self.sought.len();
            roots.any(|root| self.trie.begins_with(root, key))
                || self.rules.iter().any(|planned| planned.rule.optional_keys().contains(&key))
        };
        kind.optional_keys().iter().copied().filter(|key| named(key)).collect()
    }

    /// Like [`Self::asked_keys`], for what the document declares for others: only rules count that compare documents or
    /// follow links.
    pub(super) fn declaring_keys(&self, kind: &dyn Kind) -> Vec<&'static str> {
        let comparing = self
            .rules
            .iter()
            .filter(|planned| planned.rule.compares_documents || planned.rule.follows_links());
        let asked: Vec<&str> =
            comparing.flat_map(|planned| planned.rule.optional_keys().iter().copied()).collect();
        kind.optional_keys().iter().copied().filter(|key| asked.contains(key)).collect()
    }

    /// Whether there is a rule for a syntax error.
    pub(super) fn reports(&self, name: &str) -> bool {
        self.reported.contains(name)
    }

    /// Positions of the rules for an observation.
    pub(super) fn for_observation(&self, layer: Layer, name: &str) -> &[usize] {
        // The key is borrowed by way of a copy only for names that were in fact observed.
        self.observed.get(&(layer, name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Every node that a rule selects in a document. Rules that can find nothing since no link was followed are left out,
    /// and where the file has several documents those that look at them one by one; and those at these positions.
    pub(super) fn select(&self, document: &Document, left_out: Option<&[bool]>) -> Selection {
        let mut roots = vec![ALWAYS];
        roots.extend(document.linked.as_ref().map(|_| LINKED));
        roots.extend(document.parts.is_empty().then_some(PARTS));
        roots.extend(self.found_in(document).map(|position| SOUGHT + position));
        let mut found = self.selected(&roots, document, left_out);
        if document.tree.has_links() {
            // A node that several references lead to stays in its first place.
            let mut seen = HashSet::new();
            found.retain(|one| seen.insert(*one));
        }
        Groups::new(&found, self.selectors.len())
    }

    /// Positions of what is sought that the text of the document has, or may have.
    fn found_in(&self, document: &Document) -> impl Iterator<Item = usize> {
        let root = document.tree.root();
        let text = (document.tree.sources().len() == 1).then(|| root.source().slice(root.span()));
        let has = move |sought: &str| {
            text.is_none_or(|text| memchr::memmem::find(text.as_bytes(), sought.as_bytes()).is_some())
        };
        self.sought.iter().enumerate().filter(move |(_, sought)| has(sought)).map(|(position, _)| position)
    }

    /// Every node that a rule selects in one document of a file with several, for the rules that look at them one by
    /// one.
    pub(super) fn select_in_part(&self, part: &Document, left_out: Option<&[bool]>) -> Selection {
        Groups::new(&self.selected(&[PARTS], part, left_out), self.selectors.len())
    }

    /// The nodes that selectors select which start at these roots, with the number of the selector.
    fn selected(
        &self,
        roots: &[usize],
        document: &Document,
        left_out: Option<&[bool]>,
    ) -> Vec<(u32, NodeId)> {
        let mut found = Vec::new();
        let wanted = |left_out: &[bool], selector: u32| !left_out[self.selectors[selector as usize]];
        let asked = left_out.map(|left_out| self.trie.leading_to(|selector| wanted(left_out, selector)));
        for root in roots {
            self.trie.visit(*root, document.tree.root(), asked.as_deref(), &mut |selector, node| {
                budget::push(&mut found, (selector, node.id()));
            });
        }
        found
    }

    /// No node for any rule.
    pub(super) fn nothing(&self) -> Selection {
        Groups::new(&[], self.selectors.len())
    }

    /// Whether there are rules that look at the documents of a file one by one.
    pub(super) fn looks_at_parts(&self) -> bool {
        !self.trie.is_empty(PARTS)
    }
}

impl Planned {
    /// The names that the rule's templates ask for.
    pub(super) fn placeholders(&self) -> &BTreeSet<String> {
        self.placeholders.get_or_init(|| {
            let rule = &self.rule;
            let mut names = rule.message.placeholders();
            names.extend(rule.hint.iter().flat_map(|hint| hint.placeholders()));
            names.extend(rule.related.iter().flat_map(|related| related.label.placeholders()));
            for fix in rule.fixes.iter() {
                names.extend(fix.title.iter().flat_map(|title| title.placeholders()));
                names.extend(fix.edits.iter().filter_map(|edit| edit.text()).flat_map(|t| t.placeholders()));
            }
            names
        })
    }

    /// Whether the rule's `when` is about findings, since it speaks of their values, and not about nodes.
    pub(super) fn guards_findings(&self) -> bool {
        let when = || self.rule.when.as_ref().is_some_and(|when| when.uses("values"));
        *self.guards_findings.get_or_init(when)
    }

    /// Whether a template asks for `name` or a part of it.
    pub(super) fn asks_for(&self, name: &str) -> bool {
        self.placeholders().iter().any(|asked| asked.split('.').next() == Some(name))
    }
}
