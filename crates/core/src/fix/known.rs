//! Which errors after a change are those from before it: errors of the same rule and the same place. An error that goes
//! away makes no room for another one of its rule.

use std::collections::BTreeMap;

use super::{hidden::Moved, lines::Lines};
use crate::{
    diagnostic::Diagnostic,
    text::{Edit, SourceId, Span, changed_lines},
};

/// An error after a change.
pub(super) struct Found<'c> {
    pub(super) error: &'c Diagnostic,
    /// Where it is in the text before the change.
    pub(super) origin: u32,
    /// Whether it is inside what an edit wrote; its origin is then that of the edit.
    pub(super) is_written: bool,
}

/// The errors before a change that were not yet found again after it.
pub(super) struct Known<'c> {
    text: &'c str,
    edits: &'c [Edit],
    /// How many errors of a rule there are at each place.
    places: BTreeMap<&'c str, BTreeMap<(SourceId, u32), usize>>,
}

impl<'c> Known<'c> {
    pub(super) fn new(
        text: &'c str,
        edits: &'c [Edit],
        errors: impl Iterator<Item = &'c Diagnostic>,
    ) -> Self {
        let mut places: BTreeMap<&str, BTreeMap<(SourceId, u32), usize>> = BTreeMap::new();
        for error in errors {
            let place = (error.location.source, error.location.byte_start);
            *places.entry(&error.id).or_default().entry(place).or_default() += 1;
        }
        Self { text, edits, places }
    }

    /// The errors after the change that are not where one of the same rule was before it.
    pub(super) fn not_at_their_place<'f>(
        &mut self,
        errors: impl Iterator<Item = &'f Diagnostic>,
    ) -> Vec<Found<'f>> {
        let moved = Moved::new(self.edits);
        let found = errors.map(|error| {
            let at = error.location.byte_start;
            let is_own = error.location.source == SourceId(0);
            let (origin, is_written) = if is_own { moved.origin(at) } else { (at, false) };
            Found { error, origin, is_written }
        });
        found.filter(|found| found.is_written || !self.take(found, found.origin, found.origin)).collect()
    }

    /// Whether an error of the same rule was in the same line before the change, or in the lines that were changed
    /// together with it, or in a changed line that reads as the line after the change does.
    pub(super) fn is_near(&mut self, found: &Found<'_>, after: &str, changed: &Lines) -> bool {
        let around = changed.around(found.origin).unwrap_or_else(|| line_of(self.text, found.origin));
        self.take(found, around.start, around.end)
            || (found.is_written && self.is_moved(found, after, changed))
    }

    /// Whether a line with an error of the same rule was moved to where the error is.
    fn is_moved(&mut self, found: &Found<'_>, after: &str, changed: &Lines) -> bool {
        let written = line_of(after, found.error.location.byte_start).of(after).trim();
        let places = self.places.get(found.error.id.as_str()).into_iter().flat_map(BTreeMap::keys);
        let own = places.filter(|(source, _)| *source == found.error.location.source).map(|(_, at)| *at);
        let from = own
            .filter(|at| changed.contains(*at))
            .find(|at| line_of(self.text, *at).of(self.text).trim() == written);
        from.is_some_and(|at| self.take(found, at, at))
    }

    /// Takes the first error of the same rule between two places.
    fn take(&mut self, found: &Found<'_>, start: u32, end: u32) -> bool {
        let source = found.error.location.source;
        let Some(places) = self.places.get_mut(found.error.id.as_str()) else { return false };
        let Some((&at, count)) = places.range_mut((source, start)..=(source, end)).next() else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            places.remove(&at);
        }
        true
    }
}

/// The line of a place, without its end.
fn line_of(text: &str, at: u32) -> Span {
    Lines::touched(text, [Span { start: at, end: at }]).iter().next().unwrap_or_default()
}

/// Edits of several lines as edits of those lines that differ, so that places in the others are found again.
pub(super) fn by_lines(text: &str, edits: &[Edit]) -> Vec<Edit> {
    edits.iter().flat_map(|edit| lines_of(text, edit)).collect()
}

fn lines_of(text: &str, edit: &Edit) -> Vec<Edit> {
    let old = edit.span.of(text);
    if !old.contains('\n') || !edit.new.contains('\n') {
        return vec![edit.clone()];
    }
    let mut edits = Vec::new();
    for (from, to) in changed_lines(old, &edit.new) {
        let (gone, come) = (&old[from.clone()], &edit.new[to]);
        let mut start = edit.span.start as usize + from.start;
        if gone.lines().count() == come.lines().count() {
            for (gone, come) in gone.split_inclusive('\n').zip(come.split_inclusive('\n')) {
                edits.push(without_end(start, gone, come));
                start += gone.len();
            }
        } else {
            edits.push(without_end(start, gone, come));
        }
    }
    edits
}

/// An edit that leaves the end of the last line out, which would touch the next line.
fn without_end(start: usize, old: &str, new: &str) -> Edit {
    let (old, new) = match (old.strip_suffix('\n'), new.strip_suffix('\n')) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    };
    Edit { span: Span::new(start, start + old.len()), new: new.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;

    fn split(text: &str, start: usize, end: usize, new: &str) -> Vec<(usize, usize, String)> {
        let edit = Edit { span: Span::new(start, end), new: new.to_owned() };
        let edits = by_lines(text, std::slice::from_ref(&edit));
        assert_eq!(apply_edits(text, &edits), apply_edits(text, &[edit]));
        edits.into_iter().map(|edit| (edit.span.start as usize, edit.span.end as usize, edit.new)).collect()
    }

    #[test]
    fn an_edit_of_several_lines_becomes_edits_of_those_that_differ() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(split(text, 0, 19, "one\n2\nthree\n4\n"), [(4, 7, "2".into()), (14, 18, "4".into())]);
        assert_eq!(split(text, 2, 9, "e\n2\nT"), [(4, 7, "2".into()), (8, 9, "T".into())]);
        assert_eq!(split(text, 0, 8, "1\n2\n"), [(0, 3, "1".into()), (4, 7, "2".into())]);
        assert_eq!(split(text, 4, 8, "2\n2\n"), [(4, 7, "2\n2".into())]);
        assert_eq!(split(text, 4, 7, "2"), [(4, 7, "2".into())]);
    }
}
