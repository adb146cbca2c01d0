//! `proofmark-ignore ID[, ID]: reason [until YYYY-MM-DD]` in a comment, on the line before or the
//! same line; `proofmark-ignore-file` for a whole file; `proofmark-ignore-start ID: reason` up to
//! `proofmark-ignore-end` for the lines between.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regex::Regex;

use crate::{
    budget::{self, Once},
    diagnostic::Diagnostic,
    kinds::{Comment, Document, Observation},
    rules::Ruleset,
    schema::format_fault,
    text::{Source, Span},
};

/// One suppression of one rule.
#[derive(Debug)]
struct Suppression {
    rule: String,
    /// Id of the rule, when there is one.
    id: Option<String>,
    /// Place of the id in the comment.
    span: Span,
    comment: Span,
    reason: String,
    until: Option<String>,
    whole_file: bool,
    /// Whether it covers the lines up to the comment that ends the range.
    opens_range: bool,
    /// Whether its comment has its lines to itself.
    alone: bool,
    /// How many rules the comment names.
    ids: usize,
    /// Lines whose findings it covers, from and to.
    lines: (u32, u32),
}

/// Marks the diagnostics that comments suppress, and gives what is wrong with the comments.
pub(super) fn apply(
    document: &Document,
    diagnostics: &mut [Diagnostic],
    ruleset: &Ruleset,
    today: &str,
) -> Vec<Observation> {
    let source = document.source();
    let mut observations = Vec::new();
    let mut suppressions = Vec::new();
    collect(document, source, &mut suppressions, &mut observations);
    for open in suppressions.iter_mut().filter(|one| one.is_open()) {
        open.lines.1 = u32::MAX;
    }
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let mut found: HashMap<String, BTreeMap<u32, Vec<usize>>> = HashMap::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        let lines = found.entry(diagnostic.id.clone()).or_default();
        lines.entry(diagnostic.location.line).or_default().push(index);
    }
    for (index, suppression) in suppressions.iter_mut().enumerate() {
        suppression.id = ruleset.find(&suppression.rule).map(|found| found.rule.id.clone());
        let Some(id) = &suppression.id else { continue };
        if suppression.until.as_deref().is_some_and(|until| until < today) {
            continue;
        }
        let (from, to) = if suppression.whole_file { (0, u32::MAX) } else { suppression.lines };
        let covered =
            found.get(id).filter(|_| from <= to).into_iter().flat_map(|lines| lines.range(from..=to));
        for at in covered.flat_map(|(_, indices)| indices) {
            if !budget::charge(1) {
                break;
            }
            used.insert(index);
            diagnostics[*at].suppressed = Some(suppression.reason.clone());
        }
    }
    let mut suggested = Suggested { ruleset, names: HashMap::new() };
    for (index, suppression) in suppressions.iter().enumerate() {
        observations.extend(suppression.fault(used.contains(&index), &mut suggested, today));
    }
    observations
}

/// Most unknown names of rules that a similar one is looked for.
const SUGGESTED: usize = 64;

/// Rules with names similar to those that suppressions misspell; each is looked for once.
struct Suggested<'s> {
    ruleset: &'s Ruleset,
    names: HashMap<&'s str, Option<&'s str>>,
}

impl<'s> Suggested<'s> {
    fn near(&mut self, name: &'s str) -> Option<&'s str> {
        let is_full = self.names.len() >= SUGGESTED;
        let ruleset = self.ruleset;
        match self.names.get(name) {
            Some(near) => *near,
            None if is_full => None,
            None => *self.names.entry(name).or_insert_with(|| ruleset.nearest(name)),
        }
    }
}

impl Suppression {
    /// Whether it began a range that is not ended.
    fn is_open(&self) -> bool {
        self.opens_range
    }

    fn fault<'s>(&'s self, used: bool, suggested: &mut Suggested<'s>, today: &str) -> Option<Observation> {
        let observe = |name| {
            Observation::new(name, self.span).with("rule", self.rule.as_str()).at("comment", self.comment)
        };
        if self.is_open() && self.id.is_some() {
            return Some(
                Observation::new("malformed-suppression", self.span)
                    .with("detail", "no `proofmark-ignore-end` follows")
                    .at("comment", self.comment),
            );
        }
        if self.id.is_none() {
            let near = suggested.near(&self.rule);
            return Some(observe("unknown-suppressed-rule").with("nearest", near));
        }
        if let Some(until) = self.until.as_deref().filter(|until| *until < today) {
            return Some(observe("expired-suppression").with("until", until));
        }
        if self.reason.is_empty() {
            return Some(observe("suppression-without-reason"));
        }
        let alone = if self.alone { "yes" } else { "" };
        let alone = if self.ids == 1 { alone } else { "several" };
        (!used).then(|| observe("unused-suppression").with("alone", alone))
    }
}

fn collect(
    document: &Document,
    source: &Source,
    suppressions: &mut Vec<Suppression>,
    observations: &mut Vec<Observation>,
) {
    for comment in &document.comments {
        if source.slice(comment.text).contains("proofmark-ignore") {
            read(comment, source, suppressions, observations);
        }
    }
    for embedded in &document.embedded {
        collect(embedded, source, suppressions, observations);
    }
}

fn read(
    comment: &Comment,
    source: &Source,
    suppressions: &mut Vec<Suppression>,
    observations: &mut Vec<Observation>,
) {
    let text = source.slice(comment.text);
    let malformed = |detail: &str| {
        Observation::new("malformed-suppression", comment.text)
            .with("detail", detail)
            .at("comment", comment.span)
    };
    let Some(found) = form().and_then(|form| form.captures(text)) else {
        observations.push(malformed("write `proofmark-ignore ID: reason`"));
        return;
    };
    let scope = found.name("scope").map_or("", |scope| scope.as_str());
    if scope == "-end" {
        if !close_range(suppressions, source.lines().line(comment.span.start)) {
            observations.push(malformed("no `proofmark-ignore-start` is open here"));
        }
        return;
    }
    let start = comment.text.start as usize;
    let ids = found.name("ids").map_or("", |ids| ids.as_str());
    if ids.trim().is_empty() {
        observations.push(malformed("it names no rule"));
        return;
    }
    let mut reason = found.name("reason").map_or("", |reason| reason.as_str()).trim().to_owned();
    let mut until = None;
    if let Some(dated) = expiry().and_then(|expiry| expiry.captures(&reason)) {
        let date = dated.get(1).map_or("", |date| date.as_str());
        if format_fault("date", date).is_some() {
            observations.push(malformed(&format!("`{date}` is not a date: write `until YYYY-MM-DD`")));
            return;
        }
        until = Some(date.to_owned());
        let end = dated.get(0).map_or(reason.len(), |whole| whole.start());
        reason.truncate(end);
        reason.truncate(reason.trim_end().len());
    }
    let offset = found.name("ids").map_or(0, |ids| ids.start());
    let alone = has_its_lines(comment, source);
    let count = ids.split(',').filter(|id| !id.trim().is_empty()).count();
    let mut at = 0;
    for part in ids.split(',') {
        let id = part.trim();
        let lead = part.len() - part.trim_start().len();
        let from = start + offset + at + lead;
        at += part.len() + 1;
        if id.is_empty() {
            continue;
        }
        suppressions.push(Suppression {
            rule: id.to_owned(),
            id: None,
            span: Span::new(from, from + id.len()),
            comment: comment.span,
            reason: reason.clone(),
            until: until.clone(),
            whole_file: scope == "-file",
            opens_range: scope == "-start",
            lines: covered_lines(comment, source),
            alone,
            ids: count,
        });
    }
}

/// Ends the ranges that the nearest open `proofmark-ignore-start` began; gives whether there is one.
fn close_range(suppressions: &mut [Suppression], line: u32) -> bool {
    let Some(comment) = suppressions.iter().rev().find(|one| one.is_open()).map(|one| one.comment) else {
        return false;
    };
    for suppression in suppressions.iter_mut().filter(|one| one.is_open() && one.comment == comment) {
        suppression.lines.1 = line;
        suppression.opens_range = false;
    }
    true
}

/// A comment beside other text covers its own lines; one that has its lines to itself also the line below.
fn covered_lines(comment: &Comment, source: &Source) -> (u32, u32) {
    let first = source.lines().line(comment.span.start);
    let last = source.lines().line(comment.span.end.saturating_sub(1).max(comment.span.start));
    if has_its_lines(comment, source) { (first, last + 1) } else { (first, last) }
}

fn has_its_lines(comment: &Comment, source: &Source) -> bool {
    let first = source.lines().line(comment.span.start);
    let last = source.lines().line(comment.span.end.saturating_sub(1).max(comment.span.start));
    let before = source.lines().span(source.text(), first);
    let after = source.lines().span(source.text(), last);
    let blank = |from: u32, to: u32| source.slice(Span { start: from, end: to.max(from) }).trim().is_empty();
    blank(before.start, comment.span.start) && blank(comment.span.end, after.end)
}

fn form() -> Option<&'static Regex> {
    static FORM: Once<Option<Regex>> = Once::new();
    let form =
        r"proofmark-ignore(?P<scope>-file|-start|-end)?(?:\s+(?P<ids>[^:]*?))?\s*(?::(?P<reason>(?s:.*)))?$";
    FORM.get_or_init(|| Regex::new(form).ok()).as_ref()
}

fn expiry() -> Option<&'static Regex> {
    static EXPIRY: Once<Option<Regex>> = Once::new();
    EXPIRY.get_or_init(|| Regex::new(r"\[?\s*\buntil\s+([^\s\]]+)\s*\]?\s*$").ok()).as_ref()
}
