use crate::{
    kinds::{Document, Observation},
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
    /// Options with their types: `string`, `integer`, `number`, `boolean` or `list`.
    pub options: Vec<(&'r str, &'r str)>,
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
    let mut names = Names { rules, observations: &mut observations };
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
    let broken = |span: Span| {
        let syntax = document.observations.iter().filter(|seen| seen.name.starts_with("toml_"));
        syntax.into_iter().any(|seen| seen.span.start <= span.end && span.start <= seen.span.end)
    };
    observations.retain(|observation| !broken(observation.span));
    observations
}

/// Keys of `[rules]` that name no rule.
const RESERVED: [&str; 6] = ["select", "extend", "ignore", "fail_level", "baseline", "override"];

fn overrides(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    root.get("rules").and_then(|rules| rules.get("override")).into_iter().flat_map(Node::items)
}

struct Names<'a, 'r> {
    rules: &'a [KnownRule<'r>],
    observations: &'a mut Vec<Observation>,
}

impl Names<'_, '_> {
    /// Whether a rule answers to the name; observes when none does.
    fn rule(&mut self, name: &str, span: Span, node: NodeId) -> bool {
        if self.rules.iter().any(|rule| rule.answers_to(name)) {
            return true;
        }
        let candidates = self
            .rules
            .iter()
            .flat_map(|rule| [rule.id, rule.name, rule.pack].into_iter().chain(rule.tags.iter().copied()));
        let near = nearest(name, candidates.chain(RESERVED));
        let observation = Observation::new("unknown-rule", span).on(node);
        self.observations.push(observation.with("rule", name).with("nearest", near));
        false
    }

    fn options(&mut self, name: &str, table: Node<'_>) {
        for entry in table.get("options").into_iter().flat_map(Node::entries) {
            let matching = self.rules.iter().filter(|rule| rule.answers_to(name));
            let known: Vec<(&str, &str)> = matching.flat_map(|rule| rule.options.iter().copied()).collect();
            let about = |kind, span| {
                let observation = Observation::new(kind, span).on(entry.value().id());
                observation.with("option", entry.key()).with("rule", name)
            };
            let Some((_, expected)) = known.iter().find(|(option, _)| *option == entry.key()) else {
                let names: Vec<&str> = known.iter().map(|(option, _)| *option).collect();
                let is_set =
                    |name: &str| table.get("options").and_then(|options| options.get(name)).is_some();
                let near = nearest(entry.key(), names.iter().copied().filter(|name| !is_set(name)));
                let observation = about("unknown-option", entry.key_span()).with("nearest", near);
                self.observations.push(observation.with("known", names));
                continue;
            };
            if !fits(entry.value(), expected) {
                let observation = about("option-type", entry.value().span()).with("expected", *expected);
                self.observations.push(observation.with("actual", entry.value().node_type().name()));
            }
        }
    }
}

fn fits(value: Node<'_>, option_type: &str) -> bool {
    match option_type {
        "list" => value.is_sequence() && value.items().all(|item| item.as_str().is_some()),
        "number" => value.as_f64().is_some(),
        other => value.node_type().name() == other,
    }
}
