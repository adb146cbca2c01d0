//! The diagnostics of a rule, found again by where they are: a finding asks which of them it follows from, and
//! comparing all with all would be quadratic.

use std::cell::OnceCell;

use crate::{
    budget,
    diagnostic::{Diagnostic, Location},
    text::{SourceId, Span},
};

/// The diagnostics of one rule.
#[derive(Debug, Default)]
pub(super) struct Fired {
    diagnostics: Vec<Diagnostic>,
    /// Made when a finding first asks.
    index: OnceCell<Index>,
}

#[derive(Debug)]
struct Index {
    /// Where diagnostics start, in order, with the one among those that start there or earlier in the same source
    /// which ends last.
    starts: Vec<(SourceId, u32, usize)>,
    /// Diagnostics with a path, ordered by path and source.
    paths: Vec<usize>,
}

impl Fired {
    pub(super) fn new(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, index: OnceCell::new() }
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    pub(super) fn first(&self) -> Option<&Diagnostic> {
        self.diagnostics.first()
    }

    /// A diagnostic whose span contains a span of the same source: the outermost one.
    pub(super) fn containing(&self, source: SourceId, span: Span) -> Option<&Diagnostic> {
        budget::charge(1);
        let starts = &self.index().starts;
        let after = starts.partition_point(|(other, start, _)| (*other, *start) <= (source, span.start));
        let (other, _, widest) = starts.get(after.checked_sub(1)?)?;
        let found = &self.diagnostics[*widest];
        (*other == source && span.end <= found.location.byte_end).then_some(found)
    }

    /// A diagnostic of the same source at a node or above it.
    pub(super) fn above(&self, here: &Location) -> Option<&Diagnostic> {
        let mut path = here.path.as_deref()?;
        loop {
            budget::charge(1);
            let found = self.at_path((path, here.source));
            if found.is_some() || path.is_empty() {
                return found;
            }
            path = &path[..path.rfind('/').unwrap_or_default()];
        }
    }

    /// A diagnostic at a node or below it, in any source.
    pub(super) fn below(&self, path: &str) -> Option<&Diagnostic> {
        budget::charge(1);
        let from = |least: &str| {
            let paths = &self.index().paths;
            let at = paths.partition_point(|at| self.key(*at).0 < least);
            paths.get(at).map(|at| (self.key(*at).0, &self.diagnostics[*at]))
        };
        let own = from(path).filter(|(found, _)| *found == path);
        let inside = format!("{path}/");
        own.or_else(|| from(&inside).filter(|(found, _)| found.starts_with(&inside))).map(|(_, found)| found)
    }

    fn at_path(&self, key: (&str, SourceId)) -> Option<&Diagnostic> {
        let paths = &self.index().paths;
        let at = paths.partition_point(|at| self.key(*at) < key);
        paths.get(at).filter(|at| self.key(**at) == key).map(|at| &self.diagnostics[*at])
    }

    fn key(&self, at: usize) -> (&str, SourceId) {
        let location = &self.diagnostics[at].location;
        (location.path.as_deref().unwrap_or_default(), location.source)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let at = |at: usize| &self.diagnostics[at].location;
            let mut order: Vec<usize> = (0..self.diagnostics.len()).collect();
            order.sort_by_key(|one| (at(*one).source, at(*one).byte_start));
            let mut starts: Vec<(SourceId, u32, usize)> = Vec::with_capacity(order.len());
            for one in order {
                let here = at(one);
                let before = starts.last().filter(|(source, ..)| *source == here.source);
                let widest = before.map(|(.., widest)| *widest);
                let widest = widest.filter(|widest| at(*widest).byte_end >= here.byte_end).unwrap_or(one);
                starts.push((here.source, here.byte_start, widest));
            }
            let mut paths: Vec<usize> =
                (0..self.diagnostics.len()).filter(|one| at(*one).path.is_some()).collect();
            paths.sort_by(|a, b| self.key(*a).cmp(&self.key(*b)));
            Index { starts, paths }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        diagnostic::Severity,
        text::{Source, SourceId},
    };

    fn fired(places: &[(usize, usize, &str)]) -> Fired {
        let source = Source::new("a.yaml", "0123456789".repeat(10));
        let diagnostic = |(start, end, path): &(usize, usize, &str)| {
            let mut location = Location::of(&source, SourceId(0), Span::new(*start, *end));
            location.path = Some((*path).to_owned());
            Diagnostic::new(format!("{start}-{end}"), String::new(), Severity::Error, String::new(), location)
        };
        Fired::new(places.iter().map(diagnostic).collect())
    }

    #[test]
    fn the_outermost_diagnostic_around_a_span_is_found() {
        let fired = fired(&[(10, 20, "/a"), (0, 40, "/b"), (12, 14, "/c"), (50, 60, "/d")]);
        let around =
            |start, end| fired.containing(SourceId(0), Span::new(start, end)).map(|found| found.id.as_str());
        assert_eq!(around(13, 14), Some("0-40"));
        assert_eq!(around(50, 60), Some("50-60"));
        assert_eq!(around(39, 41), None);
        assert_eq!(around(45, 46), None);
        assert!(fired.containing(SourceId(1), Span::new(13, 14)).is_none());
    }

    #[test]
    fn diagnostics_are_found_above_and_below_a_path() {
        let fired = fired(&[(0, 1, "/a/1"), (2, 3, "/a/10/b"), (4, 5, "/c")]);
        let location = |path: &str| {
            let mut location = fired.diagnostics[0].location.clone();
            location.path = Some(path.to_owned());
            location
        };
        let above = |path: &str| fired.above(&location(path)).map(|found| found.id.as_str());
        assert_eq!(above("/a/1/x/y"), Some("0-1"));
        assert_eq!(above("/a/10"), None, "it is below, and `/a/1` is another node");
        let below = |path: &str| fired.below(path).map(|found| found.id.as_str());
        assert_eq!(below("/a/1"), Some("0-1"));
        assert_eq!(below("/a/10"), Some("2-3"));
        assert_eq!(below("/c"), Some("4-5"));
        assert_eq!(below("/b"), None);
    }
}
