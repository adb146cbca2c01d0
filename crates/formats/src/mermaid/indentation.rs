//! Where a block ends that nothing closes, by the indentation of its lines.
//!
//! Mermaid ignores indentation in most diagram types, and authors use it all the more to show what is inside a
//! block: the first line after the opener that is not indented more than it is outside of the block.

use super::syntax::Part;
use crate::text::Span;

/// How many columns a tab is wide.
const TAB: usize = 4;

/// The end of a block, in bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockEnd {
    /// After the last line of the block, before its line end.
    pub(super) at: usize,
    /// The line after it where that was written to close the block, such as `}` for `end`.
    pub(super) wrong: Option<Span>,
    /// Whether nothing follows.
    pub(super) last: bool,
}

/// What closes a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    /// A line `end`.
    End,
    /// A brace.
    Brace,
}

/// A line that is not blank: where it starts, its indentation, and its text.
struct Line<'t> {
    start: usize,
    width: usize,
    text: &'t str,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn span(&self) -> Span {
        Span::new(self.start, self.end())
    }
}

fn width(blanks: &str) -> usize {
    blanks.chars().map(|c| if c == '\t' { TAB } else { 1 }).sum()
}

/// Most lines above a brace that are looked at for what it closes.
const LINES_ABOVE: usize = 1_000;

/// The line without a brace that a stray one was meant to close: the nearest above that is indented like the brace, with
/// only deeper lines between them.
pub(super) fn without_brace(text: &str, brace: usize) -> Option<Span> {
    let start = text[..brace].rfind('\n').map_or(0, |at| at + 1);
    let own = text[start..brace].trim_end_matches(|c: char| !c.is_whitespace());
    if own.len() < brace - start {
        return None;
    }
    let mut end = start.checked_sub(1)?;
    let mut is_block = false;
    for _ in 0..LINES_ABOVE {
        let from = text[..end].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[from..end];
        let body = line.trim();
        let indented = width(&line[..line.len() - line.trim_start().len()]);
        if body.is_empty() || indented > width(own) {
            is_block |= !body.is_empty();
            end = from.checked_sub(1)?;
            continue;
        }
        let is_opener = is_block && indented == width(own) && !body.ends_with(['{', '}']);
        let at = from + line.len() - line.trim_start().len();
        return is_opener.then(|| Span::new(at, at + body.len()));
    }
    None
}

/// The lines after the one that an offset is in.
fn lines_after(text: &str, offset: usize) -> impl Iterator<Item = Line<'_>> {
    let offset = offset.min(text.len());
    let mut at = text[offset..].find('\n').map_or(text.len(), |end| offset + end + 1);
    text[at..].split_inclusive('\n').filter_map(move |line| {
        let body = line.trim();
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let blanks = &line[..line.len() - line.trim_start().len()];
        (!body.is_empty()).then(|| Line { start, width: width(blanks), text: body })
    })
}

/// The indentation of what is at an offset, where only whitespace is before it on its line.
pub(super) fn indentation(text: &str, offset: usize) -> Option<&str> {
    let before = text.get(..offset)?;
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    line.trim().is_empty().then_some(line)
}

/// Whether the lines after an opener are indented more than it.
fn is_deep(text: &str, opener: usize) -> bool {
    let own = indentation(text, opener).map(width);
    let first = lines_after(text, opener).next();
    own.zip(first).is_some_and(|(own, first)| first.width > own)
}

/// The end of the block that is opened at an offset; nothing where its lines are not indented more than the opener
/// or where only blank lines follow. `sections` are the words that divide such blocks, as `else` does.
pub(super) fn end_of_block(text: &str, opener: usize, closer: Closer, sections: &[&str]) -> Option<BlockEnd> {
    let own = width(indentation(text, opener)?);
    let mut last = None;
    for line in lines_after(text, opener) {
        let word = line.text.split_whitespace().next().unwrap_or_default();
        let divides = line.width == own && sections.iter().any(|known| known.eq_ignore_ascii_case(word));
        if line.width <= own && !divides {
            let at = last?;
            let wrong = (line.width == own && closer.is_meant(line.text)).then(|| line.span());
            return Some(BlockEnd { at, wrong, last: false });
        }
        last = Some(line.end());
    }
    Some(BlockEnd { at: last?, wrong: None, last: true })
}

/// The only line after an offset that was written to close a block in another way.
pub(super) fn only_wrong_closer(text: &str, opener: usize, closer: Closer) -> Option<Span> {
    let mut wrong = lines_after(text, opener).filter(|line| closer.is_meant(line.text));
    wrong.next().filter(|_| wrong.next().is_none()).map(|line| line.span())
}

impl Closer {
    /// Whether a line is likely meant to close a block: that of another language, or one with too much in it.
    fn is_meant(self, line: &str) -> bool {
        let bare = line.trim_end_matches([';', ',', '.']);
        let marks = !bare.is_empty() && bare.chars().all(|c| matches!(c, ')' | ']' | '}'));
        let word = bare.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let foreign = matches!(word.as_str(), "fi" | "done" | "esac") && bare.len() == word.len();
        let ended = word.starts_with("end")
            && bare.split_whitespace().count() <= 2
            && bare.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
        match self {
            Self::End => marks || foreign || ended && line != "end",
            Self::Brace => (marks || foreign || ended) && line != "}",
        }
    }
}

/// A block opens or closes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event<'s> {
    /// This statement opens a block at this offset.
    Open(Part<'s>, usize),
    /// What is at this offset closes a block.
    Close(usize),
}

/// The statements that open blocks which nothing closes, by the indentation of what opens and closes: one that is
/// indented as much as the next opener, or more than what is said to close it, is not closed there.
pub(super) fn unclosed<'s>(text: &str, events: &[Event<'s>]) -> Vec<Part<'s>> {
    let mut open: Vec<(Part<'s>, Option<usize>)> = Vec::new();
    let mut unclosed = Vec::new();
    for event in events {
        match *event {
            Event::Open(part, at) => {
                let own = indentation(text, at).map(width);
                while let Some((top, Some(depth))) = open.last()
                    && own.is_some_and(|own| own <= *depth)
                {
                    unclosed.push(*top);
                    open.pop();
                }
                open.push((part, own.filter(|_| is_deep(text, at))));
            }
            Event::Close(at) => {
                if let Some(own) = indentation(text, at).map(width)
                    && open.iter().any(|(_, depth)| *depth == Some(own))
                {
                    while let Some((top, Some(depth))) = open.last()
                        && *depth > own
                    {
                        unclosed.push(*top);
                        open.pop();
                    }
                }
                open.pop();
            }
        }
    }
    unclosed.extend(open.into_iter().map(|(part, _)| part));
    unclosed.sort_by_key(|part| part.span().start);
    unclosed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_before_the_first_line_that_is_not_indented_more() {
        let text = "alt a\n  x\nelse b\n  y\nz\n";
        let end = end_of_block(text, 0, Closer::End, &["else"]).expect("the body is indented");
        assert_eq!((&text[..end.at], end.wrong, end.last), ("alt a\n  x\nelse b\n  y", None, false));
        assert_eq!(end_of_block("loop\nx\ny\n", 0, Closer::End, &[]), None);
        let open = end_of_block("loop\n  x\n", 0, Closer::End, &[]).expect("the body is indented");
        assert!(open.last && open.at == 8);
    }

    #[test]
    fn a_line_that_was_meant_to_close_the_block_is_found() {
        let text = "loop\n  x\n}\n";
        let end = end_of_block(text, 0, Closer::End, &[]).expect("the body is indented");
        assert_eq!(end.wrong.map(|wrong| wrong.of(text)), Some("}"));
        let flat = "loop\nx\nend loop\n";
        assert_eq!(only_wrong_closer(flat, 0, Closer::End).map(|wrong| wrong.of(flat)), Some("end loop"));
        assert!(
            !Closer::End.is_meant("end")
                && !Closer::Brace.is_meant("}")
                && !Closer::End.is_meant("ending x y")
        );
    }
}
