use std::{
    cmp::Reverse,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    layers::{Layer, merged},
    limits::{self, Convert, Render, ServiceLimits},
};
use crate::{
    diagnostic::Severity,
    engine::{Selection, Settings},
    expressions::{BadGlob, Patterns},
    kinds::{
        KindOptions, Limits,
        config::{
            RawAnswers, RawCapture, RawConfig, RawConvert, RawDialect, RawFiles, RawInlineTasks, RawKinds,
            RawLevel, RawLimits, RawLogDone, RawLogNote, RawOverride, RawQuills, RawRule, RawRules,
            RawServer, RawTemplateMode, RawTemplating, defaults,
        },
        markdown,
        org::INLINE_TASKS,
    },
};

/// What is configured, with every default filled in and every path usable from the working directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The folder that paths of the file were relative to.
    pub root: PathBuf,
    /// The files of the configurations that it extends.
    pub extended: Vec<PathBuf>,
    /// Which files are checked.
    pub files: Files,
    /// Dialects of documents that the files do not say, by the name of their kind.
    pub dialects: BTreeMap<&'static str, RawDialect>,
    /// Options of single kinds.
    pub kind_options: KindOptions,
    /// Folders that relative links may start at besides that of their document; nothing where none are configured.
    pub link_roots: Option<Vec<PathBuf>>,
    /// Which rules are on, how severe they are, and their options.
    pub rules: Rules,
    /// Folders of packs besides the built-in ones.
    pub packs: Vec<PathBuf>,
    /// Where quills come from.
    pub quills: Quills,
    /// Folder with `templates.json`.
    pub templates: PathBuf,
    /// Rendering.
    pub render: Render,
    /// Conversion of Quarto documents.
    pub convert: Convert,
    /// Bounds on what is read.
    pub limits: Limits,
    /// The server.
    pub server: Server,
    /// The tools for Org files.
    pub org: Org,
}

/// What is written when a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDone {
    /// Nothing.
    Nothing,
    /// `CLOSED` with the time.
    Time,
    /// `CLOSED` with the time, and a note.
    Note,
}

impl LogDone {
    fn new(raw: RawLogDone) -> Self {
        match raw {
            RawLogDone::Time(false) => Self::Nothing,
            RawLogDone::Time(true) => Self::Time,
            RawLogDone::Note(RawLogNote::Note) => Self::Note,
        }
    }
}

impl Default for LogDone {
    fn default() -> Self {
        Self::new(RawLogDone::Time(defaults::LOG_DONE))
    }
}

/// The tools for Org files.
#[derive(Debug, Clone, PartialEq)]
pub struct Org {
    /// Files that tools of the service may read and change; all when empty.
    pub files: Patterns,
    /// Whether changes are made as Emacs makes them.
    pub emacs_compat: bool,
    /// Whether a task that is done gets `CLOSED`, then, and a note.
    pub log_done: LogDone,
    /// Whether a repeating task that is done gets `LAST_REPEAT`, then.
    pub log_repeat: bool,
    /// Whether records of changes go into the drawer `LOGBOOK`.
    pub log_into_drawer: bool,
    /// Forms of new headlines, by name.
    pub capture: BTreeMap<String, RawCapture>,
}

/// The options of kinds; `raw` is from how many stars on headlines are inline tasks.
fn kind_options(raw: Option<RawInlineTasks>) -> KindOptions {
    let stars = match raw.unwrap_or(RawInlineTasks::Usual(defaults::INLINE_TASKS)) {
        RawInlineTasks::Usual(are_read) => are_read.then_some(defaults::INLINE_TASK_LEVEL),
        RawInlineTasks::FromLevel(level) => Some(level.into()),
    };
    KindOptions::default().with(&INLINE_TASKS, stars)
}

/// Which files are checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Files {
    /// Files to check; all of a known kind when empty.
    pub include: Patterns,
    /// Files and folders to leave out.
    pub exclude: Patterns,
    /// Kinds of files whose names do not show it; the first match counts.
    pub kinds: Vec<(Patterns, String)>,
    /// Dialects of Markdown; the first match counts.
    pub dialects: Vec<(Patterns, RawDialect)>,
    /// Whether `.gitignore` and its like are respected.
    pub gitignore: bool,
    /// Which files are read as templates; the first match counts, which is the longest glob.
    pub templates: Vec<(Option<Patterns>, RawTemplateMode)>,
}

/// Which rules are on, how severe they are, and their options.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// What holds for all files.
    pub settings: RuleSettings,
    /// Least severity that makes a run fail.
    pub fail_level: Severity,
    /// File of findings that are known and do not count.
    pub baseline: Option<PathBuf>,
    /// What holds besides for some files; later ones win.
    pub overrides: Vec<Override>,
}

/// Names of rules are ids, starts of ids, names, tags, packs, or `all`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RuleSettings {
    /// Which rules are on, and their severity.
    pub selection: Selection,
    /// Options by name.
    pub options: BTreeMap<String, Map<String, Value>>,
}

/// Settings for some files.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The files (default: all documents).
    pub files: Option<Patterns>,
    /// Further settings that hold for the files.
    pub settings: RuleSettings,
}

/// Where quills come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Quills {
    /// Folder whose subfolders are quills.
    pub path: PathBuf,
    /// Whether every quill of that folder is registered.
    pub auto_register: bool,
    /// Whether documents are validated against the built-in quills and can be rendered with them.
    pub builtin: bool,
    /// Single quills: the name that documents use, and the folder.
    pub manual: Vec<(String, PathBuf)>,
}

/// The server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Address of the HTTP transport.
    pub address: Option<String>,
    /// Names that the `Host` header may have, besides those of the loopback.
    pub allowed_hosts: Vec<String>,
    /// Origins that browsers may call from.
    pub allowed_origins: Vec<String>,
    /// Name of the environment variable that holds the token clients must send.
    pub token_variable: Option<String>,
    /// Folders that tools may read and write below.
    pub roots: Vec<PathBuf>,
    /// Dialect of the documents, if their kind has several.
    pub dialect: Option<String>,
    /// Largest text in bytes, sent or in a file.
    pub text_bytes: usize,
    /// Bounds on calls.
    pub limits: ServiceLimits,
    /// Whether clients may have diagrams checked by Mermaid's command line tool.
    pub mermaid_cli: bool,
    /// What answers of tools consist of.
    pub answers: RawAnswers,
    /// Families of tools that are offered besides the core; those that the folders need where empty.
    pub toolsets: Vec<String>,
    /// Names of the families of tools that are not offered.
    pub without: Vec<String>,
}

impl Default for Config {
    /// What holds without a file: paths are relative to the working directory.
    fn default() -> Self {
        Self::in_folder(Path::new(""))
    }
}

impl Config {
    /// What files say together, of which the last one is in the folder `root` and extends the others. Nothing where
    /// one does not have the form of a configuration, or has a glob that cannot be read, as reading it has observed.
    pub fn layered(layers: Vec<Layer>, root: &Path) -> Option<Self> {
        let (raw, rules) = merged(layers)?;
        Self::of(raw, rules, root).ok()
    }

    /// What a file in the folder `root` says. Fails only on a glob that cannot be read, which reading
    /// the file has observed.
    pub fn new(mut raw: RawConfig, root: &Path) -> Result<Self, BadGlob> {
        let rules = vec![std::mem::take(&mut raw.rules)];
        Self::of(raw, rules, root)
    }

    /// What `raw` says, with rules as several files say in turn.
    fn of(raw: RawConfig, further: Vec<RawRules>, root: &Path) -> Result<Self, BadGlob> {
        Ok(Self {
            root: root.to_owned(),
            extended: Vec::new(),
            files: files(&raw.files)?,
            dialects: raw
                .kinds
                .markdown
                .dialect
                .map(|dialect| (markdown::NAME, dialect))
                .into_iter()
                .collect(),
            kind_options: kind_options(raw.org.inline_tasks),
            link_roots: raw.links.roots.map(|roots| roots.iter().map(|path| root.join(path)).collect()),
            rules: rules(further, &raw.kinds, root)?,
            packs: raw.packs.paths.iter().map(|path| root.join(path)).collect(),
            quills: quills(raw.quills, root),
            templates: root.join(raw.templates.path.as_deref().unwrap_or(defaults::TEMPLATES)),
            render: limits::render(&raw.render, root),
            convert: limits::convert(&raw.convert, root),
            limits: limits::reading(&raw.limits),
            server: server(raw.server, &raw.limits, root),
            org: Org {
                files: Patterns::new(&raw.org.files)?,
                emacs_compat: raw.org.emacs_compat.unwrap_or(defaults::EMACS_COMPAT),
                log_done: raw.org.log_done.map_or_else(LogDone::default, LogDone::new),
                log_into_drawer: raw.org.log_into_drawer.unwrap_or(defaults::LOG_INTO_DRAWER),
                log_repeat: raw.org.log_repeat.unwrap_or(defaults::LOG_REPEAT),
                capture: raw.org.capture,
            },
        })
    }

    /// What holds in the folder `root` without a file.
    pub fn in_folder(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            extended: Vec::new(),
            files: Files {
                include: Patterns::default(),
                exclude: Patterns::default(),
                kinds: Vec::new(),
                dialects: Vec::new(),
                gitignore: defaults::GITIGNORE,
                templates: Vec::new(),
            },
            dialects: BTreeMap::new(),
            kind_options: kind_options(None),
            link_roots: None,
            rules: Rules {
                settings: RuleSettings::default(),
                fail_level: defaults::FAIL_LEVEL,
                baseline: None,
                overrides: Vec::new(),
            },
            packs: Vec::new(),
            quills: quills(RawQuills::default(), root),
            templates: root.join(defaults::TEMPLATES),
            render: Render::default(),
            convert: limits::convert(&RawConvert::default(), root),
            limits: Limits::default(),
            server: server(RawServer::default(), &RawLimits::default(), root),
            org: Org {
                files: Patterns::default(),
                emacs_compat: defaults::EMACS_COMPAT,
                log_done: LogDone::default(),
                log_into_drawer: defaults::LOG_INTO_DRAWER,
                log_repeat: defaults::LOG_REPEAT,
                capture: BTreeMap::new(),
            },
        }
    }

    /// The rule settings of a file, for the engine: those for all files, and those of every override that it
    /// matches. `path` is relative to [`Self::root`], with `/`.
    pub fn settings_for(&self, path: &str, limits: &Limits) -> Settings {
        let is_for = |entry: &&Override| entry.files.as_ref().is_none_or(|files| files.matches(path));
        let matching = self.rules.overrides.iter().filter(is_for);
        self.settings_of(matching, limits)
    }

    /// The rule settings of documents that are not files.
    pub fn settings(&self, limits: &Limits) -> Settings {
        self.settings_of(self.rules.overrides.iter().filter(|entry| entry.files.is_none()), limits)
    }

    fn settings_of<'s>(&'s self, further: impl Iterator<Item = &'s Override>, limits: &Limits) -> Settings {
        let mut settings = Settings { max_diagnostics: limits.diagnostics, ..Settings::default() };
        for layer in std::iter::once(&self.rules.settings).chain(further.map(|entry| &entry.settings)) {
            settings.layers.push(layer.selection.clone());
            for (name, options) in &layer.options {
                settings.options.entry(name.clone()).or_default().extend(options.clone());
            }
        }
        settings
    }

    /// Whether some files have other settings.
    pub fn has_overrides_for_files(&self) -> bool {
        self.rules.overrides.iter().any(|entry| entry.files.is_some())
    }

    /// Numbers of the overrides that a file matches: files with the same numbers have the same rules.
    pub fn overrides_of(&self, path: &str) -> Vec<usize> {
        let overrides = self.rules.overrides.iter().enumerate();
        let is_for = |entry: &Override| entry.files.as_ref().is_some_and(|files| files.matches(path));
        overrides.filter(|(_, entry)| is_for(entry)).map(|(index, _)| index).collect()
    }

    /// The kind that the configuration gives a file.
    pub fn kind_of(&self, path: &str) -> Option<&str> {
        let found = self.files.kinds.iter().find(|(patterns, _)| patterns.matches(path));
        found.map(|(_, kind)| kind.as_str())
    }

    /// When a file is read as a template.
    pub fn templates_of(&self, path: Option<&str>) -> RawTemplateMode {
        let matches = |patterns: &Patterns| path.is_some_and(|path| patterns.matches(path));
        let mut modes = self.files.templates.iter();
        let found = modes.find(|(patterns, _)| patterns.as_ref().is_none_or(matches));
        found.map_or_else(RawTemplateMode::default, |(_, mode)| *mode)
    }

    /// The dialect that the configuration gives a file by its name.
    pub fn dialect_of_file(&self, path: &str) -> Option<&'static str> {
        let found = self.files.dialects.iter().find(|(patterns, _)| patterns.matches(path));
        found.map(|(_, dialect)| dialect.name())
    }

    /// Whether a file is to be checked when a folder above it was named.
    pub fn includes(&self, path: &str) -> bool {
        (self.files.include.is_empty() || self.files.include.matches(path))
            && !self.files.exclude.matches(path)
    }
}

impl RuleSettings {
    fn add(&mut self, name: String, rule: RawRule) {
        let table = match rule {
            RawRule::Level(level) => {
                crate::kinds::config::RawRuleTable { severity: Some(level), ..Default::default() }
            }
            RawRule::Table(table) => table,
        };
        if let Some(level) = table.severity {
            self.selection.levels.push((name.clone(), severity(level)));
        }
        match table.enabled {
            Some(true) => self.selection.extend.push(name.clone()),
            Some(false) => self.selection.ignore.push(name.clone()),
            None => {}
        }
        let mut options = table.options;
        options.extend(table.direct);
        if !options.is_empty() {
            self.options.insert(name, options);
        }
    }
}

/// The severity of a level; nothing for `off`.
fn severity(level: RawLevel) -> Option<Severity> {
    match level {
        RawLevel::Off => None,
        RawLevel::Note => Some(Severity::Note),
        RawLevel::Warning => Some(Severity::Warning),
        RawLevel::Error => Some(Severity::Error),
    }
}

fn files(raw: &RawFiles) -> Result<Files, BadGlob> {
    let kinds =
        raw.kinds.iter().map(|(glob, kind)| Ok((Patterns::new(std::slice::from_ref(glob))?, kind.clone())));
    let dialects =
        raw.dialects.iter().map(|(glob, name)| Ok((Patterns::new(std::slice::from_ref(glob))?, *name)));
    Ok(Files {
        dialects: dialects.collect::<Result<_, BadGlob>>()?,
        include: Patterns::new(&raw.include)?,
        exclude: Patterns::new(&raw.exclude)?,
        gitignore: raw.gitignore.unwrap_or(defaults::GITIGNORE),
        templates: templates(raw.templates.as_ref())?,
        kinds: kinds.collect::<Result<_, BadGlob>>()?,
    })
}

fn templates(raw: Option<&RawTemplating>) -> Result<Vec<(Option<Patterns>, RawTemplateMode)>, BadGlob> {
    match raw {
        None => Ok(Vec::new()),
        Some(RawTemplating::All(mode)) => Ok(vec![(None, *mode)]),
        Some(RawTemplating::ByGlob(modes)) => {
            let of_glob = |(glob, mode): (&String, &RawTemplateMode)| {
                Ok((Some(Patterns::new(std::slice::from_ref(glob))?), *mode))
            };
            let mut globs: Vec<_> = modes.iter().collect();
            globs.sort_by_key(|(glob, _)| Reverse(glob.len()));
            globs.into_iter().map(of_glob).collect()
        }
    }
}

/// The rule that warns of syntax which the targeted version of Mermaid does not have.
const NEWER_THAN_TARGET: &str = "newer-than-target";

/// `11.12` as the number that rules compare; a patch release has the syntax of its minor one.
fn version(text: &str) -> Option<u32> {
    let mut numbers = text.split('.').map(str::parse::<u32>);
    let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(major * 100 + minor)
}

/// The rules as the files of a configuration set them, of which later ones win.
fn rules(layers: Vec<RawRules>, kinds: &RawKinds, root: &Path) -> Result<Rules, BadGlob> {
    let mut rules = Rules {
        settings: RuleSettings::default(),
        fail_level: defaults::FAIL_LEVEL,
        baseline: None,
        overrides: Vec::new(),
    };
    if let Some(target) = kinds.mermaid.target.as_deref().and_then(version) {
        let options = Map::from_iter([("target".to_owned(), target.into())]);
        rules.settings.options.insert(NEWER_THAN_TARGET.to_owned(), options);
    }
    for (index, raw) in layers.into_iter().enumerate() {
        let RawRules { select, extend, ignore, .. } = raw;
        let selection = Selection { select, extend, ignore, levels: Vec::new() };
        let mut settings = RuleSettings { selection, options: BTreeMap::new() };
        raw.rules.into_iter().for_each(|(name, rule)| settings.add(name, rule));
        if index == 0 {
            let options = std::mem::take(&mut rules.settings.options);
            settings.options = options.into_iter().chain(settings.options).collect();
            rules.settings = settings;
        } else {
            rules.overrides.push(Override { files: None, settings });
        }
        rules.fail_level = raw.fail_level.unwrap_or(rules.fail_level);
        rules.baseline = raw.baseline.map(|path| root.join(path));
        for one in raw.overrides {
            rules.overrides.push(override_for(one)?);
        }
    }
    Ok(rules)
}

fn override_for(raw: RawOverride) -> Result<Override, BadGlob> {
    let selection = Selection { extend: raw.extend, ignore: raw.ignore, ..Selection::default() };
    let mut settings = RuleSettings { selection, options: BTreeMap::new() };
    raw.rules.into_iter().for_each(|(name, rule)| settings.add(name, rule));
    Ok(Override { files: Some(Patterns::new(&raw.files)?), settings })
}

fn quills(raw: RawQuills, root: &Path) -> Quills {
    Quills {
        path: root.join(raw.path.as_deref().unwrap_or(defaults::QUILLS)),
        auto_register: raw.auto_register.unwrap_or(defaults::AUTO_REGISTER),
        builtin: raw.builtin.unwrap_or(defaults::BUILTIN_QUILLS),
        manual: raw.manual.into_iter().map(|quill| (quill.name, root.join(quill.path))).collect(),
    }
}

fn server(raw: RawServer, limits: &RawLimits, root: &Path) -> Server {
    let text_bytes = limits::service_text_bytes(&raw, limits);
    Server {
        limits: limits::service(&raw, text_bytes),
        text_bytes,
        address: raw.address,
        allowed_hosts: raw.allowed_hosts,
        allowed_origins: raw.allowed_origins,
        token_variable: raw.token_variable,
        roots: raw.roots.iter().map(|path| root.join(path)).collect(),
        dialect: raw.dialect,
        mermaid_cli: raw.mermaid_cli.unwrap_or(false),
        answers: raw.answers.unwrap_or_default(),
        toolsets: raw.toolsets.into_iter().map(|family| family.name().to_owned()).collect(),
        without: raw.without.into_iter().map(|family| family.name().to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::project::config::schema;

    /// An object with the default of every key that a schema gives one.
    fn defaults(schema: &Value) -> Value {
        let root = super::super::schema();
        let target = schema["$ref"].as_str().and_then(|target| root.pointer(&target[1..]));
        let properties = target.unwrap_or(schema)["properties"].as_object();
        let default = |(name, schema): (&String, &Value)| {
            let value =
                if schema.get("$ref").is_some() { defaults(schema) } else { schema["default"].clone() };
            (!value.is_null()).then(|| (name.clone(), value))
        };
        properties.into_iter().flatten().filter_map(default).collect::<Map<_, _>>().into()
    }

    #[test]
    fn the_defaults_of_the_schema_are_those_of_a_missing_file() {
        let all = defaults(schema());
        assert_eq!(all["limits"]["yaml_depth"], json!(64));
        let raw: RawConfig = serde_json::from_value(all).unwrap();
        assert!(raw.render.cache_seconds.is_some() && raw.server.deadline_ms.is_some());
        assert_eq!(Config::new(raw, Path::new("")).unwrap(), Config::default());
    }
}
