use std::ops::Range;

use super::document::Header;

/// The header that begins a document; the first line of dashes may follow empty lines.
pub(super) fn header(text: &str) -> Option<Header> {
    let start = text.len() - text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).len();
    let mut lines = lines(text, start);
    let opener = lines.next().filter(|line| is_dashes(&text[line.clone()]))?;
    // Dashes above an empty line are a rule.
    let first = next_line(text, opener.end);
    if text[first..].lines().next().is_none_or(|line| line.trim().is_empty()) {
        return None;
    }
    let trimmed = |line: &Range<usize>| line.start..line.start + text[line.clone()].trim_end().len();
    let unclosed = |end: usize, near: Option<Range<usize>>| {
        let near = near.filter(|near| near.start < end);
        let end = near.as_ref().map_or(end, |near| near.start);
        Some(Header { opener: trimmed(&opener), content: first..end, closer: None, near_closer: near })
    };
    let mut near = None;
    let mut below_blank = false;
    // Where lines begin that may be comments of the header, or headings of the text below it.
    let mut headings = None;
    for line in lines {
        let words = &text[line.clone()];
        if is_closer(words) {
            let content = first..line.start;
            let closer = Some(trimmed(&line));
            return Some(Header { opener: trimmed(&opener), content, closer, near_closer: None });
        }
        if is_prose(words, below_blank) {
            let end = headings.unwrap_or(line.start);
            return unclosed(end, near);
        }
        if near.is_none() && is_near_closer(words) {
            near = Some(trimmed(&line));
        }
        if words.starts_with("# ") && below_blank {
            headings = headings.or(Some(line.start));
        } else if !words.trim().is_empty() && !words.starts_with('#') {
            headings = None;
        }
        below_blank = words.trim().is_empty();
    }
    unclosed(text.len(), near)
}

fn lines(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = from;
    text[from..].split_inclusive('\n').map(move |line| {
        let range = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        range
    })
}

fn next_line(text: &str, end: usize) -> usize {
    text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
}

fn is_dashes(line: &str) -> bool {
    line.trim_end() == "---"
}

fn is_closer(line: &str) -> bool {
    matches!(line.trim_end(), "---" | "...")
}

/// Whether a line is nearly a line of three dashes: with too few or too many of them, indented, or with the dashes of a word
/// processor.
pub fn is_near_closer(line: &str) -> bool {
    let written = line.trim_end();
    let dashes = written.trim_start();
    let is_dash = |c: char| matches!(c, '-' | '\u{2013}' | '\u{2014}');
    written != "---" && dashes != "-" && !dashes.is_empty() && dashes.chars().all(is_dash)
}

/// Whether a line cannot be YAML of a header, but begins the text below it.
fn is_prose(line: &str, below_blank: bool) -> bool {
    if line.starts_with("```") || line.starts_with(":::") || line.starts_with("![") || line.starts_with("{{<")
    {
        return true;
    }
    if line.starts_with("## ") {
        return true;
    }
    let plain = line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '<' | '@' | '('));
    below_blank && plain && !is_entry(line)
}

/// Whether a line looks like a key with a colon, or a JSON string.
fn is_entry(line: &str) -> bool {
    let key = line.split(':').next().unwrap_or_default();
    key.len() < line.len() && !key.trim_end().contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, bool)> {
        header(text).map(|header| (text[header.content].to_owned(), header.closer.is_some()))
    }

    #[test]
    fn a_header_is_between_two_lines_of_dashes() {
        assert_eq!(read("---\na: 1\n---\n\nx\n"), Some(("a: 1\n".into(), true)));
        assert_eq!(read("\n---\na: 1\n...\n"), Some(("a: 1\n".into(), true)));
        assert_eq!(read("---\n\nText\n\n---\n"), None);
        assert_eq!(read("Text\n"), None);
    }

    #[test]
    fn a_header_without_a_closing_line_ends_where_the_text_begins() {
        assert_eq!(read("---\na: 1\n\nSome text.\n\n---\n"), Some(("a: 1\n\n".into(), false)));
        assert_eq!(read("---\na: 1\n```{r}\n```\n"), Some(("a: 1\n".into(), false)));
        assert_eq!(read("---\na: 1\n\n# Tea\n\nIt is hot.\n"), Some(("a: 1\n\n".into(), false)));
        assert_eq!(
            read("---\na: 1\n\n# Note\nb: 2\n\nText.\n"),
            Some(("a: 1\n\n# Note\nb: 2\n\n".into(), false))
        );
        assert_eq!(read("---\na: |\n  x\n\nb: 2\n---\n"), Some(("a: |\n  x\n\nb: 2\n".into(), true)));
    }
}
