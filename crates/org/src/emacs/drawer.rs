//! The drawer of properties.

use std::ops::Range;

use super::{
    buffer::{Buffer, column, indentation, leading},
    planning,
};

/// The width of the name of a property with its colons (`org-property-format`, `%-10s %s`).
const NAME_WIDTH: usize = 10;

/// Sets a property (`org-entry-put`).
pub(super) fn put(buffer: &mut Buffer, index: usize, key: &str, value: &str) {
    let drawer = match buffer.entry(index).drawer {
        Some(drawer) => drawer,
        None => insert(buffer, index),
    };
    put_in(buffer, &drawer, key, value);
}

/// Sets a property in the drawer of the file itself, which goes below comments at its top.
pub(super) fn put_in_file(buffer: &mut Buffer, key: &str, value: &str) {
    let drawer = match of_file(buffer) {
        Some(drawer) => drawer,
        None => {
            let is_comment = |line: &str| line.trim_end() == "#" || line.starts_with("# ");
            let lines = buffer.text().split_inclusive('\n').take_while(|line| is_comment(line));
            let at: usize = lines.map(str::len).sum();
            let line_break = if buffer.text()[..at].ends_with('\n') || at == 0 { "" } else { "\n" };
            buffer.insert(at, &format!("{line_break}:PROPERTIES:\n:END:\n"));
            let start = at + line_break.len();
            start..start + ":PROPERTIES:\n:END:".len()
        }
    };
    put_in(buffer, &drawer, key, value);
}

/// Where the drawer of the file itself is.
fn of_file(buffer: &Buffer) -> Option<Range<usize>> {
    buffer.document().properties().map(|drawer| drawer.span.range())
}

fn put_in(buffer: &mut Buffer, drawer: &Range<usize>, key: &str, value: &str) {
    let first = &buffer.text()[drawer.start..buffer.line_end(drawer.start)];
    let indent = indentation(column(&first[..leading(first)]));
    let name = format!(":{key}:");
    let padding = " ".repeat(NAME_WIDTH.saturating_sub(column(&name)));
    let line = format!("{name}{padding} {value}");
    let line = format!("{indent}{}", line.trim_matches([' ', '\t', '\n', '\r']));
    match lines(buffer, drawer).into_iter().find(|line| is_of(&buffer.text()[line.clone()], key, false)) {
        Some(old) => buffer.replace(old, &line),
        None => {
            let end = buffer.line_start(drawer.end);
            buffer.insert(end, &format!("{line}\n"));
        }
    }
}

/// Removes a property with what is added to it (`KEY+`), and a drawer that is empty then (`org-entry-delete`).
pub(super) fn delete(buffer: &mut Buffer, index: usize, key: &str) {
    let Some(drawer) = buffer.entry(index).drawer else { return };
    remove_lines(buffer, &drawer, key);
    if let Some(drawer) = buffer.entry(index).drawer {
        remove_if_empty(buffer, &drawer);
    }
}

/// Like [`delete`], for the drawer of the file itself.
pub(super) fn delete_from_file(buffer: &mut Buffer, key: &str) {
    let Some(drawer) = of_file(buffer) else { return };
    remove_lines(buffer, &drawer, key);
    if let Some(drawer) = of_file(buffer) {
        remove_if_empty(buffer, &drawer);
    }
}

fn remove_lines(buffer: &mut Buffer, drawer: &Range<usize>, key: &str) {
    let gone: Vec<Range<usize>> = lines(buffer, drawer)
        .into_iter()
        .filter(|line| is_of(&buffer.text()[line.clone()], key, true))
        .collect();
    for line in gone.into_iter().rev() {
        let end = buffer.next_line(line.end);
        buffer.replace(line.start..end, "");
    }
}

fn remove_if_empty(buffer: &mut Buffer, drawer: &Range<usize>) {
    if lines(buffer, drawer).is_empty() {
        let end = buffer.next_line(drawer.end);
        buffer.replace(drawer.start..end, "");
    }
}

/// Adds an empty drawer below the headline or its dates (`org-insert-property-drawer`).
fn insert(buffer: &mut Buffer, index: usize) -> Range<usize> {
    let headline = buffer.entry(index).line_end;
    let above = planning::line(buffer, headline, planning::Case::Folded).map_or(headline, |line| line.end);
    let is_last = above == buffer.text().len();
    buffer.insert(above, if is_last { "\n:PROPERTIES:\n:END:\n" } else { "\n:PROPERTIES:\n:END:" });
    above + 1..above + 1 + ":PROPERTIES:\n:END:".len()
}

/// The lines between the first and the last of a drawer.
fn lines(buffer: &Buffer, drawer: &Range<usize>) -> Vec<Range<usize>> {
    let last = buffer.line_start(drawer.end);
    let mut at = buffer.next_line(drawer.start);
    let mut lines = Vec::new();
    while at < last {
        let end = buffer.line_end(at);
        lines.push(at..end);
        at = end + 1;
    }
    lines
}

/// Whether a line has the property (`org-re-property`), or is added to it.
fn is_of(line: &str, key: &str, or_added: bool) -> bool {
    let name = line.trim_start_matches([' ', '\t']).strip_prefix(':').unwrap_or_default();
    let Some(rest) =
        name.get(..key.len()).filter(|name| name.eq_ignore_ascii_case(key)).map(|_| &name[key.len()..])
    else {
        return false;
    };
    let rest = if or_added { rest.strip_prefix('+').unwrap_or(rest) } else { rest };
    rest.strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}
