//! Documents to learn from.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::refusal::Refusal;
use crate::{
    engine::Validator,
    kinds::{Kind, ParseOptions},
    text::{Source, clip, nearest, visible},
};

/// Documents to learn from: the valid ones of `examples/`, and for other kinds the shortest valid examples
/// of their rules.
#[derive(Debug)]
pub(super) struct ExampleSet(BTreeMap<String, Document>);

/// One document.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) kind: String,
    pub(super) description: String,
    pub(super) text: String,
}

/// Maximum number of examples per kind that are taken from rules.
const FROM_RULES: usize = 3;

impl ExampleSet {
    /// Collects the examples, keeping only documents without findings.
    pub(super) fn new(validator: &Validator) -> Self {
        let kinds = validator.ruleset().kinds();
        let mut set: BTreeMap<String, Document> = BTreeMap::new();
        for (path, text) in embedded() {
            let Some(kind) = kinds.for_path(Path::new(&path), &text) else { continue };
            if is_clean(validator, kind.as_ref(), &path, &text) {
                let description = described(&path, &text);
                set.insert(id_of(&path), Document { kind: kind.name().to_owned(), description, text });
            }
        }
        for kind in kinds.iter() {
            if !set.values().any(|document| document.kind == kind.name()) {
                set.extend(from_rules(validator, kind.as_ref()));
            }
        }
        Self(set)
    }

    /// The example of this id.
    pub(super) fn get(&self, id: &str) -> Option<&Document> {
        self.0.get(id)
    }

    /// All examples by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.0.iter().map(|(id, document)| (id.as_str(), document))
    }
}

/// The files of `examples/`, by path.
pub(super) fn embedded() -> BTreeMap<String, String> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/examples.json"))).unwrap_or_default()
}

/// Whether a document has no findings, without access to other files.
pub(super) fn is_clean(validator: &Validator, kind: &dyn Kind, path: &str, text: &str) -> bool {
    let source = Arc::new(Source::new(path, text));
    validator.validate(&source, kind, &ParseOptions::default()).diagnostics.is_empty()
}

/// `qtype/chat.qtype.yaml` is `qtype/chat`.
fn id_of(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let stem = name.split('.').next().unwrap_or(name);
    if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") }
}

/// The description in a document: its first comment, `description:` or `title:`.
fn described(path: &str, text: &str) -> String {
    let lines = || text.lines().map(str::trim).take(60);
    let comment = |line: &'_ str| {
        let own = line.strip_prefix("# ").or_else(|| line.strip_prefix("%% "));
        own.or_else(|| line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix("-->")))
            .map(str::to_owned)
    };
    let field = |name: &str| {
        let mut found = lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim));
        found.find(|value| !value.is_empty()).map(|value| value.trim_matches(['"', '\'']).to_owned())
    };
    let first = lines().find(|line| !line.is_empty() && *line != "---").and_then(comment);
    let said = first
        .or_else(|| field("description"))
        .or_else(|| field("title"))
        .or_else(|| lines().find_map(comment));
    clip(&visible(said.as_deref().unwrap_or(path)), 120).trim().to_owned()
}

/// The shortest valid examples of a kind's rules that have at least three lines.
fn from_rules(validator: &Validator, kind: &dyn Kind) -> Vec<(String, Document)> {
    let ruleset = validator.ruleset();
    let mut found = Vec::new();
    for rule in ruleset.rules().iter().filter(|rule| rule.kinds.iter().any(|name| name == kind.name())) {
        for example in ruleset.help(rule).examples.into_iter().filter(|example| !example.invalid) {
            let Some(text) = example.sample.text.filter(|text| text.lines().count() >= 3) else { continue };
            let name = example.sample.raw.name.unwrap_or_else(|| "document".into());
            found.push((text, name, rule));
        }
    }
    found.sort_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
    found.dedup_by(|a, b| a.0 == b.0);
    let clean = found.into_iter().filter(|(text, name, _)| is_clean(validator, kind, name, text));
    let document = |(text, _, rule): (String, String, &Arc<crate::rules::Rule>)| {
        let description = format!("follows the rule {} {}", rule.id, rule.name);
        (
            format!("{}/{}", kind.name(), rule.name),
            Document { kind: kind.name().to_owned(), description, text },
        )
    };
    clean.take(FROM_RULES).map(document).collect()
}

/// The refusal for an unknown example.
pub(super) fn unknown(examples: &ExampleSet, id: &str) -> Refusal {
    let shown = visible(&clip(id, 60)).into_owned();
    let known = || examples.iter().map(|(id, _)| id);
    let longer = known().find(|known| known.strip_prefix(id).is_some_and(|rest| rest.starts_with('-')));
    let near = longer.or_else(|| nearest(id, known())).map(|near| format!(": did you mean `{near}`?"));
    Refusal::because(format!("there is no example `{shown}`{}", near.unwrap_or_default()))
        .next("list_examples lists the ids")
}
