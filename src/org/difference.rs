//! What differs between two versions of a document, as edits.

use std::time::Duration;

use similar::{DiffTag, TextDiff};

use crate::text::{Edit, Span};

/// How long the least difference is looked for; what is found by then is a difference, too.
const PATIENCE: Duration = Duration::from_millis(250);

/// The edits that make one text of another: one for each group of lines that differ, without what the old and the
/// new lines have in common at both ends.
pub(super) fn difference(old: &str, new: &str) -> Vec<Edit> {
    if old == new {
        return Vec::new();
    }
    // Most of a document stays as it is; only what is between is compared line by line.
    let (start, end) = common_lines(old, new);
    let (old_middle, new_middle) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old_middle, new_middle);
    let (old_starts, new_starts) = (line_starts(old_middle), line_starts(new_middle));
    let mut edits = Vec::new();
    for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (from, to) = (op.old_range(), op.new_range());
        let from = old_starts[from.start]..old_starts[from.end];
        let to = new_starts[to.start]..new_starts[to.end];
        edits.extend(within(start + from.start, &old_middle[from], &new_middle[to]));
    }
    edits
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

/// The length of the whole lines that both versions begin with, and of those that they end with.
fn common_lines(old: &str, new: &str) -> (usize, usize) {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let same = |(a, b): &(&u8, &u8)| a == b;
    let start = old.iter().zip(new).take_while(same).count();
    let start = old[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let tail = &old[old.len() - end..];
    let end = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| end - at - 1);
    (start, end)
}

/// Where each line begins, and where the text ends.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    for line in text.split_inclusive('\n') {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;

    #[test]
    fn only_what_differs_is_replaced() {
        let edits = |old: &str, new: &str| -> Vec<(usize, usize, String)> {
            let edits = difference(old, new);
            assert_eq!(apply_edits(old, &edits).unwrap(), new);
            edits
                .into_iter()
                .map(|edit| (edit.span.start as usize, edit.span.end as usize, edit.new))
                .collect()
        };
        assert_eq!(edits("a\nb\n", "a\nb\n"), []);
        assert_eq!(edits("a é b\n", "a è b\n"), [(2, 4, "è".to_owned())]);
        let (old, new) = ("* A [0/1]\nx\n** TODO B\ny\n", "* A [1/1]\nx\n** DONE B\ny\n");
        assert_eq!(edits(old, new), [(5, 6, "1".to_owned()), (15, 19, "DONE".to_owned())]);
        assert_eq!(edits("a\na\n", "a\n"), [(2, 4, String::new())]);
        assert_eq!(edits("a", "a\n"), [(1, 1, "\n".to_owned())]);
        assert_eq!(edits("", "a\r\n"), [(0, 0, "a\r\n".to_owned())]);
    }
}
