//! The rules that a command judges by: built-in and configured, with what the command line says.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use proofmark::{
    config::RuleSettings,
    diagnostic::{
        Diagnostic, Severity,
        report::{Format, ReportOptions, RuleInfo, Run},
    },
    engine::{Settings, Validator},
    files,
    kinds::{
        self, Limits, ParseOptions,
        quill::{Problem, QuillSet},
    },
    rules::{LoadError, Ruleset},
    text::Source,
};

#[cfg(feature = "render")]
use super::quills;
use super::{
    Global,
    console::Console,
    exit::{Fault, shown},
    input::InputArguments,
    workspace::{Workspace, relative},
};

/// Which rules are on.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct RuleArguments {
    /// Only these rules: ids, starts of ids (FM), names, tags, packs, or all
    #[arg(long, value_delimiter = ',', value_name = "RULES", help_heading = "Rules")]
    pub(super) select: Vec<String>,
    /// These rules besides those that are on
    #[arg(long, value_delimiter = ',', value_name = "RULES", help_heading = "Rules")]
    pub(super) extend: Vec<String>,
    /// Not these rules
    #[arg(long, value_delimiter = ',', value_name = "RULES", help_heading = "Rules")]
    pub(super) ignore: Vec<String>,
}

/// The workspace with its rules.
pub(super) struct Project {
    pub(super) workspace: Workspace,
    pub(super) ruleset: Arc<Ruleset>,
    arguments: RuleArguments,
    quills: OnceLock<Arc<QuillSet>>,
    base: OnceLock<Arc<Validator>>,
    /// Validators by the overrides they have.
    overridden: Mutex<HashMap<Vec<usize>, Arc<Validator>>>,
}

impl Project {
    /// Reads the configuration and loads the rules.
    pub(super) fn load(global: &Global, arguments: &RuleArguments) -> Result<Self, Fault> {
        let workspace = Workspace::load(global)?;
        let ruleset = load_rules(&workspace.config.packs, &workspace.folder)?;
        let project = Self::new(workspace, ruleset, arguments);
        if let Some(source) = &project.workspace.source {
            project.check_config(source)?;
        }
        project.check_names()?;
        Ok(project)
    }

    /// The same without some packs, those that are about to be tested; names in the configuration may
    /// be theirs.
    pub(super) fn without_packs(global: &Global, packs: &[PathBuf]) -> Result<Self, Fault> {
        let workspace = Workspace::load(global)?;
        let tested = |pack: &PathBuf| {
            packs.iter().any(|tested| pack.canonicalize().ok() == tested.canonicalize().ok())
        };
        let others = workspace.config.packs.iter().filter(|pack| !packs.is_empty() && !tested(pack));
        let ruleset = load_rules(&others.cloned().collect::<Vec<_>>(), &workspace.folder)?;
        Ok(Self::new(workspace, ruleset, &RuleArguments::default()))
    }

    fn new(workspace: Workspace, ruleset: Arc<Ruleset>, arguments: &RuleArguments) -> Self {
        Self {
            workspace,
            ruleset,
            arguments: arguments.clone(),
            quills: OnceLock::new(),
            base: OnceLock::new(),
            overridden: Mutex::default(),
        }
    }

    /// Bounds on what is read.
    pub(super) fn limits(&self) -> Limits {
        self.workspace.config.limits
    }

    /// The validator for documents that are no files.
    pub(super) fn base(&self) -> &Arc<Validator> {
        self.base.get_or_init(|| Arc::new(self.validator(&self.workspace.config.rules.settings)))
    }

    /// The quills that documents may name, loaded when first asked for; what is wrong with one is told.
    pub(super) fn quills(&self) -> &Arc<QuillSet> {
        self.quills.get_or_init(|| {
            let (quills, problems) = self.workspace.config.quills.load();
            for problem in &problems {
                self.tell_quill(problem);
            }
            Arc::new(quills)
        })
    }

    /// Holds documents to the built-in quills too, where that is wanted. Called before anything is judged.
    #[cfg(feature = "render")]
    pub(super) fn choose_quills(&self, input: &InputArguments) {
        if input.builtin_quills {
            self.quills.get_or_init(|| Arc::new(quills::nameable(&quills::library(self))));
        }
    }

    /// Without a renderer there are no built-in quills.
    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_self, reason = "it is asked the same way with and without a renderer")]
    pub(super) fn choose_quills(&self, _: &InputArguments) {}

    /// Tells why a quill was left out.
    pub(super) fn tell_quill(&self, problem: &Problem) {
        if let Problem::Faults(document) = problem {
            let diagnostics = self.base().judge(document);
            Fault::findings(&diagnostics, document.tree.sources()).tell();
        } else if let Some(why) = left_out(problem) {
            Console::note(&format!("warning: {why}"));
        }
    }

    /// The validator for a file, by its path relative to the configuration's folder.
    pub(super) fn validator_for(&self, path: &str) -> Arc<Validator> {
        let config = &self.workspace.config;
        let overrides = config.overrides_of(path);
        if overrides.is_empty() {
            return Arc::clone(self.base());
        }
        let mut known = self.overridden.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(self.validator(&config.settings_for(path)));
        Arc::clone(known.entry(overrides).or_insert_with(made))
    }

    fn validator(&self, configured: &RuleSettings) -> Validator {
        Validator::new(Arc::clone(&self.ruleset), self.settings(configured))
    }

    /// What the configuration says, and what the command line says instead.
    fn settings(&self, configured: &RuleSettings) -> Settings {
        let RuleArguments { select, extend, ignore } = &self.arguments;
        let mut settings = Settings {
            select: configured.select.clone(),
            extend: configured.extend.clone(),
            ignore: configured.ignore.clone(),
            severity: configured.severity.clone(),
            options: configured.options.clone(),
            max_diagnostics: self.workspace.config.limits.diagnostics,
            ..Settings::default()
        };
        if !select.is_empty() {
            settings.select.clone_from(select);
            settings.extend.clear();
        }
        settings.ignore.retain(|name| !select.contains(name) && !extend.contains(name));
        settings.extend.extend_from_slice(extend);
        settings.ignore.extend_from_slice(ignore);
        settings
    }

    /// Refuses a configuration with faults, after showing them.
    fn check_config(&self, source: &Arc<Source>) -> Result<(), Fault> {
        let Some(kind) = self.ruleset.kind("config") else { return Ok(()) };
        let validator = Validator::new(Arc::clone(&self.ruleset), Settings::default());
        let outcome = validator.validate(source, kind.as_ref(), &ParseOptions::default());
        if outcome.diagnostics.is_empty() {
            return Ok(());
        }
        let fault = Fault::findings(&outcome.diagnostics, outcome.document.tree.sources());
        if outcome.is_valid() {
            fault.tell();
            return Ok(());
        }
        Err(fault)
    }

    /// Refuses names of rules on the command line that no rule answers to.
    fn check_names(&self) -> Result<(), Fault> {
        let RuleArguments { select, extend, ignore } = self.arguments.clone();
        let named = Settings { select, extend, ignore, ..Settings::default() };
        match named.unknown_names(self.ruleset.rules()).first() {
            Some(name) => Err(self.unknown_rule(name)),
            None => Ok(()),
        }
    }

    /// The fault of naming a rule that there is not.
    pub(super) fn unknown_rule(&self, name: &str) -> Fault {
        let hint = match self.ruleset.nearest(name) {
            Some(near) => format!("did you mean `{near}`? `proofmark rules list` has them all"),
            None => "`proofmark rules list` has them all".to_owned(),
        };
        Fault::with_hint(format!("there is no rule `{name}`"), hint)
    }

    /// What reports say of the program and its rules.
    pub(super) fn run(&self, format: Format, options: ReportOptions) -> Run {
        let rules = if format == Format::Sarif { self.rule_infos() } else { Vec::new() };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Run { version, ruleset: self.ruleset.fingerprint().to_owned(), rules, options }
    }

    fn rule_infos(&self) -> Vec<RuleInfo> {
        let settings = self.base().settings();
        let on = self.ruleset.rules().iter().filter(|rule| settings.enables(rule));
        on.map(|rule| {
            let explain = self.ruleset.help(rule).explain;
            let first = explain.split("\n\n").next().unwrap_or_default();
            RuleInfo {
                id: rule.id.clone(),
                name: rule.name.clone(),
                severity: settings.severity_of(rule),
                short: first.split_whitespace().collect::<Vec<_>>().join(" "),
                help_markdown: explain.trim().to_owned(),
                help_uri: None,
                tags: rule.tags.clone(),
                since: rule.since.clone(),
            }
        })
        .collect()
    }
}

/// Why a quill was left out, in words; nothing when its manifest has faults, which rules tell.
pub(super) fn left_out(problem: &Problem) -> Option<String> {
    let (folder, why) = match problem {
        Problem::Faults(_) => return None,
        Problem::NoManifest(folder) => (folder, "it has no Quill.yaml or Quill.toml".to_owned()),
        // The text of an error of the system may name places of the machine.
        Problem::Unreadable(path, error) if error.kind() == io::ErrorKind::Other => (path, error.to_string()),
        Problem::Unreadable(path, error) => (path, error.kind().to_string()),
        Problem::Duplicate { name, folder } => (folder, format!("there is another `{name}`")),
        Problem::BadName { name, folder } => (folder, format!("`{name}` is no name")),
    };
    Some(format!("the quill in `{}` is left out: {why}", shown(folder)))
}

/// The built-in rules and those of packs; what is wrong with a pack is told with its places.
pub(super) fn load_rules(packs: &[PathBuf], folder: &Path) -> Result<Arc<Ruleset>, Fault> {
    Ruleset::with_packs(packs).map_err(|errors| {
        let faults = errors.iter().map(|error| match error {
            LoadError::Faults { path, .. } => faults_of(Path::new(path), folder),
            _ => None,
        });
        match faults.collect::<Option<Vec<String>>>() {
            Some(texts) => Fault::Findings(texts.concat()),
            None => Fault::Packs(errors),
        }
    })
}

/// The findings in a rule file as text, where there are any.
fn faults_of(path: &Path, folder: &Path) -> Option<String> {
    let ruleset = Ruleset::builtin();
    let kind = ruleset.kind(kinds::rulefile::NAME)?.as_ref();
    let limits = Limits::default();
    let source = files::read(path, &relative(&folder.join(path), folder), limits.text_bytes).ok()?;
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let jail = files::Jail::around(path, &[], limits.text_bytes);
    let read = |path: &str| jail.read(path);
    let options = ParseOptions { read: Some(&read), ..ParseOptions::default() };
    let outcome = validator.validate(&Arc::new(source), kind, &options);
    match Fault::findings(&outcome.diagnostics, outcome.document.tree.sources()) {
        Fault::Findings(text) if !outcome.diagnostics.is_empty() => Some(text),
        _ => None,
    }
}

/// Whether findings make a run fail.
pub(super) fn fails(diagnostics: &[Diagnostic], level: Severity) -> bool {
    diagnostics.iter().any(|d| d.suppressed.is_none() && d.severity >= level)
}
