use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;

use super::{
    raw::{RawOption, RawPack, RawStatus},
    rule::{Awaited, Waiting},
};
use crate::{budget::Once, checks::OneOrMany, diagnostic::Severity, kinds::Layer, tree::JsonPath};

/// The built-in packs and rules, made from `rules/` at build time.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Embedded {
    pub(super) packs: Vec<EmbeddedPack>,
    /// The heads of all rules, a line for each, ordered by their ids.
    rules: Stored,
}

impl Embedded {
    /// The heads of all rules, ordered by their ids.
    pub(super) fn heads(&self) -> impl Iterator<Item = Head> + use<> {
        let lines = Parts { rest: Some(self.rules.text()), separator: b'\n' };
        lines.filter_map(Head::read)
    }
}

/// A built-in pack, made from its folder in `rules/` at build time.
#[derive(Debug, Deserialize)]
pub(super) struct EmbeddedPack {
    pub(super) pack: RawPack,
    /// Its fix groups, as JSON.
    pub(super) fix_groups: Option<Stored>,
    /// The files that the pack names, by path.
    pub(super) assets: HashMap<String, Stored>,
}

/// What says whether a built-in rule is asked for at all. Every start reads all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    /// Position of its pack.
    pub(super) pack: usize,
    kinds: &'static str,
    marks: &'static str,
    /// The other fields.
    line: &'static str,
}

impl Head {
    /// Reads the beginning of a line as `head` in `crates/build/src/packs.rs` writes it.
    fn read(line: &'static str) -> Option<Self> {
        let mut fields = Parts { rest: Some(line), separator: b'\t' };
        let (pack, kinds, marks) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
        Some(Self { pack, kinds, marks, line: fields.rest? })
    }

    /// Whether the rule is for documents of a kind.
    pub(super) fn is_for(&self, kind: &str) -> bool {
        self.kinds.split(' ').any(|own| own == kind)
    }

    /// Whether the rule compares the document with others of the project.
    pub(super) fn compares_documents(&self) -> bool {
        self.marks.starts_with("compares")
    }

    /// Whether the rule or its pack is for some files only.
    pub(super) fn is_for_some_files(&self) -> bool {
        self.marks.ends_with("files")
    }
}

/// What selects a built-in rule, and where the rest of it is.
#[derive(Debug)]
pub(super) struct EmbeddedRule {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) kinds: Vec<String>,
    pub(super) severity: Severity,
    pub(super) since: &'static str,
    pub(super) enabled: bool,
    pub(super) tags: Vec<String>,
    pub(super) compares_documents: bool,
    /// The rule as its file says it, as JSON, without explanation and examples.
    pub(super) text: Stored,
    /// What it waits for, where that is all that it looks at.
    pub(super) waits: Option<Waiting>,
    pub(super) more: Uncommon,
}

/// What few rules have.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Uncommon {
    pub(super) files: Option<OneOrMany<String>>,
    pub(super) exclude: Option<OneOrMany<String>>,
    #[serde(default)]
    pub(super) status: RawStatus,
    #[serde(default)]
    pub(super) options: BTreeMap<String, RawOption>,
}

impl EmbeddedRule {
    /// Reads the other fields of a line.
    pub(super) fn read(head: Head) -> Option<Self> {
        let mut fields = Parts { rest: Some(head.line), separator: b'\t' };
        let mut next = || fields.next();
        let words = |field: &'static str| match field {
            "" => Vec::new(),
            _ => Parts { rest: Some(field), separator: b' ' }.map(str::to_owned).collect(),
        };
        Some(Self {
            id: next()?,
            name: next()?,
            kinds: words(head.kinds),
            severity: severity(next()?)?,
            since: next()?,
            enabled: next()? == "true",
            tags: words(next()?),
            compares_documents: head.compares_documents(),
            text: Stored(next()?.parse().ok()?, next()?.parse().ok()?),
            waits: {
                let (written, follows, yields_to) = (next()?, words(next()?), words(next()?));
                let awaited = written.split_once(' ').and_then(|(what, of)| awaited(what, of));
                awaited.map(|awaited| Waiting { awaited, follows, yields_to })
            },
            more: match next()? {
                "" => Uncommon::default(),
                json => serde_json::from_str(json).ok()?,
            },
        })
    }
}

/// What is between separators. A thousand lines are read at each start, so this must be quick.
struct Parts {
    rest: Option<&'static str>,
    /// A character of ASCII.
    separator: u8,
}

impl Iterator for Parts {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        let rest = self.rest?;
        let end = memchr::memchr(self.separator, rest.as_bytes());
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(&rest[..end.unwrap_or(rest.len())])
    }
}

/// What a rule waits for, as `waits` in `crates/build/src/packs.rs` writes it.
fn awaited(what: &str, of: &'static str) -> Option<Awaited> {
    let nodes = |by_parts: bool| {
        let (sought, paths) = match of.split_once('\u{1E}') {
            Some((pattern, paths)) => (Some(pattern), paths),
            None => (None, of),
        };
        Awaited::Nodes { given: paths.split('\u{1F}').map(JsonPath::deferred).collect(), by_parts, sought }
    };
    match what {
        "syntax" => Some(Awaited::Observation(Layer::Syntax, of)),
        "fact" => Some(Awaited::Observation(Layer::Fact, of)),
        "nodes" => Some(nodes(false)),
        "parts" => Some(nodes(true)),
        _ => None,
    }
}

fn severity(name: &str) -> Option<Severity> {
    match name {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        "note" => Some(Severity::Note),
        _ => None,
    }
}

/// The first and the last byte, exclusive, of a part of [`proofmark_rules::texts`].
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct Stored(usize, usize);

impl Stored {
    pub(super) fn text(self) -> &'static str {
        proofmark_rules::texts().get(self.0..self.1).unwrap_or_default()
    }
}

/// The built-in packs and rules.
pub(super) fn embedded() -> Embedded {
    serde_json::from_str(proofmark_rules::packs()).unwrap_or_default()
}

/// Explanations and examples of the built-in rules: `{id: {explain, examples}}`.
pub(super) fn help() -> Value {
    serde_json::from_str(proofmark_rules::help()).unwrap_or_default()
}

/// A built-in rule as its file says it, without explanation and examples.
pub(super) fn written(id: &str) -> Option<Value> {
    static RULES: Once<HashMap<&str, Stored>> = Once::new();
    let read = || {
        let rules = embedded().heads().filter_map(EmbeddedRule::read);
        rules.map(|rule| (rule.id, rule.text)).collect()
    };
    serde_json::from_str(RULES.get_or_init(read).get(id)?.text()).ok()
}

#[cfg(test)]
mod tests {
    use crate::{
        checks::OneOrMany,
        expressions::Patterns,
        rules::{Ruleset, loader},
        schema::Structure,
        tree::JsonPath,
    };

    #[test]
    fn globs_of_packs_are_valid() {
        let written =
            super::embedded().packs.into_iter().flat_map(|pack| [pack.pack.files, pack.pack.exclude]);
        let globs: Vec<String> = written.flatten().flat_map(OneOrMany::into_vec).collect();
        assert!(!globs.is_empty());
        assert_eq!(Patterns::new(&globs).err(), None);
    }

    /// They are compiled as far as documents reach, so their mistakes are looked for here.
    #[test]
    fn schemas_of_packs_have_no_mistakes() {
        let ruleset = Ruleset::builtin();
        let schemas = ruleset.packs().iter().flat_map(|pack| &pack.vocabulary.schemas);
        let mistakes: Vec<_> = schemas
            .clone()
            .flat_map(|(name, schema)| {
                Structure::faults(schema.json()).into_iter().map(move |mistake| (name, mistake))
            })
            .collect();
        assert_eq!(mistakes, []);
        assert!(schemas.count() > 10);
    }

    #[test]
    fn what_selects_a_rule_is_what_its_text_says() {
        let ruleset = Ruleset::builtin();
        let mut waiting = 0;
        for rule in ruleset.rules() {
            let written = super::written(&rule.id).unwrap();
            let pack = ruleset.pack(&rule.pack).unwrap();
            let whole = loader::compile_one(&written, pack, ruleset.kinds()).unwrap();
            let head = |rule: &crate::rules::Rule| {
                let crate::rules::Rule {
                    kinds, files, severity, since, status, enabled, tags, options, ..
                } = rule;
                format!("{kinds:?} {files:?} {severity:?} {since} {status:?} {enabled} {tags:?} {options:?}")
            };
            assert_eq!(head(rule), head(&whole), "{}", rule.id);
            assert_eq!(rule.compares_documents, whole.compares_documents, "{}", rule.id);
            assert!(!rule.message.source().is_empty(), "{} can be read", rule.id);
            if let Some(waits) = &rule.waits {
                waiting += 1;
                assert_eq!(rule.observed(), whole.check.observed(), "{}", rule.id);
                let paths = |paths: &[JsonPath]| -> Vec<String> {
                    paths.iter().map(|path| path.source().to_owned()).collect()
                };
                assert_eq!(paths(rule.selectors()), paths(&whole.given), "{}", rule.id);
                let by_parts = whole.by_parts && whole.check.observed().is_none();
                assert_eq!(rule.looks_at_parts(), by_parts, "{}", rule.id);
                // An expression of several lines is not in the head.
                let sought = whole.check.sought().filter(|regex| !regex.source().contains('\n'));
                assert_eq!(rule.sought_prefix(), sought.and_then(|regex| regex.prefix()), "{}", rule.id);
                assert_eq!(
                    (&waits.follows, &waits.yields_to),
                    (&whole.follows, &whole.yields_to),
                    "{}",
                    rule.id
                );
                let looks_further =
                    !whole.optional.is_empty() || !whole.lookups.is_empty() || whole.check.follows_links();
                assert!(!looks_further, "{} needs more than what it waits for", rule.id);
            }
        }
        let lines = super::embedded().rules.text().lines().count();
        assert!(waiting > 900, "{waiting} rules wait for an observation or for nodes");
        assert_eq!(lines, ruleset.rules().len(), "every head can be read");
    }
}
