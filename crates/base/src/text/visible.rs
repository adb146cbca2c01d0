use std::borrow::Cow;

/// Makes text safe to display: control, bidirectional, zero-width and private-use characters become
/// `\u{…}` (line endings and tabs `\n`, `\r`, `\t`), so that a document cannot color, reorder or hide
/// what a report says about it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Like [`visible`], for text of several lines: line ends and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let hides = |line: &str| line.chars().any(|c| is_hidden(c) && c != '\t');
    let body = |line: &str| line.trim_end_matches('\n').trim_end_matches('\r').len();
    let lines = text.split_inclusive('\n').map(|line| line.split_at(body(line)));
    if !lines.clone().any(|(body, _)| hides(body)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    lines.for_each(|(body, end)| {
        for (index, part) in body.split('\t').enumerate() {
            if index > 0 {
                out.push('\t');
            }
            out.push_str(&visible(part));
        }
        out.push_str(end);
    });
    Cow::Owned(out)
}

/// Whether bytes are printable characters of ASCII only. Nearly all text is, and this looks at many bytes at once.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'))
}

/// Control (Cc), bidirectional and zero-width format (part of Cf), line and paragraph separators, private-use
/// characters, and what Unicode calls default-ignorable: what leaves no trace on a screen.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{3164}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E000}'..='\u{F8FF}'
            | '\u{E0000}'..='\u{E0FFF}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{F0000}'..='\u{10FFFF}')
}

/// The first `limit` characters of `text`, with `…` instead of the last one if the text is cut.
pub fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    if text.char_indices().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let keep = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{}…", &text[..keep]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_become_escapes() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\n");
        assert_eq!(visible("née 😀"), "née 😀");
    }

    #[test]
    fn line_ends_and_tabs_of_several_lines_stay() {
        assert_eq!(visible_lines("a\tb\r\nc\n"), "a\tb\r\nc\n");
        assert_eq!(visible_lines("a\t\u{1b}[2J\r\n\u{202e}\rc\n"), "a\t\\u{1b}[2J\r\n\\u{202e}\\rc\n");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("ééééé", 3), "éé…");
        assert_eq!(clip("ééé", 3), "ééé");
    }
}
