//! Raw → Checked: what rule files and packs say becomes [`Rule`]s, and everything that is wrong with
//! them becomes [`Fault`]s, all at once.

mod examples;
mod fixes;
mod grammar;
mod kind;
mod pack;
mod prune;
mod schema_file;
mod yaml;

use std::sync::Arc;

use serde_json::Value;

use self::examples::examples;
pub(super) use self::{
    examples::compile_examples,
    kind::compile_kind,
    pack::{PackFiles, compile_pack, compile_raw_pack, is_kind_file},
    schema_file::misspelled_keywords,
    yaml::{yaml_to_json, yaml_tree},
};
use super::{
    embedded::EmbeddedRule,
    files::RuleFiles,
    raw::{RawDocuments, RawRule, RawStatus},
    rule::{Later, Pack, Rule, RuleBody, Status},
};
use crate::{
    budget,
    checks::{Check, Compiler, Fault, Field, OneOrMany},
    kinds::{Kinds, Observable},
    schema::{Violation, impossible_name},
    tree::JsonPath,
};

/// A file of rules, compiled.
#[derive(Debug, Clone, Default)]
pub struct LoadedFile {
    /// The rules that can run.
    pub rules: Vec<Rule>,
    /// JSON Pointers to the rules, parallel to `rules`.
    pub pointers: Vec<String>,
    /// What is wrong with the rules that cannot run.
    pub faults: Vec<Fault>,
}

/// Why a pack cannot be loaded at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why it cannot be read.
        source: std::io::Error,
    },
    /// Another folder has a pack of this name.
    #[error("`{path}` has the name of another pack, `{name}`: give it one of its own in `pack.yaml`")]
    SameName {
        /// The folder.
        path: String,
        /// The name.
        name: String,
    },
    /// There is no `pack.yaml`.
    #[error("`{0}` is not a pack: it has no `pack.yaml`")]
    NoPack(String),
    /// Loading it takes too much work or memory.
    #[error("`{path}` was not loaded: it exceeds {limit}")]
    TooMuch {
        /// The folder.
        path: String,
        /// The limit.
        limit: String,
    },
    /// A rule has the id or the name of another one.
    #[error("`{path}`: the {field} `{value}` belongs to a rule of {first}")]
    Clash {
        /// The file.
        path: String,
        /// JSON Pointer to the id or the name.
        pointer: String,
        /// `id` or `name`.
        field: &'static str,
        /// The id or the name.
        value: String,
        /// Where the other rule is.
        first: String,
    },
    /// An old id or name leads to a rule that does not exist.
    #[error("`{path}`: there is no rule `{rule}` to redirect to")]
    Redirect {
        /// The file.
        path: String,
        /// JSON Pointer to the redirect.
        pointer: String,
        /// What it leads to.
        rule: String,
        /// The most similar id or name of a rule.
        nearest: Option<String>,
    },
    /// A file has errors, which `proofmark check` reports with their places.
    #[error("`{path}` has {count} error(s), the first: {first}; run `proofmark check {path}` for all")]
    Faults {
        /// The file.
        path: String,
        /// The number of errors.
        count: usize,
        /// Name and values of the first error.
        first: String,
    },
}

impl LoadError {
    /// The error of a file with these faults and errors of its shape; none when there are none.
    pub(super) fn of(path: &std::path::Path, faults: &[Fault], shape: &[Violation<'_>]) -> Option<Self> {
        let first = match (shape.first(), faults.first()) {
            (Some(violation), _) => format!("`{}` {}", violation.node.pointer(), violation.detail),
            (None, Some(fault)) => {
                let named = |(_, value): &(_, Value)| value.as_str().map(|text| format!("`{text}`"));
                let subject = fault.values.first().and_then(named).unwrap_or_default();
                let near = fault.values.iter().find(|(name, _)| *name == "nearest").and_then(named);
                let near = near.map(|near| format!(", did you mean {near}?")).unwrap_or_default();
                format!("{} {subject}{near}", fault.name.replace('-', " "))
            }
            (None, None) => return None,
        };
        let count = faults.len() + shape.len();
        Some(Self::Faults { path: path.to_string_lossy().replace('\\', "/"), count, first })
    }
}

/// Reads a file of a pack by its path relative to the pack's folder.
pub(in crate::rules) type ReadFile<'a> = &'a dyn Fn(&str) -> std::io::Result<String>;

/// A rule of a built-in pack: what it does is compiled on first use, since tests have compiled it.
pub(super) fn embedded_rule(rule: EmbeddedRule, pack: &Arc<Pack>) -> Rule {
    let EmbeddedRule { text, more, .. } = rule;
    let of_pack = Arc::clone(pack);
    let body = move || {
        let kinds = Kinds::default();
        let Ok(mut raw) = serde_json::from_str::<RawRule>(text.text()) else { return RuleBody::inert() };
        let fixes = (raw.fix.take(), std::mem::take(&mut raw.fixes));
        let body = RuleCompiler::new(&of_pack, &kinds, NO_FILES, "", false).body(&mut raw);
        let Some(mut body) = body else { return RuleBody::inert() };
        if fixes.0.is_some() || !fixes.1.is_empty() {
            let pack = Arc::clone(&of_pack);
            body.fixes = Later::new(move || {
                let kinds = Kinds::default();
                RuleCompiler::new(&pack, &kinds, NO_FILES, "", false).fixes(fixes.0, fixes.1)
            });
        }
        body
    };
    Rule {
        files: [pack.files.clone(), RuleFiles::builtin(more.files.as_ref(), more.exclude.as_ref())],
        pack: pack.name.clone(),
        has_foreign_id: pack.control_comments.is_some(),
        kinds: rule.kinds,
        severity: rule.severity,
        since: rule.since.to_owned(),
        status: status(more.status),
        enabled: rule.enabled,
        tags: rule.tags,
        options: more.options,
        compares_documents: rule.compares_documents,
        id: rule.id.to_owned(),
        name: rule.name.to_owned(),
        waits: rule.waits,
        body: Later::new(body),
    }
}

/// Reads no file.
const NO_FILES: ReadFile<'static> = &|_| Err(std::io::Error::from(std::io::ErrorKind::NotFound));

fn status(raw: RawStatus) -> Status {
    match raw {
        RawStatus::Preview => Status::Preview,
        RawStatus::Stable => Status::Stable,
        RawStatus::Deprecated(by) => Status::Deprecated { replaced_by: by.replaced_by },
        RawStatus::Removed => Status::Removed,
    }
}

/// Compiles a rule given as JSON, without looking at its examples; nothing where it has a fault.
pub(super) fn compile_one(rule: &Value, pack: &Pack, registry: &Kinds) -> Option<Rule> {
    let mut compiler = RuleCompiler::new(pack, registry, NO_FILES, "", false);
    let rule = compiler.rule(serde_json::from_value(rule.clone()).ok()?)?;
    compiler.names.faults.is_empty().then_some(rule)
}

/// What compiling a rule costs, in steps, besides its expressions.
const RULE: u64 = 2_000;

/// Bytes of a compiled rule besides its expressions.
const RULE_BYTES: usize = 2_048;

/// Compiles a rule file given as JSON: everything that is otherwise compiled on first use is compiled,
/// and every name is looked up.
pub(super) fn compile_file(json: &Value, pack: &Pack, registry: &Kinds, read: ReadFile<'_>) -> LoadedFile {
    let mut file = LoadedFile::default();
    let rules = json.get("rules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, rule) in rules.iter().enumerate() {
        if !budget::charge(RULE) || !budget::allocate(RULE_BYTES) {
            break;
        }
        let at = format!("/rules/{index}");
        let mut compiler = RuleCompiler::new(pack, registry, read, &at, true);
        let mut faults = Vec::new();
        match serde_json::from_value::<RawRule>(rule.clone()) {
            Ok(raw) => {
                if let Some(rule) = compiler.rule(raw) {
                    file.rules.push(rule);
                    file.pointers.push(at.clone());
                }
            }
            Err(error) => {
                faults.push(Fault::new("undecodable-rule", &at).with("detail", error.to_string()));
                if let Some(raw) = prune::rule(rule) {
                    compiler.rule(raw);
                }
            }
        }
        faults.append(&mut compiler.names.faults);
        file.faults.extend(faults.into_iter().filter(|fault| budget::describe(fault.name)));
    }
    file
}

/// The fault of a name that no kind has.
fn unknown_kind(kind: &str, pack: &Pack, kinds: &Kinds, at: &Field<'_>) -> Option<Fault> {
    let broken = pack.broken_kinds.iter().any(|broken| broken.name == kind);
    let known = kind == super::ENGINE_KIND || broken || kinds.get(kind).is_some();
    (!known).then(|| Fault::new("unknown-kind", at).with("kind", kind).among(kind, kinds.names()))
}

/// Compiles one rule.
struct RuleCompiler<'a> {
    pack: &'a Pack,
    /// All kinds, those of the pack included.
    registry: &'a Kinds,
    read: ReadFile<'a>,
    /// Where the rule is written.
    at: Field<'a>,
    /// Looks up names and collects faults.
    names: Compiler<'a>,
}

impl<'a> RuleCompiler<'a> {
    fn new(pack: &'a Pack, registry: &'a Kinds, read: ReadFile<'a>, at: &'a str, deep: bool) -> Self {
        Self { pack, registry, read, at: Field::at(at), names: Compiler::new(&pack.vocabulary, deep) }
    }

    fn rule(&mut self, mut raw: RawRule) -> Option<Rule> {
        self.check_prefix(&raw.id);
        if self.names.deep {
            self.names.kinds = self.kinds_of(&raw);
            self.check_kinds(raw.kind.as_ref());
        }
        let before = self.names.faults.len();
        let (files, exclude) = (raw.files.as_ref(), raw.exclude.as_ref());
        let files = RuleFiles::compile(files, exclude, &self.at, &mut self.names.faults);
        let body = self.body(&mut raw)?;
        if self.names.deep && self.names.faults.len() > before {
            return None;
        }
        Some(Rule {
            kinds: std::mem::take(&mut self.names.kinds),
            files: [self.pack.files.clone(), files],
            pack: self.pack.name.clone(),
            has_foreign_id: self.pack.control_comments.is_some(),
            severity: raw.severity,
            since: raw.since,
            status: status(raw.status),
            enabled: raw.enabled,
            tags: raw.tags,
            options: raw.options,
            compares_documents: body.check.compares_documents() || !body.lookups.is_empty(),
            id: raw.id,
            name: raw.name,
            waits: None,
            body: body.into(),
        })
    }

    /// What a rule does.
    fn body(&mut self, raw: &mut RawRule) -> Option<RuleBody> {
        let (at, deep) = (self.at, self.names.deep);
        self.names.kinds = self.kinds_of(raw);
        if deep {
            self.names.observables = self.observables();
            self.names.trees = self.trees();
        }
        self.names.options = raw.options.keys().cloned().collect();
        let given = self.names.paths(raw.given.as_ref(), &at.key("given"));
        if deep {
            self.check_selectors(&given, raw.given.as_ref());
        }
        if deep && raw.check.is_condition() {
            self.names.selected.clone_from(&given);
        }
        let check = std::mem::take(&mut raw.check).compile(&at.key("check"), &mut self.names);
        if deep {
            self.names.selected.clone_from(&given);
        }
        let when = raw.when.as_ref().map(|when| self.names.condition(when, &at.key("when")));
        self.names.selected.clear();
        let check = check?;
        if deep {
            self.learn(&check);
        }
        let names = &mut self.names;
        let place = raw.at.as_ref().and_then(|place| names.place(place, &at.key("at")));
        let message = names.template(&raw.message, &at.key("message"));
        let hint = raw.hint.as_ref().map(|hint| names.template(hint, &at.key("hint")));
        let related = self.related(raw);
        let fixes = self.fixes(raw.fix.take(), std::mem::take(&mut raw.fixes)).into();
        if deep {
            self.check_samples(raw);
            examples(&raw.examples, &at.pointer(), self.read, &mut self.names.faults);
        }
        for symbol in self.names.lookups.iter().filter_map(|table| self.pack.vocabulary.symbols.get(table)) {
            for path in symbol.given.iter().chain(&symbol.name).chain(symbol.values.values().flatten()) {
                self.names.optional.extend(Compiler::mentioned(path.source()));
            }
        }
        let yields = raw.yields_to.take().unwrap_or_default();
        Some(RuleBody {
            by_parts: raw.documents.unwrap_or(self.pack.documents) == RawDocuments::Each,
            given,
            when,
            check,
            at: place,
            follows: std::mem::take(&mut raw.follows),
            yields_within: yields.within,
            yields_to: yields.rules,
            message,
            hint,
            related,
            fixes,
            keeps_page: raw.keeps_page,
            optional: std::mem::take(&mut self.names.optional).into_iter().collect(),
            lookups: std::mem::take(&mut self.names.lookups).into_iter().collect(),
        })
    }

    fn kinds_of(&self, raw: &RawRule) -> Vec<String> {
        raw.kind.as_ref().map_or_else(|| self.pack.kinds.clone(), OneOrMany::to_vec)
    }

    fn check_prefix(&mut self, id: &str) {
        let letters: String = id.chars().take_while(char::is_ascii_uppercase).collect();
        if !self.pack.prefixes.is_empty() && !self.pack.prefixes.contains(&letters) {
            let fault = Fault::new("wrong-prefix", &self.at.key("id")).with("id", id);
            self.names.report(fault.with("prefixes", self.pack.prefixes.clone()));
        }
    }

    /// Kinds that the rule names; those of the pack are checked there.
    fn check_kinds(&mut self, written: Option<&OneOrMany<String>>) {
        if written.is_none() {
            return;
        }
        let field = self.at.key("kind");
        for (index, kind) in self.names.kinds.iter().enumerate() {
            let at = match written {
                Some(OneOrMany::Many(_)) => field.index(index),
                _ => field,
            };
            self.names.faults.extend(unknown_kind(kind, self.pack, self.registry, &at));
        }
    }

    /// Kinds and options that examples name.
    fn check_samples(&mut self, raw: &RawRule) {
        let examples = self.at.key("examples");
        for (index, example) in raw.examples.iter().enumerate() {
            let at = examples.index(index);
            let samples =
                [("invalid", &example.invalid), ("valid", &example.valid), ("fixed", &example.fixed)];
            for (name, sample) in samples {
                let Some(sample) = sample else { continue };
                let at = at.key(name);
                if let Some(kind) = &sample.kind {
                    self.names.faults.extend(unknown_kind(kind, self.pack, self.registry, &at.key("kind")));
                }
                for option in sample.options.keys() {
                    self.names.option(option, &at.key("options").key(option));
                }
            }
        }
    }

    /// What the kinds of the rule can observe; nothing when one of them is unknown.
    fn observables(&self) -> Option<Vec<&'a Observable>> {
        let known = |kind: &String| kind == super::ENGINE_KIND || self.registry.get(kind).is_some();
        let kinds = &self.names.kinds;
        kinds
            .iter()
            .all(known)
            .then(|| kinds.iter().flat_map(|kind| observables_of(kind, self.registry)).collect())
    }

    /// The schemas of the trees of the rule's kinds; none where one of them is unknown.
    fn trees(&self) -> Vec<Value> {
        let tree = |kind: &String| {
            let kind = self.registry.get(kind)?;
            serde_json::from_str::<Value>(kind.tree_schema()).ok()
        };
        self.names.kinds.iter().map(tree).collect::<Option<_>>().unwrap_or_default()
    }

    /// A selector that the tree's schema rules out would never select anything.
    fn check_selectors(&mut self, given: &[JsonPath], raw: Option<&OneOrMany<String>>) {
        let field = self.at.key("given");
        for (index, path) in given.iter().enumerate() {
            let at = match raw {
                Some(OneOrMany::Many(_)) => field.index(index),
                _ => field,
            };
            let mut misses = Vec::new();
            for kind in &self.names.kinds {
                let Some(kind) = self.registry.get(kind) else { return };
                let Ok(schema) = serde_json::from_str::<Value>(kind.tree_schema()) else { return };
                match impossible_name(&schema, path) {
                    None => {
                        misses.clear();
                        break;
                    }
                    Some(miss) => misses.push((kind.name(), miss)),
                }
            }
            if let Some((kind, miss)) = misses.into_iter().next() {
                let fault = Fault::new("impossible-selector", &at).with("path", path.source());
                let fault = fault.with("segment", miss.name.as_str()).with("kind", kind);
                self.names.report(fault.among(&miss.name, miss.known.iter().map(String::as_str)));
            }
        }
    }

    /// Lets templates and places use what findings of the check have.
    fn learn(&mut self, check: &Check) {
        let (mut values, mut places) = (check.values(), check.places());
        if let Some((layer, name)) = check.observed() {
            self.names.has_unknown_values = self.names.observables.is_none();
            for observable in self.names.observable(layer, name) {
                values.extend(observable.values.iter());
                places.extend(observable.places.iter());
            }
        }
        self.names.values = values.into_iter().map(str::to_owned).collect();
        self.names.places = places.into_iter().map(str::to_owned).collect();
    }
}

/// What a kind observes; for the engine's own rules what the engine observes.
fn observables_of<'k>(kind: &str, kinds: &'k Kinds) -> &'k [Observable] {
    if kind == super::ENGINE_KIND {
        return &super::ENGINE_OBSERVABLES;
    }
    kinds.get(kind).map_or(&[], |kind| kind.observables())
}
