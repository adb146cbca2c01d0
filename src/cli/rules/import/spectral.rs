//! A rule set of Spectral: which rules are on and how severe they are becomes a configuration, custom rules become
//! rules of a pack.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{
    functions::{self, Field},
    paths,
};
use crate::rules::Ruleset;

/// What a rule set becomes.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// Rules of the pack.
    pub(super) rules: Vec<Value>,
    pub(super) settings: Settings,
    /// What is not translated: its place in the rule set, and why.
    pub(super) left: Vec<(String, String)>,
}

/// Settings for `proofmark.toml`.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Rules that are off by default and on here.
    extend: Vec<String>,
    severities: Severities,
    /// Globs of files, with the severities there.
    overrides: Vec<(Vec<String>, Severities)>,
}

/// Names of rules, each with its severity or `off`.
type Severities = Vec<(String, String)>;

/// Translates a rule set.
pub(super) fn translate(ruleset: &Value, prefix: &str) -> Imported {
    let mut translation = Translation {
        known: known_rules(),
        aliases: ruleset.get("aliases").and_then(Value::as_object).cloned().unwrap_or_default(),
        prefix: prefix.to_owned(),
        imported: Imported::default(),
    };
    translation.extends(&ruleset["extends"]);
    for (name, rule) in ruleset["rules"].as_object().into_iter().flatten() {
        translation.rule(name, rule);
    }
    for (index, part) in ruleset["overrides"].as_array().into_iter().flatten().enumerate() {
        translation.overriding(index, part);
    }
    for key in ["functions", "functionsDir", "except", "parserOptions"] {
        if ruleset.get(key).is_some() {
            translation.leave(key, "it has no equivalent");
        }
    }
    translation.imported
}

/// The rules of the pack `openapi`, with whether each is on by default.
fn known_rules() -> Vec<(String, bool)> {
    let ruleset = Ruleset::builtin();
    let rules = ruleset.rules().iter().filter(|rule| rule.pack == "openapi");
    rules.map(|rule| (rule.name.clone(), rule.enabled)).collect()
}

struct Translation {
    known: Vec<(String, bool)>,
    aliases: Map<String, Value>,
    prefix: String,
    imported: Imported,
}

impl Translation {
    fn leave(&mut self, place: &str, reason: impl Into<String>) {
        self.imported.left.push((place.to_owned(), reason.into()));
    }

    fn extends(&mut self, extends: &Value) {
        let list = match extends {
            Value::Array(list) => list.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let mut on = None;
        for one in list {
            let (name, which) = match &one {
                Value::Array(pair) => {
                    (pair.first().and_then(Value::as_str), pair.get(1).and_then(Value::as_str))
                }
                other => (other.as_str(), None),
            };
            match (name, which) {
                (Some("spectral:oas"), which) => on = Some(which.unwrap_or("recommended").to_owned()),
                (Some(other), _) => {
                    self.leave(
                        &format!("extends `{other}`"),
                        "only `spectral:oas` can be extended; translate the other rule set by itself",
                    );
                }
                (None, _) => self.leave("extends", "it is not the name of a rule set"),
            }
        }
        match on.as_deref() {
            Some("all") => {
                let off = self.known.iter().filter(|(_, enabled)| !enabled);
                self.imported.settings.extend.extend(off.map(|(name, _)| name.clone()));
            }
            Some("off") | None => {
                let on = self.known.iter().filter(|(_, enabled)| *enabled);
                let off = on.map(|(name, _)| (name.clone(), "off".to_owned()));
                self.imported.settings.severities.extend(off);
            }
            Some(_) => {}
        }
    }

    fn rule(&mut self, name: &str, rule: &Value) {
        if rule.get("given").is_some() {
            self.custom(name, rule);
            return;
        }
        let Some((_, enabled)) = self.known.iter().find(|(known, _)| known == name).cloned() else {
            self.leave(&format!("rules.{name}"), "there is no rule of this name");
            return;
        };
        let severity = rule.get("severity").unwrap_or(rule);
        let settings = &mut self.imported.settings;
        settings.severities.retain(|(known, _)| known != name);
        match level(severity) {
            Some(level) => {
                if level != "off" && !enabled && !settings.extend.iter().any(|known| known == name) {
                    settings.extend.push(name.to_owned());
                }
                settings.severities.push((name.to_owned(), level.to_owned()));
            }
            None if *severity == Value::Bool(true) => {
                if !enabled {
                    settings.extend.push(name.to_owned());
                }
            }
            None => self.leave(&format!("rules.{name}"), format!("`{severity}` is not a severity")),
        }
    }

    fn overriding(&mut self, index: usize, part: &Value) {
        let place = format!("overrides[{index}]");
        let files: Vec<String> = part["files"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        if files.iter().any(|file| file.contains('#')) {
            self.leave(
                &place,
                "settings for a part of a file have no equivalent; use a comment that suppresses the rule",
            );
            return;
        }
        if part.get("extends").is_some() {
            self.leave(&format!("{place}.extends"), "rule sets for some files have no equivalent");
        }
        let mut severities = Vec::new();
        for (name, rule) in part["rules"].as_object().into_iter().flatten() {
            match level(rule.get("severity").unwrap_or(rule)) {
                Some(level) if rule.get("given").is_none() => {
                    severities.push((name.clone(), level.to_owned()));
                }
                _ => {
                    self.leave(&format!("{place}.rules.{name}"), "only severities can be set for some files");
                }
            }
        }
        if !severities.is_empty() {
            self.imported.settings.overrides.push((files, severities));
        }
    }

    /// A rule that the rule set defines.
    fn custom(&mut self, name: &str, rule: &Value) {
        let place = format!("rules.{name}");
        let parts = match &rule["then"] {
            Value::Array(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        let given = match self.given(&rule["given"]) {
            Ok(given) => given,
            Err(reason) => return self.leave(&place, reason),
        };
        let when = match condition(&rule["formats"]) {
            Ok(when) => when,
            Err(reason) => return self.leave(&place, reason),
        };
        let several = parts.len() > 1;
        for (index, part) in parts.iter().enumerate() {
            let function = part["function"].as_str().unwrap_or_default();
            let keys = given.iter().any(|selected| selected.keys);
            let field = part["field"].as_str();
            let (field, selected) = match (keys, field) {
                (true, None) => (
                    Field::Keys,
                    given
                        .iter()
                        .map(|one| one.path.trim_end_matches(".*").trim_end_matches("[*]").to_owned())
                        .collect(),
                ),
                (true, Some(_)) => return self.leave(&place, "it selects keys, which have no fields"),
                (false, field) => {
                    (Field::read(field), given.iter().map(|one| one.path.clone()).collect::<Vec<String>>())
                }
            };
            match functions::check(function, &part["functionOptions"], &field) {
                Ok(check) => {
                    let name = if several { format!("{name}-{}", index + 1) } else { name.to_owned() };
                    self.add(&kebab(&name), rule, part, selected, when.as_deref(), &check);
                }
                Err(reason) => self.leave(&place, reason),
            }
        }
    }

    fn add(
        &mut self,
        name: &str,
        rule: &Value,
        part: &Value,
        given: Vec<String>,
        when: Option<&str>,
        check: &Value,
    ) {
        let description = rule["description"].as_str().unwrap_or(name);
        let severity = level(&rule["severity"]).unwrap_or("warning");
        let mut translated = json!({
            "id": format!("{}{:03}", self.prefix, self.imported.rules.len() + 1),
            "name": name,
            "severity": if severity == "off" { "warning" } else { severity },
            "since": "0.1.0",
            "tags": ["spectral"],
            "given": given,
            "check": check,
            "message": message(rule, part, description),
            "explain": format!("{description}\n\nTranslated from a rule of Spectral."),
        });
        if severity == "off" || rule["recommended"] == Value::Bool(false) {
            translated["enabled"] = false.into();
        }
        if let Some(when) = when {
            translated["when"] = when.into();
        }
        self.imported.rules.push(translated);
    }

    /// The paths of a rule, with aliases resolved.
    fn given(&self, given: &Value) -> Result<Vec<paths::Selected>, String> {
        let mut waiting: Vec<(String, usize)> =
            strings(given).into_iter().map(|path| (path, 0)).rev().collect();
        let mut selected = Vec::new();
        while let Some((path, depth)) = waiting.pop() {
            let Some(alias) = path.strip_prefix('#') else {
                selected.push(paths::translated(&path)?);
                continue;
            };
            let end = alias.find(['.', '[', '~']).unwrap_or(alias.len());
            let (name, rest) = alias.split_at(end);
            let known = self.aliases.get(name).ok_or_else(|| format!("there is no alias `{name}`"))?;
            if known.is_object() {
                return Err(format!("the alias `{name}` depends on the format"));
            }
            if depth > 16 {
                return Err(format!("the alias `{name}` leads back to itself"));
            }
            waiting.extend(strings(known).into_iter().rev().map(|path| (format!("{path}{rest}"), depth + 1)));
        }
        if selected.is_empty() { Err("it selects nothing".to_owned()) } else { Ok(selected) }
    }
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// The condition that a document has one of some formats.
fn condition(formats: &Value) -> Result<Option<String>, String> {
    let mut conditions = Vec::new();
    for format in strings(formats) {
        conditions.push(match format.as_str() {
            "oas2" => "has(root.swagger)".to_owned(),
            "oas3" => "has(root.openapi)".to_owned(),
            version @ ("oas3.0" | "oas3.1" | "oas3.2" | "oas3_0" | "oas3_1" | "oas3_2") => {
                format!("string(root.openapi).startsWith('3.{}')", &version[5..])
            }
            other => return Err(format!("documents of the format `{other}` are not a kind of Proofmark")),
        });
    }
    Ok((!conditions.is_empty()).then(|| conditions.join(" || ")))
}

/// A severity of Spectral.
fn level(severity: &Value) -> Option<&'static str> {
    match severity {
        Value::String(text) => match text.as_str() {
            "error" => Some("error"),
            "warn" => Some("warning"),
            "info" | "hint" => Some("note"),
            "off" => Some("off"),
            _ => None,
        },
        Value::Bool(false) => Some("off"),
        Value::Number(number) => match number.as_i64() {
            Some(0) => Some("error"),
            Some(1) => Some("warning"),
            Some(2 | 3) => Some("note"),
            Some(-1) => Some("off"),
            _ => None,
        },
        _ => None,
    }
}

/// The message of a rule, with Proofmark's placeholders.
fn message(rule: &Value, part: &Value, description: &str) -> String {
    let text = rule["message"].as_str().unwrap_or("{{description}}");
    let field = part["field"].as_str().map_or_else(|| "{{ key }}".to_owned(), str::to_owned);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("{{") {
        let (name, after) = inside.split_once("}}").unwrap_or((inside, ""));
        out.push_str(before);
        match name.trim() {
            "property" => out.push_str(&field),
            "value" => out.push_str("{{ value }}"),
            "path" => out.push_str("{{ path }}"),
            _ => out.push_str(&literal(description)),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Text that templates do not read.
fn literal(text: &str) -> String {
    text.replace("{{", "{ {").replace("{%", "{ %")
}

/// A name of the form that rules have.
fn kebab(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '$');
    let name: String = name.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let first = name.chars().next().unwrap_or('r');
    if first.is_ascii_lowercase() {
        name.to_owned()
    } else {
        format!("{}{}", if first.is_ascii_digit() { "rule-" } else { "" }, lower_first(name))
    }
}

fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

/// `pack.yaml` of a pack with translated rules.
pub(super) fn manifest(name: &str, prefix: &str) -> Value {
    json!({
        "version": 1,
        "name": name,
        "description": "Translated from a rule set of Spectral",
        "prefix": prefix,
        "kinds": ["openapi"],
    })
}

impl Imported {
    /// The file with the rules of the pack.
    pub(super) fn rule_file(&self) -> Value {
        json!({"version": 1, "rules": self.rules})
    }
}

impl Settings {
    /// The settings as a part of `proofmark.toml`.
    pub(super) fn to_toml(&self, pack: Option<&str>) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let list = |items: &[String]| items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", ");
        let mut out = String::new();
        if let Some(pack) = pack {
            let _ = writeln!(out, "[packs]\npaths = [{}]\n", quoted(pack));
        }
        let _ = writeln!(out, "[rules]");
        if !self.extend.is_empty() {
            let _ = writeln!(out, "extend = [{}]", list(&self.extend));
        }
        for (name, level) in &self.severities {
            let _ = writeln!(out, "{} = {}", quoted(name), quoted(level));
        }
        for (files, severities) in &self.overrides {
            let _ = writeln!(out, "\n[[rules.override]]\nfiles = [{}]", list(files));
            for (name, level) in severities {
                let _ = writeln!(out, "rules.{} = {}", quoted(name), quoted(level));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_the_pack_become_settings() {
        let ruleset = json!({
            "extends": ["spectral:oas"],
            "rules": {"info-contact": "off", "info-license": "error", "operation-tags": {"severity": "hint"}, "tag-description": true, "other": "warn"},
            "overrides": [{"files": ["old/*.yaml"], "rules": {"operation-tags": "off"}}, {"files": ["a.yaml#/paths"], "rules": {}}],
        });
        let imported = translate(&ruleset, "SP");
        let expected = "[rules]\nextend = [\"info-license\", \"tag-description\"]\n\"info-contact\" = \"off\"\n\"info-license\" = \"error\"\n\"operation-tags\" = \"note\"\n\n[[rules.override]]\nfiles = [\"old/*.yaml\"]\nrules.\"operation-tags\" = \"off\"\n";
        assert_eq!(imported.settings.to_toml(None), expected);
        let places: Vec<&str> = imported.left.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, ["rules.other", "overrides[1]"]);
    }

    #[test]
    fn custom_rules_become_rules_of_a_pack() {
        let ruleset = json!({
            "aliases": {"Operation": ["$.paths[*][get,put]"]},
            "rules": {
                "has-summary": {"given": "#Operation", "formats": ["oas3"], "severity": "error", "description": "Has a summary", "message": "{{property}}: {{description}}", "then": {"field": "summary", "function": "truthy"}},
                "odd": {"given": "$", "then": {"function": "mine"}},
                "asynchronous": {"given": "$", "formats": ["asyncapi2"], "then": {"function": "truthy"}},
            },
        });
        let imported = translate(&ruleset, "SP");
        let rule = &imported.rules[0];
        assert_eq!((&rule["id"], &rule["severity"]), (&json!("SP001"), &json!("error")));
        assert_eq!(rule["given"], json!(["$.paths[*]['get','put']"]));
        assert_eq!(rule["when"], "has(root.openapi)");
        assert_eq!(rule["message"], "summary: Has a summary");
        assert_eq!(imported.left.len(), 2);
    }
}
