//! Tables of slides: how large their text is, how wide their columns and how high their rows are.

use super::model::{Cell, Paragraph, Rect, Row, Table as Drawn};
use crate::{
    budget,
    model::{Block, Table, plain_blocks},
};

/// Steps and bytes that a cell without text takes.
const CELL: u64 = 16;
const CELL_BYTES: usize = 100;

/// A table as a slide has it. `cell_text` makes the paragraphs of a cell.
pub(super) fn drawn(
    table: &Table,
    width: i64,
    size: &TableSize,
    cell_text: &mut dyn FnMut(&[Block]) -> Vec<Paragraph>,
) -> Drawn {
    let columns = table.alignments.len().max(1);
    let mut rows = Vec::new();
    for (row, height) in table.head.iter().chain(&table.rows).zip(&size.rows) {
        if !budget::charge(columns as u64 * CELL) || !budget::allocate(columns * CELL_BYTES) {
            break;
        }
        let mut cells = Vec::new();
        let mut column = 0;
        for cell in row.iter().take(columns) {
            let Some(left) = columns.checked_sub(column).filter(|left| *left > 0) else { break };
            let alignment = table.alignments.get(column).copied().unwrap_or_default();
            let span = (cell.columns as usize).clamp(1, left);
            let mut paragraphs = cell_text(&cell.blocks);
            for paragraph in &mut paragraphs {
                paragraph.alignment = alignment;
            }
            cells.push(Cell { span, paragraphs });
            column += span;
        }
        rows.push(Row { height: *height, cells });
    }
    Drawn {
        columns: column_widths(table, width),
        has_head: !table.head.is_empty(),
        rows,
        margin: margin(size.text),
    }
}

/// How large the text of a table is, and how high its rows become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableSize {
    /// In hundredths of a point.
    pub(super) text: u32,
    pub(super) rows: Vec<i64>,
}

impl TableSize {
    /// Sizes of text, the preferred one first.
    const TEXT: [u32; 8] = [1400, 1200, 1100, 1000, 900, 800, 700, 600];

    /// The largest text with which a table fits a rectangle; the smallest one where it does not fit.
    pub(super) fn fitting(table: &Table, rect: Rect) -> Self {
        let sizes = Self::TEXT.into_iter().map(|text| Self::of(table, rect.width, text));
        let mut last = None;
        for size in sizes {
            if size.height() <= rect.height {
                return size;
            }
            last = Some(size);
        }
        last.unwrap_or_else(|| Self::of(table, rect.width, Self::TEXT[0]))
    }

    /// The size of a table with the preferred size of text.
    pub(super) fn preferred(table: &Table, width: i64) -> Self {
        Self::of(table, width, Self::TEXT[0])
    }

    /// The size of a table with the smallest text that can be read on a projected slide.
    pub(super) fn legible(table: &Table, width: i64) -> Self {
        Self::of(table, width, 1000)
    }

    fn of(table: &Table, width: i64, text: u32) -> Self {
        /// English Metric Units in a hundredth of a point.
        const UNIT: i64 = 127;
        // Faces that replace missing ones are higher than those of Office.
        let line = i64::from(text) * UNIT * 14 / 10;
        let widths = column_widths(table, width);
        let height = |row: &Vec<crate::model::Cell>| {
            let mut column = 0;
            let mut lines = 1;
            for cell in budget::within(row) {
                let span = cell.columns.max(1) as usize;
                let own: i64 = widths.iter().skip(column).take(span).sum();
                column += span;
                // A character is half as wide as it is high; both sides have a margin.
                let per_line = ((own - 2 * MARGIN_SIDE) / (i64::from(text) * UNIT * 55 / 100)).max(1);
                let shown = plain_blocks(&cell.blocks);
                budget::charge(shown.len() as u64);
                let needed = shown
                    .lines()
                    .map(|line| (line.chars().count() as i64 + per_line - 1).div_euclid(per_line).max(1));
                lines = lines.max(needed.sum());
            }
            lines * line + 2 * margin(text)
        };
        Self { text, rows: table.head.iter().chain(&table.rows).map(height).collect() }
    }

    pub(super) fn height(&self) -> i64 {
        self.rows.iter().sum()
    }
}

/// Between the text of a cell and its sides.
const MARGIN_SIDE: i64 = 91_440;

/// Between the text of a cell and the rows around it.
fn margin(text: u32) -> i64 {
    if text < 1200 { 18_000 } else { 45_720 }
}

/// The widths of the columns of a table: those that it names, else by the longest line of each column.
fn column_widths(table: &Table, width: i64) -> Vec<i64> {
    let columns = table.alignments.len().max(1);
    let total: f64 = table.widths.iter().flatten().sum();
    if total <= 0.0 {
        let lengths = column_lengths(table, columns);
        let all = lengths.iter().sum::<i64>().max(1);
        return lengths.into_iter().map(|length| width.saturating_mul(length) / all).collect();
    }
    let share = |column: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a table has far fewer columns than 2^52")]
        let equal = 1.0 / columns as f64;
        let share = table.widths.get(column).copied().flatten().map_or(equal, |width| width / total);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "widths are far below the limits of integers"
        )]
        let width = (width as f64 * share) as i64;
        width
    };
    (0..columns).map(share).collect()
}

/// The characters of the longest line of each column, within limits: long text is broken, and short text needs its margins.
fn column_lengths(table: &Table, columns: usize) -> Vec<i64> {
    const LEAST: i64 = 6;
    const MOST: usize = 48;
    let mut lengths = vec![LEAST; columns];
    for row in table.head.iter().chain(&table.rows) {
        let mut column = 0;
        for cell in budget::within(row) {
            let span = cell.columns.max(1) as usize;
            if let (1, Some(known)) = (span, lengths.get_mut(column)) {
                let shown = plain_blocks(&cell.blocks);
                budget::charge(shown.len() as u64);
                let longest = shown.lines().map(|line| line.chars().take(MOST).count()).max().unwrap_or(0);
                *known = (*known).max(longest as i64 + 2);
            }
            column += span;
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader;

    #[test]
    fn text_of_tables_shrinks_until_the_table_fits() {
        let rows: String = (0..12).map(|n| format!("| row {n} | {} |\n", "word ".repeat(12))).collect();
        let text = format!("| a | b |\n|---|---|\n{rows}");
        let [Block::Table(table)] = &reader::read_text(&text, true)[..] else { panic!("a table") };
        let fits = |height| {
            let size = TableSize::fitting(table, Rect { x: 0, y: 0, width: 8_000_000, height });
            (size.text, size.height() <= height)
        };
        assert_eq!(fits(20_000_000), (1400, true));
        let (text, fit) = fits(4_000_000);
        assert!(text < 1400 && fit, "{text}");
        assert_eq!(fits(100), (600, false));
    }

    #[test]
    fn columns_are_as_wide_as_their_text_needs() {
        let text = "| a | b |\n|---|---|\n| 1 | A cell with many words in it |\n";
        let [Block::Table(table)] = &reader::read_text(text, true)[..] else { panic!("a table") };
        let widths = column_widths(table, 9_000);
        assert!(widths[1] > 3 * widths[0] && widths[0] > 1_000, "{widths:?}");
    }
}
