use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::{
    diagnostic::Severity,
    kinds::Limits,
    rules::{Rule, Status},
};

/// Which rules are on, how severe they are, and what their options are.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What was said before the fields below, which decide over it: the configuration, its overrides in their
    /// order. Of each, the names are resolved to rules first, so it does not matter how a rule is named.
    pub layers: Vec<Selection>,
    /// Only rules that one of these names are on; the default set when empty. A name is an id, the
    /// start of one (`FM`), a rule's name, a tag, a pack, or `all`.
    pub select: Vec<String>,
    /// Rules that are on besides, by the same names.
    pub extend: Vec<String>,
    /// Rules that are off, by the same names; stronger than the others.
    pub ignore: Vec<String>,
    /// Ids of rules that are not for the file.
    pub left_out: BTreeSet<String>,
    /// Ids of rules that comments of the file turn on, with whether that is for all of it.
    pub commented: BTreeMap<String, bool>,
    /// Severity by name, the last match counts.
    pub severity: Vec<(String, Severity)>,
    /// Options by rule id or name.
    pub options: BTreeMap<String, Map<String, Value>>,
    /// Whether findings that follow from others are kept, with `caused_by`.
    pub keep_folded: bool,
    /// Most diagnostics for one document; the rest is counted. Zero means 10 000.
    pub max_diagnostics: usize,
    /// The day by which suppressions expire, `YYYY-MM-DD` (default: today).
    pub today: Option<String>,
}

impl Settings {
    /// Most diagnostics for one document.
    pub(super) fn limit(&self) -> usize {
        match self.max_diagnostics {
            0 => Limits::default().diagnostics,
            limit => limit,
        }
    }
}

/// What one place says about which rules are on. A later one decides over an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these rules are on; as before when empty.
    pub select: Vec<String>,
    /// Rules that are on besides.
    pub extend: Vec<String>,
    /// Rules that are off; stronger than the other lists.
    pub ignore: Vec<String>,
    /// Severity by name, or nothing for rules that are off; the last match counts.
    pub levels: Vec<(String, Option<Severity>)>,
}

/// What the layers so far say of a rule.
#[derive(Debug, Clone, Copy)]
struct State {
    on: bool,
    /// Whether a level says that it is off.
    muted: bool,
}

impl State {
    fn after(self, rule: &Rule, select: &[String], extend: &[String], ignore: &[String]) -> Self {
        let is_in = |list: &[String]| list.iter().any(|name| names(name, rule));
        let selected = select.iter().any(|name| names(name, rule) && (rule.enabled || name != "all"));
        let Self { mut on, mut muted } = self;
        if !select.is_empty() {
            on = selected;
            muted &= !selected;
        }
        if is_in(extend) {
            (on, muted) = (true, false);
        }
        Self { on: on && !is_in(ignore), muted }
    }

    fn leveled(self, rule: &Rule, levels: &[(String, Option<Severity>)]) -> Self {
        let level = levels.iter().rev().find(|(name, _)| names(name, rule));
        level.map_or(self, |(_, level)| Self { muted: level.is_none(), ..self })
    }
}

impl Settings {
    /// Whether a rule is on for the file.
    #[doc(hidden)]
    pub fn enables(&self, rule: &Rule) -> bool {
        let is_commented = self.commented.contains_key(&rule.id) && rule.status != Status::Removed;
        !self.left_out.contains(&rule.id) && (is_commented || self.selects(rule))
    }

    /// Whether a rule is on for the files that it is for.
    #[doc(hidden)]
    pub fn selects(&self, rule: &Rule) -> bool {
        let start = State { on: rule.enabled, muted: false };
        let before = self.layers.iter().fold(start, |state, layer| {
            state.after(rule, &layer.select, &layer.extend, &layer.ignore).leveled(rule, &layer.levels)
        });
        let State { on, muted } = before.after(rule, &self.select, &self.extend, &self.ignore);
        rule.status != Status::Removed && on && !muted
    }

    /// The severity of a rule's findings.
    #[doc(hidden)]
    pub fn severity_of(&self, rule: &Rule) -> Severity {
        let own = self.severity.iter().rev().find(|(name, _)| names(name, rule)).map(|(_, level)| *level);
        let levels = || self.layers.iter().rev().flat_map(|layer| layer.levels.iter().rev());
        let layered = || levels().find_map(|(name, level)| level.filter(|_| names(name, rule)));
        own.or_else(layered).unwrap_or(rule.severity)
    }

    /// The options of a rule, defaults filled in.
    #[doc(hidden)]
    pub fn options_of(&self, rule: &Rule) -> Value {
        let mut options: Map<String, Value> =
            rule.options.iter().map(|(name, (_, default, _))| (name.clone(), default.clone())).collect();
        for key in [&rule.name, &rule.id] {
            for (name, value) in self.options.get(key).into_iter().flatten() {
                options.insert(name.clone(), value.clone());
            }
        }
        Value::Object(options)
    }

    /// Names in `select`, `extend`, `ignore` and the rest that no rule answers to.
    #[doc(hidden)]
    pub fn unknown_names<'s>(&'s self, rules: &[std::sync::Arc<Rule>]) -> Vec<&'s str> {
        let layered = |layer: &'s Selection| layer.select.iter().chain(&layer.extend).chain(&layer.ignore);
        let lists = self.layers.iter().flat_map(layered);
        let lists = lists.chain(&self.select).chain(&self.extend).chain(&self.ignore);
        let all = lists.chain(self.severity.iter().map(|(name, _)| name)).chain(self.options.keys());
        all.map(String::as_str).filter(|name| !rules.iter().any(|rule| names(name, rule))).collect()
    }
}

/// Whether `name` means this rule: its id, the start of its id, its name, a tag, its pack, or `all`.
fn names(name: &str, rule: &Rule) -> bool {
    let is_letters = || name.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_prefix = name.starts_with(|c: char| c.is_ascii_uppercase()) && rule.id.starts_with(name);
    (is_prefix && !(rule.has_foreign_id && is_letters()))
        || name == rule.name
        || name == rule.pack
        || name == "all"
        || rule.tags.iter().any(|tag| tag == name)
}
