//! The names in documents: which matches of a grammar are names, and of what.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Ordered, Problem, TreeFault, raw::OneOrMany};
use crate::{Grammar, Part, Reading, text::Span};

/// The names in documents of a kind: what they are names of, and the rules of the grammar that match them.
///
/// ```yaml
/// names:
///   node: [vertex/id, click_id]             # `id` directly inside `vertex`; `click_id` anywhere
///   class: {rule: class_name, separator: ","}
/// ```
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RawNames(Ordered<OneOrMany<RawName>>);

/// A rule that matches a name.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum RawName {
    /// A rule, or one directly inside another: `vertex/id`.
    Rule(String),
    /// A rule that matches several names.
    List(RawList),
}

/// A rule that matches several names.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RawList {
    /// The rule.
    rule: String,
    /// What is between the names.
    separator: char,
}

/// A rule that matches names; the numbers are those of the grammar.
#[derive(Debug, Clone)]
pub struct NameRule {
    /// What they are names of.
    pub of: Cow<'static, str>,
    pub rule: u16,
    /// The rule that it must be directly inside of.
    pub within: Option<u16>,
    /// What is between several names.
    pub separator: Option<char>,
}

/// Compiles the names of a description for a grammar.
///
/// # Errors
/// Everything that is wrong with them.
pub fn compile_names(raw: &RawNames, grammar: &Grammar) -> Result<Vec<NameRule>, Vec<TreeFault>> {
    let (mut rules, mut faults) = (Vec::new(), Vec::new());
    for (of, names) in raw.0.iter() {
        for name in names.as_slice() {
            let (written, separator) = match name {
                RawName::Rule(rule) => (rule.as_str(), None),
                RawName::List(list) => (list.rule.as_str(), Some(list.separator)),
            };
            let (within, rule) =
                written.split_once('/').map_or((None, written), |(within, rule)| (Some(within), rule));
            let mut number = |name: &str| {
                let found = grammar.rule(name);
                if found.is_none() {
                    let problem = Problem::UnknownRule(name.to_owned());
                    faults.push(TreeFault { pointer: format!("/{of}"), problem });
                }
                found
            };
            let within = within.map(&mut number);
            if let (Some(rule), None | Some(Some(_))) = (number(rule), within) {
                rules.push(NameRule { of: of.clone().into(), rule, within: within.flatten(), separator });
            }
        }
    }
    if faults.is_empty() { Ok(rules) } else { Err(faults) }
}

impl NameRule {
    /// Whether a rule that is tried inside another one matches names.
    pub fn fits(&self, rule: u16, within: Option<u16>) -> bool {
        self.rule == rule && (self.within.is_none() || self.within == within)
    }
}

/// The names in text that was read, in the order of the text: what each is the name of, and where it is, without
/// whitespace and quotes around it.
pub fn names<'r>(rules: &'r [NameRule], reading: &Reading<'_, '_>) -> Vec<(&'r str, Span)> {
    let mut found = Vec::new();
    if !rules.is_empty()
        && let Some(first) = reading.first()
    {
        collect(rules, first, None, &mut found);
    }
    found
}

fn collect<'r>(
    rules: &'r [NameRule],
    part: Part<'_, '_>,
    within: Option<u16>,
    found: &mut Vec<(&'r str, Span)>,
) {
    // Rules are nested as deep as the grammar allows, so the parts below are visited without recursion.
    let mut open = vec![(part, within)];
    while let Some((part, within)) = open.pop() {
        if let Some(rule) = rules.iter().find(|rule| rule.fits(part.number(), within)) {
            add(rule, part, found);
        }
        let below: Vec<_> = part.children().collect();
        open.extend(below.into_iter().rev().map(|child| (child, Some(part.number()))));
    }
}

fn add<'r>(rule: &'r NameRule, part: Part<'_, '_>, found: &mut Vec<(&'r str, Span)>) {
    let mut start = part.span().start as usize;
    for piece in part.text().split(|c| Some(c) == rule.separator) {
        let name = piece.trim_start();
        let at = start + piece.len() - name.len();
        let name = name.trim_end();
        let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let (at, name) = quoted.map_or((at, name), |inner| (at + 1, inner));
        if !name.is_empty() {
            found.push((rule.of.as_ref(), Span::new(at, at + name.len())));
        }
        start += piece.len() + rule.separator.map_or(0, char::len_utf8);
    }
}
