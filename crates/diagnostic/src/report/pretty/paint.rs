use std::io;

use unicode_width::UnicodeWidthChar as _;

use crate::Severity;

/// The role of a piece of output, which determines its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// Line numbers and frames.
    Margin,
    /// The primary location and the severity.
    Severity(Severity),
    /// Related locations.
    Related,
    /// Words such as `help`.
    Keyword,
    Strong,
    Removed,
    Added,
}

impl Style {
    /// Parameters of the ANSI sequence "select graphic rendition".
    fn parameters(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Margin => "2",
            Self::Severity(Severity::Error) => "1;31",
            Self::Severity(Severity::Warning) => "1;33",
            Self::Severity(Severity::Note) => "1;34",
            Self::Related => "36",
            Self::Keyword => "1;36",
            Self::Strong => "1",
            Self::Removed => "31",
            Self::Added => "32",
        }
    }
}

/// A line of output: pieces of text with their styles.
#[derive(Debug, Clone, Default)]
pub(super) struct Line(Vec<(Style, String)>);

impl Line {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn push(&mut self, style: Style, text: &str) {
        match self.0.last_mut() {
            Some((last, tail)) if *last == style => tail.push_str(text),
            _ if text.is_empty() => {}
            _ => self.0.push((style, text.to_owned())),
        }
    }

    pub(super) fn with(mut self, style: Style, text: &str) -> Self {
        self.push(style, text);
        self
    }

    pub(super) fn append(&mut self, other: Self) {
        for (style, text) in other.0 {
            self.push(style, &text);
        }
    }

    /// Writes the line without trailing whitespace.
    pub(super) fn write(&self, color: bool, out: &mut dyn io::Write) -> io::Result<()> {
        let last = self.0.iter().rposition(|(_, text)| !text.trim_end().is_empty());
        for (index, (style, text)) in self.0.iter().take(last.map_or(0, |last| last + 1)).enumerate() {
            let text = if Some(index) == last { text.trim_end() } else { text };
            let parameters = style.parameters();
            if color && !parameters.is_empty() {
                write!(out, "\x1b[{parameters}m{text}\x1b[0m")?;
            } else {
                write!(out, "{text}")?;
            }
        }
        writeln!(out)
    }
}

/// Number of columns that `text` occupies.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Wraps text at spaces into lines of at most `width` columns; the first may have fewer. A word that is
/// too long for a line is broken anywhere.
pub(super) fn wrap(text: &str, first: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut used, mut room) = (String::new(), 0, first.max(1));
    for word in text.split(' ') {
        let mut word = word;
        let mut size = columns(word);
        if used > 0 && used + 1 + size > room {
            lines.push(std::mem::take(&mut line));
            (used, room) = (0, width.max(1));
        } else if used > 0 {
            line.push(' ');
            used += 1;
        }
        while size > room && room >= 1 {
            if lines.is_empty() && line.is_empty() && room < width {
                lines.push(String::new());
                room = width.max(1);
                continue;
            }
            let cut = split_at_columns(word, room);
            lines.push(format!("{line}{}", &word[..cut]));
            line.clear();
            word = &word[cut..];
            size = columns(word);
            (used, room) = (0, width.max(1));
        }
        line.push_str(word);
        used += size;
    }
    lines.push(line);
    lines
}

/// Bytes of the longest prefix of `text` that occupies at most `width` columns, at least one character.
fn split_at_columns(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_at_spaces_and_overlong_words_are_broken() {
        assert_eq!(wrap("one two three", 7, 5), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3, 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("x abcdefgh y", 4, 4), ["x", "abcd", "efgh", "y"]);
        assert_eq!(wrap("語語語", 4, 4), ["語語", "語"]);
        assert_eq!(wrap("long-word", 2, 12), ["", "long-word"]);
        assert_eq!(wrap("", 4, 4), [""]);
    }
}
