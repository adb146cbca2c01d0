//! The rows of tables, with their pipes.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::lines::Lines;
use crate::budget;

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) range: Range<usize>,
    pub(super) rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug)]
pub(super) struct Row {
    /// From its first pipe or word to its last one.
    pub(super) range: Range<usize>,
    pub(super) leading: bool,
    pub(super) trailing: bool,
    pub(super) cells: usize,
    pub(super) pipes: Vec<Pipe>,
}

/// A pipe between cells, or beside them.
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) at: usize,
    /// Its column on a terminal, from zero.
    pub(super) column: usize,
    /// Whether a pipe of the first row is in the same column.
    pub(super) aligned: bool,
    /// Spaces before it, where a cell is before it.
    pub(super) before: Option<usize>,
    /// Spaces after it, where a cell is after it.
    pub(super) after: Option<usize>,
}

impl Table {
    /// Reads the rows of a table that begins at the start of a range.
    pub(super) fn read(text: &str, range: Range<usize>, lines: &Lines<'_>, quoted: usize) -> Self {
        let first = lines.at(range.start);
        let last = lines.last_of(&range);
        let row = |line: usize| {
            let whole = lines.range(line);
            let start =
                if line == first { range.start } else { whole.start + prefix(&text[whole.clone()], quoted) };
            Row::read(text, start..whole.end, lines.start(line))
        };
        let mut rows: Vec<Row> = budget::within(first..=last).map(row).collect();
        if let Some((head, others)) = rows.split_first_mut() {
            let columns: Vec<usize> = head.pipes.iter().map(|pipe| pipe.column).collect();
            head.pipes.iter_mut().for_each(|pipe| pipe.aligned = true);
            for row in others {
                row.align(&columns);
            }
        }
        Self { range, rows }
    }
}

/// The length of the marks of quotes, and of whitespace, before a row.
fn prefix(line: &str, quoted: usize) -> usize {
    let mut rest = line;
    for _ in 0..quoted {
        rest = rest.trim_start().strip_prefix('>').unwrap_or(rest);
    }
    line.len() - rest.trim_start().len()
}

impl Row {
    fn read(text: &str, range: Range<usize>, line_start: usize) -> Self {
        let written = &text[range.clone()];
        let start = range.start + (written.len() - written.trim_start().len());
        let range = start..start + written.trim().len();
        let places = pipes(text, range.clone());
        let leading = places.first() == Some(&range.start);
        let trailing = range.end > range.start && places.last() == Some(&(range.end - 1));
        let spaces = |from: usize, to: usize| {
            let between = &text[from..to];
            (between.len() - between.trim_start().len(), between.len() - between.trim_end().len())
        };
        let mut pipes = Vec::with_capacity(places.len());
        let mut column = 0;
        let mut measured = line_start;
        for (index, at) in places.iter().copied().enumerate() {
            column += text[measured..at].width();
            measured = at;
            let before = (index > 0 || !leading).then(|| {
                let from = if index == 0 { range.start } else { places[index - 1] + 1 };
                spaces(from, at).1
            });
            let after = (index + 1 < places.len() || !trailing).then(|| {
                let to = places.get(index + 1).copied().unwrap_or(range.end);
                spaces(at + 1, to).0
            });
            budget::push(&mut pipes, Pipe { at, column, aligned: false, before, after });
        }
        let cells = (places.len() + 1)
            - usize::from(leading)
            - usize::from(trailing && places.len() > usize::from(leading));
        Self { range, leading, trailing, cells, pipes }
    }

    /// Compares its pipes with the columns of those of the first row. Pipes beyond them are aligned.
    fn align(&mut self, columns: &[usize]) {
        let mut left: Vec<usize> = columns.to_vec();
        for pipe in &mut self.pipes {
            pipe.aligned = match left.binary_search(&pipe.column) {
                _ if left.is_empty() => true,
                Ok(position) => {
                    left.remove(position);
                    true
                }
                Err(_) => false,
            };
        }
    }
}

/// The offsets of the pipes that separate cells: not those after a backslash.
fn pipes(text: &str, range: Range<usize>) -> Vec<usize> {
    let bytes = &text.as_bytes()[..range.end];
    let mut found = Vec::new();
    let mut at = range.start;
    while let Some(next) = memchr::memchr2(b'|', b'\\', &bytes[at.min(bytes.len())..]).map(|next| at + next) {
        if bytes[next] == b'|' {
            budget::push(&mut found, next);
            at = next + 1;
        } else {
            at = next + 1 + usize::from(matches!(bytes.get(next + 1), Some(b'|' | b'\\')));
        }
    }
    found
}
