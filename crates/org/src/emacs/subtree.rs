//! Moving a headline with everything below it.

use super::{buffer::Buffer, headline::align_line};

/// Puts a subtree at `at`, where a headline or the end of the text is, with its first headline at `level`
/// (`org-paste-subtree`); where that begins.
pub(in super::super) fn paste(buffer: &mut Buffer, at: usize, subtree: &str, level: usize) -> usize {
    let line_break = if at == 0 || buffer.text()[..at].ends_with('\n') { "" } else { "\n" };
    let end = if subtree.ends_with('\n') { "" } else { "\n" };
    let rest = buffer.text().len() - at;
    buffer.insert(at, &format!("{line_break}{subtree}{end}"));
    let start = at + line_break.len();
    let Some(first) = buffer.index_at(start) else { return start };
    let old = buffer.entry(first).level;
    for _ in 0..old.abs_diff(level) {
        let pasted = |buffer: &Buffer| start..buffer.text().len() - rest;
        let range = pasted(buffer);
        let document = buffer.document();
        let leveled = (0..document.count()).filter(|index| !document.is_inline(*index));
        let starts = leveled.map(|index| document.start(index));
        let starts: Vec<usize> = starts.filter(|at| range.contains(at)).collect();
        for at in starts.into_iter().rev() {
            if old < level {
                buffer.insert(at, "*");
            } else {
                buffer.replace(at..at + 1, "");
            }
            align_line(buffer, at);
        }
    }
    start
}

/// Removes the subtree of the headline at `start`, and returns its text.
pub(in super::super) fn cut(buffer: &mut Buffer, start: usize) -> Option<String> {
    let entry = buffer.entry(buffer.index_at(start)?);
    let text = buffer.text()[entry.start..entry.section_end].to_owned();
    buffer.replace(entry.start..entry.section_end, "");
    Some(text)
}

/// Adds a headline with this title at the end of what is below the one at `parent`, or of the file; its position.
pub(in super::super) fn add_headline(
    buffer: &mut Buffer,
    parent: Option<usize>,
    level: usize,
    title: &str,
) -> usize {
    let at = parent.map_or(buffer.text().len(), |parent| buffer.entry(parent).section_end);
    let start = paste(buffer, at, &format!("{} {title}\n", "*".repeat(level)), level);
    buffer.index_at(start).unwrap_or_default()
}

/// Adds text at the end of what is directly below a headline.
pub(in super::super) fn add_body(buffer: &mut Buffer, index: usize, body: &str) {
    let end = buffer.entry(index).end;
    let lines: String = body.lines().map(|line| format!("{line}\n")).collect();
    buffer.insert(end, &lines);
}

/// Where the subtree of a headline begins and ends, and its level.
pub(in super::super) fn entry_of(buffer: &Buffer, index: usize) -> (std::ops::Range<usize>, usize) {
    let entry = buffer.entry(index);
    (entry.start..entry.section_end, entry.level)
}

/// Puts the tags of the headline at `start` at their column.
pub(in super::super) fn align_at(buffer: &mut Buffer, start: usize) {
    align_line(buffer, start);
}

/// The position of the headline at an offset.
pub(in super::super) fn index_at(buffer: &Buffer, at: usize) -> usize {
    buffer.index_at(at).unwrap_or_default()
}
