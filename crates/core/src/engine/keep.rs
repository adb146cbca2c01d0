//! Comments that keep what a fix drops.

use crate::{
    diagnostic::FixEdit,
    text::{SourceId, Span, words},
    tree::Tree,
};

/// The edits with comments that keep the words that they drop, where they drop any: whole lines become
/// comments, a part of a line goes to the end of that line, and a part of several lines before the first
/// of them. The outer value is nothing where such a comment would become part of a scalar.
#[expect(clippy::option_option, reason = "a fix that cannot be offered differs from one that drops nothing")]
pub(super) fn in_comments(
    tree: &Tree,
    scalars: &Scalars,
    source: SourceId,
    mark: &str,
    edits: &[FixEdit],
) -> Option<Option<Vec<FixEdit>>> {
    let text = tree.source(source).text();
    let drops = |edit: &FixEdit| !words::lost(&edit.old, &edit.new, |_| false).is_empty();
    if !edits.iter().any(drops) {
        return Some(None);
    }
    let mut kept: Vec<FixEdit> = Vec::with_capacity(edits.len() * 2);
    for edit in edits {
        let (start, end) = (edit.byte_start as usize, edit.byte_end as usize);
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &text[line..start];
        let dropped = edit.old.trim_matches(|c: char| c.is_whitespace() || c == ',');
        if !drops(edit) {
            kept.push(edit.clone());
        } else if indent.trim().is_empty() && edit.new.is_empty() && edit.old.ends_with('\n') {
            let mut comment = edit.clone();
            comment.new = commented(&edit.old, mark, "");
            kept.push(comment);
        } else if dropped.contains('\n') {
            let indent = &indent[..indent.len() - indent.trim_start().len()];
            let comment = format!("{}\n", commented(dropped, mark, indent));
            insert(scalars, source, &mut kept, line, comment)?;
            kept.push(edit.clone());
        } else {
            let rest = text[end..].find('\n').map_or(text.len(), |at| end + at);
            let line_end = end + text[end..rest].trim_end().len();
            kept.push(edit.clone());
            insert(scalars, source, &mut kept, line_end, format!("  {mark} {dropped}"))?;
        }
    }
    kept.sort_by_key(|edit| (edit.byte_start, edit.byte_end));
    Some(Some(kept))
}

/// Adds the insertion of a comment, or adds it to the one that is made there already.
fn insert(
    scalars: &Scalars,
    source: SourceId,
    edits: &mut Vec<FixEdit>,
    at: usize,
    comment: String,
) -> Option<()> {
    if scalars.extend_over(source, at) {
        return None;
    }
    let same = |edit: &&mut FixEdit| edit.byte_start == at as u32 && edit.old.is_empty();
    if let Some(edit) = edits.iter_mut().find(same) {
        edit.new += &comment;
        return Some(());
    }
    let file = edits.iter().find_map(|edit| edit.file.clone());
    let mut edit = FixEdit::new(Span::at(at), "", comment);
    edit.file = file;
    edits.push(edit);
    Some(())
}

/// Where the scalars of a tree are, in order.
#[derive(Debug)]
pub(super) struct Scalars(Vec<(SourceId, u32, u32)>);

impl Scalars {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut scalars = Vec::new();
        let mut nodes = vec![tree.root()];
        while let Some(node) = nodes.pop() {
            if node.scalar().is_none() {
                nodes.extend(node.children());
                continue;
            }
            // The end of a block scalar is inside it.
            let is_block = node.raw().starts_with(['|', '>']) && !node.raw().ends_with('\n');
            let span = node.span();
            scalars.push((node.source_id(), span.start, span.end + u32::from(is_block)));
        }
        scalars.sort_unstable();
        Self(scalars)
    }

    /// Whether one extends over an offset, so that a comment there would be part of it.
    fn extend_over(&self, source: SourceId, at: usize) -> bool {
        let before = self.0.partition_point(|(other, start, _)| (*other, *start as usize) < (source, at));
        let last = before.checked_sub(1).map(|last| self.0[last]);
        last.is_some_and(|(other, _, end)| other == source && at < end as usize)
    }
}

/// Lines as comments, with their indentation; `indent` is that of the first line.
fn commented(lines: &str, mark: &str, indent: &str) -> String {
    let comment = |(number, line): (usize, &str)| {
        let body = line.trim_start();
        if body.is_empty() {
            return line.to_owned();
        }
        let own = &line[..line.len() - body.len()];
        format!("{}{mark} {body}", if number == 0 && own.is_empty() { indent } else { own })
    };
    lines.split_inclusive('\n').enumerate().map(comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::trial;

    fn kept(text: &str, old: &str, new: &str) -> Option<String> {
        let at = text.find(old)?;
        let (start, end) = (at as u32, (at + old.len()) as u32);
        let edit = FixEdit::new(Span { start, end }, old, new);
        let tree = trial::document(text).tree;
        let scalars = Scalars::of(&tree);
        let edits = in_comments(&tree, &scalars, SourceId(0), "#", std::slice::from_ref(&edit))?;
        let mut text = text.to_owned();
        for edit in edits.unwrap_or_else(|| vec![edit]).iter().rev() {
            text.replace_range(edit.byte_start as usize..edit.byte_end as usize, &edit.new);
        }
        Some(text)
    }

    #[test]
    fn a_replaced_value_is_kept_at_the_end_of_its_line() {
        assert_eq!(kept("model: none\nnext: 1\n", "none", "gpt").unwrap(), "model: gpt  # none\nnext: 1\n");
        assert_eq!(kept("in: [none, b]\n", "none, ", "").unwrap(), "in: [b]  # none\n");
        assert_eq!(kept("in: [recepient]\n", "recepient", "recipient").unwrap(), "in: [recipient]\n");
    }

    #[test]
    fn removed_lines_become_comments_with_their_indentation() {
        let text = "a:\n  b: 1\n  c:\n    d: 2\ne: 3\n";
        assert_eq!(kept(text, "  c:\n    d: 2\n", "").unwrap(), "a:\n  b: 1\n  # c:\n    # d: 2\ne: 3\n");
    }

    #[test]
    fn a_part_of_several_lines_goes_before_the_first_of_them() {
        let text = "a:\n  - one: 1\n    two: 2\n";
        assert_eq!(kept(text, "one: 1\n    ", "").unwrap(), "a:\n  - two: 2  # one: 1\n");
        let text = "a:\n  - one:\n      x: y\n    two: 2\n";
        assert_eq!(
            kept(text, "one:\n      x: y\n    ", "").unwrap(),
            "a:\n  # one:\n      # x: y\n  - two: 2\n"
        );
    }

    #[test]
    fn nothing_is_offered_where_a_comment_would_be_part_of_a_string() {
        assert_eq!(kept("a: |\n  one\n  two\n", "one", "x"), None);
        assert_eq!(kept("a: \"one\n  two\"\n", "one", "x"), None);
        assert_eq!(kept("a: \"one\n  two\"\n", "two", "x").unwrap(), "a: \"one\n  x\"  # two\n");
    }
}
