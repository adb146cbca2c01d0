//! What edits have changed, as edits of the text that they began with.

use std::ops::Range;

use super::error::OrgError;
use crate::text::{Edit, Span, apply_edits};

/// The changes that edits have made until now.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    /// In the order of the text, and apart from each other.
    changes: Vec<Change>,
}

/// A part of the old text that has become a part of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

impl Recorded {
    /// Records that a range of the text as it is now is replaced by that many bytes.
    pub(super) fn replace(&mut self, range: &Range<usize>, length: usize) {
        let first = self.changes.partition_point(|change| change.new.end < range.start);
        let beside = self.changes[first..].iter().take_while(|change| change.new.start <= range.end).count();
        let shift = first.checked_sub(1).map(|before| &self.changes[before]);
        // Where a position after the changes before this one was in the old text.
        let old = |at: usize| shift.map_or(at, |change| at - change.new.end + change.old.end);
        let met = &self.changes[first..first + beside];
        let change = match (met.first(), met.last()) {
            (Some(begin), Some(last)) => {
                let start = range.start.min(begin.new.start);
                let end = range.end.max(last.new.end);
                Change {
                    old: begin.old.start - (begin.new.start - start)..last.old.end + (end - last.new.end),
                    new: start..end - range.len() + length,
                }
            }
            _ => Change { old: old(range.start)..old(range.end), new: range.start..range.start + length },
        };
        self.changes.splice(first..first + beside, [change]);
        if length != range.len() {
            for later in &mut self.changes[first + 1..] {
                later.new.start = later.new.start - range.len() + length;
                later.new.end = later.new.end - range.len() + length;
            }
        }
    }

    /// The edits that make the new text of the old one, without what the old and the new text of each have in common at
    /// both ends.
    pub(super) fn edits(&self, old: &str, new: &str) -> Vec<Edit> {
        let edit =
            |change: &Change| within(change.old.start, &old[change.old.clone()], &new[change.new.clone()]);
        self.changes.iter().filter_map(edit).collect()
    }
}

/// The edit at `at` that replaces `old` by `new`, without what they have in common at both ends.
fn within(at: usize, old: &str, new: &str) -> Option<Edit> {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let start = common(&mut old.chars(), &mut new.chars());
    let (old, new) = (&old[start..], &new[start..]);
    let end = common(&mut old.chars().rev(), &mut new.chars().rev());
    let span = Span::new(at + start, at + start + old.len() - end);
    (old != new).then(|| Edit { span, new: new[..new.len() - end].to_owned() })
}

/// Text that is changed in several steps.
pub(super) struct Changing<'t> {
    old: &'t str,
    text: String,
    recorded: Recorded,
}

impl<'t> Changing<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { old: text, text: text.to_owned(), recorded: Recorded::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Makes edits of the text as it is now.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for edits that overlap.
    pub(super) fn apply(&mut self, mut edits: Vec<Edit>) -> Result<(), OrgError> {
        let text = apply_edits(&self.text, &edits).map_err(|error| OrgError::invalid(error.to_string()))?;
        edits.sort_by_key(|edit| edit.span);
        // From the last one on, since each moves what is after it.
        for edit in edits.iter().rev() {
            self.recorded.replace(&edit.span.range(), edit.new.len());
        }
        self.text = text;
        Ok(())
    }

    /// The edits that make of the old text what it is now.
    pub(super) fn edits(&self) -> Vec<Edit> {
        self.recorded.edits(self.old, &self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;
    use crate::text::apply_edits;

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn recorded_edits_make_the_new_text_of_the_old_one(
            old in "[ab\n]{0,30}",
            edits in proptest::collection::vec((any::<u8>(), 0_usize..4, "[ab\n]{0,4}"), 0..12),
        ) {
            let (mut text, mut recorded) = (old.clone(), Recorded::default());
            for (at, length, new) in edits {
                let start = usize::from(at) % (text.len() + 1);
                let range = start..(start + length).min(text.len());
                recorded.replace(&range, new.len());
                text.replace_range(range, &new);
            }
            let edits = recorded.edits(&old, &text);
            prop_assert_eq!(apply_edits(&old, &edits).unwrap(), text);
            prop_assert!(edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        }
    }

    #[test]
    fn only_what_differs_is_replaced() {
        let edit = |old: &str, new: &str| {
            within(0, old, new).map(|edit| (edit.span.start as usize, edit.span.end as usize, edit.new))
        };
        assert_eq!(edit("a\nb\n", "a\nb\n"), None);
        assert_eq!(edit("a é b\n", "a è b\n"), Some((2, 4, "è".to_owned())));
        assert_eq!(edit("a\na\n", "a\n"), Some((2, 4, String::new())));
        assert_eq!(edit("a", "a\n"), Some((1, 1, "\n".to_owned())));
        assert_eq!(edit("", "a\r\n"), Some((0, 0, "a\r\n".to_owned())));
    }

    #[test]
    fn what_is_far_apart_is_recorded_apart() {
        let (old, mut recorded) = ("* A [0/1]\n** TODO B\n", Recorded::default());
        recorded.replace(&(13..17), 4);
        recorded.replace(&(5..6), 1);
        let edits = recorded.edits(old, "* A [1/1]\n** DONE B\n");
        let edits: Vec<_> = edits.iter().map(|edit| (edit.span.start, edit.new.as_str())).collect();
        assert_eq!(edits, [(5, "1"), (13, "DONE")]);
    }
}
