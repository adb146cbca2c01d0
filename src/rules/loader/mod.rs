//! Raw → Checked: what rule files and packs say becomes [`Rule`]s, and everything that is wrong with
//! them becomes [`Fault`]s, all at once.

mod checks;
mod examples;
mod pack;
mod prune;
mod wording;

use serde_json::Value;

use self::examples::examples;
pub(super) use self::{
    examples::compile_examples,
    pack::{compile_pack, compile_raw_pack},
};
use super::{
    check::{Check, Demand},
    condition::Condition,
    fault::Fault,
    raw::{self, OneOrMany, RawRule},
    route::Route,
    rule::{Pack, Rule, Status},
};
use crate::{
    kinds::{self, Kind, Layer, Observable},
    text::Span,
    tree::JsonPath,
};

/// A file of rules, compiled.
#[derive(Debug, Clone, Default)]
pub struct LoadedFile {
    /// Path of the file, relative to its pack.
    pub path: String,
    /// The rules that can run.
    pub rules: Vec<Rule>,
    /// JSON Pointers to the rules, parallel to `rules`.
    pub pointers: Vec<String>,
    /// What is wrong with the others.
    pub faults: Vec<Fault>,
}

/// Why a pack cannot be loaded at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
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
    /// A file has faults, which `proofmark check` tells with their places.
    #[error("`{path}` has {count} fault(s), the first: {first}; run `proofmark check {path}` for all")]
    Faults {
        /// The file.
        path: String,
        /// How many.
        count: usize,
        /// The first one's name and values.
        first: String,
    },
}

impl LoadError {
    /// The error of a file with these faults; none when there are none.
    pub(super) fn of(path: &std::path::Path, faults: &[Fault]) -> Option<Self> {
        let first = faults.first()?;
        let values: Vec<String> =
            first.values.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        Some(Self::Faults {
            path: path.to_string_lossy().replace('\\', "/"),
            count: faults.len(),
            first: format!("{} ({})", first.name.replace('-', " "), values.join(", ")),
        })
    }
}

/// Reads a file of a pack by its path relative to the pack's folder.
pub(in crate::rules) type ReadFile<'a> = &'a dyn Fn(&str) -> std::io::Result<String>;

/// Compiles the rules of a built-in pack: what is compiled on first use is left for then, since tests
/// have compiled it.
pub(super) fn compile_embedded(rules: Vec<RawRule>, pack: &Pack, read: ReadFile<'_>) -> Vec<Rule> {
    let compile = |raw| {
        let mut compiler =
            Compiler { pack, read, deep: false, at: "", faults: Vec::new(), kinds: Vec::new() };
        compiler.rule(raw)
    };
    rules.into_iter().filter_map(compile).collect()
}

/// Compiles a rule file given as JSON: everything that is otherwise compiled on first use is compiled,
/// and every name is looked up.
pub(super) fn compile_file(path: &str, json: &Value, pack: &Pack, read: ReadFile<'_>) -> LoadedFile {
    let mut file = LoadedFile { path: path.to_owned(), ..LoadedFile::default() };
    let rules = json.get("rules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, rule) in rules.iter().enumerate() {
        let at = format!("/rules/{index}");
        match serde_json::from_value::<RawRule>(rule.clone()) {
            Ok(raw) => {
                let mut compiler =
                    Compiler { pack, read, deep: true, at: &at, faults: Vec::new(), kinds: Vec::new() };
                let rule = compiler.rule(raw);
                file.faults.append(&mut compiler.faults);
                if let Some(rule) = rule {
                    file.rules.push(rule);
                    file.pointers.push(at);
                }
            }
            Err(error) => {
                file.faults.push(Fault::new("undecodable-rule", &at).with("detail", error.to_string()));
                if let Some(raw) = prune::rule(rule) {
                    let mut compiler =
                        Compiler { pack, read, deep: true, at: &at, faults: Vec::new(), kinds: Vec::new() };
                    compiler.rule(raw);
                    file.faults.append(&mut compiler.faults);
                }
            }
        }
    }
    file
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn check_kind(kind: &str, pack: &Pack, at: &str, faults: &mut Vec<Fault>) {
    if kind != super::ENGINE_KIND && pack.kind(kind).is_none() {
        let known = kinds::all().iter().map(|kind| kind.name());
        let known = known.chain(pack.grammars.keys().map(String::as_str));
        faults.push(Fault::new("unknown-kind", at).with("kind", kind).among(kind, known));
    }
}

/// Compiles a path, at once when `deep`.
fn compile_path(source: &str, at: &str, deep: bool, faults: &mut Vec<Fault>) -> Option<JsonPath> {
    if !deep {
        return Some(JsonPath::deferred(source));
    }
    match source.parse::<JsonPath>() {
        Ok(path) => Some(path),
        Err(error) => {
            let mut fault = Fault::new("bad-jsonpath", at).with("path", source).with("detail", error.message);
            fault.part = Some(Span::new(error.offset.min(source.len()), source.len()));
            faults.push(fault);
            None
        }
    }
}

fn compile_paths(
    paths: Option<&OneOrMany<String>>,
    at: &str,
    deep: bool,
    faults: &mut Vec<Fault>,
) -> Vec<JsonPath> {
    match paths {
        None => Vec::new(),
        Some(OneOrMany::One(path)) => compile_path(path, at, deep, faults).into_iter().collect(),
        Some(OneOrMany::Many(paths)) => paths
            .iter()
            .enumerate()
            .filter_map(|(index, path)| compile_path(path, &format!("{at}/{index}"), deep, faults))
            .collect(),
    }
}

/// Makes what is asked of a type of the route it is compared with.
type Demanding = fn(Route) -> Demand;

struct Compiler<'a> {
    pack: &'a Pack,
    read: ReadFile<'a>,
    deep: bool,
    at: &'a str,
    faults: Vec<Fault>,
    kinds: Vec<String>,
}

/// Placeholders that every template may use.
const PLACEHOLDERS: &[&str] = &[
    "value", "found", "key", "path", "self", "parent", "root", "ancestor", "options", "nearest", "expected",
];

impl Compiler<'_> {
    fn fault(&mut self, name: &'static str, field: &str) -> &mut Fault {
        self.faults.push(Fault::new(name, format!("{}{field}", self.at)));
        let last = self.faults.len() - 1;
        &mut self.faults[last]
    }

    fn push(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn place_at(&self, field: &str) -> String {
        format!("{}{field}", self.at)
    }

    fn rule(&mut self, raw: RawRule) -> Option<Rule> {
        self.check_prefix(&raw.id);
        self.kinds = raw.kind.as_ref().map_or_else(|| self.pack.kinds.clone(), OneOrMany::to_vec);
        if self.deep {
            for (index, kind) in self.kinds.clone().iter().enumerate() {
                let at = match &raw.kind {
                    Some(OneOrMany::Many(_)) => self.place_at(&format!("/kind/{index}")),
                    _ => self.place_at("/kind"),
                };
                check_kind(kind, self.pack, &at, &mut self.faults);
            }
        }
        let before = self.faults.len();
        let options = self.options(&raw);
        let given = compile_paths(raw.given.as_ref(), &self.place_at("/given"), self.deep, &mut self.faults);
        if self.deep {
            self.check_selectors(&given, raw.given.as_ref());
        }
        let check = self.check(&raw.check, "/check", &options);
        self.check_given(check.as_ref(), &given, raw.given.is_some());
        let when = raw.when.as_ref().map(|when| self.condition(when, "/when"));
        let check = check?;
        let (values, places) = self.vocabulary(&check);
        let at = raw.at.as_ref().and_then(|place| self.place(place, "/at", &places));
        let message = self.template(&raw.message, "/message", &values, &options);
        let hint = raw.hint.as_ref().map(|hint| self.template(hint, "/hint", &values, &options));
        let related = self.related(&raw, &values, &places, &options);
        let fixes = self.fixes(&raw, &values, &places, &options);
        if self.deep {
            examples(&raw.examples, self.at, self.read, &mut self.faults);
        }
        if self.deep && self.faults.len() > before {
            return None;
        }
        Some(Rule {
            kinds: std::mem::take(&mut self.kinds),
            pack: self.pack.name.clone(),
            severity: raw.severity,
            since: raw.since,
            status: match raw.status {
                raw::RawStatus::Preview => Status::Preview,
                raw::RawStatus::Stable => Status::Stable,
                raw::RawStatus::Deprecated(by) => Status::Deprecated { replaced_by: by.replaced_by },
                raw::RawStatus::Removed => Status::Removed,
            },
            enabled: raw.enabled,
            tags: raw.tags,
            given,
            when,
            check,
            at,
            follows: raw.follows,
            yields_within: raw.yields_to.as_ref().and_then(|yields| yields.within.clone()),
            yields_to: raw.yields_to.map(|yields| yields.rules).unwrap_or_default(),
            message,
            hint,
            related,
            fixes,
            options: raw
                .options
                .into_iter()
                .map(|(name, option)| (name, (option.value_type, option.default, option.description)))
                .collect(),
            id: raw.id,
            name: raw.name,
        })
    }

    fn check_prefix(&mut self, id: &str) {
        let letters: String = id.chars().take_while(char::is_ascii_uppercase).collect();
        if !self.pack.prefixes.is_empty() && !self.pack.prefixes.contains(&letters) {
            let prefixes = self.pack.prefixes.clone();
            let fault = self.fault("wrong-prefix", "/id");
            *fault = fault.clone().with("id", id).with("prefixes", prefixes);
        }
    }

    fn options(&mut self, raw: &RawRule) -> Vec<String> {
        for (name, option) in &raw.options {
            if !option.value_type.fits(&option.default) {
                let at = self.place_at(&format!("/options/{}/default", escape(name)));
                let fault = Fault::new("option-default-type", at).with("option", name.as_str());
                self.push(
                    fault.with("type", option.value_type.name()).with("default", option.default.to_string()),
                );
            }
        }
        raw.options.keys().cloned().collect()
    }

    fn check_given(&mut self, check: Option<&Check>, given: &[JsonPath], written: bool) {
        let Some(check) = check else { return };
        match check.observed() {
            None if given.is_empty() && !written => {
                self.fault("missing-given", "");
            }
            Some((layer, _)) if written => {
                let name = if layer == Layer::Syntax { "syntax" } else { "fact" };
                let fault = self.fault("surplus-given", "/given");
                *fault = fault.clone().with("check", name);
            }
            _ => {}
        }
    }

    /// A selector that the tree's schema rules out would never select anything.
    fn check_selectors(&mut self, given: &[JsonPath], raw: Option<&OneOrMany<String>>) {
        for (index, path) in given.iter().enumerate() {
            let at = match raw {
                Some(OneOrMany::Many(_)) => self.place_at(&format!("/given/{index}")),
                _ => self.place_at("/given"),
            };
            let mut misses = Vec::new();
            for kind in &self.kinds {
                let Some(kind) = self.pack.kind(kind) else { return };
                let Ok(schema) = serde_json::from_str::<Value>(kind.tree_schema()) else { return };
                match super::selectable::impossible_name(&schema, path) {
                    None => {
                        misses.clear();
                        break;
                    }
                    Some(miss) => misses.push((kind.name(), miss)),
                }
            }
            if let Some((kind, miss)) = misses.into_iter().next() {
                let fault = Fault::new("impossible-selector", at).with("path", path.source());
                let fault = fault.with("segment", miss.name.as_str()).with("kind", kind);
                self.push(fault.among(&miss.name, miss.known.iter().map(String::as_str)));
            }
        }
    }

    fn condition(&mut self, source: &str, field: &str) -> Condition {
        let condition = Condition::new(source);
        if !self.deep {
            return condition;
        }
        let at = self.place_at(field);
        if let Some(detail) = condition.fault() {
            self.push(Fault::new("bad-cel", at).with("expression", source).with("detail", detail));
            return condition;
        }
        let (variables, functions) = condition.unknown_names();
        let known = [(variables, super::condition::NAMES), (functions, super::condition::FUNCTIONS)];
        for (names, known) in known {
            for name in names {
                let mut fault = Fault::new("unknown-cel-name", at.as_str()).with("name", name.as_str());
                fault.part = source.find(&name).map(|start| Span::new(start, start + name.len()));
                self.push(fault.among(&name, known.iter().copied()));
            }
        }
        condition
    }

    fn path(&mut self, source: &str, field: &str) -> Option<JsonPath> {
        let at = self.place_at(field);
        compile_path(source, &at, self.deep, &mut self.faults)
    }

    fn paths(&mut self, paths: Option<&OneOrMany<String>>, field: &str) -> Vec<JsonPath> {
        let at = self.place_at(field);
        compile_paths(paths, &at, self.deep, &mut self.faults)
    }

    fn kinds_known(&self) -> bool {
        self.kinds.iter().all(|kind| kind == super::ENGINE_KIND || self.pack.kind(kind).is_some())
    }

    fn observables(&self, layer: Layer, name: &str) -> Vec<&'static Observable> {
        let all = self.kinds.iter().flat_map(|kind| observables_of(kind, self.pack));
        all.filter(|observable| observable.layer == layer && observable.name == name).collect()
    }

    fn check_symbol(&mut self, name: &str, field: &str) {
        if self.deep && !self.pack.symbols.contains_key(name) {
            let fault = Fault::new("unknown-symbol", self.place_at(field)).with("symbol", name);
            let fault = fault.among(name, self.pack.symbols.keys().map(String::as_str));
            self.push(fault);
        }
    }

    fn ancestor(&mut self, name: &str, field: &str) -> Option<JsonPath> {
        let found = self.pack.ancestors.get(name).cloned();
        if found.is_none() {
            let fault = Fault::new("unknown-ancestor", self.place_at(field)).with("ancestor", name);
            let fault = fault.among(name, self.pack.ancestors.keys().map(String::as_str));
            self.push(fault);
        }
        found
    }

    fn check_option(&mut self, name: &str, field: &str, options: &[String]) {
        if !options.iter().any(|option| option == name) {
            let fault = Fault::new("unknown-option", self.place_at(field)).with("option", name);
            self.push(fault.among(name, options.iter().map(String::as_str)));
        }
    }

    /// The values and places that findings of a check have.
    fn vocabulary(&self, check: &Check) -> (Vec<String>, Vec<String>) {
        let (mut values, mut places): (Vec<String>, Vec<String>) = (
            check.values().into_iter().map(str::to_owned).collect(),
            check.places().into_iter().map(str::to_owned).collect(),
        );
        if let Some((layer, name)) = check.observed() {
            for observable in self.observables(layer, name) {
                values.extend(observable.values.iter().map(|value| (*value).to_owned()));
                places.extend(observable.places.iter().map(|place| (*place).to_owned()));
            }
        }
        (values, places)
    }
}

/// What a kind observes; for the engine's own rules what the engine observes.
fn observables_of(kind: &str, pack: &Pack) -> &'static [Observable] {
    if kind == super::ENGINE_KIND {
        return super::ENGINE_OBSERVABLES;
    }
    pack.kind(kind).map_or(&[], Kind::observables)
}

impl Pack {
    /// The kind of this name: a built-in one or that of a grammar of the pack.
    pub fn kind(&self, name: &str) -> Option<&'static dyn Kind> {
        let own = self.grammars.get(name).copied();
        own.map(|kind| kind as &dyn Kind).or_else(|| kinds::by_name(name))
    }
}
