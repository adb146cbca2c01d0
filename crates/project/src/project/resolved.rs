use std::{
    fmt, io,
    path::{Path, PathBuf},
    ptr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::{
    buffers::Buffers,
    config::{Config, TemplateError, Templates},
    environment::Environment,
    error::{BrokenPack, Findings, OpenErrors},
    gathered::{Gathered, OpenNames},
    index::Index,
    input::Input,
    kinds::{self, UnknownDialect, UnknownKind},
    names::relative,
    nearest::Nearest,
    overrides::RuleOverrides,
    quills::{LeftOut, SharedQuills},
    rules::Validators,
    session::Session,
};
use crate::{
    budget::{Budget, Once},
    diagnostic::Diagnostic,
    engine::{Baseline, Outcome, Validator},
    files::{self, Place, Roots},
    kinds::{
        Kind, KindOptions, Kinds, Limits,
        quill::{Problem, QuillSet},
    },
    rules::{Rule, Ruleset},
    syntax::Observation,
    text::{Fingerprint, Source},
};

/// Everything that results depend on besides the documents, resolved.
pub struct Project {
    /// The working directory, that of a service the first folder that it reads below.
    pub(super) folder: PathBuf,
    /// What relative paths are joined to before the process uses them: nothing where the working directory
    /// is that of the process.
    pub(super) base: PathBuf,
    /// The folder that globs of the configuration are relative to.
    pub(super) root: PathBuf,
    /// The folder of the outermost configuration around this one, in the same repository.
    pub(super) outermost: PathBuf,
    pub(super) config: Config,
    /// The file of the configuration.
    pub(super) config_file: Option<PathBuf>,
    /// Findings in the configuration that do not prevent its use.
    pub(super) warnings: Vec<Findings>,
    pub(super) ruleset: Arc<Ruleset>,
    /// Packs that were left out because they cannot be loaded, where packs are tested.
    pub(super) broken_packs: Vec<BrokenPack>,
    pub(super) validators: Validators,
    pub(super) limits: Limits,
    /// The time that one validation may take.
    pub(super) deadline: Option<Duration>,
    pub(super) kind: Option<Arc<dyn Kind>>,
    pub(super) dialect: Option<String>,
    pub(super) environment: Option<Environment>,
    /// Options of single kinds.
    pub(super) kind_options: KindOptions,
    pub(super) baseline: Option<Baseline>,
    /// Further folders below which documents may read other files.
    pub(super) named: Vec<PathBuf>,
    /// Folders that files are read below; any file where absent.
    pub(super) roots: Option<Roots>,
    /// Folder with `templates.json`.
    pub(super) templates: Option<PathBuf>,
    /// Loaded when first asked for.
    pub(super) quills: Once<(SharedQuills, Vec<Problem>)>,
    pub(super) fingerprint: Once<String>,
    /// What the names that files declare depend on besides their text.
    pub(super) sharing: Once<String>,
    /// The projects of other configurations that files have.
    pub(super) nearest: Nearest<Project>,
    /// Whether the client is a service, whose project stays open while files change.
    pub(super) is_service: bool,
    /// What is known of files that have not changed.
    pub(super) session: Session,
    /// Whether a rule that is on compares documents.
    pub(super) compares_documents: Once<bool>,
    pub(super) gathered: Mutex<Option<Gathered>>,
    /// What open files declare for links.
    pub(super) open_names: Mutex<OpenNames>,
    /// Folders that relative links may start at besides that of their document.
    pub(super) link_roots: Once<Vec<PathBuf>>,
    /// What the next commit has, where the project is opened for that.
    pub(super) index: Option<Arc<Index>>,
    /// Text of files that is not saved yet.
    pub(super) buffers: Option<Arc<dyn Buffers>>,
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Project {
    /// The built-in rules without a configuration, for documents that are not in files.
    pub fn builtin() -> Self {
        Self::of(Ruleset::builtin())
    }

    /// A project with these rules and without a configuration, for documents that are not in files.
    pub fn of(ruleset: Arc<Ruleset>) -> Self {
        let config = Config::default();
        let limits = Limits { text_bytes: config.server.text_bytes, ..config.limits };
        Self::unconfigured(ruleset, PathBuf::new(), limits, Some(Roots::default()))
    }

    /// A project with these rules and without a configuration, for files.
    pub(super) fn of_files_with(ruleset: Arc<Ruleset>, folder: &Path) -> Self {
        Self::unconfigured(ruleset, folder.to_owned(), Limits::default(), None)
    }

    fn unconfigured(ruleset: Arc<Ruleset>, folder: PathBuf, limits: Limits, roots: Option<Roots>) -> Self {
        let (config, overrides) = (Config::default(), RuleOverrides::default());
        let kind_options = config.kind_options.clone();
        Self {
            outermost: folder.clone(),
            root: folder.clone(),
            folder,
            base: PathBuf::new(),
            validators: Validators::new(Arc::clone(&ruleset), &config, overrides, limits, None),
            config,
            config_file: None,
            warnings: Vec::new(),
            ruleset,
            broken_packs: Vec::new(),
            limits,
            deadline: None,
            kind: None,
            dialect: None,
            environment: None,
            kind_options,
            baseline: None,
            named: Vec::new(),
            roots,
            templates: None,
            quills: Once::from((QuillSet::default().with_builtin().into(), Vec::new())),
            fingerprint: Once::new(),
            sharing: Once::new(),
            nearest: Nearest::default(),
            is_service: false,
            compares_documents: Once::new(),
            gathered: Mutex::default(),
            open_names: Mutex::default(),
            link_roots: Once::new(),
            index: None,
            buffers: None,
            session: Session::default(),
        }
    }

    /// The configuration.
    #[doc(hidden)]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The file that the configuration was read from.
    pub fn config_file(&self) -> Option<&Path> {
        self.config_file.as_deref()
    }

    /// Findings in the configuration that are not errors.
    pub fn warnings(&self) -> Option<&Findings> {
        self.warnings.last()
    }

    /// Findings that are not errors: in the configuration, and in those that it extends, by file.
    #[doc(hidden)]
    pub fn all_warnings(&self) -> &[Findings] {
        &self.warnings
    }

    /// What there is to say about configurations of other tools in the folders of files that were validated.
    #[doc(hidden)]
    pub fn later_warnings(&self) -> Vec<Findings> {
        self.validators.later_findings()
    }

    /// The working directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path as the process can use it.
    #[doc(hidden)]
    pub fn locate(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }

    /// The Markdown documents to start from: those that are configured, or the built-in ones.
    ///
    /// # Errors
    /// [`TemplateError`] when the configured ones cannot be read.
    #[doc(hidden)]
    pub fn templates(&self) -> Result<Templates, TemplateError> {
        match &self.templates {
            Some(folder) => Templates::load(folder),
            None => Templates::builtin(),
        }
    }

    /// The rules.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    /// Bounds on what is read.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The validator for documents that are not files.
    #[doc(hidden)]
    pub fn base(&self) -> &Arc<Validator> {
        self.validators.base()
    }

    /// The validator for the file with this name in the configuration, or for text without a file.
    pub(super) fn validator_for(&self, configured_name: Option<&str>) -> Arc<Validator> {
        match configured_name {
            Some(name) => self.validators.of_file(name, &self.config),
            None => Arc::clone(self.base()),
        }
    }

    /// All kinds of document.
    pub fn kinds(&self) -> &Kinds {
        self.ruleset.kinds()
    }

    /// The kind of this name, or the kind that reads the fence language of this name.
    ///
    /// # Errors
    /// [`UnknownKind`] with all names.
    pub fn kind_named(&self, name: &str) -> Result<&Arc<dyn Kind>, UnknownKind> {
        kinds::named(self.kinds(), name)
    }

    /// The quills that documents may name, loaded when first asked for.
    #[doc(hidden)]
    pub fn quills(&self) -> &SharedQuills {
        &self.loaded_quills().0
    }

    /// Why quills were left out, when those of the configuration were loaded.
    #[doc(hidden)]
    pub fn quills_left_out(&self) -> Vec<LeftOut> {
        self.loaded_quills().1.iter().map(|problem| self.left_out(problem)).collect()
    }

    /// Why a quill was left out, for people.
    #[doc(hidden)]
    pub fn left_out(&self, problem: &Problem) -> LeftOut {
        LeftOut::new(problem, self.base())
    }

    /// Has documents validated against these quills instead of the configured ones.
    #[doc(hidden)]
    pub fn use_quills(&self, quills: QuillSet) {
        self.quills.get_or_init(|| (SharedQuills::default(), Vec::new())).0.replace(self.nameable(quills));
    }

    /// The quills that documents may name: a service has no others than its own, so that what it finds valid can be
    /// rendered by it.
    fn nameable(&self, quills: QuillSet) -> QuillSet {
        if self.is_service { quills.closed() } else { quills }
    }

    fn loaded_quills(&self) -> &(SharedQuills, Vec<Problem>) {
        self.quills.get_or_init(|| {
            let (quills, problems) = self.config.quills.nameable();
            (self.nameable(quills).into(), problems)
        })
    }

    /// The project whose configuration holds for a file: this one, or that of a configuration nearer to the file. A
    /// configuration with errors is a file of this project, so that it can be checked.
    ///
    /// # Errors
    /// What is wrong with that configuration, with its file.
    #[doc(hidden)]
    pub fn owner(&self, path: &Path) -> Result<&Self, (PathBuf, &OpenErrors)> {
        let full = files::plain(&self.folder.join(path));
        match self.nearest.of(&full, self.config_file.as_deref()) {
            None => Ok(self),
            Some((_, Ok(project))) => Ok(project),
            Some((file, Err(_))) if file == full => Ok(self),
            Some((file, Err(errors))) => Err((file, errors)),
        }
    }

    /// Whether the configuration of this project holds for a file.
    pub(super) fn owns(&self, path: &Path) -> bool {
        self.owner(path).is_ok_and(|owner| ptr::eq(owner, self))
    }

    /// How a document is called in reports: by its path relative to the working directory, with `/`.
    #[doc(hidden)]
    pub fn name_of(&self, input: &Input) -> String {
        input.path.as_deref().map_or_else(|| input.label.to_string(), |path| self.name_of_path(path))
    }

    /// How a path is called in reports: relative to the working directory, with `/`.
    #[doc(hidden)]
    pub fn name_of_path(&self, path: &Path) -> String {
        relative(&self.folder.join(path), &self.folder)
    }

    /// A path as the globs of the configuration see it: relative to its folder, with `/`.
    #[doc(hidden)]
    pub fn configured_name(&self, path: &Path) -> String {
        relative(&self.folder.join(path), &self.root)
    }

    /// How fingerprints know a file: relative to the outermost configuration around it, so that files of different
    /// configurations differ.
    pub(super) fn fingerprint_name(&self, path: &Path) -> String {
        relative(&self.folder.join(path), &self.outermost)
    }

    /// The findings of a document on which the program has failed.
    #[doc(hidden)]
    pub fn crashed(&self, name: &str, panic: &str) -> Outcome {
        let source = Arc::new(Source::new(name, ""));
        self.base().run_fact(&source, Observation::about_file("internal-fault").with("detail", panic))
    }

    /// Whether files can be read at all.
    #[doc(hidden)]
    pub fn reads_files(&self) -> bool {
        self.roots.as_ref().is_none_or(|roots| !roots.is_empty())
    }

    /// The folders that files are read below; the working directory where any file may be read.
    pub fn read_folders(&self) -> impl Iterator<Item = &Path> {
        let folders = self.roots.iter().flat_map(Roots::folders);
        folders.chain(self.roots.is_none().then_some(self.folder.as_path()))
    }

    /// The known findings.
    #[doc(hidden)]
    pub fn baseline(&self) -> Option<&Baseline> {
        self.baseline.as_ref()
    }

    /// Whether the file that the configuration calls so exists.
    #[doc(hidden)]
    pub fn has_file(&self, configured: &str) -> bool {
        self.root.join(configured).symlink_metadata().is_ok()
    }

    /// Whether a rule that is on is for documents of this kind, besides those about the run itself.
    #[doc(hidden)]
    pub fn has_rules_for(&self, kind: &str) -> bool {
        self.has_rule(kind, |_| true)
    }

    /// Whether a rule that is on and not built in is for documents of this kind.
    pub(super) fn has_pack_rules_for(&self, kind: &str) -> bool {
        self.has_rule(kind, |rule| self.ruleset.pack(&rule.pack).is_none_or(|pack| !pack.builtin))
    }

    fn has_rule(&self, kind: &str, counts: impl Fn(&Rule) -> bool) -> bool {
        let settings = self.base().settings();
        let rules = self.ruleset.rules_for(kind);
        rules.into_iter().any(|rule| counts(rule) && settings.selects(rule))
    }

    /// Whether a rule is on for the file that the configuration calls so. One that no longer exists counts as on.
    #[doc(hidden)]
    pub fn enables(&self, rule: &str, file: &str) -> bool {
        let path = self.root.join(file);
        let owner = self.owner(&path).unwrap_or(self);
        let known = owner.ruleset.find(rule).map(|found| found.rule);
        let enables =
            |rule| owner.validator_for(Some(&owner.configured_name(&path))).settings().enables(rule);
        known.is_none_or(|rule| enables(rule))
    }

    /// Marks the findings that are in the baseline.
    pub(super) fn mark_known(&self, diagnostics: &mut [Diagnostic]) {
        if let Some(baseline) = &self.baseline {
            baseline.apply(diagnostics);
        }
    }

    /// Takes back what [`Self::mark_known`] did.
    pub(super) fn forget_known(&self, diagnostics: &mut [Diagnostic]) {
        if let Some(baseline) = &self.baseline {
            baseline.lift(diagnostics);
        }
    }

    /// What all documents' results depend on besides rules and quills: limits, environment, baseline.
    pub(super) fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| {
            let strict = self.environment.as_ref().map(|environment| environment.strict);
            let mut hash = Fingerprint::new();
            hash.add(&format!("{:?} {strict:?} {:?}", self.limits, self.baseline)).hex()
        })
    }

    pub(super) fn chosen_kind(&self) -> Option<&Arc<dyn Kind>> {
        self.kind.as_ref()
    }

    /// The dialect of a document: the first that its kind has of what was asked for, and of what the
    /// configuration says.
    pub(super) fn dialect_of(&self, configured_name: Option<&str>, kind: &dyn Kind) -> Option<&str> {
        let asked = self.dialect.as_deref().filter(|dialect| kind.dialects().contains(dialect));
        asked.or_else(|| self.configured_dialect(configured_name, kind))
    }

    /// The dialect that the configuration gives a document: its file, all documents of the service, or its kind.
    pub(super) fn configured_dialect(&self, configured_name: Option<&str>, kind: &dyn Kind) -> Option<&str> {
        let config = &self.config;
        let of_service = config.server.dialect.as_deref().filter(|_| self.is_service);
        let of_file = configured_name.and_then(|name| config.dialect_of_file(name));
        let of_kind = config.dialects.get(kind.name()).map(|dialect| dialect.name());
        let mut said = [of_file, of_service, of_kind].into_iter().flatten();
        said.find(|dialect| kind.dialects().contains(dialect))
    }

    /// Fails where no kind has a dialect of this name.
    ///
    /// # Errors
    /// [`UnknownDialect`] with all names.
    #[doc(hidden)]
    pub fn check_dialect(&self, name: &str) -> Result<(), UnknownDialect> {
        kinds::check_dialect(self.kinds(), name)
    }

    pub(super) fn kind_options(&self) -> &KindOptions {
        &self.kind_options
    }

    pub(super) fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    /// What this many validations may use together, from now on.
    #[doc(hidden)]
    pub fn budget(&self, validations: u32) -> Budget {
        let deadline = self.deadline.and_then(|time| Instant::now().checked_add(time * validations));
        Budget { deadline, ..self.limits.budget().times(validations.into()) }
    }

    pub(super) fn roots(&self) -> Option<&Roots> {
        self.roots.as_ref()
    }

    /// Writes a result in one step, at a path that is absolute or relative to the working directory.
    #[doc(hidden)]
    pub fn write_output(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        match &self.roots {
            Some(roots) => roots.put(path, &self.folder, bytes),
            None => files::put(&self.locate(path), bytes),
        }
    }

    /// Makes a file in one step, if there is none, at a path that is absolute or relative to the working directory.
    ///
    /// # Errors
    /// Also for a path that leaves the allowed folders.
    #[doc(hidden)]
    pub fn create(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        match &self.roots {
            Some(roots) => roots.create(path, &self.folder, bytes),
            None => files::create(&self.locate(path), bytes),
        }
    }

    /// Whether something exists at a path that is absolute or relative to the working directory, below the allowed folders.
    #[doc(hidden)]
    pub fn exists(&self, path: &Path) -> bool {
        match &self.roots {
            Some(roots) => roots.exists(path, &self.folder),
            None => self.locate(path).symlink_metadata().is_ok(),
        }
    }

    /// The file at an absolute path, as far as it may be read.
    pub(super) fn place(&self, path: &Path) -> io::Result<Place> {
        match &self.roots {
            Some(roots) => roots.place(path),
            None => Place::at(path),
        }
    }

    /// Folders below which a document may read other files, where any file may be read.
    pub(super) fn readable(&self) -> Vec<&Path> {
        let own = [self.root.as_path(), self.folder.as_path()];
        own.into_iter().chain(self.named.iter().map(PathBuf::as_path)).collect()
    }

    /// Lets documents also read what is below a folder that the user of the process has named.
    #[must_use]
    #[doc(hidden)]
    pub fn also_reading(mut self, folder: &Path) -> Self {
        self.named.push(files::plain(&self.locate_fully(folder)));
        self
    }

    /// A path as an absolute one.
    fn locate_fully(&self, path: &Path) -> PathBuf {
        let path = self.locate(path);
        std::path::absolute(&path).unwrap_or(path)
    }
}
