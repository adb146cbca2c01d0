use std::borrow::Cow;

/// Makes text safe to display: control, bidirectional, zero-width and private-use characters become
/// `\u{…}` (line endings and tabs `\n`, `\r`, `\t`), so that a document cannot color, reorder or hide
/// what a report says about it.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
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
    fn clipping_counts_characters() {
        assert_eq!(clip("ééééé", 3), "éé…");
        assert_eq!(clip("ééé", 3), "ééé");
    }
}
