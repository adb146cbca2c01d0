//! Tables of all four notations.

use super::{cursor::Blocks, text::Line};
use crate::{
    model::{Alignment, Block, Cell, Table},
    syntax::pandoc::tables::{self, COLUMNS, column_cells, dashes as runs, delimiters, is_border, offset},
};

/// The table that begins at the current line.
pub(super) fn any(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let first = blocks.line(blocks.at)?.trim_start();
    match first.as_bytes().first()? {
        b'+' => grid(blocks),
        b'-' => dashes(blocks),
        _ => pipe(blocks).or_else(|| simple(blocks)),
    }
}

pub(super) fn table(
    alignments: Vec<Alignment>,
    widths: Vec<Option<f64>>,
    head: Vec<Vec<Cell>>,
    rows: Vec<Vec<Cell>>,
) -> Block {
    Block::Table(Box::new(Table { alignments, widths, head, rows, ..Table::default() }))
}

pub(super) fn cell(blocks: Vec<Block>) -> Cell {
    let mut blocks = blocks;
    if let [Block::Para(inlines)] = blocks.as_mut_slice() {
        blocks = vec![Block::Plain(std::mem::take(inlines))];
    }
    Cell { blocks, columns: 1, rows: 1, ..Cell::default() }
}

/// Columns between bars, with a line of dashes below the head.
pub(super) fn pipe(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let head = blocks.line(blocks.at)?;
    let below = blocks.line(blocks.at + 1)?;
    if !head.contains('|') {
        return None;
    }
    let alignments = delimiters(below)?.into_iter().map(|range| marked(&below[range])).collect::<Vec<_>>();
    let cells = |line: Line, text: &str| -> Vec<Cell> {
        let mut cells: Vec<Cell> = split(text)
            .into_iter()
            .map(|range| {
                let part = Line { start: line.start + range.start, end: line.start + range.end, ..line };
                let inlines = blocks.reader.inlines(&[part]);
                cell(if inlines.is_empty() { vec![] } else { vec![Block::Plain(inlines)] })
            })
            .collect();
        cells.resize_with(alignments.len(), || cell(vec![]));
        cells
    };
    let head = cells(blocks.lines[blocks.at], head);
    let mut rows = Vec::new();
    let mut longest = 0;
    let mut at = blocks.at + 2;
    while let Some(line) = blocks.line(at).filter(|line| line.contains('|') && !line.trim().is_empty()) {
        rows.push(cells(blocks.lines[at], line));
        longest = longest.max(line.chars().count());
        at += 1;
    }
    let is_empty = head.iter().all(|cell| cell.blocks.is_empty());
    // Where a row is longer than a line of text, the dashes say how wide the columns are.
    let dashes: Vec<usize> = split(below).into_iter().map(|range| below[range].trim().len()).collect();
    let total: usize = dashes.iter().sum();
    let widths = if longest > 72 && total > 0 {
        dashes.iter().map(|width| Some(share(*width, total))).collect()
    } else {
        vec![None; alignments.len()]
    };
    blocks.at = at;
    Some(table(alignments, widths, if is_empty { vec![] } else { vec![head] }, rows))
}

/// The alignment of a cell of dashes and colons.
fn marked(cell: &str) -> Alignment {
    let cell = cell.trim();
    match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Alignment::Center,
        (true, false) => Alignment::Left,
        (false, true) => Alignment::Right,
        (false, false) => Alignment::Default,
    }
}

/// The ranges between the bars of a row.
fn split(line: &str) -> Vec<std::ops::Range<usize>> {
    tables::cells(line, COLUMNS)
}

/// A table drawn with `+`, `-` and `|`.
pub(super) fn grid(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let first = blocks.line(blocks.at)?;
    let indent = first.len() - first.trim_start().len();
    if !is_border(first.trim()) {
        return None;
    }
    let mut end = blocks.at;
    while blocks.line(end).is_some_and(|line| line.trim_start().starts_with(['+', '|'])) {
        end += 1;
    }
    let borders: Vec<usize> =
        first[indent..].char_indices().filter(|(_, c)| *c == '+').map(|(at, _)| at).collect();
    if borders.len() < 2 || borders.len() > COLUMNS || end - blocks.at < 3 {
        return None;
    }
    // Words after the last border would be in no cell.
    let last = borders[borders.len() - 1];
    let is_too_long = |at: usize| {
        let line = blocks.line(at).unwrap_or_default();
        line.chars().skip(indent + last + 1).any(|c| !c.is_whitespace())
    };
    if (blocks.at..end).any(is_too_long) {
        return None;
    }
    let mut alignments = vec![Alignment::Default; borders.len() - 1];
    let (mut head, mut rows): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = (Vec::new(), Vec::new());
    let mut row: Vec<usize> = Vec::new();
    for at in blocks.at..end {
        let line = blocks.line(at).unwrap_or_default().trim_start();
        if !is_border(line.trim_end()) {
            row.push(at);
            continue;
        }
        let is_head = line.contains('=');
        if is_head || at == blocks.at {
            for (alignment, pair) in alignments.iter_mut().zip(borders.windows(2)) {
                let part = line.get(pair[0] + 1..pair[1]).unwrap_or_default();
                *alignment = match (part.starts_with(':'), part.ends_with(':')) {
                    (true, true) => Alignment::Center,
                    (true, false) => Alignment::Left,
                    (false, true) => Alignment::Right,
                    (false, false) => *alignment,
                };
            }
        }
        if !row.is_empty() {
            let cells = grid_row(blocks, &row, &borders);
            rows.push(cells);
            row.clear();
        }
        if is_head && head.is_empty() {
            head = std::mem::take(&mut rows);
        }
    }
    let total = whole_width(borders[borders.len() - 1] - borders[0], borders.len() - 1);
    let widths = borders.windows(2).map(|pair| Some(share(pair[1] - pair[0], total))).collect();
    blocks.at = end;
    Some(table(alignments, widths, head, rows))
}

/// The cells of a row of a grid, each over all its lines. Columns are counted in characters.
fn grid_row(blocks: &Blocks<'_, '_>, row: &[usize], borders: &[usize]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut column = 0;
    let texts: Vec<(Line, &str)> = row
        .iter()
        .map(|at| {
            let text = blocks.line(*at).unwrap_or_default();
            let indent = text.len() - text.trim_start().len();
            let line = blocks.lines[*at];
            (Line { start: line.start + indent, ..line }, &text[indent..])
        })
        .collect();
    while column + 1 < borders.len() {
        let mut last = column + 1;
        // A border that no line has is inside a cell that spans columns.
        while last + 1 < borders.len()
            && !texts.iter().any(|(_, text)| at_column(text, borders[last]) == Some('|'))
        {
            last += 1;
        }
        let lines: Vec<Line> = texts
            .iter()
            .map(|(line, text)| {
                let start = offset(text, borders[column] + 1);
                let end = offset(text, borders[last]).max(start);
                let part = &text[start..end];
                let part_end = start + part.trim_end().len();
                Line { start: line.start + start, end: line.start + part_end.max(start), ..*line }
            })
            .collect();
        let common = lines
            .iter()
            .filter_map(|line| {
                let text = blocks.reader.text(*line);
                (!text.trim().is_empty()).then(|| text.len() - text.trim_start_matches(' ').len())
            })
            .min()
            .unwrap_or(0)
            .min(1);
        let lines: Vec<Line> = lines
            .into_iter()
            .map(|line| Line { start: (line.start + common).min(line.end), ..line })
            .collect();
        let mut made = cell(blocks.reader.read(&lines, blocks.depth + 1));
        made.columns = (last - column) as u32;
        cells.push(made);
        column = last;
    }
    cells
}

fn at_column(text: &str, column: usize) -> Option<char> {
    text.chars().nth(column)
}

/// A table that begins with a line of dashes: several lines per row, or without a head.
pub(super) fn dashes(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let first = blocks.line(blocks.at)?;
    let rule = runs(first)?;
    let is_full = rule.len() == 1;
    if is_full && rule[0].1 - rule[0].0 < 5 {
        return None;
    }
    if is_full { multiline(blocks, true) } else { multiline(blocks, false).or_else(|| headless(blocks)) }
}

/// A head above a line of dashes, and rows of one line each.
pub(super) fn simple(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let head = blocks.line(blocks.at)?;
    let columns = runs(blocks.line(blocks.at + 1)?)?;
    if columns.len() < 2 || head.trim().is_empty() {
        return None;
    }
    let mut end = blocks.at + 2;
    while blocks.text_at(end).is_some_and(|line| runs(line).is_none() && !blocks.ends_item(line)) {
        end += 1;
    }
    let alignments = columns.iter().map(|column| aligned(head, *column)).collect();
    let head = vec![row(blocks, &[blocks.at], &columns)];
    let rows = (blocks.at + 2..end).map(|at| row(blocks, &[at], &columns)).collect();
    blocks.at = if blocks.line(end).and_then(runs).is_some() { end + 1 } else { end };
    let widths = vec![None; columns.len()];
    Some(table(alignments, widths, head, rows))
}

/// Rows of one line between two lines of dashes.
fn headless(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let columns = runs(blocks.line(blocks.at)?)?;
    let mut end = blocks.at + 1;
    while blocks.text_at(end).is_some_and(|line| runs(line).is_none() && !blocks.ends_item(line)) {
        end += 1;
    }
    if end == blocks.at + 1 || blocks.line(end).and_then(runs).is_none() {
        return None;
    }
    let first = blocks.line(blocks.at + 1).unwrap_or_default();
    let alignments = columns.iter().map(|column| aligned(first, *column)).collect();
    let rows = (blocks.at + 1..end).map(|at| row(blocks, &[at], &columns)).collect();
    blocks.at = end + 1;
    Some(table(alignments, vec![None; columns.len()], vec![], rows))
}

/// Rows of several lines with empty lines between them.
fn multiline(blocks: &mut Blocks<'_, '_>, has_head: bool) -> Option<Block> {
    let mut at = blocks.at + 1;
    let mut head = Vec::new();
    let columns = if has_head {
        loop {
            let line = blocks.line(at).filter(|line| !line.trim().is_empty())?;
            if let Some(found) = runs(line) {
                break found;
            }
            head.push(at);
            at += 1;
        }
    } else {
        at -= 1;
        runs(blocks.line(at)?)?
    };
    let rule = at;
    if columns.len() < 2 && !has_head {
        return None;
    }
    at += 1;
    let (mut rows, mut current) = (Vec::new(), Vec::new());
    let mut blank = false;
    let mut closed = false;
    while let Some(line) = blocks.line(at) {
        if runs(line).is_some() {
            closed = true;
            break;
        }
        if line.trim().is_empty() {
            blank = true;
            if !current.is_empty() {
                rows.push(std::mem::take(&mut current));
            }
            if blocks.is_blank(at + 1) {
                break;
            }
        } else {
            current.push(at);
        }
        at += 1;
    }
    if !closed || (!has_head && !blank) {
        return None;
    }
    if !current.is_empty() {
        rows.push(current);
    }
    // The spaces after the last dashes are part of the last column, as those between columns are of the others.
    let width = blocks.line(rule).map_or(0, str::len);
    let ends = columns.iter().skip(1).map(|column| column.0).chain([width]);
    let mut lengths: Vec<usize> = columns.iter().zip(ends).map(|(column, end)| end - column.0).collect();
    if let [.., before, last] = lengths.as_mut_slice()
        && (1..=2).contains(&before.saturating_sub(*last))
    {
        *last = *before;
    }
    let total = (columns.first().map_or(0, |first| first.0) + lengths.iter().sum::<usize>()).max(72);
    let widths = lengths.iter().map(|length| Some(share(*length, total))).collect();
    let sample = head.first().or_else(|| rows.first().and_then(|row| row.first()));
    let sample = sample.and_then(|at| blocks.line(*at)).unwrap_or_default();
    let alignments = columns.iter().map(|column| aligned(sample, *column)).collect();
    let head = if head.is_empty() { vec![] } else { vec![row(blocks, &head, &columns)] };
    let rows = rows.iter().map(|lines| row(blocks, lines, &columns)).collect();
    blocks.at = at + 1;
    Some(table(alignments, widths, head, rows))
}

/// How text is aligned with the dashes of its column.
fn aligned(line: &str, (start, end): (usize, usize)) -> Alignment {
    let text = |from: usize, to: usize| line.chars().skip(from).take(to - from).collect::<String>();
    let left = !text(start, start + 1).trim().is_empty();
    let right = end > 0 && !text(end - 1, end).trim().is_empty();
    match (left, right) {
        (true, true) => Alignment::Default,
        (true, false) => Alignment::Left,
        (false, true) => Alignment::Right,
        (false, false) => Alignment::Center,
    }
}

/// The cells of a row, each over all lines of the row.
fn row(blocks: &Blocks<'_, '_>, lines: &[usize], columns: &[(usize, usize)]) -> Vec<Cell> {
    let mut parts: Vec<Vec<Line>> = vec![Vec::new(); columns.len()];
    for at in lines {
        let (Some(text), line) = (blocks.line(*at), blocks.lines[*at]) else { continue };
        for (parts, range) in
            parts.iter_mut().zip(column_cells(text, columns)).filter(|(_, range)| !range.is_empty())
        {
            parts.push(Line { start: line.start + range.start, end: line.start + range.end, ..line });
        }
    }
    let cells = parts.into_iter().map(|parts| {
        let inlines = blocks.reader.inlines(&parts);
        cell(if inlines.is_empty() { vec![] } else { vec![Block::Plain(inlines)] })
    });
    cells.collect()
}

/// The width of a grid that shares are of, from the distance of its outer borders: that of a line of text at least.
pub(super) fn whole_width(distance: usize, columns: usize) -> usize {
    (distance + columns).saturating_sub(2).max(72)
}

/// A width of a column as a share of the table's.
#[allow(clippy::cast_precision_loss, reason = "widths are numbers of characters, far below 2^52")]
pub(super) fn share(width: usize, total: usize) -> f64 {
    width as f64 / total as f64
}
