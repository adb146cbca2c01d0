//! Tables: where their rows have cells. Rules and conversions read them with these.

use std::ops::Range;

use super::lines::trimmed;

/// The ranges between the bars of a row, at most this many; bars in code and after backslashes are text.
pub fn cells(line: &str, most: usize) -> Vec<Range<usize>> {
    let trimmed = line.trim();
    let offset = line.len() - line.trim_start().len();
    let start = offset + usize::from(trimmed.starts_with('|'));
    let closed = trimmed.len() > 1 && trimmed.ends_with('|') && !trimmed.ends_with("\\|");
    let end = offset + trimmed.len() - usize::from(closed);
    let bytes = line.as_bytes();
    let mut out = Vec::new();
    let mut from = start.min(end);
    let mut code = None;
    let mut at = from;
    while at < end {
        match bytes[at] {
            b'\\' => at += 1,
            b'`' => {
                let run = bytes[at..end].iter().take_while(|byte| **byte == b'`').count();
                let closes = || {
                    let close = "`".repeat(run);
                    line[at + run..end].contains(&close)
                };
                code = match code {
                    Some(open) if open == run => None,
                    None if out.len() < most && closes() => Some(run),
                    other => other,
                };
                at += run - 1;
            }
            b'|' if code.is_none() => {
                out.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out.push(from..end.max(from));
    out.truncate(most);
    out
}

/// Most columns of a table.
pub const COLUMNS: usize = 200;

/// The cells of a line of dashes, colons and bars below the head of a table.
pub fn delimiters(line: &str) -> Option<Vec<Range<usize>>> {
    let is_bare = |byte: u8| matches!(byte, b'-' | b':' | b'|' | b'+' | b' ' | b'\t' | b'\r');
    if !line.contains('-') || !line.contains(['|', '+']) || !line.bytes().all(is_bare) {
        return None;
    }
    let cells = cells(&line.replace('+', "|"), COLUMNS + 1);
    let is_dashes = |range: &Range<usize>| {
        let dashes = line[range.clone()].trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    (!cells.is_empty() && cells.len() <= COLUMNS && cells.iter().all(is_dashes)).then_some(cells)
}

/// The runs of dashes of a line that has nothing else, in columns: those of a table without bars.
pub fn dashes(line: &str) -> Option<Vec<(usize, usize)>> {
    let trimmed = line.trim_end();
    if trimmed.trim_start().is_empty() || !trimmed.bytes().all(|byte| matches!(byte, b'-' | b' ')) {
        return None;
    }
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in trimmed.bytes().enumerate() {
        match out.last_mut() {
            Some((_, end)) if byte == b'-' && *end == at => *end += 1,
            _ if byte == b'-' => out.push((at, at + 1)),
            _ => {}
        }
    }
    (out.len() <= COLUMNS && out.iter().all(|(start, end)| end - start >= 2)).then_some(out)
}

/// The offset of a column of characters.
pub fn offset(line: &str, column: usize) -> usize {
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

/// The cells of a row below dashes in these columns, without the whitespace around them.
pub fn column_cells(line: &str, columns: &[(usize, usize)]) -> Vec<Range<usize>> {
    let cell = |index: usize| {
        let from = if index == 0 { 0 } else { columns[index].0 };
        let start = offset(line, from);
        let end = columns.get(index + 1).map_or(line.len(), |next| offset(line, next.0));
        trimmed(line, start..end.max(start))
    };
    (0..columns.len()).map(cell).collect()
}

/// Whether a line is a border of a grid.
pub fn is_border(line: &str) -> bool {
    line.len() > 2
        && line.starts_with('+')
        && line.ends_with('+')
        && line.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'=' | b':' | b'|'))
        && line.contains(['-', '='])
}

/// What follows the last column in rows of a paragraph that is a table, a range for each row. A row can be in a quote.
pub(super) fn surplus(text: &str, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let mut lines = text[paragraph.clone()].split_inclusive('\n').scan(paragraph.start, |start, line| {
        let at = *start;
        *start += line.len();
        let words = line.trim_start_matches([' ', '\t', '>']);
        Some((at + line.len() - words.len(), words.trim_end()))
    });
    let head = lines.next().filter(|(_, head)| head.contains('|'));
    let (Some(head), Some((_, below))) = (head, lines.next()) else { return Vec::new() };
    let Some(columns) = delimiters(below).filter(|_| below.contains('|')) else { return Vec::new() };
    let rows = std::iter::once(head).chain(lines);
    let found = rows.filter_map(|(at, row)| {
        let cells = cells(row, COLUMNS + 1);
        let (first, last) = (cells.get(columns.len())?, cells.last()?);
        let range = first.start..last.end.max(first.end);
        let words = row[range.clone()].trim_matches([' ', '\t', '|']);
        let start = range.start + row[range].find(words)?;
        (!words.is_empty()).then(|| at + start..at + start + words.len())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        surplus(text, &(0..text.len())).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn words_after_the_last_column_are_found() {
        assert_eq!(found("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 1 | 2 | |\n| 1 |\n"), ["3"]);
        assert_eq!(found("a | b\n--|--\n1 | 2 | 3 | *4*\n`1|2` | 3 \\| 4\n"), ["3 | *4*"]);
        assert_eq!(found("| a | b | c |\n|:--|--:|\n"), ["c"]);
        assert_eq!(found("> | a |\n> |---|\n> | 1 | é |"), ["é"]);
        assert_eq!(found("a | b\nno table | c\n1 | 2 | 3\n"), [""; 0]);
        assert_eq!(found("a | b"), [""; 0]);
    }
}
