use std::{
    collections::HashMap,
    io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use super::{
    dependencies::{Dependencies, Recorder, locked},
    error::OpenErrors,
    index::Indexed,
    input::Input,
    kept::KeptFiles,
    kinds,
    links::Around,
    neighbors::{Neighbors, Read},
    quills::KnownQuills,
    resolved::Project,
};
use serde_json::Value;

use crate::{
    budget::{self, Budget},
    diagnostic::Applicability,
    engine::{Asked, Contract, InProject, Outcome, Survey, Trace, Validator},
    files::{self, Change, ReplaceError, TogetherError},
    fix::{Fixed, Fixer},
    kinds::{
        Document, EditorQuestions, Kind, KindOptions, ParseOptions, ReadFile, SharedName, SharedNames,
        Surroundings, Templating,
        markdown::{self, Dialect},
        quill::Quill,
    },
    rules::Rule,
    syntax::Observation,
    text::{Fingerprint, Source},
};

/// How many validations' budget fixing a document may take.
const FIXING: u32 = 8;

/// A document that was opened, with everything that its results depend on.
pub struct Subject<'p> {
    project: &'p Project,
    source: Arc<Source>,
    kind: Arc<dyn Kind>,
    kind_source: KindSource,
    validator: Arc<Validator>,
    dialect: Option<String>,
    /// Whether it is read as a template.
    templating: Templating,
    quills: Arc<KnownQuills>,
    /// The quill that it is validated against whichever it names.
    quill: Option<Arc<Quill>>,
    neighbors: Neighbors<'p>,
    /// The files beside it that were read, where they are kept.
    kept: KeptFiles,
    is_file: bool,
    /// Where the document is, or is to be.
    place: Option<PathBuf>,
    /// What was read for results, by the hash of the text that was validated.
    read: Mutex<HashMap<String, Dependencies>>,
    /// Set when no one waits for results any more.
    cancelled: Option<Arc<AtomicBool>>,
}

/// Why a document is read as its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindSource {
    /// The client asks for it.
    Asked,
    /// `[files] kinds` says it.
    Configured,
    /// The content of the file shows it.
    Content,
    /// The name of the file shows it.
    Name,
}

impl KindSource {
    /// The name of the reason, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Configured => "configured",
            Self::Content => "content",
            Self::Name => "name",
        }
    }
}

/// Why a document was not opened.
#[derive(Debug)]
pub enum NotOpened {
    /// Its text cannot be read.
    Unreadable {
        /// The findings about that.
        outcome: Box<Outcome>,
        /// Whether the file is there, and only its content cannot be used.
        exists: bool,
    },
    /// Its kind is not known.
    UnknownKind,
}

/// Why a document was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It is not in a file.
    #[error("only files can be written")]
    NotAFile,
    /// The file has changed since it was read.
    #[error("`{0}` has changed since it was read")]
    Changed(String),
    /// The file cannot be written.
    #[error("`{name}` cannot be written: {}", source.kind())]
    Failed {
        /// Its name.
        name: String,
        /// Why it cannot be written.
        source: io::Error,
    },
}

impl Project {
    /// Opens a document.
    ///
    /// # Errors
    /// [`NotOpened`] when its text cannot be read, or when its kind is not known.
    pub fn subject(&self, input: Input) -> Result<Subject<'_>, NotOpened> {
        Subject::open(self, input, false)
    }

    /// The files that are open in an editor, with the content that they have there.
    #[doc(hidden)]
    pub fn open_files(&self) -> Vec<(PathBuf, Arc<String>)> {
        self.buffers.as_ref().map(|buffers| buffers.all()).unwrap_or_default()
    }

    /// The text of a file that is open in an editor.
    pub(super) fn open_text(&self, path: &Path) -> Option<Arc<String>> {
        self.buffers.as_ref()?.text(&files::plain(&self.locate(path)))
    }

    /// Opens a document as the configuration alone says it, whatever the client asks for: what a document means to
    /// others does not depend on how they are read.
    pub(super) fn configured_subject(&self, input: Input) -> Result<Subject<'_>, NotOpened> {
        Subject::open(self, input, true)
    }
}

impl<'p> Subject<'p> {
    fn open(project: &'p Project, input: Input, as_configured: bool) -> Result<Self, NotOpened> {
        let project = match input.path.as_deref().map(|path| project.owner(path)) {
            Some(Ok(owner)) => owner,
            Some(Err((file, errors))) => return Err(misconfigured(project, &input, &file, errors)),
            None => project,
        };
        let is_file = input.is_file();
        let (own_kind, dialect, quill) = (input.kind.clone(), input.dialect.clone(), input.quill.clone());
        let Read { source, neighbors, path } = Read::new(project, input);
        let configured = path.as_deref().map(|path| project.configured_name(path));
        let key = path.as_deref().map(|path| project.fingerprint_name(path)).unwrap_or_default();
        let validator = project.validator_for(configured.as_deref());
        let source = match source {
            Ok(source) => Arc::new(source.with_key(key)),
            Err(unreadable) => {
                let exists = unreadable.has_content();
                let source = Arc::new(unreadable.source.with_key(key));
                let mut outcome = validator.run_fact(&source, unreadable.fact);
                project.mark_known(&mut outcome.diagnostics);
                return Err(NotOpened::Unreadable { outcome: Box::new(outcome), exists });
            }
        };
        let kinds = project.kinds();
        let chosen = project.chosen_kind().filter(|_| !as_configured);
        let asked = own_kind.as_ref().or(chosen).map(|kind| (kind, KindSource::Asked));
        let named = path.is_some().then(|| Path::new(source.name()));
        let of_config = || {
            let name = project.config().kind_of(configured.as_deref()?)?;
            Some((kinds.get(name)?, KindSource::Configured))
        };
        let of_content = || {
            let path = named?;
            Some((kinds.detect(path, source.text())?, KindSource::Content))
        };
        let templating = project.templating(path.as_deref(), configured.as_deref());
        let of_name = || {
            let kind = kinds::of_text(kinds, named, source.text())?;
            Some((kinds::as_template(kinds, kind, named, templating), KindSource::Name))
        };
        let found = asked.or_else(of_config).or_else(of_content).or_else(of_name);
        let (kind, kind_source) = found.ok_or(NotOpened::UnknownKind)?;
        let kind = Arc::clone(kind);
        let configured = configured.as_deref();
        let dialect = match dialect {
            _ if as_configured => project.configured_dialect(configured, kind.as_ref()).map(str::to_owned),
            None => project.dialect_of(configured, kind.as_ref()).map(str::to_owned),
            asked => asked,
        };
        // A document that is validated against a quill is one of the dialect in which quills are named, where
        // the document is to show which one it is.
        let shown = |dialect: &String| quill.is_some() && Dialect::named(dialect).is_none();
        let dialect = dialect.filter(|dialect| !shown(dialect));
        let dialect = dialect.or_else(|| {
            quill.as_ref().map(|_| markdown::dialect_with_quill(source.text()).name().to_owned())
        });
        Ok(Self {
            kind,
            kind_source,
            dialect,
            templating,
            quills: project.quills().now(),
            project,
            source,
            validator,
            quill,
            neighbors,
            kept: KeptFiles::default(),
            is_file,
            place: path,
            read: Mutex::default(),
            cancelled: None,
        })
    }

    /// The project that it was opened in.
    pub fn project(&self) -> &'p Project {
        self.project
    }

    /// The text with its name, as it was read.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The name in reports.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The text, as it was read.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The kind that it is read as.
    pub fn kind(&self) -> &dyn Kind {
        self.kind.as_ref()
    }

    /// Its outline as data, where its kind has outlines.
    #[doc(hidden)]
    pub fn outline(&self) -> Option<Value> {
        let read = |path: &str| self.neighbor(path);
        let read: Option<ReadFile<'_>> = if self.neighbors.is_none() { None } else { Some(&read) };
        let kind_options = Some(self.kind_options());
        let options = ParseOptions { read, kind_options, ..ParseOptions::default() };
        self.kind.outline_with(self.text(), &options)
    }

    /// The options of single kinds that it is read with.
    #[doc(hidden)]
    pub fn kind_options(&self) -> &KindOptions {
        self.project.kind_options()
    }

    /// Why it is read as that kind.
    #[doc(hidden)]
    pub fn kind_source(&self) -> KindSource {
        self.kind_source
    }

    /// The rules that are on for it.
    pub fn validator(&self) -> &Arc<Validator> {
        &self.validator
    }

    /// Whether its text was read from a file, which can be written.
    pub fn is_file(&self) -> bool {
        self.is_file
    }

    /// Lets validations of this document be ended from outside: soon after `cancelled` is set, by any thread, they return
    /// what they have found until then, with the diagnostic PM010.
    #[must_use]
    pub fn cancelled_by(self, cancelled: Arc<AtomicBool>) -> Self {
        Self { cancelled: Some(cancelled), ..self }
    }

    /// What this many validations may use together, from now on.
    fn budget(&self, validations: u32) -> Budget {
        Budget { cancelled: self.cancelled.clone(), ..self.project.budget(validations) }
    }

    /// Runs work with the budget of one validation.
    fn within_budget<R>(&self, work: impl FnOnce() -> R) -> R {
        self.budget(1).spend(work).0
    }

    /// Validates the document. Its fixes have been tried on it: see [`Fixer::offer`].
    pub fn validate(&self) -> Outcome {
        self.offered(self.within_budget(|| self.findings(&self.source)))
    }

    /// Like [`Self::validate`], for those who show no fixes: fixes are as the rules give them, and were not tried.
    #[doc(hidden)]
    pub fn validate_untried(&self) -> Outcome {
        self.known(self.within_budget(|| self.findings(&self.source)))
    }

    /// Validates what the document would be with another text.
    pub fn validate_text(&self, text: &str) -> Outcome {
        self.offered(self.within_budget(|| self.findings(&self.with_text(text))))
    }

    /// The outcome with the fixes that can be applied, and with the findings marked that are in the baseline.
    #[doc(hidden)]
    pub fn offered(&self, mut outcome: Outcome) -> Outcome {
        if outcome.diagnostics.iter().any(|found| !found.fixes.is_empty()) {
            let source = Arc::clone(outcome.document.source());
            let validate = |text: &str| self.findings(&self.with_text(text));
            let check = |text: &str, only: &[&str]| self.tried(&self.with_text(text), Some(only));
            let (ruleset, least) = (self.validator.ruleset(), Applicability::Manual);
            let fixer = Fixer::new(&validate, ruleset, least).trying_with(&check);
            let _ = self.budget(FIXING).spend(|| fixer.offer(source.text(), &mut outcome));
        }
        self.known(outcome)
    }

    /// Validates the document against another contract than that of its project: the quills that a
    /// renderer has.
    #[doc(hidden)]
    pub fn validate_against(&self, contract: Contract<'_>) -> Outcome {
        self.known(self.findings_against(contract, &self.source))
    }

    /// Reads a file beside the document, by its path from the document's folder, as far as that may be read. Of a file that is
    /// open in an editor, it is the text in the editor.
    #[doc(hidden)]
    pub fn neighbor(&self, path: &str) -> io::Result<Vec<u8>> {
        if self.kept.is_on() {
            return self.kept_neighbor(path).map(|bytes| bytes.to_vec());
        }
        self.neighbor_now(path)
    }

    /// Like [`Self::neighbor`], with bytes that are shared where files are kept.
    #[doc(hidden)]
    pub fn kept_neighbor(&self, path: &str) -> io::Result<Arc<[u8]>> {
        self.kept.get(path, || self.neighbor_now(path))
    }

    /// Reads each file beside the document only once from now on: whoever asks for it again gets the same bytes, also where the
    /// file has changed. So what is converted is what was validated.
    #[doc(hidden)]
    pub fn keep_files(&self) {
        self.kept.turn_on();
    }

    /// Keeps files like [`Self::keep_files`], one of them with bytes that were read already.
    #[doc(hidden)]
    pub fn keep_file(&self, path: &str, bytes: Arc<[u8]>) {
        self.kept.set(path, bytes);
    }

    /// The size of a file beside the document that can be read. Its content is not kept.
    #[doc(hidden)]
    pub fn neighbor_size(&self, path: &str) -> io::Result<usize> {
        match self.kept.known(path) {
            Some(reading) => reading.map(|bytes| bytes.len()),
            None => self.neighbor_now(path).map(|bytes| bytes.len()),
        }
    }

    /// What a file beside the document contains now.
    fn neighbor_now(&self, path: &str) -> io::Result<Vec<u8>> {
        let bytes = self.neighbors.read(path);
        let full =
            self.place.as_deref().and_then(Path::parent).map(|folder| files::plain(&folder.join(path)));
        let is_missing = bytes.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if let Some(full) = full.filter(|_| bytes.is_ok() || is_missing) {
            match self.project.indexed(&full) {
                Indexed::File => {
                    return self.project.staged_content(&full).ok_or_else(|| io::ErrorKind::NotFound.into());
                }
                Indexed::Absent => return Err(io::ErrorKind::NotFound.into()),
                Indexed::Same => {}
            }
        }
        let bytes = bytes?;
        let beside = self.place.as_deref().and_then(Path::parent).map(|folder| folder.join(path));
        let open = beside.and_then(|path| self.project.open_text(&path));
        Ok(open.map_or(bytes, |text| text.as_bytes().to_vec()))
    }

    /// When the file of the document was last changed, in seconds since 1970; nothing for text that is not in a file.
    #[doc(hidden)]
    pub fn modified(&self) -> Option<u64> {
        let path = self.place.as_deref().filter(|_| self.is_file)?;
        files::modified(&self.project.locate(path))
    }

    /// The files that the document refers to, as far as its validation has looked at them.
    #[doc(hidden)]
    pub fn linked_files(&self) -> Vec<PathBuf> {
        let Some(folder) = self.place.as_deref().and_then(Path::parent) else { return Vec::new() };
        let read = locked(&self.read);
        let links = read.values().flat_map(Dependencies::links);
        links.map(|path| files::plain(&self.project.locate(&folder.join(path)))).collect()
    }

    /// The value tree of the document.
    pub fn tree(&self) -> serde_json::Value {
        self.findings(&self.source).document.tree.root().to_json()
    }

    /// What a rule looks at in the document, and what comes of it.
    #[doc(hidden)]
    pub fn trace(&self, rule: &Arc<Rule>, outcome: &Outcome) -> Trace {
        self.validator.trace(rule, &outcome.document)
    }

    /// Like [`Self::trace`], for text that the document could have, within the budget of one validation.
    #[doc(hidden)]
    pub fn trace_text(&self, rule: &Arc<Rule>, text: &str) -> (Document, Trace) {
        self.within_budget(|| {
            let document = self.tried(&self.with_text(text), None).document;
            let trace = self.validator.trace(rule, &document);
            (document, trace)
        })
    }

    /// Applies the fixes that are at least this safe, in rounds. What is in the baseline is fixed too.
    pub fn fix(&self, least: Applicability) -> Fixed {
        self.fix_validated(least, self.validate())
    }

    /// Like [`Self::fix`], where [`Self::validate`] has been called already.
    pub fn fix_validated(&self, least: Applicability, outcome: Outcome) -> Fixed {
        let fix = |fixer: &Fixer<'_>, outcome| {
            let mut fixed = fixer.fix_validated(self.text(), outcome);
            fixed.outcome = self.known(fixed.outcome);
            fixed
        };
        self.budget(FIXING).spend(|| self.with_fixer(least, outcome, fix)).0
    }

    /// Tries single changes on a document that [`Self::validate`] has given this outcome of. The outcomes
    /// that `work` sees say nothing of the baseline, so that what is in it can be fixed.
    #[doc(hidden)]
    pub fn with_fixer<R>(
        &self,
        least: Applicability,
        mut outcome: Outcome,
        work: impl FnOnce(&Fixer<'_>, Outcome) -> R,
    ) -> R {
        self.project.forget_known(&mut outcome.diagnostics);
        let validate = |text: &str| self.findings(&self.with_text(text));
        let check = |text: &str, only: &[&str]| self.tried(&self.with_text(text), Some(only));
        let fixer = Fixer::new(&validate, self.validator.ruleset(), least).trying_with(&check);
        work(&fixer, outcome)
    }

    /// The outcome with the findings marked that are in the baseline.
    #[doc(hidden)]
    pub fn known(&self, mut outcome: Outcome) -> Outcome {
        self.project.mark_known(&mut outcome.diagnostics);
        outcome
    }

    /// What an outcome of this document is known by: a hash of everything that it depends on, so that
    /// different findings never have the same handle.
    #[doc(hidden)]
    pub fn handle(&self, outcome: &Outcome) -> String {
        let source = outcome.document.source();
        let mut hash = Fingerprint::new();
        hash.add(source.name()).add(source.key()).add(source.text()).add(self.kind.name());
        hash.add(self.dialect.as_deref().unwrap_or_default()).add(&format!("{:?}", self.templating));
        hash.add(self.project.fingerprint())
            .add(&self.validator.fingerprint())
            .add(self.quills.fingerprint());
        if let Some(quill) = &self.quill {
            hash.add(&format!("{quill:?}"));
        }
        if let Some(read) = locked(&self.read).get(&text_hash(source)) {
            read.add_to(&mut hash);
        }
        if let Some(names) = &outcome.document.project {
            hash.add(names.fingerprint());
        }
        format!("r{}", hash.hex())
    }

    /// Replaces the file in one step. With the text that it has already, nothing is written: then only what a killed
    /// process left beside the file is removed.
    ///
    /// # Errors
    /// [`WriteError`], also when the file has changed since it was read.
    pub fn write(&self, text: &str) -> Result<(), WriteError> {
        let name = self.name();
        let own = name.rsplit('/').next().unwrap_or_default();
        // A change of several files that was interrupted is completed before this one.
        self.tidy();
        if text == self.text() {
            return Ok(());
        }
        if !self.is_file {
            return Err(WriteError::NotAFile);
        }
        self.check_budget()?;
        self.neighbors.replace(own, self.text(), text).map_err(|error| self.not_written(error))
    }

    /// What a spent budget has ended may be a part of what is to be written.
    fn check_budget(&self) -> Result<(), WriteError> {
        if budget::is_left() {
            Ok(())
        } else {
            Err(self.not_written(io::Error::from(io::ErrorKind::TimedOut).into()))
        }
    }

    fn not_written(&self, error: ReplaceError) -> WriteError {
        let name = self.name().to_owned();
        match error {
            ReplaceError::Changed => WriteError::Changed(name),
            ReplaceError::Io(source) => WriteError::Failed { name, source },
        }
    }

    /// Removes what a killed process left beside the file, and completes its change of several files, or takes it back.
    /// Whether there was something; the file may have another content then.
    #[doc(hidden)]
    pub fn tidy(&self) -> bool {
        let Some(path) = self.place.as_deref().filter(|path| files::is_interrupted(path)) else {
            return false;
        };
        if let Ok(place) = self.neighbors.place(path) {
            files::tidy(&place, &|path| self.project.place(path).ok());
        }
        true
    }

    /// Gives each of several documents a new text: to all of them, or to none. Those that are not files are made.
    ///
    /// # Errors
    /// [`WriteError`] for one of them.
    #[doc(hidden)]
    pub fn write_together(changes: &[(&Self, &str)]) -> Result<(), WriteError> {
        let mut together = Vec::new();
        for (subject, new) in changes {
            subject.check_budget()?;
            let path = subject.place.as_deref().ok_or(WriteError::NotAFile)?;
            let place = subject.neighbors.place(path).map_err(|error| subject.not_written(error.into()))?;
            together.push(Change { place, old: subject.is_file.then(|| subject.text()), new });
        }
        files::replace_together(&together)
            .map_err(|TogetherError { index, error }| changes[index].0.not_written(error))
    }

    /// The names that the document declares for the others of the project.
    pub(super) fn shared_names(&self) -> Vec<SharedName> {
        self.declared(&self.source, |validator, source, kind, options| {
            Some(validator.shared_names(source, kind, options))
        })
        .unwrap_or_default()
    }

    /// The names that the document with this text declares for those that refer to it. One that the program fails on
    /// declares nothing; validating it reports why.
    pub(super) fn names_for_links(&self, source: &Arc<Source>) -> Option<Arc<SharedNames>> {
        let names = AssertUnwindSafe(|| self.declared(source, Validator::linked_names));
        let names = panic::catch_unwind(names).ok()??;
        let (key, name) = (source.key().to_owned(), source.name().to_owned());
        Some(Arc::new(SharedNames::of([(key, name, names.as_slice())])))
    }

    fn declared(
        &self,
        source: &Arc<Source>,
        collect: impl FnOnce(&Validator, &Arc<Source>, &dyn Kind, &ParseOptions<'_>) -> Option<Vec<SharedName>>,
    ) -> Option<Vec<SharedName>> {
        let read = |path: &str| self.neighbor(path);
        let options = ParseOptions {
            dialect: self.dialect.as_deref(),
            limits: self.project.limits(),
            read: if self.neighbors.is_none() { None } else { Some(&read) },
            kind_options: Some(self.kind_options()),
            templates: self.templating,
            ..ParseOptions::default()
        };
        if source.text().len() > options.limits.text_bytes {
            return None;
        }
        // Names are kept for later documents, so they must not depend on how fast the machine is now.
        let budget = Budget { deadline: None, ..self.project.budget(1) };
        budget.spend(|| collect(&self.validator, source, self.kind.as_ref(), &options)).0
    }

    fn with_text(&self, text: &str) -> Arc<Source> {
        Arc::new(Source::new(self.source.name(), text).with_key(self.source.key()))
    }

    /// Validates the document with this text, without its baseline.
    fn findings(&self, source: &Arc<Source>) -> Outcome {
        self.findings_against(self.contract(), source)
    }

    /// Validates a version that is only tried: without fixes, and besides errors only with the findings of some rules.
    fn tried(&self, source: &Arc<Source>, only: Option<&[&str]>) -> Outcome {
        let trial = InProject { without_fixes: true, only, ..InProject::default() };
        self.with_surroundings(source, trial, |project, options| {
            self.validator.validate_in_project(self.contract(), project, source, self.kind.as_ref(), options)
        })
    }

    /// The quill or the quills that the fields of the document are validated against.
    fn contract(&self) -> Contract<'_> {
        self.quill.as_deref().map_or(Contract::Named(&self.quills), Contract::Quill)
    }

    fn findings_against(&self, contract: Contract<'_>, source: &Arc<Source>) -> Outcome {
        self.with_surroundings(source, InProject::default(), |project, options| {
            self.validator.validate_in_project(contract, project, source, self.kind.as_ref(), options)
        })
    }

    /// Reads what the document would be with another text, with what an editor asks for; no rule runs.
    #[doc(hidden)]
    pub fn read_text(&self, text: &str, editor: EditorQuestions) -> Document {
        let source = self.with_text(text);
        self.within_budget(|| {
            let trial = InProject { without_fixes: true, ..InProject::default() };
            self.with_surroundings(&source, trial, |project, options| {
                let options = ParseOptions { editor, ..*options };
                self.validator.read(self.contract(), project, &source, self.kind.as_ref(), &options)
            })
        })
    }

    /// Reads the document with all that rules may look at, also what no rule asks for; no rule runs.
    #[doc(hidden)]
    pub fn read_whole(&self) -> Document {
        self.within_budget(|| {
            let trial = InProject { without_fixes: true, ..InProject::default() };
            self.with_surroundings(&self.source, trial, |project, options| {
                let options = ParseOptions { keys: self.kind.optional_keys(), ..*options };
                self.validator.read(self.contract(), project, &self.source, self.kind.as_ref(), &options)
            })
        })
    }

    /// What the rules know about a document that [`Self::read_text`] has read, and what they would accept at a position.
    #[doc(hidden)]
    pub fn survey(&self, document: &Document, at: Option<Asked>) -> Survey {
        self.within_budget(|| self.validator.survey(document, at))
    }

    /// Validates what the document would be with another text, without fixes.
    #[doc(hidden)]
    pub fn try_text(&self, text: &str) -> Outcome {
        self.within_budget(|| self.tried(&self.with_text(text), None))
    }

    /// Runs work with everything around the document that validating its text depends on.
    fn with_surroundings<R>(
        &self,
        source: &Arc<Source>,
        asked: InProject<'_>,
        work: impl FnOnce(&InProject<'_>, &ParseOptions<'_>) -> R,
    ) -> R {
        let recorder = Recorder::default();
        let read = |path: &str| {
            let bytes = self.neighbor(path);
            recorder.file(path, &bytes);
            bytes
        };
        let environment = self.project.environment();
        let variable = |name: &str| {
            let value = environment.and_then(|environment| environment.get(name));
            recorder.variable(name, value.as_deref());
            value
        };
        let options = ParseOptions {
            dialect: self.dialect.as_deref(),
            limits: self.project.limits(),
            read: if self.neighbors.is_none() { None } else { Some(&read) },
            environment: if environment.is_some() { Some(&variable) } else { None },
            kind_options: Some(self.kind_options()),
            templates: self.templating,
            ..ParseOptions::default()
        };
        let own = || self.names_for_links(source);
        let (project, neighbors, place) = (self.project, &self.neighbors, self.place.as_deref());
        let around = Around { project, neighbors, place, own: &own, recorder: &recorder };
        let files = (!self.neighbors.is_none()).then_some(&around as &dyn Surroundings);
        let names = self.project.shared_names(self.place.as_deref());
        let result = work(&InProject { names, files, ..asked }, &options);
        if let Some(read) = recorder.finish() {
            locked(&self.read).insert(text_hash(source), read);
        }
        result
    }
}

/// Why a document was not opened whose configuration has errors.
fn misconfigured(project: &Project, input: &Input, file: &Path, errors: &OpenErrors) -> NotOpened {
    let first = errors.0.first().map(ToString::to_string).unwrap_or_default();
    let fact = Observation::about_file("configuration-unusable").with("file", project.name_of_path(file));
    let source = Arc::new(Source::new(project.name_of(input), ""));
    let outcome = project.base().run_fact(&source, fact.with("detail", first));
    NotOpened::Unreadable { outcome: Box::new(outcome), exists: true }
}

fn text_hash(source: &Source) -> String {
    Fingerprint::new().add(source.text()).hex()
}
