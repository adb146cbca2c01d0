//! The lines of a document, and which of them are blank.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr_iter, memmem};

use crate::budget;

/// Columns from one tab stop to the next (CommonMark 0.31, section 2.2).
const TAB: usize = 4;

/// What a line is part of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part(u16);

impl Part {
    /// A line of a code block, its fences included.
    pub(super) const CODE: Self = Self(1);
    /// A line between the fences of a code block, or of an indented one.
    pub(super) const CODE_CONTENT: Self = Self(1 << 1);
    pub(super) const HEADING: Self = Self(1 << 2);
    pub(super) const TABLE: Self = Self(1 << 3);
    /// A line of a definition of a link or of a footnote.
    pub(super) const DEFINITION: Self = Self(1 << 4);
    /// A line with a part of a link or of an image.
    pub(super) const LINK: Self = Self(1 << 5);
    /// A line of a paragraph with text outside of links, emphasis and code.
    pub(super) const TEXT: Self = Self(1 << 6);
    pub(super) const HTML: Self = Self(1 << 7);
    /// A line of a list that is not between an item's text and the next item.
    pub(super) const LIST: Self = Self(1 << 8);
    /// A line of a paragraph that another one follows.
    pub(super) const CONTINUED: Self = Self(1 << 9);
    /// A line on which a code span begins or goes on.
    pub(super) const CODE_SPAN: Self = Self(1 << 10);
    /// A line of a paragraph.
    pub(super) const PARAGRAPH: Self = Self(1 << 12);
    /// A line that another construct than those above covers: a directive or a display formula.
    pub(super) const OTHER: Self = Self(1 << 11);
}

/// The lines of a document.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    /// The text with dots in place of what comments say.
    shown: Cow<'t, str>,
    starts: Vec<usize>,
    parts: Vec<u16>,
    /// The first line after the front matter.
    first: usize,
}

impl<'t> Lines<'t> {
    /// The lines of a document whose front matter ends at `start`.
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        let mut starts = vec![0];
        starts.extend(budget::within(memchr_iter(b'\n', text.as_bytes())).map(|at| at + 1));
        budget::allocate(starts.len() * (size_of::<usize>() + size_of::<u16>()));
        let is_empty = text[..start].trim_start_matches('\u{FEFF}').is_empty();
        let first = if is_empty { 0 } else { starts.partition_point(|line| *line < start) };
        let parts = vec![0; starts.len()];
        Self { text, shown: without_comments(text, start), starts, parts, first }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The first line after the front matter.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The line around an offset, from zero.
    pub(super) fn at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The line of the last byte of a range that is not a line end.
    pub(super) fn last_of(&self, range: &Range<usize>) -> usize {
        self.at(range.start + self.text[range.clone()].trim_end().len().saturating_sub(1))
    }

    pub(super) fn start(&self, line: usize) -> usize {
        self.starts[line]
    }

    /// A line without its line end.
    pub(super) fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts[line];
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let carriage = self.text[start..end].ends_with('\r');
        start..end - usize::from(carriage)
    }

    pub(super) fn text(&self, line: usize) -> &'t str {
        &self.text[self.range(line)]
    }

    /// A line with dots in place of what comments say.
    pub(super) fn shown(&self, line: usize) -> &str {
        &self.shown[self.range(line)]
    }

    /// Whether there is nothing on a line but whitespace, comments, and marks of quotes.
    pub(super) fn is_blank(&self, line: usize) -> bool {
        let shown = self.shown(line);
        shown.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'>'))
            || shown.trim().is_empty()
            || uncommented(shown).chars().all(|c| c == '>' || c.is_whitespace())
    }

    /// How many blank lines are directly above a line; nothing where there is no other line above them.
    pub(super) fn blank_above(&self, line: usize) -> Option<usize> {
        let above = (self.first..line).rev();
        let blank = above.clone().take_while(|line| self.is_blank(*line)).count();
        (blank < above.len()).then_some(blank)
    }

    /// How many blank lines are directly below a line; nothing where there is no other line below them.
    pub(super) fn blank_below(&self, line: usize) -> Option<usize> {
        let below = line + 1..self.count();
        let blank = below.clone().take_while(|line| self.is_blank(*line)).count();
        (blank < below.len()).then_some(blank)
    }

    /// Notes what lines are a part of.
    pub(super) fn mark(&mut self, lines: Range<usize>, part: Part) {
        let end = lines.end.min(self.parts.len());
        for flags in self.parts.get_mut(lines.start..end).into_iter().flatten() {
            *flags |= part.0;
        }
    }

    /// Takes back that a line is a part of something.
    pub(super) fn unmark(&mut self, line: usize, part: Part) {
        self.parts[line] &= !part.0;
    }

    pub(super) fn is(&self, line: usize, part: Part) -> bool {
        self.parts[line] & part.0 != 0
    }

    /// Whether a line is a part of nothing.
    pub(super) fn is_free(&self, line: usize) -> bool {
        self.parts[line] & !Part::LIST.0 == 0
    }

    /// The column of an offset in its line, from zero, where a tab leads to the next tab stop.
    pub(super) fn column(&self, offset: usize) -> usize {
        let start = self.starts[self.at(offset)];
        let advance = |column: usize, c: char| if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 };
        self.text[start..offset].chars().fold(0, advance)
    }
}

/// A line without the comments on it, also those that begin or end on other lines.
fn uncommented(line: &str) -> Cow<'_, str> {
    const OPEN: &str = "<!--";
    const CLOSE: &str = "-->";
    let mut rest = Cow::Borrowed(line);
    loop {
        let (open, close) = (rest.find(OPEN), rest.find(CLOSE));
        rest = match (open, close) {
            (None, None) => return rest,
            (Some(open), None) => rest[..open].to_owned().into(),
            (Some(open), Some(close)) if open < close => {
                format!("{}{}", &rest[..open], &rest[close + CLOSE.len()..]).into()
            }
            (_, Some(close)) => rest[close + CLOSE.len()..].to_owned().into(),
        };
    }
}

/// The text with dots in place of what comments say; line ends, and spaces between words, stay.
fn without_comments(text: &str, start: usize) -> Cow<'_, str> {
    let finder = memmem::Finder::new("<!--");
    let Some(first) = finder.find(&text.as_bytes()[start..]).map(|at| start + at) else {
        return Cow::Borrowed(text);
    };
    let mut shown = text.as_bytes().to_vec();
    budget::allocate(shown.len());
    let mut next = Some(first);
    while let Some(open) = next {
        // `<!-->` ends where it begins.
        let Some(close) = memmem::find(&shown[open + 2..], b"-->").map(|at| open + 2 + at) else { break };
        let inner = open + 4..close;
        if close > inner.start && is_comment(text, open, &text[inner.clone()]) {
            dot_out(&mut shown[inner]);
        }
        let from = close + 3;
        next = finder.find(&shown[from..]).map(|at| from + at);
    }
    String::from_utf8(shown).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether what looks like a comment is one for HTML, where it has the start of its line to itself, or for CommonMark.
fn is_comment(text: &str, open: usize, content: &str) -> bool {
    let before = &text[memchr::memrchr(b'\n', &text.as_bytes()[..open]).map_or(0, |at| at + 1)..open];
    let spans_cells = before.trim_start_matches(' ').starts_with('|') && content.contains('\n');
    let is_odd = content.starts_with('>')
        || content.starts_with("->")
        || content.ends_with('-')
        || content.contains("--");
    before.trim().is_empty() || !(spans_cells || is_odd)
}

/// Replaces everything but line ends, and spaces that something follows on their line.
fn dot_out(content: &mut [u8]) {
    let mut is_trailing = false;
    for byte in content.iter_mut().rev() {
        match byte {
            b'\n' | b'\r' => is_trailing = true,
            b' ' if !is_trailing => {}
            _ => {
                is_trailing &= *byte == b' ';
                *byte = b'.';
            }
        }
    }
}
