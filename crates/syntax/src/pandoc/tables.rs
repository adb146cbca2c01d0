//! Tables with bars between their cells.

use std::ops::Range;

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
const COLUMNS: usize = 200;

/// What follows the last column in rows of a paragraph that is a table, a range for each row. A row can be in a quote.
pub(super) fn surplus(text: &str, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let mut lines = text[paragraph.clone()].split_inclusive('\n').scan(paragraph.start, |start, line| {
        let at = *start;
        *start += line.len();
        let words = line.trim_start_matches([' ', '\t', '>']);
        Some((at + line.len() - words.len(), words.trim_end()))
    });
    let head = lines.next().filter(|(_, head)| head.contains('|'));
    let (Some(head), Some((_, delimiters))) = (head, lines.next()) else { return Vec::new() };
    let parts = cells(delimiters, COLUMNS + 1);
    let is_dashes = |range: &Range<usize>| {
        let dashes = delimiters[range.clone()].trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    if parts.len() > COLUMNS || !delimiters.contains('|') || !parts.iter().all(is_dashes) {
        return Vec::new();
    }
    let rows = std::iter::once(head).chain(lines);
    let found = rows.filter_map(|(at, row)| {
        let cells = cells(row, COLUMNS + 1);
        let (first, last) = (cells.get(parts.len())?, cells.last()?);
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
