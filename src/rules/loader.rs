//! Raw → Checked: what rule files and packs say becomes [`Rule`]s, and everything that is wrong with
//! them becomes [`Fault`]s, all at once.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::{
    check::{Check, Demand, Schema, Typed},
    condition::Condition,
    fault::Fault,
    place::{Base, Place},
    raw::{self, OneOrMany, RawCheck, RawExample, RawFix, RawPack, RawRule, RawSample},
    route::Route,
    rule::{Edit, Example, Expectation, Fix, Pack, Related, Rule, Sample, Status, Symbol},
    structure::Structure,
    template::Template,
};
use crate::{
    kinds::{self, Kind, Layer, Observable, grammar::GrammarKind},
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
pub(super) type ReadFile<'a> = &'a dyn Fn(&str) -> std::io::Result<String>;

/// Compiles a `pack.yaml` given as JSON.
pub(super) fn compile_pack(json: &Value, read: ReadFile<'_>) -> (Pack, Vec<Fault>) {
    match serde_json::from_value::<RawPack>(json.clone()) {
        Ok(raw) => compile_raw_pack(raw, read, false),
        Err(error) => {
            let fault = Fault::new("undecodable-rule", "").with("detail", error.to_string());
            (Pack::default(), vec![fault])
        }
    }
}

/// Compiles a decoded `pack.yaml`.
pub(super) fn compile_raw_pack(raw: RawPack, read: ReadFile<'_>, builtin: bool) -> (Pack, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut pack = Pack {
        reference_key: raw.reference_key,
        name: raw.name,
        description: raw.description,
        prefixes: raw.prefix.map(|prefix| prefix.to_vec()).unwrap_or_default(),
        kinds: raw.kinds,
        builtin,
        ..Pack::default()
    };
    for (name, path) in &raw.ancestors {
        if let Some(path) = compile_path(path, &format!("/ancestors/{}", escape(name)), &mut faults) {
            pack.ancestors.insert(name.clone(), path);
        }
    }
    for (name, symbol) in &raw.symbols {
        let at = format!("/symbols/{}", escape(name));
        let given = compile_paths(symbol.given.as_ref(), &format!("{at}/given"), &mut faults);
        let path = symbol.name.as_ref().and_then(|p| compile_path(p, &format!("{at}/name"), &mut faults));
        if let Some(within) = symbol.within.as_ref().filter(|within| !raw.ancestors.contains_key(*within)) {
            let known = raw.ancestors.keys().map(String::as_str);
            let fault = Fault::new("unknown-ancestor", format!("{at}/within"));
            faults.push(fault.with("ancestor", within.as_str()).among(within, known));
        }
        let typed = symbol.value_type.as_ref();
        let symbol = Symbol {
            given,
            name: path,
            value_type: typed.and_then(|path| compile_path(path, &format!("{at}/type"), &mut faults)),
            builtin: symbol.builtin.clone(),
            within: symbol.within.clone(),
        };
        pack.symbols.insert(name.clone(), symbol);
    }
    compile_schemas(&raw.schemas, read, &mut pack, &mut faults);
    compile_grammars(&raw.grammars, read, &mut pack, &mut faults);
    for (index, kind) in pack.kinds.iter().enumerate() {
        check_kind(kind, &pack, &format!("/kinds/{index}"), &mut faults);
    }
    faults.extend(redirect_cycles(&raw.redirects));
    (pack, faults)
}

/// Redirects that lead back to where they started, one fault a circle.
fn redirect_cycles(redirects: &BTreeMap<String, String>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for start in redirects.keys() {
        let mut names = vec![start];
        while let Some(next) = redirects.get(names[names.len() - 1]) {
            names.push(next);
            if next == start || names.len() > redirects.len() + 1 {
                break;
            }
        }
        // The circle is told once, at its first name.
        if names.len() > 1 && names.last() == Some(&start) && names.iter().all(|name| *name >= start) {
            let cycle: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let fault = Fault::new("redirect-cycle", format!("/redirects/{}", escape(start)));
            faults.push(fault.with("cycle", cycle.join(" → ")));
        }
    }
    faults
}

fn compile_schemas(
    schemas: &BTreeMap<String, String>,
    read: ReadFile<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    for (name, file) in schemas {
        let at = format!("/schemas/{}", escape(name));
        let text = match schema_text(file, read) {
            Ok(text) => text,
            Err(error) => {
                let fault = Fault::new("unreadable-file", at).with("file", file.as_str());
                faults.push(fault.with("detail", error.to_string()));
                continue;
            }
        };
        match serde_json::from_str::<Value>(&text) {
            Ok(schema) => {
                pack.schemas.insert(name.clone(), Arc::new(schema));
            }
            Err(error) => faults.push(Fault::new("bad-schema", at).with("detail", error.to_string())),
        }
    }
}

/// The text of a schema: a file of the pack, or the schema of a kind's tree.
fn schema_text(file: &str, read: ReadFile<'_>) -> std::io::Result<String> {
    match file.strip_prefix("kind:") {
        Some(kind) => kinds::by_name(kind)
            .map(|kind| kind.tree_schema().to_owned())
            .ok_or_else(|| std::io::Error::other(format!("there is no kind `{kind}`"))),
        None => read(file),
    }
}

fn compile_grammars(
    grammars: &BTreeMap<String, raw::RawGrammar>,
    read: ReadFile<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    for (name, grammar) in grammars {
        let at = format!("/grammars/{}/file", escape(name));
        match read(&grammar.file) {
            Ok(source) => match GrammarKind::compile(name, &source, &grammar.start, &grammar.languages) {
                Ok(kind) => {
                    pack.grammars.insert(name.clone(), kind);
                }
                Err(detail) => {
                    let fault = Fault::new("bad-grammar", at).with("file", grammar.file.as_str());
                    faults.push(fault.with("detail", detail));
                }
            },
            Err(error) => {
                let fault = Fault::new("unreadable-file", at).with("file", grammar.file.as_str());
                faults.push(fault.with("detail", error.to_string()));
            }
        }
    }
}

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
                if let Some(raw) = without_shape_faults(rule) {
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

/// A rule of which fields are unknown or missing, without the former and with something for the latter: what else
/// is wrong with it can then be told in the same run.
fn without_shape_faults(rule: &Value) -> Option<RawRule> {
    static FIELDS: OnceLock<Vec<String>> = OnceLock::new();
    let fields = FIELDS.get_or_init(|| {
        let schema = super::schemas::rule_file_schema();
        let known = schema["$defs"]["RawRule"]["properties"].as_object();
        known.map(|known| known.keys().cloned().collect()).unwrap_or_default()
    });
    let mut rule = rule.as_object()?.clone();
    rule.retain(|key, _| fields.contains(key));
    rule.get("check")?;
    for (key, value) in
        [("id", ""), ("name", ""), ("severity", "error"), ("since", ""), ("message", ""), ("explain", "")]
    {
        rule.entry(key).or_insert_with(|| value.into());
    }
    if rule["id"] == "" {
        return None;
    }
    serde_json::from_value(Value::Object(rule)).ok()
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

fn compile_path(source: &str, at: &str, faults: &mut Vec<Fault>) -> Option<JsonPath> {
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

fn compile_paths(paths: Option<&OneOrMany<String>>, at: &str, faults: &mut Vec<Fault>) -> Vec<JsonPath> {
    match paths {
        None => Vec::new(),
        Some(OneOrMany::One(path)) => compile_path(path, at, faults).into_iter().collect(),
        Some(OneOrMany::Many(paths)) => paths
            .iter()
            .enumerate()
            .filter_map(|(index, path)| compile_path(path, &format!("{at}/{index}"), faults))
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
        let given = compile_paths(raw.given.as_ref(), &self.place_at("/given"), &mut self.faults);
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
        compile_path(source, &at, &mut self.faults)
    }

    fn paths(&mut self, paths: Option<&OneOrMany<String>>, field: &str) -> Vec<JsonPath> {
        let at = self.place_at(field);
        compile_paths(paths, &at, &mut self.faults)
    }

    fn check(&mut self, raw: &RawCheck, field: &str, options: &[String]) -> Option<Check> {
        let set = raw.names();
        match set.len() {
            0 => {
                self.fault("no-check", field);
                return None;
            }
            1 => {}
            _ => {
                let fault = self.fault("several-checks", field);
                *fault = fault.clone().with("checks", set);
                return None;
            }
        }
        let here = format!("{field}/{}", set[0]);
        if let Some(name) = &raw.syntax {
            return self.observed(Layer::Syntax, name, &here);
        }
        if let Some(name) = &raw.fact {
            return self.observed(Layer::Fact, name, &here);
        }
        if let Some(schema) = &raw.schema {
            return self.schema(schema, &here);
        }
        if let Some(checks) = raw.all.as_ref().or(raw.any.as_ref()) {
            let checks: Vec<Check> = checks
                .iter()
                .enumerate()
                .filter_map(|(index, check)| self.check(check, &format!("{here}/{index}"), options))
                .collect();
            return Some(if raw.all.is_some() { Check::All(checks) } else { Check::Any(checks) });
        }
        if let Some(cases) = &raw.each {
            return Some(Check::Each(self.each(cases, &here, options)));
        }
        if let Some(check) = &raw.first {
            return self.check(check, &here, options).map(|check| Check::First(Box::new(check)));
        }
        if let Some(implies) = &raw.implies {
            let condition = self.check(&implies.condition, &format!("{here}/if"), options)?;
            let then = self.check(&implies.then, &format!("{here}/then"), options)?;
            return Some(Check::Implies(Box::new((condition, then))));
        }
        if let Some(check) = &raw.not {
            return self.check(check, &here, options).map(|check| Check::Not(Box::new(check)));
        }
        self.value_check(raw, &here).or_else(|| self.structure_check(raw, &here, options))
    }

    /// Checks on a value by itself.
    fn value_check(&mut self, raw: &RawCheck, here: &str) -> Option<Check> {
        if let Some(required) = &raw.required {
            let (keys, any) = match required {
                raw::RawRequired::One(key) => (vec![key.clone()], false),
                raw::RawRequired::All(keys) => (keys.clone(), false),
                raw::RawRequired::Any { any } => (any.clone(), true),
            };
            return Some(Check::Required { keys, any });
        }
        if let Some(forbidden) = &raw.forbidden {
            return Some(Check::Forbidden(match forbidden {
                raw::RawForbidden::Node(_) => None,
                raw::RawForbidden::One(key) => Some(vec![key.clone()]),
                raw::RawForbidden::Many(keys) => Some(keys.clone()),
            }));
        }
        if let Some(types) = &raw.value_type {
            return Some(Check::Type(types.to_vec()));
        }
        if let Some(one_of) = &raw.one_of {
            let (values, from, fold) = match one_of {
                raw::RawOneOf::Values(values) => (values.clone(), None, false),
                raw::RawOneOf::Detailed { values, from, fold } => (values.clone(), from.clone(), *fold),
            };
            let from = from.and_then(|from| self.path(&from, &format!("{here}/from")));
            return Some(Check::OneOf(super::check::OneOf { values, from, fold }));
        }
        if let Some(pattern) = &raw.pattern {
            return self.pattern(pattern, here);
        }
        if let Some(name) = &raw.format {
            let format = super::check::Format::by_name(name);
            if format.is_none() {
                let known = super::check::Format::NAMES.iter().copied();
                let fault = Fault::new("unknown-format", self.place_at(here)).with("format", name.as_str());
                self.push(fault.among(name, known));
            }
            return format.map(Check::Format);
        }
        raw.cel.as_ref().map(|cel| Check::Cel(self.condition(cel, here)))
    }

    /// Checks on how nodes relate.
    fn structure_check(&mut self, raw: &RawCheck, here: &str, options: &[String]) -> Option<Check> {
        if let Some(count) = &raw.count {
            return self.count(count, here, options);
        }
        if let Some(unique) = &raw.unique {
            let by = unique.by.as_ref().and_then(|by| self.path(by, &format!("{here}/by")));
            let within =
                unique.within.as_ref().and_then(|name| self.ancestor(name, &format!("{here}/within")));
            let across =
                unique.across.as_ref().and_then(|name| self.ancestor(name, &format!("{here}/across")));
            return Some(Check::Unique(super::check::Unique { by, within, across, fold: unique.fold }));
        }
        if let Some(reference) = &raw.reference {
            let to = reference.to.as_ref().map(OneOrMany::to_vec).unwrap_or_default();
            for name in &to {
                self.check_symbol(name, &format!("{here}/to"));
            }
            let name = reference.name.as_ref().and_then(|name| self.path(name, &format!("{here}/name")));
            let (report, once) = (reference.report, reference.once);
            return Some(Check::Reference(super::check::Reference { to, name, report, once }));
        }
        if let Some(acyclic) = &raw.acyclic {
            let name = self.path(&acyclic.name, &format!("{here}/name"))?;
            let edges = self.paths(acyclic.edges.as_ref(), &format!("{here}/edges"));
            return Some(Check::Acyclic(super::check::Acyclic { name, edges }));
        }
        if let Some(subset) = &raw.subset {
            return Some(self.subset(subset, here));
        }
        if let Some(typed) = &raw.typed {
            return self.typed(typed, here);
        }
        if let Some(range) = &raw.range {
            let below_of = range.below_of.as_ref();
            let below_of = below_of.and_then(|route| self.route(route, &format!("{here}/below_of")));
            let (min, above, max) = (range.min, range.above, range.max);
            return Some(Check::Range(super::check::Range {
                min,
                above,
                max,
                below_of,
                default: range.default,
            }));
        }
        let flow = raw.dataflow.as_ref()?;
        if let Some(steps) = &flow.steps {
            self.check_symbol(steps, &format!("{here}/steps"));
        }
        Some(Check::Dataflow(super::check::Dataflow {
            init: self.paths(flow.init.as_ref(), &format!("{here}/init")),
            over: self.path(&flow.over, &format!("{here}/over"))?,
            steps: flow.steps.clone(),
            uses: self.paths(flow.uses.as_ref(), &format!("{here}/uses")),
            defs: self.paths(flow.defs.as_ref(), &format!("{here}/defs")),
            must_define: self.paths(flow.must_define.as_ref(), &format!("{here}/must_define")),
        }))
    }

    fn pattern(&mut self, raw: &raw::RawPattern, here: &str) -> Option<Check> {
        let (source, expected, key, field) = match raw {
            raw::RawPattern::Matches(source) => (source.clone(), true, false, String::new()),
            raw::RawPattern::Detailed { matches: Some(source), not: None, key } => {
                (source.clone(), true, *key, "/matches".into())
            }
            raw::RawPattern::Detailed { matches: None, not: Some(source), key } => {
                (source.clone(), false, *key, "/not".into())
            }
            raw::RawPattern::Detailed { .. } => {
                let fault = self.fault("bad-bounds", here);
                *fault = fault.clone().with("detail", "give either `matches` or `not`");
                return None;
            }
        };
        let regex = super::check::LazyRegex::new(source.clone());
        if self.deep
            && let Some(detail) = regex.fault()
        {
            let fault = Fault::new("bad-regex", self.place_at(&format!("{here}{field}")));
            self.push(fault.with("pattern", source).with("detail", detail));
        }
        Some(Check::Pattern(super::check::Pattern { regex, expected, key }))
    }

    fn count(&mut self, raw: &raw::RawCount, here: &str, options: &[String]) -> Option<Check> {
        let (min, max) = match (&raw.eq, &raw.min, &raw.max) {
            (Some(eq), None, None) => (Some(eq.clone()), Some(eq.clone())),
            (None, None, None) | (Some(_), _, _) => {
                let fault = self.fault("bad-bounds", here);
                *fault = fault.clone().with("detail", "give `eq`, or `min` and `max`, or one of these");
                return None;
            }
            (None, min, max) => (min.clone(), max.clone()),
        };
        for bound in [&raw.eq, &raw.min, &raw.max].into_iter().flatten() {
            if let raw::Bound::Option(name) = bound {
                self.check_option(name.strip_prefix("options.").unwrap_or(name), here, options);
            }
        }
        let of = raw.of.as_ref().and_then(|of| self.path(of, &format!("{here}/of")));
        let filter = raw.filter.as_ref().map(|filter| self.condition(filter, &format!("{here}/where")));
        let (typed, distinct) = (raw.typed.clone(), raw.distinct);
        Some(Check::Count(super::check::Count { of, filter, typed, distinct, min, max }))
    }

    fn each(
        &mut self,
        cases: &[raw::RawEach],
        here: &str,
        options: &[String],
    ) -> Vec<(Vec<JsonPath>, Check)> {
        let mut compiled = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let paths = self.paths(case.of.as_ref(), &format!("{here}/{index}/of"));
            let check = self.check(&case.check, &format!("{here}/{index}/check"), options);
            compiled.extend(check.map(|check| (paths, check)));
        }
        compiled
    }

    fn route(&mut self, source: &str, field: &str) -> Option<Route> {
        match source.parse::<Route>() {
            Ok(route) => {
                for table in route.hops.iter().flat_map(|hop| &hop.tables) {
                    self.check_symbol(table, field);
                }
                if let Some(name) = &route.from {
                    self.ancestor(name, field)?;
                }
                Some(route)
            }
            Err(error) => {
                let fault = Fault::new("bad-jsonpath", self.place_at(field)).with("path", source);
                self.push(fault.with("detail", error.message));
                None
            }
        }
    }

    fn subset(&mut self, raw: &raw::RawSubset, here: &str) -> Check {
        let of = raw.of.as_ref().and_then(|of| self.route(of, &format!("{here}/of")));
        let within = raw.within.as_ref().map(OneOrMany::to_vec).unwrap_or_default();
        let within: Vec<Route> =
            within.iter().filter_map(|route| self.route(route, &format!("{here}/in"))).collect();
        Check::Subset(super::check::Subset { of, within, blame_node: raw.blame_node })
    }

    fn typed(&mut self, raw: &raw::RawTyped, here: &str) -> Option<Check> {
        let mut demands = Vec::new();
        if !raw.within.is_empty() {
            demands.push(Demand::OneOf(raw.within.clone()));
        }
        demands.extend(raw.list.map(Demand::List));
        demands.extend(raw.max_lists.map(Demand::MaxLists));
        demands.extend(raw.optional_elements.filter(|allowed| !allowed).map(|_| Demand::PlainElements));
        demands.extend(raw.readable.then_some(Demand::Readable));
        if let Some(tables) = raw.declared_in.as_ref().map(OneOrMany::to_vec) {
            for table in &tables {
                self.check_symbol(table, &format!("{here}/declared_in"));
            }
            demands.push(Demand::DeclaredIn(tables));
        }
        let routes: [(&str, &Option<String>, Demanding); 3] = [
            ("equals", &raw.equals, Demand::Equals),
            ("element_of", &raw.element_of, Demand::ElementOf),
            ("list_of", &raw.list_of, Demand::ListOf),
        ];
        for (name, route, demand) in routes {
            let route = route.as_ref().and_then(|route| self.route(route, &format!("{here}/{name}")));
            demands.extend(route.map(demand));
        }
        let of = raw.of.as_ref().and_then(|of| self.route(of, &format!("{here}/of")));
        let (Some(demand), true) = (demands.pop(), demands.is_empty()) else {
            let fault = self.fault("bad-bounds", here);
            *fault = fault.clone().with("detail", "ask exactly one thing of the type");
            return None;
        };
        Some(Check::Typed(Box::new(Typed { of, some: raw.some, demand, by_key: raw.by_key })))
    }

    fn schema(&mut self, raw: &raw::RawSchema, here: &str) -> Option<Check> {
        let document = match (&raw.schema, &raw.file) {
            (Some(schema), None) => Arc::new(schema.clone()),
            (None, Some(file)) => match self.pack.schemas.get(file) {
                Some(schema) => Arc::clone(schema),
                None => {
                    let known: Vec<&str> = self.pack.schemas.keys().map(String::as_str).collect();
                    let fault = Fault::new("bad-schema", self.place_at(&format!("{here}/file")));
                    let detail = format!("the pack has no schema `{file}`, only: {}", known.join(", "));
                    self.push(fault.with("detail", detail));
                    return None;
                }
            },
            _ => {
                let fault = self.fault("bad-schema", here);
                *fault = fault.clone().with("detail", "give either `schema` or `file`");
                return None;
            }
        };
        let schema = Schema {
            document,
            pointer: raw.pointer.clone().unwrap_or_default(),
            keywords: raw.keywords.clone(),
            validator: Arc::default(),
            structure: Arc::default(),
        };
        if self.deep {
            let detail = match schema.structure() {
                Some(structure) => structure.as_ref().err(),
                None => schema.validator().err(),
            };
            if let Some(detail) = detail.cloned() {
                let fault = self.fault("bad-schema", here);
                *fault = fault.clone().with("detail", detail);
                return None;
            }
            if let Some(schema) = &raw.schema {
                for (pointer, keyword) in super::selectable::unknown_keywords(schema) {
                    let at = self.place_at(&format!("{here}/schema{pointer}/{}", escape(&keyword)));
                    let fault = Fault::new("unknown-schema-keyword", at).of_key();
                    let known = super::selectable::KEYWORDS.iter().copied();
                    self.push(fault.with("keyword", keyword.as_str()).among(&keyword, known));
                }
            }
        }
        Some(Check::Schema(schema))
    }

    fn observed(&mut self, layer: Layer, name: &str, here: &str) -> Option<Check> {
        if self.deep && self.observables(layer, name).is_empty() && self.kinds_known() {
            let known: Vec<&str> = self
                .kinds
                .iter()
                .flat_map(|kind| observables_of(kind, self.pack))
                .filter(|observable| observable.layer == layer)
                .map(|observable| observable.name)
                .collect();
            let fault = Fault::new("unknown-observable", self.place_at(here)).with("name", name);
            let near = crate::text::nearest(name, known.iter().copied()).map_or(Value::Null, Value::from);
            let layer = if layer == Layer::Syntax { "syntax" } else { "fact" };
            let kinds = self.kinds.join("`, `");
            self.push(fault.with("nearest", near).with("kind", kinds).with("layer", layer));
            return None;
        }
        Some(Check::Observed(layer, name.to_owned()))
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

    fn template(&mut self, source: &str, field: &str, values: &[String], options: &[String]) -> Template {
        let template = Template::new(source);
        if !self.deep {
            return template;
        }
        let at = self.place_at(field);
        if let Some(detail) = template.fault() {
            self.push(Fault::new("bad-template", at).with("template", source).with("detail", detail));
            return template;
        }
        for name in template.placeholders() {
            let mut parts = name.split('.');
            let first = parts.next().unwrap_or_default();
            let second = parts.next();
            let unknown = |name: &str, known: Vec<&str>| {
                let mut fault = Fault::new("unknown-placeholder", at.as_str()).with("name", name);
                fault.part = source.find(name).map(|start| Span::new(start, start + name.len()));
                fault.among(name, known)
            };
            let fault = match (first, second) {
                ("options", Some(option)) if !options.iter().any(|known| known == option) => {
                    Some(unknown(option, options.iter().map(String::as_str).collect()))
                }
                ("ancestor", Some(ancestor)) if !self.pack.ancestors.contains_key(ancestor) => {
                    Some(unknown(ancestor, self.pack.ancestors.keys().map(String::as_str).collect()))
                }
                _ if PLACEHOLDERS.contains(&first) || values.iter().any(|value| value == first) => None,
                _ => {
                    let known = PLACEHOLDERS.iter().copied().chain(values.iter().map(String::as_str));
                    Some(unknown(first, known.collect()))
                }
            };
            self.faults.extend(fault);
        }
        template
    }

    fn place(&mut self, source: &str, field: &str, places: &[String]) -> Option<Place> {
        match source.parse::<Place>() {
            Err(detail) => {
                let fault = Fault::new("bad-place", self.place_at(field)).with("place", source);
                self.push(fault.with("detail", detail));
                None
            }
            Ok(Place { base: Base::Named(name), .. })
                if self.deep && !places.contains(&name) && !self.pack.ancestors.contains_key(&name) =>
            {
                let known = ["self", "key", "entry", "parent", "root"].into_iter();
                let known = known.chain(places.iter().map(String::as_str));
                let fault = Fault::new("unknown-place", self.place_at(field)).with("name", name.as_str());
                self.push(fault.among(&name, known));
                None
            }
            Ok(place) => Some(place),
        }
    }

    fn related(
        &mut self,
        raw: &RawRule,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Vec<Related> {
        let mut related = Vec::new();
        for (index, one) in raw.related.iter().enumerate() {
            let at = self.place(&one.at, &format!("/related/{index}/at"), places);
            let label = self.template(&one.label, &format!("/related/{index}/label"), values, options);
            related.extend(at.map(|at| Related { at, label }));
        }
        related
    }

    fn fixes(&mut self, raw: &RawRule, values: &[String], places: &[String], options: &[String]) -> Vec<Fix> {
        let single = raw.fix.iter().map(|fix| ("/fix".to_owned(), fix));
        let several = raw.fixes.iter().enumerate().map(|(index, fix)| (format!("/fixes/{index}"), fix));
        let all: Vec<(String, RawFix)> = single.chain(several).map(|(at, fix)| (at, fix.clone())).collect();
        all.into_iter().map(|(at, fix)| self.fix(&fix, &at, values, places, options)).collect()
    }

    fn fix(
        &mut self,
        raw: &RawFix,
        field: &str,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Fix {
        let own = raw::RawEdit {
            replace: raw.replace.clone(),
            at: raw.at.clone(),
            insert: raw.insert.clone(),
            before: raw.before.clone(),
            after: raw.after.clone(),
            delete: raw.delete.clone(),
        };
        let own_is_set = own.replace.is_some() || own.insert.is_some() || own.delete.is_some();
        let mut edits = Vec::new();
        if own_is_set {
            edits.extend(self.edit(&own, field, values, places, options));
        }
        for (index, edit) in raw.edits.iter().enumerate() {
            edits.extend(self.edit(edit, &format!("{field}/edits/{index}"), values, places, options));
        }
        if !own_is_set && raw.edits.is_empty() {
            let fault = self.fault("bad-fix", field);
            *fault =
                fault.clone().with("detail", "it has no edit: give `replace`, `insert`, `delete` or `edits`");
        }
        Fix {
            title: raw.title.as_ref().map(|t| self.template(t, &format!("{field}/title"), values, options)),
            applicability: raw.applicability,
            when: raw.when.as_ref().map(|when| self.condition(when, &format!("{field}/when"))),
            edits,
        }
    }

    fn edit(
        &mut self,
        raw: &raw::RawEdit,
        field: &str,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Option<Edit> {
        match (&raw.replace, &raw.insert, &raw.delete) {
            (Some(text), None, None) => {
                let text = self.template(text, &format!("{field}/replace"), values, options);
                let at = raw.at.as_deref().unwrap_or("self");
                Some(Edit::Replace(self.place(at, &format!("{field}/at"), places)?, text))
            }
            (None, Some(text), None) => {
                let text = self.template(text, &format!("{field}/insert"), values, options);
                match (&raw.before, &raw.after) {
                    (Some(place), None) => {
                        Some(Edit::Before(self.place(place, &format!("{field}/before"), places)?, text))
                    }
                    (None, Some(place)) => {
                        Some(Edit::After(self.place(place, &format!("{field}/after"), places)?, text))
                    }
                    _ => {
                        let fault = self.fault("bad-fix", field);
                        *fault = fault.clone().with("detail", "`insert` needs either `before` or `after`");
                        None
                    }
                }
            }
            (None, None, Some(place)) => {
                Some(Edit::Delete(self.place(place, &format!("{field}/delete"), places)?))
            }
            _ => {
                let fault = self.fault("bad-fix", field);
                *fault = fault.clone().with("detail", "give exactly one of `replace`, `insert` and `delete`");
                None
            }
        }
    }
}

/// Examples of a rule given as JSON; what is wrong with them is left out.
pub(super) fn compile_examples(json: &Value, read: ReadFile<'_>) -> Vec<Example> {
    let raw: Vec<RawExample> = serde_json::from_value(json.clone()).unwrap_or_default();
    examples(&raw, "", read, &mut Vec::new())
}

fn examples(raw: &[RawExample], at: &str, read: ReadFile<'_>, faults: &mut Vec<Fault>) -> Vec<Example> {
    let mut examples = Vec::new();
    for (index, example) in raw.iter().enumerate() {
        let at = format!("{at}/examples/{index}");
        let (sample, invalid) = match (&example.invalid, &example.valid) {
            (Some(sample), None) => (sample, true),
            (None, Some(sample)) => (sample, false),
            _ => {
                faults
                    .push(Fault::new("bad-example", at).with("detail", "it is either `invalid` or `valid`"));
                continue;
            }
        };
        let field = if invalid { "invalid" } else { "valid" };
        let sample = read_sample(sample, &format!("{at}/{field}"), read, faults);
        let fixed = example.fixed.as_ref();
        let fixed = fixed.map(|fixed| read_sample(fixed, &format!("{at}/fixed"), read, faults));
        let expect = example
            .expect
            .iter()
            .map(|e| Expectation { at: e.at.clone(), line: e.line, message: e.message.clone() })
            .collect();
        examples.push(Example { invalid, sample, expect, fixed, index });
    }
    examples
}

fn read_sample(raw: &RawSample, at: &str, read: ReadFile<'_>, faults: &mut Vec<Fault>) -> Sample {
    let text = match (&raw.source, &raw.file) {
        (Some(source), None) => Some(source.clone()),
        (None, Some(file)) => match read(file) {
            Ok(text) => Some(text),
            Err(error) => {
                let fault = Fault::new("unreadable-file", format!("{at}/file")).with("file", file.as_str());
                faults.push(fault.with("detail", error.to_string()));
                None
            }
        },
        _ => {
            faults.push(Fault::new("bad-example", at).with("detail", "it has either `source` or `file`"));
            None
        }
    };
    Sample { text, raw: raw.clone() }
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

impl RawCheck {
    /// Names of the check kinds that are set.
    pub fn names(&self) -> Vec<&'static str> {
        [
            ("syntax", self.syntax.is_some()),
            ("fact", self.fact.is_some()),
            ("schema", self.schema.is_some()),
            ("required", self.required.is_some()),
            ("forbidden", self.forbidden.is_some()),
            ("type", self.value_type.is_some()),
            ("one_of", self.one_of.is_some()),
            ("pattern", self.pattern.is_some()),
            ("count", self.count.is_some()),
            ("unique", self.unique.is_some()),
            ("reference", self.reference.is_some()),
            ("acyclic", self.acyclic.is_some()),
            ("dataflow", self.dataflow.is_some()),
            ("format", self.format.is_some()),
            ("subset", self.subset.is_some()),
            ("typed", self.typed.is_some()),
            ("range", self.range.is_some()),
            ("each", self.each.is_some()),
            ("first", self.first.is_some()),
            ("implies", self.implies.is_some()),
            ("all", self.all.is_some()),
            ("any", self.any.is_some()),
            ("not", self.not.is_some()),
            ("cel", self.cel.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, set)| set.then_some(name))
        .collect()
    }
}

impl Schema {
    /// For a schema with `discriminator`, what the engine evaluates on the tree itself.
    pub fn structure(&self) -> Option<&Result<Structure, String>> {
        self.structure.get_or_init(|| Structure::new(&self.document, &self.pointer)).as_ref()
    }

    /// The validator, built when first asked for: no network, no files, linear-time patterns.
    pub fn validator(&self) -> Result<&jsonschema::Validator, &String> {
        self.validator
            .get_or_init(|| {
                let mut document = (*self.document).clone();
                if !self.pointer.is_empty() {
                    if document.pointer(&self.pointer).is_none() {
                        return Err(format!("the schema has nothing at `{}`", self.pointer));
                    }
                    let defs = document.get("$defs").cloned().unwrap_or_default();
                    document = serde_json::json!({"$ref": format!("#{}", self.pointer), "$defs": defs});
                }
                jsonschema::options()
                    .with_pattern_options(jsonschema::PatternOptions::regex())
                    .should_validate_formats(true)
                    .build(&document)
                    .map_err(|error| error.to_string())
            })
            .as_ref()
    }
}
