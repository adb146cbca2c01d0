use std::collections::BTreeMap;

use super::choose::Chosen;
use crate::{
    diagnostic::{Diagnostic, Severity},
    kinds::Layer,
    rules::Ruleset,
    text::Edit,
};

/// A text with its findings.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) text: &'a str,
    pub(super) diagnostics: &'a [Diagnostic],
}

/// Ids of errors that `after` has more of than `before` and that the edits have brought about. `fixes`
/// are those that the edits are of, as far as they are of any.
///
/// A fault of the syntax hides what stands behind it. When it is mended, errors of the meaning and
/// faults of the syntax on later lines come to light; they were there before and do not count. It is
/// mended by a fix of its finding, or by edits after which there are fewer faults of the syntax.
pub(super) fn new_errors(
    before: Judged<'_>,
    after: Judged<'_>,
    edits: &[Edit],
    fixes: &[Chosen<'_>],
    ruleset: &Ruleset,
) -> Vec<String> {
    let known = count(before.diagnostics, u32::MAX);
    let mut new = count(after.diagnostics, u32::MAX);
    let syntax = |id: &str| {
        let observed = ruleset.find(id).and_then(|found| found.rule.check.observed());
        observed.is_some_and(|(layer, _)| layer == Layer::Syntax)
    };
    let faults = |counts: &BTreeMap<&str, usize>| -> usize {
        counts.iter().filter(|(id, _)| syntax(id)).map(|(_, count)| *count).sum()
    };
    let mending = match fixes.iter().find(|chosen| syntax(&chosen.diagnostic.id)) {
        Some(chosen) => chosen.edits.last(),
        None if fixes.is_empty() && faults(&new) < faults(&known) => edits.last(),
        None => None,
    };
    new.retain(|id, count| *count > known.get(id).copied().unwrap_or_default());
    if new.is_empty() {
        return Vec::new();
    }
    if let Some(mending) = mending {
        let (old, new_line) = last_lines(before.text, after.text, edits, mending.span.end as usize);
        let known = count(before.diagnostics, old);
        let near = count(after.diagnostics, new_line);
        new.retain(|id, _| {
            let of = |counts: &BTreeMap<&str, usize>| counts.get(id).copied().unwrap_or_default();
            syntax(id) && of(&near) > of(&known)
        });
    }
    new.into_keys().map(str::to_owned).collect()
}

/// Errors that count, by id, on lines up to `last`.
fn count(diagnostics: &[Diagnostic], last: u32) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error && d.suppressed.is_none());
    for diagnostic in errors.filter(|d| d.location.line <= last) {
        *counts.entry(diagnostic.id.as_str()).or_default() += 1;
    }
    counts
}

/// The line on which the edits up to `end` of the old text come to their end, there and in the new one.
fn last_lines(old: &str, new: &str, edits: &[Edit], end: usize) -> (u32, u32) {
    let line = |text: &str, offset: usize| {
        let bytes = &text.as_bytes()[..offset.min(text.len())];
        memchr::memchr_iter(b'\n', bytes).count() as u32 + 1
    };
    let edits = edits.iter().filter(|edit| edit.span.end as usize <= end);
    let (gone, come) =
        edits.fold((0, 0), |(gone, come), edit| (gone + edit.span.len(), come + edit.new.len()));
    (line(old, end), line(new, end - gone + come))
}
