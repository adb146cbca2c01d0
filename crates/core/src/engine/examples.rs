//! Examples of rules, run as tests: an invalid one must fire, a valid one must not, a fix must keep
//! the laws of fixes.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use super::{
    contract::Contract,
    settings::Settings,
    validator::{InProject, Outcome, Validator},
};
use crate::{
    checks::{Recorder, Unmet, part_of_path},
    diagnostic::{Applicability, Diagnostic, Fix, Severity},
    kinds::{
        Document, FileState, Kind, KindOptions, Limits, Observation, ParseOptions, SharedName, SharedNames,
        Surroundings, quill::QuillSet,
    },
    rules::{
        ENGINE_KIND, ENGINE_OBSERVABLES, Example, Expectation, LintedFile, Rule, Ruleset, Sample,
        raw::RawRunFact,
    },
    text::{Edit, Source, Span, apply_edits, nearest},
    tree::Node,
};

/// An example that does not show what it should.
#[derive(Debug, Clone)]
pub struct ExampleFailure {
    /// The rule's id.
    pub rule: String,
    /// Position of the example among the rule's; nothing when it concerns all of them.
    pub example: Option<usize>,
    /// Name of the fact, one of those that kind `rulefile` declares.
    pub fact: &'static str,
    /// Named values for messages.
    pub values: Vec<(&'static str, Value)>,
}

impl ExampleFailure {
    fn new(rule: &Rule, example: Option<usize>, fact: &'static str) -> Self {
        Self { rule: rule.id.clone(), example, fact, values: vec![("rule", rule.id.clone().into())] }
    }

    fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((name, value.into()));
        self
    }
}

impl std::fmt::Display for ExampleFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.rule)?;
        if let Some(example) = self.example {
            write!(f, " example {}", example + 1)?;
        }
        write!(f, ": {}", self.fact.replace('-', " "))?;
        for (name, value) in self.values.iter().skip(1) {
            write!(f, "; {name}: {value}")?;
        }
        Ok(())
    }
}

/// Runs all examples of a rule.
pub fn try_examples(ruleset: &Arc<Ruleset>, rule: &Rule, examples: &[Example]) -> Vec<ExampleFailure> {
    let is_known = |kind: &String| kind == ENGINE_KIND || ruleset.kind(kind).is_some();
    if !rule.kinds.is_empty() && !rule.kinds.iter().any(is_known) {
        // That the kind does not exist, or why, is reported where it is named.
        return Vec::new();
    }
    let mut failures = Vec::new();
    let mut selected = rule.check.observed().is_some();
    for example in examples {
        let Some(trial) = Trial::new(ruleset, rule, &example.sample, None) else { continue };
        let (document, diagnostics) = trial.run(&trial.text);
        selected = selected || trial.selects(&document);
        let own: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.id == rule.id).collect();
        let quoted = format!("`{}`", rule.id);
        if let Some(failed) =
            diagnostics.iter().find(|d| d.name == "rule-failed" && d.message.contains(&quoted))
        {
            let failure = ExampleFailure::new(rule, Some(example.index), "rule-fails");
            // The other examples would report it again.
            return vec![failure.with("detail", failed.message.as_str())];
        }
        if !example.invalid {
            if let Some(first) = own.first() {
                let failure = ExampleFailure::new(rule, Some(example.index), "firing-valid-example");
                let failure = failure.with("line", first.location.line);
                failures.push(failure.with("message", first.message.as_str()));
            }
            continue;
        }
        if own.is_empty() {
            let mut others: Vec<&str> = diagnostics.iter().map(|d| d.id.as_str()).collect();
            others.dedup();
            let failure = ExampleFailure::new(rule, Some(example.index), "silent-invalid-example");
            failures.push(failure.with("others", others.join(", ")));
            continue;
        }
        failures.extend(compare(rule, example, &own));
        failures.extend(trial.fix_laws(example, &diagnostics));
    }
    if !selected && !examples.is_empty() {
        failures.push(ExampleFailure::new(rule, None, "selects-nothing"));
    }
    failures
}

/// Validates the document of an example, with its rule on. Nothing where the example cannot run: its
/// kind does not exist or its file could not be read.
pub fn run_example(ruleset: &Arc<Ruleset>, rule: &Rule, sample: &Sample) -> Option<Outcome> {
    let trial = Trial::new(ruleset, rule, sample, None)?;
    let (document, diagnostics) = trial.run(&trial.text);
    Some(Outcome::new(document, diagnostics))
}

/// Validates the documents of examples, without trying their fixes, and notes what they exercise.
pub(super) fn record_examples(ruleset: &Arc<Ruleset>, rule: &Rule, examples: &[Example]) -> Arc<Recorder> {
    let recorder = Arc::new(Recorder::default());
    for example in examples {
        if let Some(trial) = Trial::new(ruleset, rule, &example.sample, Some(&recorder)) {
            trial.run(&trial.text);
        }
    }
    recorder
}

/// The failures of a rule file's examples, as observations on it.
pub(super) fn observe(
    linted: &LintedFile,
    ruleset: &Arc<Ruleset>,
    document: &Document,
    read: &dyn Fn(&str) -> std::io::Result<String>,
) -> Vec<Observation> {
    let extended = Arc::new(ruleset.extended(&linted.pack, &linted.file.rules));
    let root = document.tree.root();
    let mut observations = Vec::new();
    for (rule, pointer) in linted.file.rules.iter().zip(&linted.file.pointers) {
        let Some(node) = document.tree.at_pointer(pointer) else { continue };
        let json = node.get("examples").map_or(Value::Null, |examples| examples.to_json());
        let examples = Ruleset::examples(&json, read);
        let failures = try_examples(&extended, rule, &examples);
        if failures.is_empty() {
            observations.extend(unmet(&extended, (rule, node), &examples));
        }
        for failure in failures {
            let example = failure
                .example
                .and_then(|index| document.tree.at_pointer(&format!("{pointer}/examples/{index}")));
            let place = example.or_else(|| node.get("id")).unwrap_or(root);
            // What is expected and not so is what is likely wrong.
            let expectation = match failure.fact {
                "unexpected-findings" => place.entry("expect"),
                "fixed-differs" | "fix-missing" => place.entry("fixed"),
                _ => None,
            };
            let entry = expectation.or_else(|| place.entries().next());
            let span = entry.map_or(place.span(), |entry| entry.key_span());
            let observation = Observation::new(failure.fact, span).on(place.id());
            observations.push(
                failure.values.into_iter().fold(observation, |seen, (name, value)| seen.with(name, value)),
            );
        }
    }
    observations
}

/// The paths in messages and conditions of a rule that lead to nothing in all of its examples. In a condition that
/// may be meant; it is a mistake where the examples have a similar name.
fn unmet(
    ruleset: &Arc<Ruleset>,
    (rule, written): (&Rule, Node<'_>),
    examples: &[Example],
) -> Vec<Observation> {
    let recorder = record_examples(ruleset, rule, examples);
    let observed = |unmet: Unmet| {
        let name = unmet.gap.name();
        let near = nearest(name, unmet.gap.known.iter().map(String::as_str));
        if !unmet.in_template && near.is_none() {
            return None;
        }
        let place = place_of(written, &unmet.source)?;
        let path: Vec<String> = unmet.gap.path.split('.').map(str::to_owned).collect();
        let part = part_of_path(&unmet.source, &path, unmet.gap.missing);
        let fact = if unmet.in_template { "empty-placeholder" } else { "absent-key" };
        let seen = Observation::new(fact, part.map_or(place.span(), |part| place.part(part))).on(place.id());
        let seen = seen.in_source(place.source_id()).with("path", unmet.gap.path.as_str()).with("name", name);
        Some(seen.with("nearest", near).with("known", unmet.gap.known.clone()))
    };
    recorder.unmet().into_iter().filter_map(observed).collect()
}

/// Where a rule has an expression or a template of this source; its examples are not looked at.
fn place_of<'t>(node: Node<'t>, source: &str) -> Option<Node<'t>> {
    if node.as_str() == Some(source) {
        return Some(node);
    }
    let inner = node.entries().filter(|entry| entry.key() != "examples").map(|entry| entry.value());
    inner.chain(node.items()).find_map(|inner| place_of(inner, source))
}

/// For each rule of a rule file with examples: where its id is, how many examples pass, and how many there are.
pub(super) fn counts(
    linted: &LintedFile,
    ruleset: &Arc<Ruleset>,
    document: &Document,
    read: &dyn Fn(&str) -> std::io::Result<String>,
) -> Vec<(Span, usize, usize)> {
    let extended = Arc::new(ruleset.extended(&linted.pack, &linted.file.rules));
    let count = |(rule, pointer): (&Rule, &String)| {
        let node = document.tree.at_pointer(pointer)?;
        let examples = Ruleset::examples(&node.get("examples")?.to_json(), read);
        let failures = try_examples(&extended, rule, &examples);
        let fails = |example: &&Example| {
            failures.iter().any(|failure| failure.example.is_none_or(|index| index == example.index))
        };
        let failed = examples.iter().filter(fails).count();
        let id = node.get("id").unwrap_or(node);
        Some((id.span(), examples.len() - failed, examples.len()))
    };
    linted.file.rules.iter().zip(&linted.file.pointers).filter_map(count).collect()
}

/// What the example says the findings are, and what they are.
fn compare(rule: &Rule, example: &Example, own: &[&Diagnostic]) -> Option<ExampleFailure> {
    if example.expect.is_empty() {
        return None;
    }
    let fits = |expected: &Expectation, found: &Diagnostic| {
        expected.at.as_ref().is_none_or(|at| found.location.path.as_ref() == Some(at))
            && expected.line.is_none_or(|line| found.location.line == line)
            && expected.column.is_none_or(|column| found.location.column == column)
            && expected.message.as_ref().is_none_or(|part| found.message.contains(part.as_str()))
    };
    let mut left: Vec<&Diagnostic> = own.to_vec();
    let all = example.expect.iter().all(|expected| {
        let found = left.iter().position(|found| fits(expected, found));
        found.map(|at| left.remove(at)).is_some()
    });
    if all && left.is_empty() {
        return None;
    }
    let with_columns = example.expect.iter().any(|expected| expected.column.is_some());
    let actual = |found: &&Diagnostic| {
        let at = &found.location;
        let column = if with_columns { format!(" column {}", at.column) } else { String::new() };
        format!("line {}{column} {}: {}", at.line, at.path.as_deref().unwrap_or(""), found.message)
    };
    let actual: Vec<String> = own.iter().map(actual).collect();
    let failure = ExampleFailure::new(rule, Some(example.index), "unexpected-findings");
    Some(failure.with("expected", example.expect.len()).with("actual", actual))
}

/// One sample of a rule, ready to be validated.
struct Trial<'r> {
    rule: &'r Rule,
    validator: Validator,
    kind: Arc<dyn Kind>,
    name: String,
    text: String,
    dialect: Option<String>,
    files: BTreeMap<String, String>,
    /// The quills among the files.
    quills: QuillSet,
    run: Option<RawRunFact>,
    binary: BTreeMap<String, Vec<u8>>,
    kind_options: KindOptions,
    alone: bool,
    limits: Limits,
}

/// The files of an example.
struct Around<'a> {
    trial: &'a Trial<'a>,
    own: &'a Arc<Source>,
    options: &'a ParseOptions<'a>,
}

impl Surroundings for Around<'_> {
    fn state(&self, path: &str) -> FileState {
        let state = self.state_at(path);
        match self.called_from_top(path).filter(|_| state == FileState::Missing) {
            Some(path) => self.state_at(&path),
            None => state,
        }
    }

    fn names(&self, path: &str) -> Option<Arc<SharedNames>> {
        let top = self.called_from_top(path).filter(|_| self.state_at(path) == FileState::Missing);
        self.names_at(top.as_deref().unwrap_or(path))
    }
}

impl Around<'_> {
    /// A path that leads out of the folder of the example, as the files of the example are called.
    fn called_from_top(&self, path: &str) -> Option<String> {
        let (folder, _) = self.trial.name.rsplit_once('/').filter(|_| path.starts_with(".."))?;
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in path.split('/') {
            match part {
                ".." => parts.pop().map(|_| ())?,
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    }

    fn state_at(&self, path: &str) -> FileState {
        let Trial { files, binary, name, .. } = self.trial;
        let is_below =
            |file: &String| path == "." || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        if path == name || files.contains_key(path) || binary.contains_key(path) {
            FileState::File
        } else if files.keys().chain(binary.keys()).any(is_below) {
            FileState::Folder
        } else {
            FileState::Missing
        }
    }

    fn names_at(&self, path: &str) -> Option<Arc<SharedNames>> {
        let kinds = self.trial.validator.ruleset().kinds();
        let (source, kind) = match self.trial.files.get(path) {
            Some(text) => (
                Arc::new(Source::new(path.to_owned(), text.as_str())),
                kinds.for_path(std::path::Path::new(path), text)?.as_ref(),
            ),
            None => (Arc::clone(self.own), self.trial.kind.as_ref()),
        };
        let names = self.trial.validator.linked_names(&source, kind, self.options)?;
        Some(Arc::new(SharedNames::of([(path.to_owned(), path.to_owned(), names.as_slice())])))
    }
}

impl<'r> Trial<'r> {
    fn new(
        ruleset: &Arc<Ruleset>,
        rule: &'r Rule,
        sample: &Sample,
        recorder: Option<&Arc<Recorder>>,
    ) -> Option<Self> {
        let kind_name = sample.raw.kind.as_ref().or(rule.kinds.iter().find(|kind| *kind != ENGINE_KIND));
        // Rules of the run itself are shown on a plain document.
        let kind = ruleset.kind(kind_name.map_or("yaml", String::as_str))?;
        let mut options: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        if !sample.raw.options.is_empty() {
            options.insert(rule.id.clone(), sample.raw.options.clone().into_iter().collect());
        }
        let settings = Settings {
            extend: vec![rule.id.clone()],
            options,
            today: Some("2026-01-01".into()),
            ..Settings::default()
        };
        Some(Self {
            rule,
            validator: Validator::new(Arc::clone(ruleset), settings).recording(recorder.cloned()),
            kind: Arc::clone(kind),
            name: sample.raw.name.clone().unwrap_or_else(|| "example".into()),
            text: sample.text.clone()?,
            dialect: sample.raw.dialect.clone(),
            quills: QuillSet::from_texts(
                sample.raw.files.iter().map(|(path, text)| (path.as_str(), text.as_str())),
            ),
            files: sample.raw.files.clone(),
            run: sample.raw.run.clone(),
            binary: sample.raw.binary.clone(),
            kind_options: sample.raw.kind_options(),
            alone: sample.raw.alone,
            limits: sample.raw.limits.unwrap_or_default(),
        })
    }

    fn run(&self, text: &str) -> (Document, Vec<Diagnostic>) {
        let source = Arc::new(Source::new(self.name.clone(), text));
        let read = |path: &str| {
            let own = (path == self.name).then(|| text.to_owned());
            let text = self.files.get(path).cloned().or(own).map(String::into_bytes);
            let file = text.or_else(|| self.binary.get(path).cloned());
            file.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
        };
        let options = ParseOptions {
            dialect: self.dialect.as_deref(),
            read: if self.alone { None } else { Some(&read) },
            environment: Some(&|_| None),
            kind_options: Some(&self.kind_options),
            limits: self.limits,
            ..ParseOptions::default()
        };
        let outcome = match self.run.as_ref().and_then(run_fact) {
            Some(fact) => self.validator.run_fact(&source, fact),
            None => {
                let contract = Contract::Named(&self.quills);
                let kind = self.kind.as_ref();
                let around = Around { trial: self, own: &source, options: &options };
                let follows = self.rule.check.follows_links() && !self.alone;
                let files = follows.then_some(&around as &dyn Surroundings);
                let project = InProject { names: self.project(&options), files, ..InProject::default() };
                self.validator.validate_in_project(contract, &project, &source, kind, &options)
            }
        };
        (outcome.document, outcome.diagnostics)
    }

    /// What the files beside the example declare, for a rule that compares the documents of a project.
    fn project(&self, options: &ParseOptions<'_>) -> Option<Arc<SharedNames>> {
        if !self.rule.compares_documents {
            return None;
        }
        let declared: Vec<(String, Vec<SharedName>)> = self
            .files
            .iter()
            .map(|(path, text)| {
                let source = Arc::new(Source::new(path.clone(), text.as_str()));
                (path.clone(), self.validator.shared_names(&source, self.kind.as_ref(), options))
            })
            .collect();
        let files = declared.iter().map(|(path, names)| (path.clone(), path.clone(), names.as_slice()));
        Some(Arc::new(SharedNames::of(files)))
    }

    fn selects(&self, document: &Document) -> bool {
        let own =
            document.kind == self.kind.name() || self.rule.kinds.iter().any(|kind| *kind == document.kind);
        let mut here = false;
        document.visit(self.rule.by_parts, |document| {
            let root = document.tree.root();
            here |= own && self.rule.given.iter().any(|path| path.first(root).is_some());
        });
        here || document.embedded.iter().any(|embedded| self.selects(embedded))
    }

    /// A fix removes its own finding, adds no error, and leaves nothing to do for a second run.
    fn fix_laws(&self, example: &Example, before: &[Diagnostic]) -> Vec<ExampleFailure> {
        let mut failures = Vec::new();
        let failure = |fact| ExampleFailure::new(self.rule, Some(example.index), fact);
        let wanted = example.fixed.as_ref().and_then(|fixed| fixed.text.as_deref());
        let fixable: Vec<&Diagnostic> =
            before.iter().filter(|d| d.id == self.rule.id && !d.fixes.is_empty()).collect();
        let Some(first) = fixable.first() else {
            if wanted.is_some() {
                failures.push(failure("fix-missing"));
            }
            return failures;
        };
        // A safe fix keeps the laws wherever it is offered. Other fixes that do not keep them here are not offered
        // here.
        let mut kept = false;
        let mut broken = None;
        for fix in &first.fixes {
            let failed = self.broken_law(example, before, fix);
            kept |= failed.is_none();
            match failed {
                Some(failed) if fix.applicability == Applicability::Safe => failures.push(failed),
                failed => broken = broken.or(failed),
            }
        }
        failures.extend(broken.filter(|_| !kept && failures.is_empty()));
        let fixed = self.fix_all();
        if wanted.is_some() && fixed.is_none() {
            return vec![failure("fix-not-idempotent")];
        }
        if !failures.is_empty() {
            return failures;
        }
        if let (Some(wanted), Some(fixed)) = (wanted, fixed)
            && fixed != wanted
        {
            failures.push(failure("fixed-differs").with("detail", difference(wanted, &fixed)));
        }
        failures
    }

    /// The law that a fix breaks on text with these findings.
    fn broken_law(&self, example: &Example, before: &[Diagnostic], fix: &Fix) -> Option<ExampleFailure> {
        let failure = |fact| Some(ExampleFailure::new(self.rule, Some(example.index), fact));
        let Some(once) = apply(&self.text, &fix.edits) else { return failure("fix-missing") };
        let (_, after) = self.run(&once);
        let added = self.added_errors(example, before, &after);
        let still = |list: &[Diagnostic]| list.iter().filter(|d| d.id == self.rule.id).count();
        if added.is_none() && still(&after) >= still(before) { failure("fix-keeps-finding") } else { added }
    }

    /// What a fix makes of text with these findings, where it may be offered.
    fn offered(&self, text: &str, before: &[Diagnostic], fix: &Fix) -> Option<String> {
        let once = apply(text, &fix.edits)?;
        let (_, after) = self.run(&once);
        let errors = |list: &[Diagnostic]| list.iter().filter(|d| d.severity == Severity::Error).count();
        let own = |list: &[Diagnostic]| list.iter().filter(|d| d.id == self.rule.id).count();
        (own(&after) < own(before) && errors(&after) <= errors(before)).then_some(once)
    }

    /// The text with the first fix of each finding of this rule applied, until there is none; nothing
    /// when that never ends.
    fn fix_all(&self) -> Option<String> {
        let mut text = self.text.clone();
        for _ in 0..20 {
            let (_, diagnostics) = self.run(&text);
            let mut own = diagnostics.iter().filter(|d| d.id == self.rule.id);
            // Where a finding has several fixes, the first that may be offered is applied. An only fix is applied
            // whatever it does, so that one which never comes to an end is seen.
            let offered = |found: &Diagnostic| match found.fixes.as_slice() {
                [only] => apply(&text, &only.edits),
                fixes => fixes.iter().find_map(|fix| self.offered(&text, &diagnostics, fix)),
            };
            let Some(next) = own.find_map(offered) else {
                return Some(text);
            };
            text = next;
        }
        None
    }

    fn added_errors(
        &self,
        example: &Example,
        before: &[Diagnostic],
        after: &[Diagnostic],
    ) -> Option<ExampleFailure> {
        let errors = |list: &[Diagnostic]| {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for diagnostic in list.iter().filter(|d| d.severity == Severity::Error) {
                *counts.entry(diagnostic.id.clone()).or_default() += 1;
            }
            counts
        };
        let before = errors(before);
        let added: Vec<String> = errors(after)
            .into_iter()
            .filter(|(id, count)| *count > before.get(id).copied().unwrap_or_default())
            .map(|(id, _)| id)
            .collect();
        (!added.is_empty()).then(|| {
            ExampleFailure::new(self.rule, Some(example.index), "fix-adds-error")
                .with("added", added.join(", "))
        })
    }
}

fn run_fact(raw: &RawRunFact) -> Option<Observation> {
    let known = ENGINE_OBSERVABLES.iter().find(|observable| observable.name == raw.fact)?;
    let mut fact = Observation::about_file(known.name.clone());
    for name in known.values.iter() {
        fact = fact.with(name.to_owned(), raw.values.get(name).cloned().unwrap_or_default());
    }
    Some(fact)
}

fn apply(text: &str, edits: &[crate::diagnostic::FixEdit]) -> Option<String> {
    let edits: Vec<Edit> = edits
        .iter()
        .filter(|edit| edit.file.is_none())
        .map(|edit| Edit { span: Span { start: edit.byte_start, end: edit.byte_end }, new: edit.new.clone() })
        .collect();
    apply_edits(text, &edits).ok()
}

/// The first line that differs, for a message.
fn difference(wanted: &str, actual: &str) -> String {
    let line = wanted.lines().zip(actual.lines()).position(|(wanted, actual)| wanted != actual);
    let line = line.unwrap_or_else(|| wanted.lines().count().min(actual.lines().count()));
    let show =
        |text: &str| text.lines().nth(line).map_or_else(|| "(no line)".to_owned(), |l| format!("`{l}`"));
    format!("line {}: wanted {}, the fix gives {}", line + 1, show(wanted), show(actual))
}
