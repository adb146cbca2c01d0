//! Lists and their items.

use std::ops::Range;

use super::lines::Lines;

/// Spaces after a marker from which on the text is indented code (CommonMark 0.31, section 5.2).
const CODE: usize = 5;

/// A list.
#[derive(Debug)]
pub(super) struct List {
    pub(super) range: Range<usize>,
    /// The end of its last block.
    pub(super) end: usize,
    pub(super) ordered: bool,
    /// How many lists it is in.
    pub(super) depth: usize,
    /// How many lists it is in, up to the quote around it.
    pub(super) levels: usize,
    /// Whether these lists, and itself, are bullet lists.
    pub(super) bulleted: bool,
    pub(super) in_footnote: bool,
    pub(super) items: Vec<Item>,
}

/// An item of a list.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) range: Range<usize>,
    /// The end of its last block.
    pub(super) end: usize,
    /// The end of its last paragraph.
    pub(super) text_end: usize,
    /// The bullet, or the number with the character after it.
    pub(super) marker: Range<usize>,
    /// Characters before the marker on its line.
    pub(super) column: usize,
    /// Characters before the marker on its line, without the marks of quotes.
    pub(super) indent: usize,
    /// Whitespace between the marker and the text; empty where there is no text.
    pub(super) space: Range<usize>,
    /// Width of that whitespace.
    pub(super) width: usize,
    /// Column of the text.
    pub(super) content: usize,
}

impl Item {
    pub(super) fn read(text: &str, range: Range<usize>, ordered: bool, lines: &Lines<'_>) -> Self {
        let line = lines.range(lines.at(range.start));
        let written = &text[range.start..line.end.max(range.start)];
        let digits = if ordered { written.bytes().take_while(u8::is_ascii_digit).count() } else { 0 };
        let marker = range.start..(range.start + digits + 1).min(line.end);
        let after = &text[marker.end..line.end];
        let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
        let column = text[line.start..range.start].chars().count();
        let end_column = lines.column(marker.end);
        let is_empty = after.trim().is_empty();
        let mut space = marker.end..marker.end + spaces;
        let mut width = lines.column(space.end) - end_column;
        if is_empty {
            (space, width) = (marker.end..marker.end, 0);
        } else if width >= CODE {
            (space, width) = (marker.end..marker.end + 1, 1);
        }
        let before = &text[line.start..range.start];
        let quoted = before.rfind('>').map_or(0, |at| {
            let after = at + 1 + usize::from(before[at + 1..].starts_with([' ', '\t']));
            before[..after].chars().count()
        });
        Self {
            end: marker.end,
            text_end: marker.end,
            column,
            indent: column - quoted.min(column),
            content: end_column + width.max(1),
            range,
            marker,
            space,
            width,
        }
    }
}
