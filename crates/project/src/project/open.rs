use std::{
    env,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    buffers::Buffers,
    config::{self, Config},
    environment::{Environment, EnvironmentOverrides},
    error::{Findings, OpenError, OpenErrors},
    extended::{self, Part},
    found::Origin,
    index::Index,
    kinds,
    nearest::Nearest,
    overrides::RuleOverrides,
    packs,
    resolved::Project,
    rules::Validators,
    session::Session,
};
use crate::{
    budget::Once,
    engine::{Baseline, Settings, Validator},
    files::{self, Roots, RootsError},
    kinds::{Limits, ParseOptions, config::Config as ConfigKind},
    rules::Ruleset,
};

/// Which configuration holds.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Configuration {
    /// The nearest `proofmark.toml` upward from the working directory; the defaults when there is none.
    #[default]
    Nearest,
    /// The configuration in this file.
    File(PathBuf),
    /// The defaults.
    Default,
    /// This configuration.
    #[doc(hidden)]
    Given(Box<Config>),
}

impl Configuration {
    /// The file that it is read from.
    pub fn file(&self, folder: &Path) -> Option<PathBuf> {
        match self {
            Self::Nearest => config::find(folder),
            Self::File(path) => Some(path.clone()),
            Self::Default | Self::Given(_) => None,
        }
    }
}

/// What a client asks for besides the configuration, and instead of it.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The working directory: relative paths begin there, and names in reports are relative to it. That
    /// of the process when absent.
    pub folder: Option<PathBuf>,
    /// What is opened for which client.
    pub client: Client,
    /// Which rules are on.
    pub rules: RuleOverrides,
    /// Kind of all documents, by its name.
    pub kind: Option<String>,
    /// Dialect of all documents.
    pub dialect: Option<String>,
    /// Which environment variables documents may refer to.
    pub environment: EnvironmentOverrides,
    /// Whether documents are validated against the built-in quills that they name, and can be rendered with them.
    pub builtin_quills: Option<bool>,
    /// Which findings are known and do not count.
    pub baseline: Baselines,
    /// Which files may be read.
    pub access: Access,
    /// Whether each file has the configuration nearest to it, where [`Configuration::Nearest`] and
    /// [`Access::Process`] are asked for.
    pub nearest: bool,
    /// Folders of packs that are left out although they are configured, all of them where there are none; names of rules
    /// in the configuration are not checked then, since they may be theirs, and a pack that cannot be loaded is left out.
    pub without_packs: Option<Vec<PathBuf>>,
    /// Folders of packs besides the configured ones.
    pub packs: Vec<PathBuf>,
    /// The time that one validation may take (default: only steps of work are limited). What is fixed may take
    /// as many times of it as validations.
    pub deadline: Option<Duration>,
    /// The next commit, which documents, what they refer to and what they declare for each other are read from.
    #[doc(hidden)]
    pub index: Option<Arc<Index>>,
    /// Text of files that is not saved yet.
    #[doc(hidden)]
    pub buffers: Option<Arc<dyn Buffers>>,
    /// What is known of files that have not changed, of projects that the client has opened before.
    #[doc(hidden)]
    pub session: Session,
}

/// Who asks: some limits and settings are those of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Client {
    /// A person or script that runs a command.
    #[default]
    CommandLine,
    /// A service that others call.
    Service,
}

/// Which findings are known and do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Baselines {
    /// The findings in the configured file.
    #[default]
    Configured,
    /// The findings in this file.
    File(PathBuf),
    /// No findings: all go into this file.
    Written(PathBuf),
    /// No findings.
    None,
}

/// Which files may be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// Files that the process may read: paths come from the user who runs it. Documents may read files below the folder
    /// of the configuration and the working directory.
    #[default]
    Process,
    /// Files below these folders.
    Below(Vec<PathBuf>),
    /// Files below the folders of `[server] roots`; below the working directory when there are none.
    Configured,
}

impl Project {
    /// Resolves a configuration and what a client asks for.
    ///
    /// # Errors
    /// Everything that is wrong with them, with locations.
    pub fn open(configuration: &Configuration, overrides: Overrides) -> Result<Self, OpenErrors> {
        // Whoever may read only some folders has the configuration that its user has chosen.
        let follows = matches!(configuration, Configuration::Nearest)
            && overrides.nearest
            && overrides.access == Access::Process;
        let asked = overrides.clone();
        let open =
            move |file: &Path| Self::open_as(&Configuration::File(file.to_owned()), asked.clone(), None);
        let nearest = if follows { Nearest::with(open) } else { Nearest::default() };
        Self::open_as(configuration, overrides, Some(nearest))
    }

    /// `nearest` is nothing for the project of a part of the files: its rules need not have all names that the client
    /// asks for.
    fn open_as(
        configuration: &Configuration,
        overrides: Overrides,
        nearest: Option<Nearest<Self>>,
    ) -> Result<Self, OpenErrors> {
        let folder = match &overrides.folder {
            Some(folder) => std::path::absolute(folder),
            None => env::current_dir(),
        };
        let folder = folder.map_err(|source| OpenError::File { path: ".".into(), source })?;
        let folder = files::plain(&folder);
        let mut errors = Vec::new();
        // Configurations for parts of the files are found too, and not named by the user.
        let found = matches!(configuration, Configuration::Nearest) || nearest.is_none();
        let elsewhere = overrides.folder.is_some();
        let configured = Configured::read(
            (configuration, found),
            (&folder, elsewhere),
            overrides.index.as_deref(),
            &mut errors,
        );
        let loaded = configured.as_ref().and_then(|configured| {
            configured.rules(&overrides, &folder).map_err(|faults| errors.extend(faults)).ok()
        });
        let (ruleset, broken_packs) = loaded.map(|loaded| (loaded.ruleset, loaded.broken)).unzip();
        let warnings = match (&configured, &ruleset) {
            (Some(configured), Some(ruleset)) if overrides.without_packs.is_none() => {
                configured.check(ruleset, &mut errors)
            }
            _ => Vec::new(),
        };
        let config_file = configured.as_ref().and_then(|configured| configured.file.clone());
        let mut config = configured.map_or_else(Config::default, |configured| configured.config);
        config.quills.builtin = overrides.builtin_quills.unwrap_or(config.quills.builtin);
        // Names can be checked only where all rules and kinds are known.
        let kind = match (&overrides.kind, &ruleset) {
            (Some(name), Some(ruleset)) => {
                let found = kinds::named(ruleset.kinds(), name).cloned();
                found.map_err(|error| errors.push(error.into())).ok()
            }
            _ => None,
        };
        if let Some(ruleset) = &ruleset {
            let unknown = overrides.rules.unknown(ruleset);
            errors.extend(unknown.into_iter().filter(|_| nearest.is_some()));
            let known =
                |name: &String| kinds::check_dialect(ruleset.kinds(), name).err().map(OpenError::from);
            errors.extend(overrides.dialect.as_ref().and_then(known));
        }
        let environment = Environment::load(&overrides.environment, &mut errors);
        let kind_options = environment.iter().fold(config.kind_options.clone(), |set, own| own.add_to(set));
        let baseline = read_baseline(&overrides.baseline, &config, &mut errors);
        let base = overrides.folder.as_ref().map(|_| folder.clone()).unwrap_or_default();
        let roots = open_roots(&overrides.access, (&config, found), &folder, &base, &mut errors);
        let Some(ruleset) = ruleset.filter(|_| errors.is_empty()) else { return Err(OpenErrors(errors)) };
        let service = overrides.client == Client::Service;
        let text_bytes = if service { config.server.text_bytes } else { config.limits.text_bytes };
        let limits = Limits { text_bytes, ..config.limits };
        let first_root = roots.as_ref().and_then(Roots::first).filter(|_| service);
        let root = root_of(&config, config_file.is_some(), &overrides.baseline, &folder);
        let adopting = matches!(configuration, Configuration::Nearest | Configuration::File(_))
            .then_some(root.as_path());
        let validators = Validators::new(Arc::clone(&ruleset), &config, overrides.rules, limits, adopting);
        let mut warnings = warnings;
        let (broken, noted): (Vec<Findings>, Vec<Findings>) =
            validators.adopted_findings().cloned().partition(Findings::has_errors);
        if !broken.is_empty() {
            return Err(OpenErrors(broken.into_iter().map(OpenError::Findings).collect()));
        }
        for findings in noted {
            warnings.insert(0, findings);
        }
        // A configuration that is named holds for all files, whatever is around it.
        let discovered = config_file.is_some() && (found || nearest.is_none());
        Ok(Self {
            outermost: if discovered { config::outermost(&root).to_owned() } else { root.clone() },
            root,
            templates: Some(base.join(&config.templates)),
            base,
            folder: first_root.map_or(folder, Path::to_owned),
            dialect: overrides.dialect,
            config,
            config_file,
            warnings,
            ruleset,
            broken_packs: broken_packs.unwrap_or_default(),
            validators,
            limits,
            deadline: overrides.deadline,
            link_roots: Once::new(),
            index: overrides.index,
            buffers: overrides.buffers,
            session: overrides.session,
            kind,
            environment,
            kind_options,
            baseline,
            named: Vec::new(),
            roots,
            quills: Once::new(),
            fingerprint: Once::new(),
            sharing: Once::new(),
            is_service: service,
            nearest: nearest.unwrap_or_default(),
            compares_documents: Once::new(),
            gathered: Mutex::default(),
            open_names: Mutex::default(),
        })
    }
}

/// A configuration that was read, before the names in it are checked.
struct Configured {
    config: Config,
    file: Option<PathBuf>,
    /// Itself, after the files that it extends.
    parts: Vec<Part>,
}

impl Configured {
    /// Reads the configuration; nothing where it has errors.
    fn read(
        (configuration, found): (&Configuration, bool),
        (folder, elsewhere): (&Path, bool),
        index: Option<&Index>,
        errors: &mut Vec<OpenError>,
    ) -> Option<Self> {
        let file = configuration.file(folder);
        // Paths are relative to the working directory of the process.
        let root = if elsewhere { folder } else { Path::new("") };
        let origin = match &file {
            Some(path) if found => Origin::found(&folder.join(path), folder),
            _ => Origin::Named,
        };
        let (parts, config) = match (configuration, &file) {
            (Configuration::Given(config), _) => (Vec::new(), config.as_ref().clone()),
            (_, None) => (Vec::new(), Config::in_folder(root)),
            (_, Some(path)) => match extended::read(&root.join(path), folder, &origin, index) {
                Ok(read) => read,
                Err(error) => {
                    errors.push(error);
                    return None;
                }
            },
        };
        let config = config.with_environment(&|name| env::var(name).ok());
        let config = config.map_err(|error| errors.push(error.into())).ok()?;
        Some(Self { config, file, parts })
    }

    fn rules(&self, overrides: &Overrides, folder: &Path) -> Result<packs::Loaded, Vec<OpenError>> {
        let Some(without) = &overrides.without_packs else {
            let all: Vec<PathBuf> = self.config.packs.iter().chain(&overrides.packs).cloned().collect();
            let ruleset = packs::load(&all, folder)?;
            return Ok(packs::Loaded { ruleset, broken: Vec::new() });
        };
        // A copy of a configured pack takes its place.
        let names: Vec<String> = overrides.packs.iter().filter_map(|pack| packs::name_of(pack)).collect();
        let left_out = |pack: &PathBuf| {
            let same = |other: &PathBuf| pack.canonicalize().ok() == other.canonicalize().ok();
            let is_copied = || packs::name_of(pack).is_some_and(|name| names.contains(&name));
            without.is_empty() || without.iter().any(same) || is_copied()
        };
        let configured = self.config.packs.iter().filter(|pack| !left_out(pack));
        let packs: Vec<PathBuf> = configured.chain(&overrides.packs).cloned().collect();
        Ok(packs::load_each(&packs, folder))
    }

    /// Validates the files with all rules known: their errors, and the other findings of the file itself.
    fn check(&self, ruleset: &Arc<Ruleset>, errors: &mut Vec<OpenError>) -> Vec<Findings> {
        let validator = Validator::new(Arc::clone(ruleset), Settings::default());
        let mut warnings = Vec::new();
        for (index, Part { source, facts }) in self.parts.iter().enumerate() {
            let outcome = validator.validate(source, &ConfigKind, &ParseOptions::default());
            let valid = outcome.is_valid();
            let sources = outcome.document.tree.sources().to_vec();
            let mut diagnostics = validator.run_facts(source, facts.clone());
            // The last one is the file itself; what else the others contain is for their users.
            if !valid || index + 1 == self.parts.len() {
                diagnostics.extend(outcome.diagnostics);
            }
            let findings = Findings { diagnostics, sources };
            if !valid {
                errors.push(OpenError::Findings(findings));
            } else if !findings.diagnostics.is_empty() {
                warnings.push(findings);
            }
        }
        warnings
    }
}

/// The folder that names in the configuration are relative to: that of the configuration. Without one it is that of the baseline, so that known findings stay known from every working directory.
fn root_of(config: &Config, configured: bool, baseline: &Baselines, folder: &Path) -> PathBuf {
    let own = match baseline {
        Baselines::File(path) | Baselines::Written(path) if !configured => path.parent(),
        _ => None,
    };
    let root = folder.join(own.unwrap_or(&config.root));
    let absolute = own.and_then(|_| root.canonicalize().ok());
    files::plain(&absolute.unwrap_or(root))
}

fn read_baseline(choice: &Baselines, config: &Config, errors: &mut Vec<OpenError>) -> Option<Baseline> {
    let path = match choice {
        Baselines::Configured => config.rules.baseline.clone(),
        Baselines::File(path) => Some(path.clone()),
        Baselines::None | Baselines::Written(_) => None,
    }?;
    let error = match files::read_small(&path, Limits::default().text_bytes) {
        Err(source) => OpenError::File { path, source },
        Ok(text) => match Baseline::parse(&text) {
            Ok(baseline) => return Some(baseline),
            Err(source) => OpenError::Baseline { path, source },
        },
    };
    errors.push(error);
    None
}

/// Opens the folders that files are read below; nothing where any file may be read.
fn open_roots(
    access: &Access,
    (config, found): (&Config, bool),
    folder: &Path,
    base: &Path,
    errors: &mut Vec<OpenError>,
) -> Option<Roots> {
    let paths: Vec<PathBuf> = match access {
        Access::Process => return None,
        Access::Configured if config.server.roots.is_empty() => vec![folder.to_owned()],
        Access::Configured => config.server.roots.iter().map(|root| base.join(root)).collect(),
        Access::Below(paths) => paths.iter().map(|path| base.join(path)).collect(),
    };
    if *access == Access::Configured && found {
        // The file came with the documents, perhaps from a stranger: it opens nothing but its own folder.
        let own = folder.join(&config.root).canonicalize();
        let outside = |path: &&PathBuf| match (path.canonicalize(), &own) {
            (Ok(path), Ok(own)) => !path.starts_with(own),
            _ => false,
        };
        let outside: Vec<&PathBuf> = paths.iter().filter(outside).collect();
        if !outside.is_empty() {
            errors.extend(outside.into_iter().map(|path| RootsError::outside(path).into()));
            return None;
        }
    }
    Roots::open(&paths).map_err(|error| errors.push(error.into())).ok()
}
