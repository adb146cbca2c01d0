//! Configurations of other tools whose rules a pack has, such as `.markdownlint.json`: they hold where the pack is on
//! and `proofmark.toml` does not say otherwise.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::overrides::RuleOverrides;
use crate::{
    engine::{Adopted, Selection, Settings, adopt},
    files,
    kinds::{Limits, ParseOptions},
    rules::{Rule, Ruleset},
    syntax::Observation,
    text::{Fragment, Source},
};

/// A configuration of another tool.
#[derive(Debug, Clone)]
pub struct AdoptedFile {
    /// The file.
    pub path: PathBuf,
    /// What it says of rules.
    pub rules: Adopted,
    /// Globs of files that are not checked.
    pub ignored: Vec<String>,
    /// Keys that have no meaning here.
    pub unknown: Vec<String>,
}

/// Where a tool looks for its rules, and for more than these: names of files, and the key with the rules.
fn places(word: &str) -> Vec<(String, Option<&'static str>)> {
    let names =
        |stem: String, kinds: &[&str]| kinds.iter().map(|kind| format!(".{stem}.{kind}")).collect::<Vec<_>>();
    let rules = names(word.to_owned(), &["jsonc", "json", "yaml", "yml"]);
    let more = names(format!("{word}-cli2"), &["jsonc", "yaml"]);
    let rules = rules.into_iter().map(|name| (name, None));
    rules.chain(more.into_iter().map(|name| (name, Some("config")))).collect()
}

impl AdoptedFile {
    /// The configuration in a folder of the tool whose comments begin with `word`; nothing without one, or where none
    /// can be read.
    pub fn find(folder: &Path, word: &str, ruleset: &Ruleset) -> Option<Self> {
        for (name, key) in places(word) {
            let path = folder.join(&name);
            if let Some(value) = read(&path, &name, ruleset) {
                return Some(Self::of(path, value, key, word, ruleset));
            }
        }
        let path = folder.join("package.json");
        let mut package = read(&path, "package.json", ruleset)?;
        let own = package.remove(&format!("{word}-cli2")).map(|value| (value, Some("config")));
        let (value, key) = own.or_else(|| package.remove(word).map(|value| (value, None)))?;
        Some(Self::of(path, value.as_object().cloned().unwrap_or_default(), key, word, ruleset))
    }

    fn of(
        path: PathBuf,
        mut value: Map<String, Value>,
        key: Option<&str>,
        word: &str,
        ruleset: &Ruleset,
    ) -> Self {
        let mut unknown = Vec::new();
        let mut ignored = Vec::new();
        let rules = match key {
            None => value,
            Some(key) => {
                let rules =
                    value.remove(key).and_then(|rules| rules.as_object().cloned()).unwrap_or_default();
                let globs = value.remove("ignores");
                let globs = globs.iter().filter_map(Value::as_array).flatten();
                ignored.extend(globs.filter_map(Value::as_str).map(str::to_owned));
                unknown.extend(value.keys().cloned());
                rules
            }
        };
        let mut rules = rules;
        rules.remove("$schema");
        let rules = adopt(ruleset, word, &rules);
        unknown.extend(rules.unknown.iter().cloned());
        Self { path, rules, ignored, unknown }
    }

    /// Has it decide about the rules that nothing nearer names.
    pub(super) fn apply(&self, settings: &mut Settings, overrides: &RuleOverrides, ruleset: &Ruleset) {
        let free: Vec<&Arc<Rule>> =
            ruleset.rules().iter().filter(|rule| !is_named(rule, settings, overrides)).collect();
        let ids = free.iter().map(|rule| &rule.id);
        settings.left_out.extend(ids.clone().filter(|id| self.rules.off.contains(*id)).cloned());
        let severities =
            ids.filter_map(|id| self.rules.severities.iter().rev().find(|(named, _)| named == id));
        settings.severity.extend(severities.cloned());
        for (id, options) in &self.rules.options {
            let own = settings.options.remove(id).unwrap_or_default();
            let mut options = options.clone();
            options.extend(own);
            settings.options.insert(id.clone(), options);
        }
    }

    /// What cannot be taken over, as a fact about the file.
    pub(super) fn fact(&self) -> Option<(Arc<Source>, Observation)> {
        if self.unknown.is_empty() {
            return None;
        }
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let fact = Observation::about_file("setting-not-adopted").with("names", self.unknown.clone());
        Some((Arc::new(Source::new(name, "")), fact))
    }
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

/// A JSON or YAML file as a mapping.
fn read(path: &Path, name: &str, ruleset: &Ruleset) -> Option<Map<String, Value>> {
    let text = files::read_small(path, Limits::default().text_bytes).ok()?;
    let is_yaml =
        Path::new(name).extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let kind = ruleset.kinds().get(if is_yaml { "yaml" } else { "json" })?;
    // These tools accept comments in JSON, whatever the name of the file is.
    let source = Arc::new(Source::new(if is_yaml { "adopted.yaml" } else { "adopted.jsonc" }, text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = kind.parse(&source, &fragment, &ParseOptions::default());
    document.tree.root().to_json().as_object().cloned()
}

/// The words that begin the comments of packs with rules that are on.
pub(super) fn words<'r>(ruleset: &'r Ruleset, settings: &Settings) -> Vec<&'r str> {
    let is_on = |pack: &str| ruleset.rules().iter().any(|rule| rule.pack == pack && settings.enables(rule));
    let packs = ruleset.packs().iter().filter(|pack| pack.control_comments.is_some() && is_on(&pack.name));
    packs.filter_map(|pack| pack.control_comments.as_deref()).collect()
}
