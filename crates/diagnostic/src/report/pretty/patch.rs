use std::sync::Arc;

use super::{
    paint::{Line, Style},
    row::Row,
};
use crate::{
    Fix,
    text::{Edit, Source, Span, apply_edits},
};

/// Maximum number of lines of a shown change.
const LINES: usize = 8;
/// Maximum number of bytes in the lines that a change touches.
const BYTES: usize = 64 * 1024;

/// A fix as removed and added lines, if it is short and only changes `source`; `digits` is the width of
/// line numbers, `width` the number of available columns.
pub(super) fn diff(source: &Arc<Source>, fix: &Fix, digits: usize, width: usize) -> Option<Vec<Line>> {
    let text = source.text();
    let spans = fix.edits.iter().map(|edit| Span { start: edit.byte_start, end: edit.byte_end });
    let all = spans.reduce(Span::cover)?;
    let foreign = fix.edits.iter().any(|edit| edit.file.as_deref().is_some_and(|file| file != source.name()));
    if foreign || all.end as usize > text.len() {
        return None;
    }
    let lines = source.full_line_span(all);
    if lines.len() > BYTES {
        return None;
    }
    let old = lines.of(text);
    let edits: Vec<Edit> = fix
        .edits
        .iter()
        .map(|edit| Edit {
            span: Span {
                start: edit.byte_start.saturating_sub(lines.start),
                end: edit.byte_end.saturating_sub(lines.start),
            },
            new: edit.new.clone(),
        })
        .collect();
    let new = apply_edits(old, &edits).ok()?;
    let first = source.lines().line(lines.start) as usize;
    changed_lines(old, &new, first, digits, width)
}

fn changed_lines(old: &str, new: &str, first: usize, digits: usize, width: usize) -> Option<Vec<Line>> {
    let split = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (old, new) = (split(old), split(new));
    let same_before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_before;
    let same_after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let removed = &old[same_before..old.len() - same_after];
    let added = &new[same_before..new.len() - same_after];
    if removed.len() + added.len() > LINES || (removed.is_empty() && added.is_empty()) {
        return None;
    }
    // The windows of a line and of its changed version start at the same column.
    let focus = match (removed.first(), added.first()) {
        (Some(a), Some(b)) => common_start(a, b),
        _ => 0,
    };
    let number = first + same_before;
    let mut lines = Vec::with_capacity(removed.len() + added.len());
    for (sign, style, changed) in [("-", Style::Removed, removed), ("+", Style::Added, added)] {
        for (index, text) in changed.iter().enumerate() {
            let at = if index == 0 { focus.min(text.len()) } else { 0 };
            let row = Row::window(text, Span::new(0, text.len()), at..at, width.saturating_sub(digits + 3));
            let line = Line::new().with(Style::Margin, &format!("{:>digits$} ", number + index));
            lines.push(line.with(style, &format!("{sign} {}", row.text())));
        }
    }
    Some(lines)
}

/// Length in bytes of the common prefix of two strings, on a character boundary of both.
fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
}
