use std::collections::BTreeMap;

use super::choose::Chosen;
use crate::{
    diagnostic::{Diagnostic, Severity},
    kinds::Layer,
    rules::Ruleset,
};

/// A text with its findings.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) text: &'a str,
    pub(super) diagnostics: &'a [Diagnostic],
}

/// Ids of errors that `after` has more of than `before` and that the fixes have brought about.
///
/// A fault of the syntax hides what stands behind it. When it is mended, errors of the meaning and
/// faults of the syntax on later lines come to light; they were there before and do not count.
pub(super) fn new_errors(
    before: Judged<'_>,
    after: Judged<'_>,
    fixes: &[Chosen<'_>],
    ruleset: &Ruleset,
) -> Vec<String> {
    let known = count(before.diagnostics, u32::MAX);
    let mut new = count(after.diagnostics, u32::MAX);
    new.retain(|id, count| *count > known.get(id).copied().unwrap_or_default());
    if new.is_empty() {
        return Vec::new();
    }
    let syntax = |id: &str| {
        let observed = ruleset.find(id).and_then(|found| found.rule.check.observed());
        observed.is_some_and(|(layer, _)| layer == Layer::Syntax)
    };
    if let Some(mended) = fixes.iter().position(|chosen| syntax(&chosen.diagnostic.id)) {
        let (old, new_line) = last_lines(before.text, after.text, &fixes[..=mended]);
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

/// The last line that the last of `fixes` changes, in the old text and in the new one.
fn last_lines(old: &str, new: &str, fixes: &[Chosen<'_>]) -> (u32, u32) {
    let line = |text: &str, offset: usize| {
        let bytes = &text.as_bytes()[..offset.min(text.len())];
        memchr::memchr_iter(b'\n', bytes).count() as u32 + 1
    };
    let last = fixes.last().and_then(|chosen| chosen.edits.last());
    let end = last.map_or(0, |edit| edit.span.end as usize);
    let edits = fixes.iter().flat_map(|chosen| &chosen.edits).filter(|edit| edit.span.end as usize <= end);
    let (gone, come) =
        edits.fold((0, 0), |(gone, come), edit| (gone + edit.span.len(), come + edit.new.len()));
    (line(old, end), line(new, end - gone + come))
}
