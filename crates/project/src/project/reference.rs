//! What there is to know about rules and kinds, as data, and what reports say about them.

use serde_json::{Value, json};

use super::resolved::Project;
use crate::{
    diagnostic::report::{Format, ReportOptions, RuleInfo, Run},
    kinds::{Kind, Layer},
    rules::{Rule, Status},
    text::Fingerprint,
};

/// The parts of an explanation: what a rule checks, why, how to fix what it finds.
const PARTS: [&str; 3] = ["what", "why", "how_to_fix"];

impl Project {
    /// The rules for documents of a kind and with a tag, where these are named, as
    /// `proofmark rules list --format json` writes them.
    pub fn describe_rules(&self, kind: Option<&str>, tag: Option<&str>) -> Value {
        self.rules_for(kind, tag).into_iter().map(|rule| self.rule_entry(rule)).collect()
    }

    /// Everything about a rule, as `proofmark explain --format json` writes it. A former id or name works, too.
    pub fn explain(&self, rule: &str) -> Option<Value> {
        self.ruleset().find(rule).map(|found| self.explained(found.rule))
    }

    /// All kinds of document, as `proofmark kinds --format json` writes them.
    pub fn describe_kinds(&self) -> Value {
        self.kinds().iter().map(|kind| describe_kind(kind.as_ref())).collect()
    }

    /// What reports say about the program and its rules.
    pub fn run(&self, format: Format, options: ReportOptions) -> Run {
        let rules = if format == Format::Sarif { self.rule_infos() } else { Vec::new() };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Run { version, ruleset: self.ruleset().fingerprint().to_owned(), rules, options }
    }

    /// What all results depend on besides the documents and the files beside them (rules, settings, limits, dialect,
    /// environment, baseline), as sixteen hexadecimal digits.
    pub fn results_key(&self) -> String {
        let settings = format!("{:?} {:?} {:?}", self.base().settings(), self.dialect, self.environment);
        Fingerprint::new().add(self.ruleset().fingerprint()).add(&settings).add(self.fingerprint()).hex()
    }

    /// The rules for documents of a kind and with a tag.
    #[doc(hidden)]
    pub fn rules_for(&self, kind: Option<&str>, tag: Option<&str>) -> Vec<&Rule> {
        let among =
            |names: &[String], name: Option<&str>| name.is_none_or(|name| names.iter().any(|n| n == name));
        let rules = self.ruleset().rules().iter().map(AsRef::as_ref);
        rules.filter(|rule: &&Rule| among(&rule.kinds, kind) && among(&rule.tags, tag)).collect()
    }

    fn rule_entry(&self, rule: &Rule) -> Value {
        let settings = self.base().settings();
        json!({
            "id": rule.id,
            "name": rule.name,
            "severity": settings.severity_of(rule),
            "enabled": settings.selects(rule),
            "status": rule.status.name(),
            "since": rule.since,
            "pack": rule.pack,
            "kinds": rule.kinds,
            "tags": rule.tags,
            "summary": summary(&self.ruleset().help(rule).explain),
        })
    }

    #[doc(hidden)]
    pub fn explained(&self, rule: &Rule) -> Value {
        let help = self.ruleset().help(rule);
        let mut value = json!({
            "id": rule.id,
            "name": rule.name,
            "severity": rule.severity,
            "status": rule.status.name(),
            "since": rule.since,
            "pack": rule.pack,
            "kinds": rule.kinds,
            "tags": rule.tags,
            "enabled": rule.enabled,
            "fix": rule.fixes.iter().map(|fix| fix.applicability).max(),
            "explain": help.explain.trim(),
        });
        if let Status::Deprecated { replaced_by } = &rule.status {
            value["replaced_by"] = replaced_by.as_str().into();
        }
        for (name, part) in PARTS.iter().zip(paragraphs(&help.explain)) {
            value[*name] = part.into();
        }
        let options = rule.options.iter().map(|(name, option)| {
            let (kind, default) = (option.value_type.name(), &option.default);
            let mut value =
                json!({"name": name, "type": kind, "default": default, "description": option.description});
            if !option.values.is_empty() {
                value["values"] = option.values.clone().into();
            }
            value
        });
        value["options"] = options.collect();
        let examples = help.examples.iter().map(|example| {
            let fixed = example.fixed.as_ref().and_then(|fixed| fixed.text.as_deref());
            json!({"invalid": example.invalid, "text": example.sample.text, "fixed": fixed})
        });
        value["examples"] = examples.collect();
        value
    }

    fn rule_infos(&self) -> Vec<RuleInfo> {
        let (settings, ruleset) = (self.base().settings(), self.ruleset());
        let on = ruleset.rules().iter().filter(|rule| settings.selects(rule));
        on.map(|rule| {
            let explain = ruleset.help(rule).explain;
            RuleInfo {
                id: rule.id.clone(),
                name: rule.name.clone(),
                severity: settings.severity_of(rule),
                short: summary(&explain),
                help_markdown: explain.trim().to_owned(),
                help_uri: None,
                tags: rule.tags.clone(),
                since: rule.since.clone(),
            }
        })
        .collect()
    }
}

fn paragraphs(explain: &str) -> impl Iterator<Item = &str> {
    explain.trim().split("\n\n").map(str::trim)
}

/// What a rule checks, in one line: the first paragraph of its explanation.
pub fn summary(explain: &str) -> String {
    let first = paragraphs(explain).next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A kind with what rules can look for in its documents.
pub fn describe_kind(kind: &dyn Kind) -> Value {
    let observables = kind.observables().iter().map(|known| {
        let layer = if known.layer == Layer::Syntax { "syntax" } else { "fact" };
        let (values, places) = (known.values.iter(), known.places.iter());
        let (values, places) = (values.collect::<Vec<_>>(), places.collect::<Vec<_>>());
        json!({"name": known.name, "layer": layer, "values": values, "places": places})
    });
    json!({
        "name": kind.name(),
        "description": kind.description(),
        "globs": kind.globs(),
        "languages": kind.languages(),
        "observables": observables.collect::<Value>(),
        "tree": tree_schema(kind),
    })
}

/// The JSON Schema of the trees of a kind.
pub fn tree_schema(kind: &dyn Kind) -> Value {
    serde_json::from_str(kind.tree_schema()).unwrap_or_default()
}
