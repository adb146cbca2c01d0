//! Configurations of other tools whose rules a pack has, such as `.markdownlint.json`: they hold where the pack is on
//! and `proofmark.toml` does not say otherwise. That of a folder holds for the files below it.

mod reading;

use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::{Map, Value};

use self::reading::{Folder, Reader};
use super::{error::Findings, overrides::RuleOverrides};
use crate::{
    engine::{Adopted, Selection, Settings, Validator, adopt},
    expressions::Patterns,
    rules::{Rule, Ruleset},
};

/// The configurations of another tool, in a folder and in those below it.
pub struct AdoptedTool {
    /// The word that its files are called by, and its comments begin with.
    word: String,
    root: PathBuf,
    /// What the files in the outermost folder say.
    outermost: Arc<Chain>,
    /// What reports what there is to say about files.
    validator: Validator,
    folders: Mutex<Folders>,
}

/// The folders that were asked for.
#[derive(Debug, Default)]
struct Folders {
    /// The folders from the outermost one to the one at a path relative to it.
    chains: HashMap<PathBuf, Arc<Chain>>,
    /// What they say of rules together; each once.
    rules: Vec<Arc<Adopted>>,
    /// What there is to say about files of inner folders.
    findings: Vec<Findings>,
}

/// The folders with a configuration from the outermost one to some folder.
#[derive(Debug)]
struct Chain {
    levels: Vec<Arc<Level>>,
    /// The number of what they say of rules together.
    rules: usize,
}

/// The configuration of a folder that has one.
#[derive(Debug)]
struct Level {
    /// The folder, relative to the outermost one.
    folder: PathBuf,
    said: Folder,
    ignored: Patterns,
    /// The files that are checked; all of them if empty.
    globs: Patterns,
    patterns: Gitignore,
}

/// What configurations say of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct OfFile {
    /// The number of what they say of rules.
    pub(super) rules: usize,
    /// Whether the tool does not check the file.
    pub(super) left_out: bool,
}

impl Level {
    fn new(folder: PathBuf, said: Folder) -> Self {
        let negated = |glob: &String| glob.strip_prefix(['!', '#']).map(str::to_owned);
        let ignored: Vec<String> =
            said.ignored.iter().cloned().chain(said.globs.iter().filter_map(negated)).collect();
        let globs: Vec<String> = said.globs.iter().filter(|glob| negated(glob).is_none()).cloned().collect();
        let mut patterns = GitignoreBuilder::new("");
        for line in &said.patterns {
            // A pattern that cannot be read names no file.
            let _ = patterns.add_line(None, line);
        }
        Self {
            folder,
            ignored: patterns_of(&ignored),
            globs: patterns_of(&globs),
            patterns: patterns.build().unwrap_or_else(|_| Gitignore::empty()),
            said,
        }
    }

    /// Whether a file, by its path relative to the outermost folder, is not checked.
    fn leaves_out(&self, path: &Path) -> bool {
        let own = path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        self.ignored.matches(&own)
            || !self.globs.is_empty() && !self.globs.matches(&own)
            || !path.has_root()
                && self.patterns.matched_path_or_any_parents(Path::new(&own), false).is_ignore()
    }
}

/// Globs as a tool reads them: relative to a folder, so that one without `/` names files of that folder only.
fn patterns_of(globs: &[String]) -> Patterns {
    let anchored = |glob: &String| {
        let glob = glob.trim_start_matches("./");
        if glob.contains('/') { glob.to_owned() } else { format!("/{glob}") }
    };
    let globs: Vec<String> = globs.iter().map(anchored).collect();
    let usable = |glob: &&String| Patterns::new(std::slice::from_ref(glob)).is_ok();
    Patterns::new(&globs.iter().filter(usable).cloned().collect::<Vec<_>>()).unwrap_or_default()
}

impl AdoptedTool {
    /// The configurations of the tool whose comments begin with `word`.
    pub fn find(root: &Path, word: &str, ruleset: &Arc<Ruleset>) -> Self {
        let validator = Validator::new(Arc::clone(ruleset), Settings::default());
        let reader = Reader { root, word, ruleset, validator: &validator };
        let levels = vec![Arc::new(Level::new(PathBuf::new(), reader.folder(root, true)))];
        let rules = vec![Arc::new(adopt(ruleset, word, &configured(&levels)))];
        Self {
            word: word.to_owned(),
            root: root.to_owned(),
            outermost: Arc::new(Chain { levels, rules: 0 }),
            validator,
            folders: Mutex::new(Folders { rules, ..Folders::default() }),
        }
    }

    fn said(&self) -> impl Iterator<Item = &Level> {
        self.outermost.levels.iter().map(|level| &**level)
    }

    /// The files in the outermost folder.
    pub fn files(&self) -> Vec<&Path> {
        self.said().flat_map(|level| level.said.files.iter().map(PathBuf::as_path)).collect()
    }

    /// What the outermost folder says of rules.
    pub fn rules(&self) -> Arc<Adopted> {
        self.folders().rules.first().map(Arc::clone).unwrap_or_default()
    }

    /// Globs of files that the tool does not check.
    pub fn ignored(&self) -> Vec<String> {
        self.said().flat_map(|level| level.ignored.texts().to_vec()).collect()
    }

    /// What there is to say about the files in the outermost folder.
    pub fn findings(&self) -> impl Iterator<Item = &Findings> {
        self.said().flat_map(|level| &level.said.findings)
    }

    /// Like [`Self::findings`], for the files in the folders below that were asked for until now.
    pub(super) fn later_findings(&self) -> Vec<Findings> {
        self.folders().findings.clone()
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What configurations say of a file, by its path relative to the outermost folder.
    pub(super) fn of_file(&self, path: &str, ruleset: &Arc<Ruleset>) -> OfFile {
        let path = Path::new(path);
        let chain = self.chain(path.parent().unwrap_or(Path::new("")), ruleset);
        OfFile { rules: chain.rules, left_out: chain.levels.iter().any(|level| level.leaves_out(path)) }
    }

    /// The folders with a configuration, from the outermost one to this one.
    fn chain(&self, folder: &Path, ruleset: &Arc<Ruleset>) -> Arc<Chain> {
        let is_below = folder.components().all(|part| matches!(part, Component::Normal(_)));
        if folder.as_os_str().is_empty() || !is_below {
            return Arc::clone(&self.outermost);
        }
        if let Some(known) = self.folders().chains.get(folder) {
            return Arc::clone(known);
        }
        let outer = self.chain(folder.parent().unwrap_or(Path::new("")), ruleset);
        let reader = Reader { root: &self.root, word: &self.word, ruleset, validator: &self.validator };
        let said = reader.folder(&self.root.join(folder), false);
        let findings = said.findings.clone();
        let chain = if said.files.is_empty() {
            outer
        } else {
            let own = Arc::new(Level::new(folder.to_owned(), said));
            let levels: Vec<Arc<Level>> = outer.levels.iter().cloned().chain([own]).collect();
            let rules = self.number(adopt(ruleset, &self.word, &configured(&levels)));
            Arc::new(Chain { levels, rules })
        };
        let mut folders = self.folders();
        // Another thread may have read the folder in the meantime.
        if folders.chains.insert(folder.to_owned(), Arc::clone(&chain)).is_none() {
            folders.findings.extend(findings);
        }
        chain
    }

    /// The number of what folders say of rules together.
    fn number(&self, rules: Adopted) -> usize {
        let mut folders = self.folders();
        let known = folders.rules.iter().position(|known| **known == rules);
        known.unwrap_or_else(|| {
            folders.rules.push(Arc::new(rules));
            folders.rules.len() - 1
        })
    }

    /// Has what folders say decide about the rules that nothing nearer names.
    pub(super) fn apply(
        &self,
        of_file: OfFile,
        settings: &mut Settings,
        overrides: &RuleOverrides,
        ruleset: &Ruleset,
    ) {
        let Some(rules) = self.folders().rules.get(of_file.rules).cloned() else { return };
        let free: Vec<&Arc<Rule>> =
            ruleset.rules().iter().filter(|rule| !is_named(rule, settings, overrides)).collect();
        let ids = free.iter().map(|rule| &rule.id);
        settings.left_out.extend(ids.clone().filter(|id| rules.off.contains(*id)).cloned());
        let severities = ids.filter_map(|id| rules.severities.iter().rev().find(|(named, _)| named == id));
        settings.severity.extend(severities.cloned());
        for (id, options) in &rules.options {
            let own = settings.options.remove(id).unwrap_or_default();
            let mut options = options.clone();
            options.extend(own);
            settings.options.insert(id.clone(), options);
        }
        if of_file.left_out {
            let packs = ruleset.packs().iter();
            let own: Vec<&str> = packs
                .filter(|pack| pack.control_comments.as_deref() == Some(self.word.as_str()))
                .map(|pack| pack.name.as_str())
                .collect();
            let own = ruleset.rules().iter().filter(|rule| own.contains(&rule.pack.as_str()));
            settings.left_out.extend(own.map(|rule| rule.id.clone()));
        }
    }
}

/// The configuration of rules that folders have together: that of the nearest folder with a file for rules only, unless
/// a folder from there on has rules in the file with more than that. Of those, all folders count, the nearer ones more.
fn configured(levels: &[Arc<Level>]) -> Map<String, Value> {
    let mut base: Option<Map<String, Value>> = None;
    for (steps, level) in levels.iter().rev().enumerate() {
        if let Some(own) = &level.said.base {
            let mut merged = own.clone();
            merged.extend(base.take().unwrap_or_default());
            base = Some(merged);
        }
        if let Some(rules) = level.said.rules.as_ref().filter(|_| steps == 0 || base.is_none()) {
            return rules.clone();
        }
    }
    base.unwrap_or_default()
}

/// Whether a configuration or a client names a rule itself, not only its pack.
fn is_named(rule: &Rule, settings: &Settings, overrides: &RuleOverrides) -> bool {
    let is_own = |name: &str| name == rule.id || name == rule.name;
    let of_layer = |layer: &Selection| {
        let lists = layer.select.iter().chain(&layer.extend).chain(layer.levels.iter().map(|(name, _)| name));
        lists.into_iter().any(|name| is_own(name))
    };
    settings.layers.iter().any(of_layer)
        || overrides.select.iter().chain(&overrides.extend).any(|name| is_own(name))
}

/// The words that begin the comments of packs with rules that are on.
pub(super) fn words<'r>(ruleset: &'r Ruleset, settings: &Settings) -> Vec<&'r str> {
    let is_on = |pack: &str| ruleset.rules_of(pack).into_iter().any(|rule| settings.enables(rule));
    let packs = ruleset.packs().iter().filter(|pack| pack.control_comments.is_some() && is_on(&pack.name));
    packs.filter_map(|pack| pack.control_comments.as_deref()).collect()
}
