//! Whether a change removes the findings that it is for.

use std::collections::{HashMap, HashSet};

use super::{choose::Chosen, hidden::Moved, lines::Lines, trial::Trial};
use crate::{
    diagnostic::{Diagnostic, Severity},
    engine::Outcome,
    text::{Edit, Span},
};

/// The findings before and after a change, compared by rule and place.
pub(super) struct Removal<'c> {
    text: &'c str,
    /// How many findings each rule has before the change, less those after it.
    fewer: HashMap<&'c str, isize>,
    /// Rule and place of each finding before the change.
    known: HashSet<(&'c str, u32)>,
    /// The findings after the change that are not suppressed, in the order of their places before it.
    left: Vec<Left<'c>>,
}

/// A finding after a change.
struct Left<'c> {
    /// Where it is in the text before the change.
    at: u32,
    /// Whether it is inside what an edit wrote; its place is then that of the edit.
    is_written: bool,
    found: &'c Diagnostic,
}

impl<'c> Removal<'c> {
    /// Compares a trial of `edits` with the findings before it.
    pub(super) fn new(text: &'c str, before: &'c Outcome, edits: &[Edit], trial: &'c Trial) -> Self {
        let after = &trial.outcome.diagnostics;
        let mut fewer: HashMap<&str, isize> = HashMap::new();
        for found in &before.diagnostics {
            *fewer.entry(found.id.as_str()).or_default() += 1;
        }
        for found in after {
            *fewer.entry(found.id.as_str()).or_default() -= 1;
        }
        let known = before.diagnostics.iter().map(|found| (found.id.as_str(), found.location.byte_start));
        let moved = Moved::new(edits);
        let mut left: Vec<Left<'_>> = after
            .iter()
            .filter(|found| found.suppressed.is_none())
            .map(|found| {
                let (at, is_written) = moved.origin(found.location.byte_start);
                Left { at, is_written, found }
            })
            .collect();
        left.sort_by_key(|left| left.at);
        Self { text, fewer, known: known.collect(), left }
    }

    /// Whether the fix of a finding removes it and leaves no other error in its place: one of the same rule in a line that
    /// was changed or had the finding, or one of any rule there that was not known. `of_rule` says how many findings of the
    /// same rule the change is for.
    pub(super) fn removes(&self, chosen: &Chosen<'_>, of_rule: usize) -> bool {
        let found = chosen.diagnostic;
        let fewer = self.fewer.get(found.id.as_str()).is_some_and(|fewer| *fewer >= of_rule as isize);
        let lines = lines_of(self.text, chosen);
        let written = |at: u32| chosen.edits.iter().any(|edit| edit.span.start == at);
        let is_left = |left: &Left<'_>| {
            let is_own = left.found.id == found.id;
            let counts = is_own || left.found.severity == Severity::Error;
            if !counts || left.found.location.source != found.location.source {
                return false;
            }
            let is_written = left.is_written && written(left.at);
            let is_here = is_written || lines.contains(left.at);
            let was_known = self.known.contains(&(left.found.id.as_str(), left.at));
            is_here && (!was_known || is_written || (is_own && !fewer))
        };
        let mut places = lines.iter().chain(chosen.edits.iter().map(|edit| edit.span));
        let first = places.next().map_or(Span::default(), |first| {
            places.fold(first, |all, span| Span {
                start: all.start.min(span.start),
                end: all.end.max(span.end),
            })
        });
        let (from, to) = (
            self.left.partition_point(|left| left.at < first.start),
            self.left.partition_point(|left| left.at <= first.end),
        );
        !self.left.get(from..to).unwrap_or_default().iter().any(is_left)
    }
}

/// The lines that a finding and the edits of its fix are in.
pub(super) fn lines_of(text: &str, chosen: &Chosen<'_>) -> Lines {
    let at = chosen.diagnostic.location.byte_start;
    let spans = chosen.edits.iter().map(|edit| edit.span).filter(|span| !span.is_empty());
    Lines::touched(text, std::iter::once(Span { start: at, end: at }).chain(spans))
}
