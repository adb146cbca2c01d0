use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    diagnostic::Severity,
    rules::{Rule, Status},
};

/// Which rules are on, how severe they are, and what their options are.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Only rules that one of these names are on; the default set when empty. A name is an id, the
    /// start of one (`FM`), a rule's name, a tag, a pack, or `all`.
    pub select: Vec<String>,
    /// Rules that are on besides, by the same names.
    pub extend: Vec<String>,
    /// Rules that are off, by the same names; stronger than the others.
    pub ignore: Vec<String>,
    /// Severity by name, the last match counts.
    pub severity: Vec<(String, Severity)>,
    /// Options by rule id or name.
    pub options: BTreeMap<String, Map<String, Value>>,
    /// Whether findings that follow from others are kept, with `caused_by`.
    pub keep_folded: bool,
    /// Most diagnostics for one document; the rest is counted. Zero means 10 000.
    pub max_diagnostics: usize,
    /// The day by which suppressions expire, `YYYY-MM-DD`; today when absent.
    pub today: Option<String>,
}

impl Settings {
    /// Whether a rule is on.
    pub(crate) fn enables(&self, rule: &Rule) -> bool {
        if rule.status == Status::Removed || self.ignore.iter().any(|name| names(name, rule)) {
            return false;
        }
        if self.extend.iter().any(|name| names(name, rule)) {
            return true;
        }
        if self.select.is_empty() {
            return rule.enabled;
        }
        self.select.iter().any(|name| names(name, rule) && (rule.enabled || name != "all"))
    }

    /// The severity of a rule's findings.
    pub(crate) fn severity_of(&self, rule: &Rule) -> Severity {
        let set = self.severity.iter().rev().find(|(name, _)| names(name, rule));
        set.map_or(rule.severity, |(_, severity)| *severity)
    }

    /// The options of a rule, defaults filled in.
    pub(crate) fn options_of(&self, rule: &Rule) -> Value {
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
    pub(crate) fn unknown_names<'s>(&'s self, rules: &[std::sync::Arc<Rule>]) -> Vec<&'s str> {
        let lists = self.select.iter().chain(&self.extend).chain(&self.ignore);
        let all = lists.chain(self.severity.iter().map(|(name, _)| name)).chain(self.options.keys());
        all.map(String::as_str).filter(|name| !rules.iter().any(|rule| names(name, rule))).collect()
    }
}

/// Whether `name` means this rule: its id, the start of its id, its name, a tag, its pack, or `all`.
fn names(name: &str, rule: &Rule) -> bool {
    let prefix = name.starts_with(|c: char| c.is_ascii_uppercase()) && rule.id.starts_with(name);
    prefix
        || name == rule.name
        || name == rule.pack
        || name == "all"
        || rule.tags.iter().any(|tag| tag == name)
}
