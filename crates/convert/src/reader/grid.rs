//! Grid tables with cells that span rows: the cells are found by walking along their borders, as docutils and
//! Pandoc do.

use std::collections::BTreeSet;

use super::{cursor::Blocks, tables, text::Line};
use crate::{
    model::{Alignment, Block, Cell},
    syntax::pandoc::tables::{is_border, offset},
};

/// Most characters of a table that is read in this way.
const LARGEST: usize = 60_000;

/// Most cells of a table that is read in this way.
const CELLS: usize = 2_000;

/// A cell by the positions of its borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    top: usize,
    left: usize,
    bottom: usize,
    right: usize,
}

/// The table that begins at the current line, where a cell of it spans rows. Other tables are read row by row.
pub(super) fn spanned(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let mut end = blocks.at;
    while blocks.line(end).is_some_and(|line| line.trim_start().starts_with(['+', '|'])) {
        end += 1;
    }
    let table = read(blocks, end)?;
    blocks.at = end;
    Some(table)
}

/// The table that the lines from the current one to `end` are.
fn read(blocks: &Blocks<'_, '_>, end: usize) -> Option<Block> {
    let lines: Vec<&str> = (blocks.at..end).map(|at| blocks.line(at).unwrap_or_default().trim()).collect();
    let is_partial = |line: &str| line.contains("+-") && !is_border(line);
    let size: usize = lines.iter().map(|line| line.len()).sum();
    if size > LARGEST || !lines.iter().any(|line| is_partial(line)) {
        return None;
    }
    let mut grid: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
    let width = grid.first()?.len();
    if grid.iter().any(|line| line.len() != width) {
        return None;
    }
    let head_end = lines.iter().position(|line| is_border(line) && line.contains('='));
    let alignments = grid[head_end.unwrap_or(0)].clone();
    for line in &mut grid {
        if line.contains(&'+') {
            let is_mark = |c: char| matches!(c, '=' | ':');
            // Marks of heads and alignments are borders.
            let border = line.iter().all(|c| matches!(c, '+' | '-' | '=' | ':' | '|'));
            line.iter_mut().filter(|c| border && is_mark(**c)).for_each(|c| *c = '-');
        }
    }
    let cells = cells(&grid)?;
    let tops: Vec<usize> = positions(cells.iter().map(|cell| cell.top));
    let lefts: Vec<usize> = positions(cells.iter().map(|cell| cell.left));
    let (mut head, mut rows): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = (Vec::new(), Vec::new());
    for top in &tops {
        let row = cells.iter().filter(|cell| cell.top == *top).map(|cell| {
            let within = |positions: &[usize], from: usize, to: usize| {
                positions.iter().filter(|position| (from..to).contains(*position)).count() as u32
            };
            let mut made = tables::cell(content(blocks, *cell));
            made.columns = within(&lefts, cell.left, cell.right);
            made.rows = within(&tops, cell.top, cell.bottom);
            made
        });
        let row: Vec<Cell> = row.collect();
        if head_end.is_some_and(|end| *top < end) { head.push(row) } else { rows.push(row) }
    }
    let total = tables::whole_width(width.saturating_sub(1), lefts.len());
    let ends = lefts.iter().skip(1).copied().chain([width - 1]);
    let spans: Vec<(usize, usize)> = lefts.iter().copied().zip(ends).collect();
    let widths = spans.iter().map(|(from, to)| Some(tables::share(to - from, total))).collect();
    let aligned = |(from, to): &(usize, usize)| {
        let mark = |at: usize| alignments.get(at) == Some(&':');
        match (mark(from + 1), mark(to.saturating_sub(1))) {
            (true, true) => Alignment::Center,
            (true, false) => Alignment::Left,
            (false, true) => Alignment::Right,
            (false, false) => Alignment::Default,
        }
    };
    Some(tables::table(spans.iter().map(aligned).collect(), widths, head, rows))
}

/// Positions in order, each once.
fn positions(all: impl Iterator<Item = usize>) -> Vec<usize> {
    all.collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The cells in the order of their rows; nothing where the borders do not make a table.
fn cells(grid: &[Vec<char>]) -> Option<Vec<Found>> {
    let (bottom, right) = (grid.len() - 1, grid[0].len() - 1);
    let mut corners = BTreeSet::from([(0, 0)]);
    // The lowest line that is part of a cell, for each column of characters.
    let mut done = vec![0_usize; right];
    let mut out = Vec::new();
    while let Some((top, left)) = corners.pop_first() {
        if top == bottom || left == right || top < done[left] || top > 0 && top != done[left] {
            continue;
        }
        let cell = cell_at(grid, top, left)?;
        if out.len() == CELLS {
            return None;
        }
        done[left..cell.right].iter_mut().for_each(|line| *line = cell.bottom);
        out.push(cell);
        corners.extend([(top, cell.right), (cell.bottom, left)]);
    }
    done.iter().all(|line| *line == bottom).then_some(out)
}

/// The smallest cell whose upper left corner is here.
fn cell_at(grid: &[Vec<char>], top: usize, left: usize) -> Option<Found> {
    if grid[top][left] != '+' {
        return None;
    }
    for right in left + 1..grid[top].len() {
        match grid[top][right] {
            '+' => {
                if let Some(bottom) = bottom_of(grid, top, left, right) {
                    return Some(Found { top, left, bottom, right });
                }
            }
            '-' => {}
            _ => return None,
        }
    }
    None
}

/// The line that closes a cell between two columns.
fn bottom_of(grid: &[Vec<char>], top: usize, left: usize, right: usize) -> Option<usize> {
    for (bottom, line) in grid.iter().enumerate().skip(top + 1) {
        let (a, b) = (line[left], line[right]);
        if a == '+' && b == '+' && line[left..=right].iter().all(|c| matches!(c, '-' | '+')) {
            return Some(bottom);
        }
        if !matches!(a, '|' | '+') || !matches!(b, '|' | '+') {
            return None;
        }
    }
    None
}

/// What is within the borders of a cell.
fn content(blocks: &Blocks<'_, '_>, cell: Found) -> Vec<Block> {
    let lines: Vec<Line> = (cell.top + 1..cell.bottom)
        .map(|at| {
            let at = blocks.at + at;
            let text = blocks.line(at).unwrap_or_default();
            let indent = text.len() - text.trim_start().len();
            let start = offset(&text[indent..], cell.left + 1);
            let end = offset(&text[indent..], cell.right).max(start);
            let part = &text[indent + start..indent + end];
            let line = blocks.lines[at];
            let from = line.start + indent + start;
            Line { start: from, end: from + part.trim_end().len(), ..line }
        })
        .collect();
    let spaces = |line: &Line| {
        let text = blocks.reader.text(*line);
        (!text.trim().is_empty()).then(|| text.len() - text.trim_start_matches(' ').len())
    };
    // One space is between a border and its content.
    let common = lines.iter().filter_map(spaces).min().unwrap_or(0).min(1);
    let lines: Vec<Line> =
        lines.into_iter().map(|line| Line { start: (line.start + common).min(line.end), ..line }).collect();
    blocks.reader.read(&lines, blocks.depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<(usize, usize, usize, usize)>> {
        let grid: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let cells = cells(&grid)?;
        Some(cells.iter().map(|cell| (cell.top, cell.left, cell.bottom, cell.right)).collect())
    }

    #[test]
    fn cells_that_span_rows_are_found_by_their_borders() {
        let table = "+---+---+\n| a | b |\n|   +---+\n|   | c |\n+---+---+";
        assert_eq!(found(table), Some(vec![(0, 0, 4, 4), (0, 4, 2, 8), (2, 4, 4, 8)]));
        let table = "+---+---+\n| a     |\n+---+---+\n| b | c |\n+---+---+";
        assert_eq!(found(table), Some(vec![(0, 0, 2, 8), (2, 0, 4, 4), (2, 4, 4, 8)]));
        let text = "+---+---+\n| a | b |\n|   +-- +\n|   | c |\n+---+---+";
        assert_eq!(found(text), Some(vec![(0, 0, 4, 4), (0, 4, 4, 8)]), "a border with a gap is text");
        assert_eq!(found("+---+\n| a |"), None);
    }
}
