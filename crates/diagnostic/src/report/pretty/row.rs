use std::ops::Range;

use unicode_width::UnicodeWidthChar as _;

use crate::text::{Span, visible};

const TAB: usize = 4;

/// A displayed source line: a window of the line around a position, with hidden characters escaped, tabs
/// expanded to spaces, and the column of every piece.
#[derive(Debug, Default)]
pub(super) struct Row {
    pieces: Vec<Piece>,
    /// Total columns of all pieces.
    width: usize,
}

#[derive(Debug)]
struct Piece {
    /// Source offset of the first character of the piece.
    byte: usize,
    column: usize,
    text: String,
}

impl Row {
    /// The part of the line at `line` that shows `focus`, in at most `budget` columns. The running time is
    /// proportional to the budget, not to the length of the line.
    pub(super) fn window(text: &str, line: Span, focus: Range<usize>, budget: usize) -> Self {
        let budget = budget.max(8);
        let body = line.of(text);
        let start = (line.start as usize).min(text.len());
        let end = start + body.len();
        let focus = focus.start.clamp(start, end)..focus.end.clamp(start, end);
        let first = window_start(text, start, end, &focus, budget);
        let mut row = Self::default();
        if first > start {
            row.push(first, "…", 1);
        }
        for (at, c) in text[first..end].char_indices() {
            let at = first + at;
            let (shown, width) = show(c, row.width);
            if row.width + width > budget {
                row.clip(at, budget);
                break;
            }
            row.push(at, &shown, width);
        }
        row
    }

    /// Column of the piece that contains the byte at `offset`; bytes outside the window count as its
    /// nearest end.
    pub(super) fn column(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.byte <= offset);
        match self.pieces.get(after.wrapping_sub(1)) {
            Some(piece) if after < self.pieces.len() => piece.column,
            Some(piece) if offset == piece.byte || piece.text == "…" => piece.column,
            Some(_) => self.width,
            None => 0,
        }
    }

    /// Columns of the bytes `range`, at least one.
    pub(super) fn columns(&self, range: Range<usize>) -> Range<usize> {
        let start = self.column(range.start);
        let end = if range.is_empty() { start } else { self.column_after(range.end) };
        start..end.max(start + 1)
    }

    fn column_after(&self, end: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.byte < end);
        self.pieces.get(after).map_or(self.width, |piece| piece.column)
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The pieces with their starting columns.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, &str)> {
        self.pieces.iter().map(|piece| (piece.column, piece.text.as_str()))
    }

    /// The whole row as text.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn push(&mut self, byte: usize, text: &str, width: usize) {
        match self.pieces.last_mut() {
            Some(last) if width == 0 => last.text.push_str(text),
            _ => self.pieces.push(Piece { byte, column: self.width, text: text.to_owned() }),
        }
        self.width += width;
    }

    /// Adds `…` if the rest from `byte` on does not fit.
    fn clip(&mut self, byte: usize, budget: usize) {
        let mut byte = byte;
        while self.width >= budget {
            let Some(last) = self.pieces.pop() else { break };
            self.width = last.column;
            byte = last.byte;
        }
        self.push(byte, "…", 1);
    }
}

/// How a character is displayed at column `column` of a row.
fn show(c: char, column: usize) -> (String, usize) {
    if c == '\t' {
        let width = TAB - column % TAB;
        return (" ".repeat(width), width);
    }
    let mut buffer = [0; 4];
    let shown = visible(c.encode_utf8(&mut buffer)).into_owned();
    let width = if shown.len() > c.len_utf8() { shown.len() } else { c.width().unwrap_or(1) };
    (shown, width)
}

/// Where the window starts: at the start of the line if the focus fits from there; otherwise so that the
/// focus is in the middle, or near the left end if it is wider than the window.
fn window_start(text: &str, start: usize, end: usize, focus: &Range<usize>, budget: usize) -> usize {
    let before = &text[start..focus.start];
    let focused = width_up_to(&text[focus.clone()], budget);
    let all = width_up_to_back(before, budget);
    if all.complete && all.width + focused + usize::from(focus.end < end) <= budget {
        return start;
    }
    let lead = if focused >= budget {
        budget / 4
    } else {
        let room = budget - focused;
        room - width_up_to(&text[focus.end..end], room / 2)
    };
    focus.start - width_up_to_back(before, lead.saturating_sub(1)).bytes
}

/// Number of columns of `text`, counted up to `limit`.
fn width_up_to(text: &str, limit: usize) -> usize {
    let mut width = 0;
    for c in text.chars() {
        width += show(c, width).1;
        if width >= limit {
            return limit;
        }
    }
    width
}

struct Back {
    width: usize,
    bytes: usize,
    complete: bool,
}

/// The longest suffix of `text` that occupies at most `limit` columns.
fn width_up_to_back(text: &str, limit: usize) -> Back {
    let mut back = Back { width: 0, bytes: 0, complete: true };
    for c in text.chars().rev() {
        let width = if c == '\t' { TAB } else { show(c, 0).1 };
        if back.width + width > limit {
            back.complete = false;
            return back;
        }
        back.width += width;
        back.bytes += c.len_utf8();
    }
    back
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str, focus: Range<usize>, budget: usize) -> (String, Range<usize>) {
        let row = Row::window(text, Span::new(0, text.len()), focus.clone(), budget);
        assert!(row.width() <= budget.max(8), "{row:?}");
        (row.text(), row.columns(focus))
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(row("a: b", 3..4, 20), ("a: b".into(), 3..4));
        assert_eq!(row("\ta: b", 4..5, 20), ("    a: b".into(), 7..8));
        assert_eq!(row("語😀x", 7..8, 20), ("語😀x".into(), 4..5));
        assert_eq!(row("e\u{301}x", 3..4, 20), ("e\u{301}x".into(), 1..2));
    }

    #[test]
    fn hidden_characters_widen_the_row_and_move_the_columns_with_them() {
        assert_eq!(row("\u{1b}x", 1..2, 20), ("\\u{1b}x".into(), 6..7));
        assert_eq!(row("a\u{2028}\rb", 5..6, 20), ("a\\u{2028}\\rb".into(), 11..12));
    }

    #[test]
    fn a_long_line_is_cut_around_the_focus() {
        let text = format!("{}NEEDLE{}", "a".repeat(100), "b".repeat(100));
        assert_eq!(row(&text, 100..106, 20), ("…aaaaaaNEEDLEbbbbbb…".into(), 7..13));
        assert_eq!(row(&text, 0..1, 10), ("aaaaaaaaa…".into(), 0..1));
        let last = text.len();
        assert_eq!(row(&text, last..last, 10), ("…bbbbbbbbb".into(), 10..11));
    }

    #[test]
    fn a_focus_wider_than_the_window_shows_its_start() {
        let text = "x".repeat(1000);
        assert_eq!(row(&text, 500..900, 12), ("…xxxxxxxxxx…".into(), 3..12));
    }

    #[test]
    fn an_empty_line_has_a_column_to_point_at() {
        assert_eq!(row("", 0..0, 20), (String::new(), 0..1));
    }
}
