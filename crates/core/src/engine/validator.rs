use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeSet,
    fmt,
    sync::Arc,
};

use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use super::{
    compose::{self, Composer, Fixing},
    contract::Contract,
    controls,
    fired::Fired,
    first::First,
    pass::{self, Pass, PassContext},
    plan::{Plan, Selection},
    secrets::Secrets,
    settings::Settings,
    suppression,
};
use crate::{
    budget::{self, Once},
    checks::{Context, Finding, NodeBindings, Recorder, State},
    diagnostic::{Diagnostic, Fix, FixEdit, Severity},
    kinds::{Document, Kind, Layer, Observation, ParseOptions, SharedNames, Surroundings, run},
    rules::{ENGINE_KIND, Rule, Ruleset},
    schema::TooComplex,
    text::{Fingerprint, Fragment, Source, SourceId, Span},
    tree::Node,
};

/// The rules that are on, ready to validate documents of every kind. Made once, shared by all threads.
pub struct Validator {
    ruleset: Arc<Ruleset>,
    settings: Settings,
    /// The rules of each kind, made ready when its first document comes.
    plans: Vec<(String, Once<Plan>)>,
    /// Second looks at documents that take more than their text.
    passes: &'static [&'static dyn Pass],
    today: String,
    /// Notes what rules exercise, where someone asked for it.
    recorder: Option<Arc<Recorder>>,
    /// The validator of rules that were not selected.
    others: Once<Option<Arc<Self>>>,
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What came of a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The document, with its tree.
    pub document: Document,
    /// The findings, ordered by place and id.
    pub diagnostics: Vec<Diagnostic>,
    /// Finds the errors of rules that were not selected.
    others: Option<Arc<Validator>>,
    /// The errors of rules that were not selected, once someone asks for them.
    unselected: Once<Vec<Diagnostic>>,
}

impl Outcome {
    /// A document with its findings.
    pub(super) fn new(document: Document, diagnostics: Vec<Diagnostic>) -> Self {
        Self { document, diagnostics, others: None, unselected: Once::new() }
    }

    /// The errors of rules that would be on if only some rules had not been selected. A change must not add these either.
    #[doc(hidden)]
    pub fn unselected_errors(&self) -> &[Diagnostic] {
        let Some(others) = &self.others else { return &[] };
        self.unselected.get_or_init(|| {
            let found = Found { without_fixes: true, ..Found::default() };
            let mut found = others.validate_into(found, &self.document);
            found.retain(|diagnostic| diagnostic.severity == Severity::Error);
            found
        })
    }

    /// Whether no finding is an error that counts.
    pub fn is_valid(&self) -> bool {
        !self.diagnostics.iter().any(|d| d.severity == Severity::Error && d.suppressed.is_none())
    }
}

impl Validator {
    /// A validator with these rules, settings and passes.
    pub(super) fn with_passes(
        ruleset: Arc<Ruleset>,
        settings: Settings,
        passes: &'static [&'static dyn Pass],
    ) -> Self {
        let kinds = ruleset.kinds().names().chain([ENGINE_KIND]);
        let plans = kinds.map(|kind| (kind.to_owned(), Once::new())).collect();
        let today = settings.today.clone().unwrap_or_else(crate::calendar::today);
        Self { ruleset, settings, plans, passes, today, recorder: None, others: Once::new() }
    }

    /// Sets the recorder, which notes what rules exercise.
    pub(super) fn recording(self, recorder: Option<Arc<Recorder>>) -> Self {
        Self { recorder, ..self }
    }

    /// The rules.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the result of a document depends on besides the document: rules, settings, and the day by
    /// which suppressions expire.
    pub fn fingerprint(&self) -> String {
        let settings = format!("{:?}", self.settings);
        Fingerprint::new().add(self.ruleset.fingerprint()).add(&settings).add(&self.today).hex()
    }

    /// How many of the errors that readers have counted are those of rules that are on.
    fn reported(&self, counted: Vec<(&str, u64)>, document: &Document) -> usize {
        if counted.is_empty() {
            return 0;
        }
        let reports = |kind: &str, name: &str| {
            let plan = self.plan(kind);
            plan.is_some_and(|plan| {
                [Layer::Syntax, Layer::Fact]
                    .iter()
                    .any(|layer| !plan.for_observation(*layer, name).is_empty())
            })
        };
        let kinds: BTreeSet<&str> =
            document.embedded.iter().chain([document]).map(|inner| inner.kind.as_ref()).collect();
        let counted = counted.into_iter().filter(|(name, _)| kinds.iter().any(|kind| reports(kind, name)));
        counted.map(|(_, count)| usize::try_from(count).unwrap_or(usize::MAX)).sum()
    }

    /// Reads and validates a document.
    pub fn validate(&self, source: &Arc<Source>, kind: &dyn Kind, options: &ParseOptions<'_>) -> Outcome {
        self.validate_against(Contract::None, source, kind, options)
    }

    /// Reads a document and validates it, also against a contract.
    #[doc(hidden)]
    pub fn validate_against(
        &self,
        contract: Contract<'_>,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Outcome {
        self.validate_in_project(contract, &InProject::default(), source, kind, options)
    }

    /// Reads a document and validates it, also against a contract and the other documents of its project.
    #[doc(hidden)]
    pub fn validate_in_project(
        &self,
        contract: Contract<'_>,
        project: &InProject<'_>,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Outcome {
        let limit = options.limits.text_bytes;
        if source.text().len() > limit {
            let fact = Observation::about_file("text-too-large")
                .with("bytes", source.text().len())
                .with("limit", limit);
            return self.run_fact(source, fact);
        }
        budget::share(source.text().len(), || {
            self.read_and_validate(contract, project, source, kind, options)
        })
    }

    /// Reads and validates text that is not too large, with its share of the budget. Comments in it may change the
    /// settings.
    fn read_and_validate(
        &self,
        contract: Contract<'_>,
        project: &InProject<'_>,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Outcome {
        if let Some(settings) = controls::settings(&self.ruleset, &self.settings, kind.name(), source) {
            let commented = Self::with_passes(Arc::clone(&self.ruleset), settings, self.passes)
                .recording(self.recorder.clone());
            return commented.validate_as_set(contract, project, source, kind, options);
        }
        self.validate_as_set(contract, project, source, kind, options)
    }

    /// Reads and validates a document under the settings of this validator, which are those for the document.
    fn validate_as_set(
        &self,
        contract: Contract<'_>,
        project: &InProject<'_>,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Outcome {
        budget::undescribed();
        let document = self.read(contract, project, source, kind, options);
        let uncomposed = self.reported(budget::undescribed(), &document);
        let without_fixes = project.without_fixes;
        // Whether a suppression is of use is known only where every rule runs.
        let only = project.only.filter(|_| !has_comments(&document));
        let found = Found { uncomposed, without_fixes, only, ..Found::default() };
        let mut diagnostics = if budget::is_left() {
            self.validate_into(found, &document)
        } else {
            let found = Found { partly_read: true, ..found };
            budget::last(|| self.validate_into(found, &document))
        };
        if let Some(exceeded) = budget::spent().exceeded {
            let fact = Observation::about_file("budget-exceeded").with("limit", exceeded.to_string());
            let facts = budget::despite(|| self.validate_document(&run::document(source, vec![fact])));
            diagnostics.splice(0..0, facts);
        }
        Outcome { others: self.others(), ..Outcome::new(document, diagnostics) }
    }

    /// The validator of the rules that are only off because others were selected.
    fn others(&self) -> Option<Arc<Self>> {
        let made = || {
            let mut settings = self.settings.beside_selection()?;
            settings.left_out.extend(self.on().map(|rule| rule.id.clone()));
            Some(Arc::new(Self::with_passes(Arc::clone(&self.ruleset), settings, &[])))
        };
        self.others.get_or_init(made).clone()
    }

    /// The rules that are on.
    fn on(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.ruleset.rules().iter().filter(|rule| self.settings.enables(rule))
    }

    /// Reads a document, with everything that is observed before the rules run.
    #[doc(hidden)]
    pub fn read(
        &self,
        contract: Contract<'_>,
        project: &InProject<'_>,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Document {
        budget::charge(source.text().len() as u64);
        let fragment = Fragment::contiguous(source.text(), source.span());
        let mut keys = self.plan(kind.name()).map(|plan| plan.asked_keys(kind).to_vec()).unwrap_or_default();
        keys.extend(options.keys);
        let options = &ParseOptions { keys: &keys, ..options.with_fences(self.ruleset.kinds()) };
        let mut document = kind.parse(source, &fragment, options);
        if let Some(names) = &project.names {
            share(&mut document, names);
            let looks_up = self.looks_up(&document.kind)
                || document.embedded.iter().any(|inner| self.looks_up(&inner.kind));
            if !document.parts.is_empty() || looks_up {
                let own = Arc::new(self.own_names(&document));
                share_own(&mut document, &own);
            }
        }
        if let Some(around) = project.files {
            self.follow_links(&mut document, around);
        }
        let sources = RefCell::default();
        let context = PassContext { ruleset: &self.ruleset, options, contract, sources };
        pass::run(self.passes, &mut document, &context);
        document
    }

    /// Validates a document that is already read.
    pub fn validate_document(&self, document: &Document) -> Vec<Diagnostic> {
        self.validate_into(Found::default(), document)
    }

    fn validate_into(&self, mut found: Found<'_>, document: &Document) -> Vec<Diagnostic> {
        self.evaluate(document, &mut found);
        let Found { mut diagnostics, uncomposed, .. } = found;
        let has_comments = has_comments(document);
        if diagnostics.is_empty() && !has_comments {
            return diagnostics;
        }
        sort(&mut diagnostics);
        if has_comments {
            let observations = suppression::apply(document, &mut diagnostics, &self.ruleset, &self.today);
            if !observations.is_empty() {
                self.evaluate_facts(&run::document(document.source(), observations), &mut diagnostics);
                sort(&mut diagnostics);
            }
        }
        controls::apply(&document.kind, document.source(), &mut diagnostics, &self.ruleset, &self.settings);
        self.cap(document, &mut diagnostics, uncomposed);
        let secrets = Secrets::of(document, self.ruleset.kinds());
        if !secrets.is_empty() {
            for diagnostic in &mut diagnostics {
                secrets.hide(diagnostic);
            }
        }
        compose::fingerprint(&mut diagnostics, document.tree.sources());
        resolve_causes(&mut diagnostics);
        diagnostics
    }

    /// What the run itself has to say of a file.
    #[doc(hidden)]
    pub fn run_fact(&self, source: &Arc<Source>, fact: Observation) -> Outcome {
        let document = run::document(source, vec![fact]);
        let diagnostics = self.validate_document(&document);
        Outcome::new(document, diagnostics)
    }

    /// The facts that a later stage found in a validated document, as diagnostics in order of position.
    #[doc(hidden)]
    pub fn run_facts(&self, source: &Arc<Source>, facts: Vec<Observation>) -> Vec<Diagnostic> {
        self.validate_document(&run::document(source, facts))
    }

    pub(super) fn plan(&self, kind: &str) -> Option<&Plan> {
        let (name, plan) = self.plans.iter().find(|(name, _)| *name == kind)?;
        // What rules exercise is noted also where they find nothing.
        let selects_all = self.recorder.is_some();
        Some(plan.get_or_init(|| Plan::new(&self.ruleset, &self.settings, name, selects_all)))
    }

    /// Adds the diagnostics of what the run itself has to say.
    fn evaluate_facts(&self, facts: &Document, diagnostics: &mut Vec<Diagnostic>) {
        let mut found = Found::default();
        self.evaluate(facts, &mut found);
        diagnostics.append(&mut found.diagnostics);
    }

    /// Adds the diagnostics of a document and those inside it.
    fn evaluate(&self, document: &Document, found: &mut Found<'_>) {
        if let Some(plan) = self.plan(&document.kind) {
            let mut evaluation = Evaluation::new(plan, document, self, found);
            let partly_read = found.partly_read;
            let (layers, nodes): (&[Layer], _) = if partly_read {
                (&[Layer::Syntax], plan.nothing())
            } else {
                (&[Layer::Syntax, Layer::Fact], plan.select(document, evaluation.left_out.as_deref()))
            };
            let mut unreported = evaluation.run(layers, &nodes);
            if plan.looks_at_parts() && !document.parts.is_empty() {
                found.first = std::mem::take(&mut evaluation.first);
                document.visit(true, |part| {
                    let mut inner = Evaluation::new(plan, part, self, found);
                    inner.whole = Some(&evaluation.fired);
                    let nodes = if partly_read {
                        plan.nothing()
                    } else {
                        plan.select_in_part(part, inner.left_out.as_deref())
                    };
                    unreported.extend(inner.run(layers, &nodes));
                    inner.finish(found);
                });
                evaluation.first = std::mem::take(&mut found.first);
            }
            evaluation.finish(found);
            unreported.extend(self.unreported(plan, document));
            if !unreported.is_empty() {
                self.evaluate(&run::document(document.source(), unreported), found);
            }
        }
        for embedded in &document.embedded {
            self.evaluate(embedded, found);
        }
    }

    /// Syntax errors that no rule reports, which the engine reports itself: a document that its kind cannot
    /// read is never valid.
    fn unreported(&self, plan: &Plan, document: &Document) -> Vec<Observation> {
        if document.observations.is_empty() {
            return Vec::new();
        }
        let Some(kind) = self.ruleset.kind(&document.kind) else { return Vec::new() };
        let is_syntax = |name: &str| {
            let mut declared = kind.observables().iter().filter(|known| known.name == name);
            declared.any(|known| known.layer == Layer::Syntax)
        };
        let own = document.observations.iter().filter(|seen| seen.source == SourceId(0));
        let unreported = own.filter(|seen| !plan.reports(&seen.name) && is_syntax(&seen.name));
        let value = |seen: &Observation, name: &str| {
            seen.values
                .iter()
                .find(|(known, _)| known == name)
                .map_or(Value::Null, |(_, value)| value.clone())
        };
        unreported
            .map(|seen| {
                Observation::new("unreported-syntax-error", seen.span)
                    .with("name", seen.name.as_ref())
                    .with("kind", document.kind.as_ref())
                    .with("wanted", value(seen, "expected"))
                    .with("seen", value(seen, "found"))
            })
            .collect()
    }

    /// Cuts the list at the limit and says so.
    fn cap(&self, document: &Document, diagnostics: &mut Vec<Diagnostic>, uncomposed: usize) {
        let limit = self.settings.limit();
        if diagnostics.len() > limit || uncomposed > 0 {
            let total = diagnostics.len() + uncomposed;
            // What the author has suppressed leaves its place to what is new.
            diagnostics.sort_by_key(|diagnostic| diagnostic.suppressed.is_some());
            diagnostics.truncate(limit);
            sort(diagnostics);
            let shown = diagnostics.len();
            let fact =
                Observation::about_file("too-many-diagnostics").with("shown", shown).with("total", total);
            let facts = run::document(document.source(), vec![fact]);
            self.evaluate_facts(&facts, diagnostics);
        }
    }
}

/// What a document is validated with besides its own text.
#[derive(Default)]
pub struct InProject<'a> {
    /// What the other documents of the project declare, where a rule asks for it.
    pub names: Option<Arc<SharedNames>>,
    /// The files around the document, where there may be some.
    pub files: Option<&'a dyn Surroundings>,
    /// Whether the findings need no fixes, as those of a version that is only tried.
    pub without_fixes: bool,
    /// Ids of the only rules whose findings count besides errors. The others may be left out.
    pub only: Option<&'a [&'a str]>,
}

/// What was found in a document.
#[derive(Debug, Default)]
struct Found<'p> {
    diagnostics: Vec<Diagnostic>,
    /// Further findings, of rules that have more of them than can be shown.
    uncomposed: usize,
    /// The findings that can be shown so far.
    first: First,
    /// The budget was used up before the document was read to its end. What is in the text is right or wrong by itself;
    /// whether anything is missing in it is not known.
    partly_read: bool,
    /// Diagnostics get no fixes: no one asks for them.
    without_fixes: bool,
    /// Ids of the only rules that are evaluated besides those for errors.
    only: Option<&'p [&'p str]>,
}

/// Whether a document has comments, which may suppress findings.
fn has_comments(document: &Document) -> bool {
    !document.comments.is_empty() || document.embedded.iter().any(|inner| !inner.comments.is_empty())
}

/// Gives a document and those inside it what the file itself declares.
fn share_own(document: &mut Document, names: &Arc<SharedNames>) {
    document.own_names = Some(Arc::clone(names));
    document.embedded.iter_mut().for_each(|inner| share_own(inner, names));
}

/// Gives a document and those inside it what the other documents of the project declare.
fn share(document: &mut Document, names: &Arc<SharedNames>) {
    document.project = Some(Arc::clone(names));
    document.embedded.iter_mut().for_each(|inner| share(inner, names));
}

/// Leaves a node that several selectors select in its first place.
fn once(nodes: &mut Vec<Node<'_>>) {
    let Some(tree) = nodes.first().map(|node| node.tree()) else { return };
    if nodes.is_sorted_by(|one, next| one.id() < next.id()) {
        return;
    }
    let mut seen = vec![0_u64; tree.len().div_ceil(u64::BITS as usize)];
    nodes.retain(|node| {
        let index = node.id().index();
        let bit = 1 << (index % u64::BITS as usize);
        let word = &mut seen[index / u64::BITS as usize];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    });
}

/// By place, then id, then message: always the same order.
fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.location.source, d.location.byte_start, d.location.byte_end);
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id)).then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup_by(|b, a| a.id == b.id && a.location == b.location && a.message == b.message);
}

/// `caused_by` names the cause by id and place until fingerprints are known.
fn resolve_causes(diagnostics: &mut [Diagnostic]) {
    if diagnostics.iter().all(|diagnostic| diagnostic.caused_by.is_none()) {
        return;
    }
    let fingerprints: HashMap<String, String> =
        diagnostics.iter().map(|d| (cause_key(d), d.fingerprint.clone())).collect();
    for diagnostic in diagnostics {
        if let Some(cause) = &diagnostic.caused_by {
            diagnostic.caused_by = fingerprints.get(cause).cloned();
        }
    }
}

fn cause_key(diagnostic: &Diagnostic) -> String {
    format!("{}@{}:{}", diagnostic.id, diagnostic.location.source.0, diagnostic.location.byte_start)
}

/// A value that its schema could not be evaluated on. It is a whole mapping mostly: its first key says where.
fn too_complex((node, error): (Node<'_>, TooComplex)) -> Observation {
    let name = "too-complex-for-schema";
    let span = node.entries().next().map_or(node.span(), |entry| entry.key_span());
    let own = node.source_id() == SourceId(0);
    let observation = if own { Observation::new(name, span) } else { Observation::about_file(name) };
    observation.with("steps", error.steps)
}

/// How many findings of a rule become diagnostics for each one that the limit allows: some are folded or suppressed.
const COMPOSED_FOR_EACH_SHOWN: usize = 2;

/// Findings of a rule that become diagnostics whatever the limit is.
const COMPOSED_AT_LEAST: usize = 2_000;

/// Findings of each rule that become diagnostics although others come before them: those of other rules may follow.
const COMPOSED_OF_EACH: usize = 100;

/// What a diagnostic costs, in steps: its templates, positions, and fixes, and its part in an answer.
const COMPOSED: u64 = 1_000;

/// One document under one plan.
struct Evaluation<'e, 't> {
    plan: &'e Plan,
    document: &'t Document,
    settings: &'e Settings,
    states: Vec<OnceCell<State<'t>>>,
    ruleset: &'t Ruleset,
    recorder: Option<&'t Recorder>,
    /// Findings' diagnostics by rule position.
    fired: HashMap<usize, Fired>,
    /// The diagnostics of the whole document by rule position, where this is a part of it.
    whole: Option<&'e HashMap<usize, Fired>>,
    /// Cause keys of observations' diagnostics by the observation's index.
    causes: HashMap<usize, String>,
    fixing: Fixing,
    /// Whether diagnostics get no fixes.
    without_fixes: bool,
    /// Rules whose findings do not count, by position, where there are some.
    left_out: Option<Vec<bool>>,
    /// Findings beyond what can be shown.
    uncomposed: usize,
    /// The findings that can be shown.
    first: First,
}

impl<'e, 't> Evaluation<'e, 't> {
    fn new(plan: &'e Plan, document: &'t Document, validator: &'t Validator, found: &mut Found<'_>) -> Self
    where
        't: 'e,
    {
        let ruleset = &validator.ruleset;
        Self {
            plan,
            document,
            settings: &validator.settings,
            states: (0..ruleset.packs().len()).map(|_| OnceCell::new()).collect(),
            ruleset,
            recorder: validator.recorder.as_deref(),
            fired: HashMap::new(),
            whole: None,
            causes: HashMap::new(),
            fixing: Fixing::new(document.source().text().len()),
            without_fixes: found.without_fixes,
            left_out: found.only.map(|only| plan.beside(only)),
            uncomposed: 0,
            first: std::mem::take(&mut found.first),
        }
    }

    /// Evaluates the rules for what was observed in these layers and for the nodes that they select; gives what kept a
    /// rule from being evaluated.
    fn run(&mut self, layers: &[Layer], selected: &Selection) -> Vec<Observation> {
        let mut observed = self.observed(layers);
        let mut failures = Vec::new();
        for &rule in &self.plan.order {
            if self.left_out.as_ref().is_some_and(|left_out| left_out[rule]) {
                continue;
            }
            let noted = if observed.is_empty() { None } else { observed.remove(&rule) };
            let findings = match noted {
                Some(indices) => self.of_observations(rule, indices),
                None if selected.of(self.plan.rules[rule].selectors.clone()).is_empty() => continue,
                None => self.of_nodes(rule, selected),
            };
            let findings = self.certain(rule, findings);
            self.uncomposed += self.states[self.plan.rules[rule].pack].get().map_or(0, State::take_further);
            self.compose(rule, &findings);
            failures.extend(self.failure(rule));
        }
        let states = self.states.iter().filter_map(OnceCell::get);
        let mut unevaluated: Vec<Observation> =
            states.filter_map(State::too_complex).filter(|_| budget::is_left()).map(too_complex).collect();
        unevaluated.append(&mut failures);
        unevaluated
    }

    /// Adds the diagnostics of the rules.
    fn finish(self, found: &mut Found<'_>) {
        let mut all: Vec<Diagnostic> = self.fired.into_values().flat_map(Fired::into_diagnostics).collect();
        if !self.settings.keep_folded {
            all.retain(|diagnostic| diagnostic.caused_by.is_none());
        }
        found.diagnostics.append(&mut all);
        found.uncomposed += self.uncomposed;
        found.first = self.first;
    }

    /// The findings of a rule so far, with those in the whole document.
    fn fired(&self, rule: usize) -> impl Iterator<Item = &Fired> {
        self.fired.get(&rule).into_iter().chain(self.whole.and_then(|whole| whole.get(&rule)))
    }

    /// Why a rule could not be evaluated.
    fn failure(&self, rule: usize) -> Option<Observation> {
        let planned = &self.plan.rules[rule];
        let failure = self.states[planned.pack].get()?.take_failure()?;
        let observation = match failure.node.filter(|node| node.source_id() == SourceId(0)) {
            Some(node) => Observation::new("rule-failed", node.span()),
            None => Observation::about_file("rule-failed"),
        };
        let observation = observation.with("rule", planned.rule.id.as_str()).with("part", failure.part);
        Some(observation.with("detail", failure.detail))
    }

    fn state(&self, rule: usize) -> &State<'t> {
        let pack = self.plan.rules[rule].pack;
        let vocabulary = || &self.ruleset.packs()[pack].vocabulary;
        let state = || State::new(self.document, vocabulary(), self.ruleset.kinds());
        self.states[pack].get_or_init(|| state().recording(self.recorder))
    }

    /// Notes that a part of a rule came to a result, where someone asked for it.
    fn note<T>(&self, part: &T, result: bool) {
        if let Some(recorder) = self.recorder {
            recorder.note(part, result);
        }
    }

    /// Observations of these layers by the rules that are for them.
    fn observed(&self, layers: &[Layer]) -> HashMap<usize, Vec<usize>> {
        let mut observed: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, observation) in self.document.observations.iter().enumerate() {
            for layer in layers {
                for rule in self.plan.for_observation(*layer, &observation.name) {
                    observed.entry(*rule).or_default().push(index);
                }
            }
        }
        observed
    }

    /// The findings of observations: as many as can be shown, the first ones of the document. The others are counted.
    fn of_observations(&mut self, rule: usize, mut indices: Vec<usize>) -> Vec<Finding<'t>> {
        let most = self.most_composed();
        if indices.len() > most {
            let place = |index: &usize| {
                let observation = &self.document.observations[*index];
                (observation.source.0, observation.span.start)
            };
            indices.sort_by_key(place);
        }
        let planned = &self.plan.rules[rule];
        let state = self.state(rule);
        let mut findings = Vec::new();
        let mut others = 0;
        for (position, index) in indices.iter().copied().enumerate() {
            if findings.len() == most && planned.rule.when.is_none() {
                others = indices.len() - position;
                break;
            }
            let observation = &self.document.observations[index];
            let node = observation.node.map(|id| self.document.tree.node(id));
            let finding = Finding::observed(observation, index, node);
            let holds = planned.rule.when.as_ref().is_none_or(|when| {
                let values = finding.values.as_slice();
                let holds = NodeBindings { state, node, options: &planned.options, values, other: None }
                    .hold(when, false);
                self.note(when, holds);
                holds
            });
            if holds && findings.len() < most {
                self.note(&planned.rule.check, false);
                findings.push(finding);
            } else {
                others += usize::from(holds);
            }
        }
        self.uncomposed += others;
        findings
    }

    fn of_nodes(&self, rule: usize, selected: &Selection) -> Vec<Finding<'t>> {
        let planned = &self.plan.rules[rule];
        let state = self.state(rule);
        // A condition on findings decides which of them count.
        let most = if planned.guards_findings() { usize::MAX } else { self.most_composed() };
        let context = Context { most, ..planned.context(state) };
        if self.recorder.is_some() {
            for (selector, path) in planned.selectors.clone().zip(&planned.rule.given) {
                selected.of(selector..selector + 1).iter().for_each(|_| self.note(path, true));
            }
        }
        // Nodes come by selector, in the order in which the rule gives them.
        let ids = selected.of(planned.selectors.clone());
        let mut nodes: Vec<Node<'t>> = ids.iter().map(|id| self.document.tree.node(*id)).collect();
        if planned.rule.given.len() > 1 {
            once(&mut nodes);
        }
        if nodes.len() > most {
            nodes.sort_by_key(|node| (node.source_id().0, node.span().start));
        }
        let guard = planned.rule.when.as_ref();
        if let Some(when) = guard.filter(|_| !planned.guards_findings()) {
            let holding = context.holding(when, nodes.len());
            nodes.retain(|node| {
                let holds = holding(*node, false);
                self.note(when, holds);
                holds
            });
        }
        let mut findings = planned.rule.check.run(&nodes, &context);
        if let Some(when) = guard.filter(|_| planned.guards_findings()) {
            findings.retain(|finding| {
                let (node, values) = (finding.node, finding.values.as_slice());
                let holds = NodeBindings { state, node, options: &planned.options, values, other: None }
                    .hold(when, false);
                self.note(when, holds);
                holds
            });
        }
        findings
    }

    /// The findings of a rule that hold whatever the actions of a template leave.
    fn certain(&self, rule: usize, mut findings: Vec<Finding<'t>>) -> Vec<Finding<'t>> {
        let Some(template) = self.document.template.as_deref() else { return findings };
        let text = self.document.source().text();
        let is_local = self.plan.rules[rule].rule.check.is_local();
        findings.retain(|finding| {
            let own = finding.source == SourceId(0) && template.region().contains(finding.span);
            // Readers have kept what is certain of the syntax.
            if !own || finding.observation.is_some() {
                return true;
            }
            let node = finding.node.map(Node::span).filter(|span| template.region().contains(*span));
            is_local
                && !template.is_near_action(text, node.map_or(finding.span, |node| node.cover(finding.span)))
        });
        findings
    }

    /// The fixes that leave the actions of a template as they are.
    fn beside_actions(&self, mut fixes: Vec<Fix>) -> Vec<Fix> {
        if let Some(template) = self.document.template.as_deref() {
            let touches =
                |edit: &FixEdit| template.has_action(Span { start: edit.byte_start, end: edit.byte_end });
            fixes.retain(|fix| !fix.edits.iter().any(|edit| edit.file.is_none() && touches(edit)));
        }
        fixes
    }

    fn compose(&mut self, rule: usize, findings: &[Finding<'t>]) {
        if findings.is_empty() {
            return;
        }
        let planned = &self.plan.rules[rule];
        let first = self.first_of(findings);
        let mut composed = Vec::with_capacity(first.len());
        let limit = self.settings.limit();
        for (position, finding) in first.iter().enumerate() {
            let place = (finding.source.0, finding.span.start);
            if position >= COMPOSED_OF_EACH && !self.first.has_room(place, limit) {
                self.uncomposed += 1;
                continue;
            }
            if !budget::charge(COMPOSED) {
                break;
            }
            let (state, fixing) = (self.state(rule), &self.fixing);
            let composer = Composer { planned, finding, state, fixing, shown: OnceCell::new() };
            let mut diagnostic = composer.diagnostic();
            diagnostic.caused_by = self.cause(rule, finding, &diagnostic);
            if !self.without_fixes && (diagnostic.caused_by.is_none() || self.settings.keep_folded) {
                diagnostic.fixes = self.beside_actions(composer.fixes());
            }
            if let Some(index) = finding.observation {
                self.causes.insert(index, cause_key(&diagnostic));
            }
            if diagnostic.caused_by.is_none() || self.settings.keep_folded {
                self.first.add(place, limit);
            }
            composed.push(diagnostic);
        }
        self.fired.insert(rule, Fired::new(composed));
    }

    /// How many findings of a rule become diagnostics.
    fn most_composed(&self) -> usize {
        (COMPOSED_FOR_EACH_SHOWN * self.settings.limit()).max(COMPOSED_AT_LEAST)
    }

    /// The findings of a rule that can be shown: where there are many more than the limit, the first ones of the document.
    /// The others are counted.
    fn first_of<'f>(&mut self, findings: &'f [Finding<'t>]) -> Vec<&'f Finding<'t>> {
        let mut first: Vec<&Finding<'t>> = findings.iter().collect();
        let most = self.most_composed();
        if first.len() > most {
            first.sort_by_key(|finding| (finding.source.0, finding.span.start));
            self.uncomposed += first.len() - most;
            first.truncate(most);
        }
        first
    }

    /// The finding that this one follows from: that of the observation's cause, or one of a rule it
    /// follows, at the same node, above or below it.
    fn cause(&self, rule: usize, finding: &Finding<'t>, diagnostic: &Diagnostic) -> Option<String> {
        let observed = finding.observation.and_then(|index| self.document.observations[index].cause);
        if let Some(cause) = observed {
            // Rules run by id, so that the cause may come later: its key follows from its position.
            return self.causes.get(&cause).cloned().or_else(|| self.cause_to_come(cause));
        }
        if let Some(cause) = self.yielded(rule, finding) {
            return Some(cause);
        }
        let here = &diagnostic.location;
        let own = Span { start: here.byte_start, end: here.byte_end };
        // What is declared wrongly is used wrongly.
        let declared = finding.places.iter().find(|(name, _)| *name == "declaration").map(|(_, span)| *span);
        let mut before = self.plan.rules[rule].follows.iter().flat_map(|rule| self.fired(*rule));
        let around = before.find_map(|fired| {
            let inside = fired.containing(here.source, own).or_else(|| fired.above(here));
            inside.or_else(|| fired.containing(here.source, declared?))
        });
        around.map(cause_key)
    }

    /// A finding of a rule that this one yields to, anywhere or in the same ancestor.
    fn yielded(&self, rule: usize, finding: &Finding<'t>) -> Option<String> {
        let planned = &self.plan.rules[rule];
        let mut fired = planned.yields_to.iter().flat_map(|rule| self.fired(*rule)).peekable();
        fired.peek()?;
        let Some(within) = &planned.rule.yields_within else {
            return fired.find_map(Fired::first).map(cause_key);
        };
        // A finding outside of all of them is about the document.
        let Some(around) = self.state(rule).ancestor(finding.node?, within) else {
            return fired.find_map(Fired::first).map(cause_key);
        };
        let around = around.pointer();
        fired.find_map(|fired| fired.below(&around)).map(cause_key)
    }

    fn cause_to_come(&self, index: usize) -> Option<String> {
        let cause = self.document.observations.get(index)?;
        let rules = [Layer::Syntax, Layer::Fact];
        let rule = rules.iter().flat_map(|layer| self.plan.for_observation(*layer, &cause.name)).next()?;
        let id = &self.plan.rules[*rule].rule.id;
        Some(format!("{id}@{}:{}", cause.source.0, cause.span.start))
    }
}
