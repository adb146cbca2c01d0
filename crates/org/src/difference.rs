//! What differs between two versions of a document, as edits.

use crate::text::{Edit, Span, changed_lines};

/// The edits that make one text of another: one for each group of lines that differ, without what the old and the
/// new lines have in common at both ends.
pub(super) fn difference(old: &str, new: &str) -> Vec<Edit> {
    let changes = changed_lines(old, new).into_iter();
    changes.filter_map(|(from, to)| within(from.start, &old[from], &new[to])).collect()
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
