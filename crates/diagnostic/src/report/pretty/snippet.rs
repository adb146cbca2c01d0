use std::{collections::BTreeMap, io, sync::Arc};

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind};

use super::{
    paint::{Line, Style, columns},
    row::Row,
};
use crate::{
    Location,
    text::{Source, Span, visible},
};

/// A location to show, with its label.
#[derive(Debug)]
pub(super) struct Mark<'a> {
    pub(super) source: &'a Arc<Source>,
    pub(super) location: &'a Location,
    /// If empty, the location is only underlined.
    pub(super) label: String,
    pub(super) style: Style,
}

/// A drawn excerpt without the last line of its frame.
#[derive(Debug, Default)]
pub(super) struct Snippet {
    pub(super) lines: Vec<Line>,
    /// Columns before the bar of the frame.
    pub(super) margin: usize,
    /// Indices of the marks whose labels did not fit next to the text.
    pub(super) unlabeled: Vec<usize>,
}

/// Replaces one column of text while ariadne draws. Ariadne never sees wide characters, control characters
/// or long lines, which it would misalign.
const COLUMN: char = '\u{1}';
/// Replaces the file name in a header.
const HEADER: char = '\u{2}';
/// Replaces the label of a mark without one: ariadne underlines only marks with labels.
const SILENT: char = '\u{3}';

/// The location of a mark in rows of its group.
struct Placed {
    mark: usize,
    span: Span,
    first: u32,
    last: u32,
}

impl Placed {
    /// Whether the underline of `other` is part of this one.
    fn hides(&self, other: &Self) -> bool {
        self.mark != other.mark && self.first == self.last && self.span.overlaps(other.span)
    }
}

/// Marks that are drawn in one frame: of one source, each ending no earlier than the previous one.
struct Group<'a> {
    source: &'a Arc<Source>,
    marks: Vec<Placed>,
    /// Line numbers of the rows; `None` for a row that represents omitted lines.
    numbers: Vec<Option<u32>>,
    rows: Vec<Row>,
}

/// Draws the marks in at most `width` columns; the first mark is the primary one.
pub(super) fn draw(marks: &[Mark<'_>], width: usize) -> Snippet {
    let groups = group(marks);
    let highest = groups.iter().flat_map(|group| group.marks.iter().map(|placed| placed.last)).max();
    let digits = highest.unwrap_or(1).to_string().len();
    // Space, digits, space, bar, space.
    let margin = digits + 2;
    let gutter = 2 * (multiline(&groups) + usize::from(multiline(&groups) > 0));
    let budget = width.saturating_sub(margin + 3 + gutter);
    let groups: Vec<Group<'_>> = groups.into_iter().map(|group| cut(group, budget)).collect();
    let mut snippet = Snippet { margin, ..Snippet::default() };
    let labels: Vec<String> = label_texts(marks, &groups, budget, &mut snippet.unlabeled);
    let Ok(drawing) = ariadne(marks, &groups, &labels) else { return snippet };
    snippet.lines = finish(&drawing, &groups, marks, margin);
    snippet
}

fn group<'a>(marks: &[Mark<'a>]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (mark, Mark { source, location, .. }) in marks.iter().enumerate() {
        let span = clamp(source.text(), location);
        let lines = source.lines();
        let last_byte = if span.is_empty() { span.start } else { span.end - 1 };
        let (first, last) = (lines.line(span.start), lines.line(last_byte));
        let placed = Placed { mark, span, first, last };
        match groups.last_mut() {
            Some(group)
                if Arc::ptr_eq(group.source, source)
                    && group
                        .marks
                        .last()
                        .is_some_and(|before| before.last <= last && before.first <= first) =>
            {
                group.marks.push(placed);
            }
            _ => groups.push(Group { source, marks: vec![placed], numbers: Vec::new(), rows: Vec::new() }),
        }
    }
    groups
}

/// Maximum number of multi-line marks in one group.
fn multiline(groups: &[Group<'_>]) -> usize {
    let count = |group: &Group<'_>| group.marks.iter().filter(|placed| placed.first != placed.last).count();
    groups.iter().map(count).max().unwrap_or(0)
}

/// The location's bytes, moved to character boundaries inside the text, without a final line ending.
fn clamp(text: &str, location: &Location) -> Span {
    let floor = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = floor(location.byte_start);
    let mut end = location.byte_end as usize;
    while end < text.len() && !text.is_char_boundary(end) {
        end += 1;
    }
    let end = end.min(text.len()).max(start);
    let trimmed = text[start..end].trim_end_matches(['\n', '\r']).len();
    Span::new(start, if trimmed == 0 { start } else { start + trimmed })
}

/// Extracts the rows of a group from its source.
fn cut(mut group: Group<'_>, budget: usize) -> Group<'_> {
    let mut focus: BTreeMap<u32, Span> = BTreeMap::new();
    for placed in &group.marks {
        let mut want = |line: u32, span: Span| {
            // The first mark on a line determines the visible part if the line does not fit.
            focus.entry(line).or_insert(span);
        };
        if placed.first == placed.last {
            want(placed.first, placed.span);
        } else {
            want(placed.first, Span::at(placed.span.start as usize));
            want(placed.last, Span::at(placed.span.end as usize));
        }
    }
    let text = group.source.text();
    let mut before = None;
    for (line, span) in focus {
        if before.is_some_and(|before| before + 1 < line) {
            group.numbers.push(None);
            group.rows.push(Row::default());
        }
        before = Some(line);
        let span_of_line = group.source.lines().span(text, line);
        group.numbers.push(Some(line));
        group.rows.push(Row::window(text, span_of_line, span.range(), budget));
    }
    group
}

impl Group<'_> {
    fn row(&self, line: u32) -> usize {
        self.numbers.iter().position(|number| *number == Some(line)).unwrap_or(0)
    }

    /// Number of columns of a row for ariadne: one more than displayed, to point after the end.
    fn row_width(&self, row: usize) -> usize {
        self.rows.get(row).map_or(0, Row::width) + 1
    }

    /// Row by row. Within a row, marks that are only underlined come first, because underlines are drawn with
    /// the first label; the others follow from right to left, so that no arrow crosses another.
    fn drawing_order(&self, labels: &[String]) -> Vec<&Placed> {
        let mut marks: Vec<&Placed> = self.marks.iter().collect();
        let spoken = |placed: &Placed| !labels[placed.mark].starts_with(SILENT);
        marks.sort_by_key(|placed| (placed.last, spoken(placed), std::cmp::Reverse(placed.span.end)));
        marks
    }

    fn drawn_text(&self) -> String {
        let rows = (0..self.rows.len()).map(|row| COLUMN.to_string().repeat(self.row_width(row)));
        rows.collect::<Vec<_>>().join("\n")
    }

    /// The mark's span in [`Self::drawn_text`].
    fn drawn_span(&self, placed: &Placed) -> std::ops::Range<usize> {
        let offset = |row: usize| (0..row).map(|row| self.row_width(row) + 1).sum::<usize>();
        let (first, last) = (self.row(placed.first), self.row(placed.last));
        let range = placed.span.range();
        if first == last {
            let shown = self.rows[first].columns(range);
            return offset(first) + shown.start..offset(first) + shown.end;
        }
        let start = offset(first) + self.rows[first].column(range.start);
        let end = offset(last) + self.rows[last].columns(range.end..range.end).start.max(1);
        start..end
    }
}

/// The labels as drawn; a label that does not fit next to its location is omitted and listed.
fn label_texts(
    marks: &[Mark<'_>],
    groups: &[Group<'_>],
    budget: usize,
    unlabeled: &mut Vec<usize>,
) -> Vec<String> {
    let mut labels: Vec<String> = vec![SILENT.to_string(); marks.len()];
    for group in groups {
        let on_row = |row: u32| group.marks.iter().filter(move |placed| placed.last == row);
        for placed in &group.marks {
            let label = visible(&marks[placed.mark].label);
            let widest = on_row(placed.last).map(|other| {
                if other.first == other.last {
                    group.rows[group.row(other.last)].columns(other.span.range()).end
                } else {
                    group.row_width(group.row(other.last)) + 1
                }
            });
            let arrow = widest.max().unwrap_or(0) + 3;
            let said = if label.is_empty() { "here" } else { &*label };
            let hidden = group.marks.iter().any(|other| other.hides(placed));
            if arrow + columns(said) <= budget && (hidden || !label.is_empty()) {
                said.clone_into(&mut labels[placed.mark]);
            } else if !label.is_empty() {
                unlabeled.push(placed.mark);
            }
        }
    }
    labels
}

fn ariadne(marks: &[Mark<'_>], groups: &[Group<'_>], labels: &[String]) -> io::Result<String> {
    let config = Config::new().with_index_type(IndexType::Byte).with_cross_gap(false);
    let mut report = Report::build(ReportKind::Error, (0, 0..0)).with_config(config);
    let mut order = 0;
    for (id, group) in groups.iter().enumerate() {
        for placed in group.drawing_order(labels) {
            let color = match marks[placed.mark].style {
                Style::Related => Color::Cyan,
                _ => Color::Red,
            };
            let label = Label::new((id, group.drawn_span(placed))).with_color(color).with_order(order);
            report = report.with_label(label.with_message(&labels[placed.mark]));
            order += 1;
        }
    }
    let mut drawing = Vec::new();
    report.finish().write(Sources::new(groups), &mut drawing)?;
    String::from_utf8(drawing).map_err(io::Error::other)
}

/// Provides the text of the groups to ariadne.
struct Sources(Vec<ariadne::Source<String>>);

impl Sources {
    fn new(groups: &[Group<'_>]) -> Self {
        Self(groups.iter().map(|group| ariadne::Source::from(group.drawn_text())).collect())
    }
}

impl ariadne::Cache<usize> for Sources {
    type Storage = String;

    fn fetch(&mut self, id: &usize) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        self.0.get(*id).ok_or("no such group")
    }

    fn display<'a>(&self, _: &'a usize) -> Option<impl std::fmt::Display + 'a> {
        Some(HEADER)
    }
}

/// One character of ariadne's drawing.
#[derive(Clone, Copy)]
struct Cell {
    glyph: char,
    style: Style,
}

/// Inserts the text, line numbers and file names into ariadne's drawing.
fn finish(drawing: &str, groups: &[Group<'_>], marks: &[Mark<'_>], margin: usize) -> Vec<Line> {
    let primary = marks.first().map_or(Style::Plain, |mark| mark.style);
    let mut rows: Vec<Vec<Cell>> = drawing.lines().map(|line| cells(line, primary)).collect();
    // The header and the lines after the excerpt are written by the caller.
    rows.remove(0);
    rows.pop();
    silence(&mut rows);
    let mut lines = Vec::with_capacity(rows.len());
    let mut group = None;
    for row in rows {
        if row.iter().any(|cell| cell.glyph == HEADER) {
            let next = group.map_or(0, |group| group + 1);
            group = Some(next);
            lines.push(header(&groups[next], marks, margin, next == 0));
        } else if let Some(group) = group.and_then(|group| groups.get(group)) {
            lines.push(body(&row, group, margin));
        }
    }
    lines
}

fn header(group: &Group<'_>, marks: &[Mark<'_>], margin: usize, first: bool) -> Line {
    let location = group.marks.first().map(|placed| marks[placed.mark].location);
    let place = location.map(|place| format!("{}:{}:{}", visible(&place.file), place.line, place.column));
    let corner = if first { "╭─[ " } else { "├─[ " };
    Line::new()
        .with(Style::Margin, &" ".repeat(margin))
        .with(Style::Margin, corner)
        .with(Style::Plain, &place.unwrap_or_default())
        .with(Style::Margin, " ]")
}

/// A line of the drawing with a margin for the real line numbers, and the real text.
fn body(row: &[Cell], group: &Group<'_>, margin: usize) -> Line {
    let bar = row.iter().position(|cell| matches!(cell.glyph, '│' | '┆')).unwrap_or(0);
    let digits: String = row[..bar].iter().map(|cell| cell.glyph).filter(char::is_ascii_digit).collect();
    let number: Option<usize> = digits.parse().ok();
    let index = number.and_then(|number| number.checked_sub(1));
    let shown = index.and_then(|index| group.numbers.get(index).copied().flatten());
    let mut line = Line::new();
    let text = shown.map_or_else(String::new, |shown| shown.to_string());
    line.push(Style::Margin, &format!(" {text:>width$} ", width = margin - 2));
    let text_row = index.and_then(|index| group.rows.get(index));
    let mut cells = row[bar..].iter();
    let mut at = bar;
    for cell in cells.by_ref() {
        if cell.glyph == COLUMN {
            break;
        }
        line.push(cell.style, cell.glyph.encode_utf8(&mut [0; 4]));
        at += 1;
    }
    if let Some(text_row) = text_row {
        for (column, piece) in text_row.pieces() {
            let style = row.get(at + column).map_or(Style::Plain, |cell| cell.style);
            line.push(style, piece);
        }
    }
    line
}

/// Removes the arrows of placeholder labels from the drawing: each from its corner up to the underline
/// (`┬` → `─`) or to the last line of text in its bracket (`├` → `╰`).
fn silence(rows: &mut Vec<Vec<Cell>>) {
    while let Some(at) = rows.iter().position(|row| row.iter().any(|cell| cell.glyph == SILENT)) {
        let arrow = rows.remove(at);
        let Some(corner) = arrow.iter().position(|cell| matches!(cell.glyph, '╰' | '┴')) else {
            continue;
        };
        for above in (0..at).rev() {
            let Some(cell) = rows[above].get_mut(corner) else { break };
            match cell.glyph {
                '│' => cell.glyph = ' ',
                '┬' => cell.glyph = '─',
                '├' => cell.glyph = '╰',
                _ => {}
            }
            if cell.glyph != ' ' {
                break;
            }
            if rows[above].iter().all(|cell| cell.style == Style::Margin || cell.glyph == ' ') {
                rows.remove(above);
            }
        }
    }
}

/// Parses a line of ariadne's output: the color of each character determines its role.
fn cells(line: &str, primary: Style) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut style = Style::Plain;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            cells.push(Cell { glyph: c, style });
            continue;
        }
        let parameters: String = rest.by_ref().skip(1).take_while(|c| *c != 'm').collect();
        style = match parameters.as_str() {
            "31" => primary,
            "36" => Style::Related,
            "38;5;246" | "38;5;240" => Style::Margin,
            _ => Style::Plain,
        };
    }
    cells
}
