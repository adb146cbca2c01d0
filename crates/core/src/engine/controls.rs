//! Comments of other tools that turn rules off and on: `<!-- markdownlint-disable MD013 -->` and its relatives, for packs
//! that name the word that these comments begin with.
//!
//! `disable` and `enable` are about the lines from theirs on, `disable-line` and `disable-next-line` about one line,
//! `disable-file` and `enable-file` about all of them. `capture` keeps what is on, and `restore` goes back to it.
//! `configure-file` has a JSON object with the rules that are on, and their options.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};

use super::settings::Settings;
use crate::{
    budget,
    diagnostic::{Diagnostic, Severity},
    rules::{Pack, Rule, Ruleset},
    text::Source,
};

/// What a comment does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Disable,
    Enable,
    DisableFile,
    EnableFile,
    DisableLine,
    DisableNextLine,
    Capture,
    Restore,
    ConfigureFile,
}

/// The actions by name. A name that begins with another one comes first.
const ACTIONS: [(&str, Action); 9] = [
    ("disable-file", Action::DisableFile),
    ("disable-line", Action::DisableLine),
    ("disable-next-line", Action::DisableNextLine),
    ("disable", Action::Disable),
    ("enable-file", Action::EnableFile),
    ("enable", Action::Enable),
    ("capture", Action::Capture),
    ("restore", Action::Restore),
    ("configure-file", Action::ConfigureFile),
];

/// A comment that turns rules off or on.
#[derive(Debug)]
struct Directive<'t> {
    action: Action,
    /// Its line, from 1.
    line: u32,
    /// What follows the action.
    parameter: &'t str,
}

/// The comments in `source` that begin with a word.
fn directives<'t>(source: &'t Source, word: &str) -> Vec<Directive<'t>> {
    let text = source.text();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("<!--").map(|next| at + next + 4) {
        at = open;
        if !budget::charge(1) {
            break;
        }
        let inner = text[open..].trim_start();
        let start = text.len() - inner.len();
        let Some(name) = strip_word(inner, word).and_then(|rest| rest.strip_prefix('-')) else { continue };
        let action = ACTIONS.iter().find_map(|(action, means)| {
            let rest = strip_word(name, action)?;
            (rest.starts_with(char::is_whitespace) || rest.starts_with("-->")).then_some((*means, rest))
        });
        let Some((action, rest)) = action else { continue };
        let within =
            if action == Action::ConfigureFile { rest } else { rest.lines().next().unwrap_or_default() };
        if let Some(end) = within.find("-->") {
            let line = source.lines().line(start as u32);
            budget::push(&mut found, Directive { action, line, parameter: within[..end].trim() });
        }
    }
    found
}

/// What follows a word, in any case, at the start of `text`.
fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len())?;
    start.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

/// The rules of a pack by the names that comments use.
struct Named<'r> {
    ruleset: &'r Ruleset,
    rules: Vec<&'r Arc<Rule>>,
}

impl<'r> Named<'r> {
    fn of(pack: &Pack, ruleset: &'r Ruleset) -> Self {
        Self { ruleset, rules: ruleset.rules_of(&pack.name) }
    }

    /// Positions of the rules with an id, a name, a former name, or a tag.
    fn find(&self, name: &str) -> Vec<usize> {
        let lower = name.to_lowercase();
        let redirected = self.ruleset.find(&lower).map(|found| found.rule.id.as_str());
        let means = |rule: &Rule| {
            rule.id.eq_ignore_ascii_case(name)
                || rule.name == lower
                || redirected == Some(rule.id.as_str())
                || rule.tags.contains(&lower)
        };
        self.rules.iter().enumerate().filter(|(_, rule)| means(rule)).map(|(index, _)| index).collect()
    }

    /// The rules that a comment names, or all of them.
    fn listed(&self, parameter: &str) -> Vec<usize> {
        if parameter.is_empty() {
            return (0..self.rules.len()).collect();
        }
        parameter.split_whitespace().flat_map(|name| self.find(name)).collect()
    }
}

/// The packs with such comments for documents of a kind, with the comments in a document.
fn controlled<'r, 't>(
    ruleset: &'r Ruleset,
    kind: &str,
    source: &'t Source,
) -> Vec<(Named<'r>, Vec<Directive<'t>>)> {
    let packs = ruleset.packs().iter().filter(|pack| pack.kinds.iter().any(|name| name == kind));
    let has_comments = memchr::memmem::find(source.text().as_bytes(), b"<!--").is_some();
    let controlled = packs.filter(|_| has_comments).filter_map(|pack| {
        let word = pack.control_comments.as_deref()?;
        let directives = directives(source, word);
        (!directives.is_empty()).then(|| (Named::of(pack, ruleset), directives))
    });
    controlled.collect()
}

/// The settings for a document whose comments configure rules, or turn rules on that are off; nothing for others.
pub(super) fn settings(
    ruleset: &Ruleset,
    settings: &Settings,
    kind: &str,
    source: &Source,
) -> Option<Settings> {
    let controlled = controlled(ruleset, kind, source);
    if controlled.is_empty() {
        return None;
    }
    let mut changed = settings.clone();
    let mut is_changed = false;
    for (named, directives) in controlled {
        // A pack that is off as a whole has no comments.
        if !named.rules.iter().any(|rule| settings.enables(rule)) {
            continue;
        }
        let configured = directives.iter().filter(|directive| directive.action == Action::ConfigureFile);
        let mut all = Map::new();
        for value in
            configured.filter_map(|directive| serde_json::from_str::<Value>(directive.parameter).ok())
        {
            all.extend(value.as_object().cloned().unwrap_or_default());
        }
        if !all.is_empty() {
            is_changed = true;
            configure(&mut changed, &named, &all);
        }
        for directive in directives.iter().filter(|d| matches!(d.action, Action::Enable | Action::EnableFile))
        {
            for index in named.listed(directive.parameter) {
                let rule = named.rules[index];
                if !changed.enables(rule) {
                    is_changed = true;
                    changed.left_out.remove(&rule.id);
                    changed.commented.entry(rule.id.clone()).or_insert(false);
                }
            }
        }
    }
    is_changed.then_some(changed)
}

/// Takes over what a comment says of rules.
fn configure(settings: &mut Settings, named: &Named<'_>, configured: &Map<String, Value>) {
    let default = configured.iter().find(|(name, _)| name.eq_ignore_ascii_case("default"));
    let mut on: HashMap<usize, bool> = HashMap::new();
    if let Some((_, default)) = default {
        on.extend((0..named.rules.len()).map(|index| (index, !is_off(default))));
    }
    for (name, value) in configured {
        for index in named.find(name) {
            on.insert(index, !is_off(value) && value.get("enabled").is_none_or(|enabled| !is_off(enabled)));
            let rule = named.rules[index];
            settings.options.remove(&rule.name);
            settings.options.insert(rule.id.clone(), options(rule, value));
            settings.severity.extend(severity(value).map(|severity| (rule.id.clone(), severity)));
        }
    }
    for (index, on) in on {
        let rule = named.rules[index];
        if on {
            settings.left_out.remove(&rule.id);
            settings.commented.insert(rule.id.clone(), true);
        } else {
            settings.left_out.insert(rule.id.clone());
        }
    }
}

/// What another tool's configuration says of the rules of the packs that have its comments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Ids of rules that it turns off.
    pub off: Vec<String>,
    /// Options by rule id.
    pub options: Vec<(String, Map<String, Value>)>,
    /// Severities by rule id.
    pub severities: Vec<(String, Severity)>,
    /// Names that no rule has, as `[NAME]`, and options that a rule does not have, as `[NAME, OPTION]`.
    pub unknown: Vec<Vec<String>>,
    /// Options with values that the rule does not take.
    pub refused: Vec<RefusedOption>,
}

/// An option with a value that the rule does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedOption {
    /// The rule as it is named, and the option.
    pub path: [String; 2],
    /// The strings that are allowed; any if empty.
    pub allowed: Vec<String>,
}

/// Reads a configuration of the tool whose comments begin with a word: a mapping from rules to what it says of them.
pub fn adopt(ruleset: &Ruleset, word: &str, configured: &Map<String, Value>) -> Adopted {
    let mut adopted = Adopted::default();
    for pack in ruleset.packs().iter().filter(|pack| pack.control_comments.as_deref() == Some(word)) {
        let named = Named::of(pack, ruleset);
        let default = configured.iter().find(|(name, _)| name.eq_ignore_ascii_case("default"));
        let mut on = vec![default.is_none_or(|(_, default)| !is_off(default)); named.rules.len()];
        for (name, value) in configured {
            let found = named.find(name);
            if found.is_empty() && !name.eq_ignore_ascii_case("default") {
                adopted.unknown.push(vec![name.clone()]);
            }
            for index in found {
                on[index] = !is_off(value) && value.get("enabled").is_none_or(|enabled| !is_off(enabled));
                let rule = named.rules[index];
                let options = options(rule, value);
                let given = value.as_object().into_iter().flatten().map(|(name, _)| name);
                let unused = given.filter(|option| {
                    !options.contains_key(*option) && !matches!(option.as_str(), "enabled" | "severity")
                });
                for option in unused {
                    let path = [name.clone(), option.clone()];
                    match rule.options.get(option) {
                        None => adopted.unknown.push(path.into()),
                        Some(known) => {
                            adopted.refused.push(RefusedOption { path, allowed: known.values.clone() });
                        }
                    }
                }
                adopted.severities.extend(severity(value).map(|severity| (rule.id.clone(), severity)));
                if !options.is_empty() {
                    adopted.options.push((rule.id.clone(), options));
                }
            }
        }
        let off = named.rules.iter().zip(&on).filter(|(_, on)| !**on);
        adopted.off.extend(off.map(|(rule, _)| rule.id.clone()));
    }
    adopted
}

/// The severity that a value gives a rule, by itself or beside its options.
fn severity(value: &Value) -> Option<Severity> {
    match value.get("severity").unwrap_or(value).as_str()? {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        _ => None,
    }
}

fn is_off(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false))
}

/// The options of a rule that a comment sets to a value that they take.
fn options(rule: &Rule, value: &Value) -> Map<String, Value> {
    let given = value.as_object().into_iter().flatten();
    let fits = |name: &str, value: &Value| rule.options.get(name).is_some_and(|option| option.takes(value));
    given
        .filter(|(name, value)| fits(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Which rules of a pack are on, by position.
type On = Vec<bool>;

/// Which rules are on on which lines.
struct Lines {
    /// The rules that are on from a line on.
    changes: Vec<(u32, On)>,
    single: HashMap<u32, On>,
}

impl Lines {
    fn new(named: &Named<'_>, settings: &Settings, directives: &[Directive<'_>]) -> Self {
        let is_on = |rule: &Rule| match settings.commented.get(&rule.id) {
            Some(all) => *all && settings.enables(rule),
            None => settings.enables(rule),
        };
        let mut on: On = named.rules.iter().map(|rule| is_on(rule)).collect();
        let set = |on: &mut On, directive: &Directive<'_>, value: bool| {
            for index in named.listed(directive.parameter) {
                on[index] = value;
            }
        };
        for directive in directives {
            match directive.action {
                Action::DisableFile => set(&mut on, directive, false),
                Action::EnableFile => set(&mut on, directive, true),
                _ => {}
            }
        }
        let mut captured = on.clone();
        let mut lines = Self { changes: vec![(0, on.clone())], single: HashMap::new() };
        for directive in budget::within(directives) {
            match directive.action {
                Action::Disable => set(&mut on, directive, false),
                Action::Enable => set(&mut on, directive, true),
                Action::Capture => captured.clone_from(&on),
                Action::Restore => on.clone_from(&captured),
                _ => continue,
            }
            lines.changes.push((directive.line, on.clone()));
        }
        for directive in budget::within(directives) {
            let line = match directive.action {
                Action::DisableLine => directive.line,
                Action::DisableNextLine => directive.line + 1,
                _ => continue,
            };
            let mut on = lines.at(line).clone();
            set(&mut on, directive, false);
            lines.single.insert(line, on);
        }
        lines
    }

    fn at(&self, line: u32) -> &On {
        let last = self.changes.partition_point(|(from, _)| *from <= line).saturating_sub(1);
        self.single.get(&line).unwrap_or(&self.changes[last].1)
    }
}

/// Marks the diagnostics on lines where their rules are turned off, and drops those of rules that comments turn on for
/// other lines only.
pub(super) fn apply(
    kind: &str,
    source: &Source,
    diagnostics: &mut Vec<Diagnostic>,
    ruleset: &Ruleset,
    settings: &Settings,
) {
    for (named, directives) in controlled(ruleset, kind, source) {
        let positions: HashMap<&str, usize> =
            named.rules.iter().enumerate().map(|(index, rule)| (rule.id.as_str(), index)).collect();
        let lines = Lines::new(&named, settings, &directives);
        let is_off = |diagnostic: &Diagnostic| {
            let position = positions.get(diagnostic.id.as_str());
            position.is_some_and(|position| !lines.at(diagnostic.location.line)[*position])
        };
        diagnostics.retain(|diagnostic| {
            settings.commented.get(&diagnostic.id) != Some(&false) || !is_off(diagnostic)
        });
        for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.suppressed.is_none()) {
            if budget::charge(1) && is_off(diagnostic) {
                diagnostic.suppressed = Some("turned off by a comment".to_owned());
            }
        }
    }
}
