//! Tables: with bars where every cell is one line of text, as HTML around Markdown elsewhere.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::Writer;
use crate::budget;
use crate::{
    html,
    images::has_mark,
    model::{Alignment, Attr, Block, Cell, Inline, Table},
};

/// Columns up to this width are filled up, so that the source can be read as a table.
const FILLED: usize = 40;

/// Steps and bytes that a cell takes besides its content.
const CELL: u64 = 16;
const CELL_BYTES: usize = 2 * FILLED;

impl Writer {
    pub(super) fn table(&mut self, table: &Table) -> String {
        let simple = self.dialect.tables
            && table.head.len() <= 1
            && !table.alignments.is_empty()
            && table.head.iter().chain(&table.rows).all(|row| row.iter().all(is_line));
        let content = if simple { self.bars(table) } else { self.tags(table) };
        let caption = self.line(&table.caption);
        let mut out = String::new();
        if !table.attr.id.is_empty() {
            let _ = write!(out, "<a id=\"{}\"></a>\n\n", html::escape(&table.attr.id));
        }
        out.push_str(&content);
        if !caption.is_empty() {
            let _ = write!(out, "\n\n{caption}");
        }
        out
    }

    fn bars(&mut self, table: &Table) -> String {
        let columns = table.alignments.len();
        self.in_row = true;
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(table.rows.len() + 1);
        let empty = Vec::new();
        for row in std::iter::once(table.head.first().unwrap_or(&empty)).chain(&table.rows) {
            if !budget::charge(columns as u64 * CELL) || !budget::allocate(columns * CELL_BYTES) {
                break;
            }
            let mut cells: Vec<String> = row.iter().take(columns).map(|cell| self.cell(cell)).collect();
            cells.resize(columns, String::new());
            rows.push(cells);
        }
        self.in_row = false;
        let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns).map(|column| widest(column).clamp(3, FILLED)).collect();
        let mut lines: Vec<String> = Vec::with_capacity(rows.len() + 1);
        for row in &rows {
            let mut line = String::from("|");
            for (cell, wide) in row.iter().zip(&widths) {
                let fill = " ".repeat(wide.saturating_sub(width(cell)));
                let _ = write!(line, " {cell}{fill} |");
            }
            lines.push(line);
        }
        let rule = table.alignments.iter().zip(&widths).map(|(alignment, width)| {
            let (left, right) = match alignment {
                Alignment::Left => (":", "-"),
                Alignment::Right => ("-", ":"),
                Alignment::Center => (":", ":"),
                Alignment::Default => ("-", "-"),
            };
            format!(" {left}{}{right} |", "-".repeat(width.saturating_sub(2)))
        });
        lines.insert(1, std::iter::once("|".to_owned()).chain(rule).collect());
        lines.join("\n")
    }

    fn cell(&mut self, cell: &Cell) -> String {
        match cell.blocks.as_slice() {
            [Block::Plain(inner) | Block::Para(inner)] => self.line(inner),
            _ => String::new(),
        }
    }

    fn tags(&mut self, table: &Table) -> String {
        let mut out = "<table>\n".to_owned();
        for (part, tag, rows) in [("thead", "th", &table.head), ("tbody", "td", &table.rows)] {
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(out, "<{part}>");
            for row in rows {
                out.push_str("<tr>\n");
                for (index, cell) in budget::within(row).enumerate() {
                    let attr = cell_attributes(cell, table.alignments.get(index).copied());
                    let content = self.blocks(&cell.blocks);
                    let content =
                        if content.is_empty() { String::new() } else { format!("\n\n{content}\n\n") };
                    let _ = writeln!(out, "<{tag}{attr}>{content}</{tag}>");
                }
                out.push_str("</tr>\n");
            }
            let _ = writeln!(out, "</{part}>");
        }
        out + "</table>"
    }
}

fn cell_attributes(cell: &Cell, alignment: Option<Alignment>) -> String {
    let mut attr = Attr::default();
    let side = match alignment {
        Some(Alignment::Left) => "left",
        Some(Alignment::Right) => "right",
        Some(Alignment::Center) => "center",
        Some(Alignment::Default) | None => "",
    };
    for (key, value, is_set) in [
        ("colspan", cell.columns.to_string(), cell.columns > 1),
        ("rowspan", cell.rows.to_string(), cell.rows > 1),
        ("align", side.to_owned(), !side.is_empty()),
    ] {
        if is_set {
            attr = attr.with(key, value);
        }
    }
    attr.pairs.iter().fold(String::new(), |out, (key, value)| format!("{out} {key}=\"{value}\""))
}

/// The width of a cell. With a picture, it is wider than any column that is filled up.
fn width(cell: &str) -> usize {
    if has_mark(cell) { cell.width().max(FILLED) } else { cell.width() }
}

/// Whether a cell is one line of text.
fn is_line(cell: &Cell) -> bool {
    let of_text = match cell.blocks.as_slice() {
        [] => true,
        [Block::Plain(inner) | Block::Para(inner)] => !inner
            .iter()
            .any(|inline| matches!(inline, Inline::Raw { text, .. } if text.contains(['\n', '|']))),
        _ => false,
    };
    of_text && cell.columns <= 1 && cell.rows <= 1
}
