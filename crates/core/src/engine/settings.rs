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
    /// Whether a list of rules that are off has it.
    ignored: bool,
}

impl State {
    fn after(self, rule: &Rule, select: &[String], extend: &[String], ignore: &[String]) -> Self {
        let is_in = |list: &[String]| list.iter().any(|name| names(name, rule));
        let selected = select.iter().any(|name| names(name, rule) && (rule.enabled || name != "all"));
        let Self { mut on, mut muted, mut ignored } = self;
        if !select.is_empty() {
            // What was turned off stays off, except for a rule that is named itself.
            on = selected;
            let is_named = select.iter().any(|name| *name == rule.id || *name == rule.name);
            muted &= !is_named;
            ignored &= !is_named;
        }
        if is_in(extend) {
            (on, muted, ignored) = (true, false, false);
        }
        Self { on, muted, ignored: ignored || is_in(ignore) }
    }

    fn leveled(self, rule: &Rule, levels: &[(String, Option<Severity>)]) -> Self {
        level_in(levels, rule).map_or(self, |level| Self { muted: level.is_none(), ..self })
    }
}

/// What levels by name say of a rule: that of the most specific name, of equal ones the last.
#[expect(clippy::option_option, reason = "a level may say that the rule is off, and there may be none")]
fn level_in(levels: &[(String, Option<Severity>)], rule: &Rule) -> Option<Option<Severity>> {
    let specific = levels.iter().filter_map(|(name, level)| Some((specificity(name, rule)?, *level)));
    specific.max_by_key(|(specificity, _)| *specificity).map(|(_, level)| level)
}

impl Settings {
    /// A copy without any selection of rules; nothing where no selection narrows them.
    pub(super) fn beside_selection(&self) -> Option<Self> {
        let is_narrowed = !self.select.is_empty() || self.layers.iter().any(|layer| !layer.select.is_empty());
        is_narrowed.then(|| {
            let mut whole = self.clone();
            whole.select.clear();
            whole.layers.iter_mut().for_each(|layer| layer.select.clear());
            whole
        })
    }

    /// Whether a rule is on for the file.
    #[doc(hidden)]
    pub fn enables(&self, rule: &Rule) -> bool {
        let is_commented = self.commented.contains_key(&rule.id) && rule.status != Status::Removed;
        !self.left_out.contains(&rule.id) && (is_commented || self.selects(rule))
    }

    /// Whether a rule is on for the files that it is for.
    #[doc(hidden)]
    pub fn selects(&self, rule: &Rule) -> bool {
        let start = State { on: rule.enabled, muted: false, ignored: false };
        let before = self.layers.iter().fold(start, |state, layer| {
            state.after(rule, &layer.select, &layer.extend, &layer.ignore).leveled(rule, &layer.levels)
        });
        let State { on, muted, ignored } = before.after(rule, &self.select, &self.extend, &self.ignore);
        rule.status != Status::Removed && on && !muted && !ignored
    }

    /// The severity of a rule's findings.
    #[doc(hidden)]
    pub fn severity_of(&self, rule: &Rule) -> Severity {
        let own: Vec<_> = self.severity.iter().map(|(name, level)| (name.clone(), Some(*level))).collect();
        let layered = || self.layers.iter().rev().find_map(|layer| level_in(&layer.levels, rule).flatten());
        level_in(&own, rule).flatten().or_else(layered).unwrap_or(rule.severity)
    }

    /// The options of a rule, defaults filled in.
    #[doc(hidden)]
    pub fn options_of(&self, rule: &Rule) -> Value {
        let mut options: Map<String, Value> =
            rule.options.iter().map(|(name, option)| (name.clone(), option.default.clone())).collect();
        for key in [&rule.name, &rule.id] {
            for (name, value) in self.options.get(key).into_iter().flatten() {
                options.insert(name.clone(), value.clone());
            }
        }
        Value::Object(options)
    }

    /// Names in `select`, `extend`, `ignore` and the rest that no rule answers to.
    #[doc(hidden)]
    pub fn unknown_names<'s, 'r>(&'s self, rules: impl Fn() -> &'r [std::sync::Arc<Rule>]) -> Vec<&'s str> {
        let layered = |layer: &'s Selection| layer.select.iter().chain(&layer.extend).chain(&layer.ignore);
        let lists = self.layers.iter().flat_map(layered);
        let lists = lists.chain(&self.select).chain(&self.extend).chain(&self.ignore);
        let all = lists.chain(self.severity.iter().map(|(name, _)| name)).chain(self.options.keys());
        all.map(String::as_str).filter(|name| !rules().iter().any(|rule| names(name, rule))).collect()
    }
}

/// Whether `name` means this rule: its id, the start of its id, its name, a tag, its pack, or `all`.
fn names(name: &str, rule: &Rule) -> bool {
    specificity(name, rule).is_some()
}

/// How specific a name is for a rule, if it means it: an id is more specific than a name, then tags, starts of ids (longer ones
/// first), packs and `all`.
fn specificity(name: &str, rule: &Rule) -> Option<(u8, usize)> {
    let is_letters = || name.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_prefix = name.starts_with(|c: char| c.is_ascii_uppercase()) && rule.id.starts_with(name);
    match () {
        () if name == rule.id => Some((5, 0)),
        () if name == rule.name => Some((4, 0)),
        () if rule.tags.iter().any(|tag| tag == name) => Some((3, 0)),
        () if is_prefix && !(rule.has_foreign_id && is_letters()) => Some((2, name.len())),
        () if name == rule.pack => Some((1, 0)),
        () if name == "all" => Some((0, 0)),
        () => None,
    }
}
