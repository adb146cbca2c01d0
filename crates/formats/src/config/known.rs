use std::collections::{BTreeSet, HashSet};

use crate::{
    Document, Observation, budget,
    text::{Span, nearest},
    tree::{Node, NodeId},
};

/// What must be known of a rule to validate a configuration that names it.
#[derive(Debug, Clone)]
pub struct KnownRule<'r> {
    /// Id.
    pub id: &'r str,
    /// Name.
    pub name: &'r str,
    /// Pack it belongs to.
    pub pack: &'r str,
    /// Tags.
    pub tags: Vec<&'r str>,
    /// Options.
    pub options: Vec<KnownOption<'r>>,
}

/// What must be known of an option of a rule.
#[derive(Debug, Clone, Copy)]
pub struct KnownOption<'r> {
    /// Name.
    pub name: &'r str,
    /// `string`, `integer`, `number`, `boolean`, `list` or `any`.
    pub value_type: &'r str,
    /// The strings that are allowed; any if empty.
    pub values: &'r [String],
}

impl KnownRule<'_> {
    fn answers_to(&self, name: &str) -> bool {
        let prefix = name.starts_with(|c: char| c.is_ascii_uppercase()) && self.id.starts_with(name);
        prefix || name == "all" || self.name == name || self.pack == name || self.tags.contains(&name)
    }
}

/// What takes the rules and kinds to see in a configuration: names of rules and kinds that do not exist,
/// options that a rule does not have or not of that type.
pub fn unknown_names(document: &Document, rules: &[KnownRule<'_>], kinds: &[&str]) -> Vec<Observation> {
    let mut observations = Vec::new();
    let root = document.tree.root();
    let mut names = Names::new(rules, &mut observations);
    let section = root.get("rules");
    for node in section.into_iter().chain(overrides(root)) {
        for list in ["select", "extend", "ignore"].into_iter().filter_map(|key| node.get(key)) {
            list.items().for_each(|item| {
                if let Some(name) = item.as_str() {
                    names.rule(name, item.span(), item.id());
                }
            });
        }
    }
    let own = section.into_iter().flat_map(Node::entries).filter(|entry| !RESERVED.contains(&entry.key()));
    let tables = overrides(root).filter_map(|node| node.get("rules")).flat_map(Node::entries);
    for entry in own.chain(tables) {
        if names.rule(entry.key(), entry.key_span(), entry.value().id()) {
            names.options(entry.key(), entry.value());
        }
    }
    for entry in root.get("files").and_then(|files| files.get("kinds")).into_iter().flat_map(Node::entries) {
        let Some(kind) = entry.value().as_str().filter(|kind| !kinds.contains(kind)) else { continue };
        let observation = Observation::new("unknown-kind", entry.value().span()).on(entry.value().id());
        let observation =
            observation.with("kind", kind).with("nearest", nearest(kind, kinds.iter().copied()));
        observations.push(observation.with("known", kinds.to_vec()));
    }
    // Where the text could not be read, the tree does not have what was written.
    let broken = Broken::of(document);
    observations.retain(|observation| !broken.touches(observation.span));
    observations
}

/// The parts of a configuration that could not be read.
struct Broken {
    /// Where each begins, sorted, with the last end of all up to it.
    parts: Vec<(u32, u32)>,
}

impl Broken {
    fn of(document: &Document) -> Self {
        let syntax = document.observations.iter().filter(|seen| seen.name.starts_with("toml_"));
        let mut parts: Vec<(u32, u32)> = syntax.map(|seen| (seen.span.start, seen.span.end)).collect();
        parts.sort_unstable();
        let mut last = 0;
        for (_, end) in &mut parts {
            last = last.max(*end);
            *end = last;
        }
        Self { parts }
    }

    fn touches(&self, span: Span) -> bool {
        let before = self.parts.partition_point(|(start, _)| *start <= span.end);
        before > 0 && span.start <= self.parts[before - 1].1
    }
}

/// Keys of `[rules]` that name no rule.
const RESERVED: [&str; 6] = ["select", "extend", "ignore", "fail_level", "baseline", "override"];

fn overrides(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    root.get("rules").and_then(|rules| rules.get("override")).into_iter().flat_map(Node::items)
}

/// Keys of a rule that are not its options.
const SETTINGS: [&str; 3] = ["severity", "enabled", "options"];

fn is_setting(key: &str) -> bool {
    SETTINGS.contains(&key)
}

/// Most options that a message about an unknown one lists.
const LISTED: usize = 100;

struct Names<'a, 'r> {
    rules: &'a [KnownRule<'r>],
    /// Ids, sorted: a name may be the start of one.
    ids: BTreeSet<&'r str>,
    /// Names, packs and tags.
    words: HashSet<&'r str>,
    /// All that a misspelled name is compared with, each once, in the order of the rules.
    candidates: Vec<&'r str>,
    observations: &'a mut Vec<Observation>,
}

impl<'a, 'r> Names<'a, 'r> {
    fn new(rules: &'a [KnownRule<'r>], observations: &'a mut Vec<Observation>) -> Self {
        let all = || {
            let names = |rule: &'a KnownRule<'r>| {
                [rule.id, rule.name, rule.pack].into_iter().chain(rule.tags.iter().copied())
            };
            rules.iter().flat_map(names).chain(RESERVED)
        };
        let mut seen = HashSet::new();
        let candidates = all().filter(|name| seen.insert(*name)).collect();
        let named =
            rules.iter().flat_map(|rule| [rule.name, rule.pack].into_iter().chain(rule.tags.iter().copied()));
        let words = named.chain(["all"]).collect();
        Self { rules, ids: rules.iter().map(|rule| rule.id).collect(), words, candidates, observations }
    }

    /// Whether any rule answers to a name: see [`KnownRule::answers_to`].
    fn is_known(&self, name: &str) -> bool {
        let is_start = || self.ids.range::<&str, _>(name..).next().is_some_and(|id| id.starts_with(name));
        self.words.contains(name) || name.starts_with(|c: char| c.is_ascii_uppercase()) && is_start()
    }

    /// Whether a rule answers to the name; observes when none does.
    fn rule(&mut self, name: &str, span: Span, node: NodeId) -> bool {
        if !budget::charge(1) || self.is_known(name) {
            return true;
        }
        let near = nearest(name, self.candidates.iter().copied());
        let observation = Observation::new("unknown-rule", span).on(node);
        let table = super::schema()["properties"].get(name).map(|_| name);
        self.observations.push(observation.with("rule", name).with("nearest", near).with("table", table));
        false
    }

    fn options(&mut self, name: &str, table: Node<'_>) {
        let (grouped, direct) =
            (table.get("options"), table.entries().filter(|entry| !is_setting(entry.key())));
        let entries: Vec<_> = grouped.into_iter().flat_map(Node::entries).chain(direct).collect();
        if entries.is_empty() {
            return;
        }
        budget::charge(self.rules.len() as u64);
        let matching = self.rules.iter().filter(|rule| rule.answers_to(name));
        let known: Vec<KnownOption<'_>> = matching.flat_map(|rule| rule.options.iter().copied()).collect();
        let names: Vec<&str> = known.iter().map(|option| option.name).take(LISTED).collect();
        let is_unused = |name: &&str| entries.iter().all(|entry| entry.key() != *name);
        let unused: Vec<&str> = names.iter().copied().chain(SETTINGS).filter(is_unused).collect();
        for entry in &entries {
            if !budget::charge(1 + known.len() as u64 / 8) {
                break;
            }
            let about = |kind, span| {
                let observation = Observation::new(kind, span).on(entry.value().id());
                observation.with("option", entry.key()).with("rule", name)
            };
            let Some(option) = known.iter().find(|option| option.name == entry.key()) else {
                budget::allocate(names.len() * size_of::<serde_json::Value>());
                let near = nearest(entry.key(), unused.iter().copied());
                let observation = about("unknown-option", entry.key_span()).with("nearest", near);
                self.observations.push(observation.with("known", names.clone()));
                continue;
            };
            if !fits(entry.value(), option.value_type) {
                let observation = about("option-type", entry.value().span());
                let observation = observation.with("expected", option.value_type);
                self.observations.push(observation.with("actual", entry.value().node_type().name()));
                continue;
            }
            let written = std::iter::once(entry.value()).chain(entry.value().items());
            for value in written.filter(|value| !option.allows(*value)) {
                let near = value.as_str().and_then(|text| {
                    nearest(text, option.values.iter().map(String::as_str)).map(str::to_owned)
                });
                let observation = about("option-value", value.span()).with("nearest", near);
                self.observations.push(observation.with("allowed", option.values.to_vec()));
            }
        }
    }
}

impl KnownOption<'_> {
    /// Whether a string is one of those that are allowed; other values are.
    fn allows(self, value: Node<'_>) -> bool {
        let is_listed = |text: &str| self.values.iter().any(|allowed| allowed == text);
        self.values.is_empty() || value.as_str().is_none_or(is_listed)
    }
}

fn fits(value: Node<'_>, option_type: &str) -> bool {
    match option_type {
        "any" => true,
        "list" => value.is_sequence() && value.items().all(|item| item.as_str().is_some()),
        "number" => value.as_f64().is_some(),
        other => value.node_type().name() == other,
    }
}
