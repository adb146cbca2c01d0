//! What a line of YAML is made of, as far as it can be told without the lines around it.

use std::fmt::Write as _;

use crate::text::Span;

/// A line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Line {
    pub(in super::super) span: Span,
    /// First byte that is no blank; the end for a blank line.
    pub(in super::super) first: usize,
    /// First byte behind the marks of list items (`- `).
    pub(in super::super) content: usize,
}

/// A key with what stands behind its colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Entry {
    pub(in super::super) key: Span,
    pub(in super::super) colon: usize,
    /// Without the blanks around it and without a comment behind it; may be empty.
    pub(in super::super) value: Span,
}

impl Line {
    /// The line that holds the byte at `at`.
    pub(in super::super) fn at(text: &str, at: usize) -> Self {
        let at = at.min(text.len());
        let bytes = text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |length| at + length);
        let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
        let blanks = |from: usize| {
            bytes[from..end].iter().position(|byte| !matches!(byte, b' ' | b'\t')).map_or(end, |n| from + n)
        };
        let first = blanks(start);
        let mut content = first;
        while bytes[content..end].starts_with(b"- ") {
            content = blanks(content + 1);
        }
        Self { span: Span::new(start, end), first, content }
    }

    /// The nearest line above that holds more than blanks and comments.
    pub(super) fn above(self, text: &str) -> Option<Self> {
        let mut line = self;
        loop {
            let start = line.span.start as usize;
            line = Self::at(text, start.checked_sub(1)?);
            if !line.is_blank(text) {
                return Some(line);
            }
        }
    }

    /// The nearest line below that holds more than blanks and comments.
    pub(in super::super) fn below(self, text: &str) -> Option<Self> {
        let mut line = self;
        loop {
            let next = memchr::memchr(b'\n', &text.as_bytes()[line.span.end as usize..])?;
            line = Self::at(text, line.span.end as usize + next + 1);
            if !line.is_blank(text) {
                return Some(line);
            }
            if line.span.end as usize == text.len() {
                return None;
            }
        }
    }

    fn is_blank(self, text: &str) -> bool {
        self.first == self.span.end as usize || text.as_bytes()[self.first] == b'#'
    }

    /// The blanks in front.
    pub(super) fn indentation(self) -> Span {
        Span::new(self.span.start as usize, self.first)
    }

    /// Number of blanks in front.
    pub(super) fn indent(self) -> usize {
        self.first - self.span.start as usize
    }

    /// What stands from `from` on, without blanks around it and a comment behind it.
    pub(in super::super) fn rest(self, text: &str, from: usize) -> Span {
        let end = self.span.end as usize;
        let from = from.min(end);
        let rest = &text[from..end];
        let blank = [' ', '\t'];
        let start = from + (rest.len() - rest.trim_start_matches(blank).len());
        let body = &text[start..end];
        let comment = body.find(" #").into_iter().chain(body.find("\t#")).min();
        let body = if body.starts_with('#') { "" } else { comment.map_or(body, |at| &body[..at]) };
        Span::new(start, start + body.trim_end_matches(blank).len())
    }

    /// The key of the line and its value.
    pub(in super::super) fn entry(self, text: &str) -> Option<Entry> {
        self.entry_from(text, self.content)
    }

    /// The key at or behind `from` and its value.
    fn entry_from(self, text: &str, from: usize) -> Option<Entry> {
        let end = self.span.end as usize;
        let bytes = &text.as_bytes()[..end];
        let quoted = match bytes.get(from)? {
            quote @ (b'"' | b'\'') => closing_quote(bytes, from, *quote)? + 1,
            b'#' | b'[' | b'{' => return None,
            _ => from,
        };
        let colon = (quoted..end).find(|at| {
            bytes[*at] == b':' && bytes.get(at + 1).is_none_or(|next| matches!(next, b' ' | b'\t'))
        })?;
        let between = &text[quoted..colon];
        let plain = quoted == from;
        if (!plain && !between.trim().is_empty()) || (plain && between.contains(" #")) {
            return None;
        }
        let key = Span::new(from, from + text[from..colon].trim_end_matches([' ', '\t']).len());
        Some(Entry { key, colon, value: self.rest(text, colon + 1) })
    }
}

/// Position of the quote that closes the one at `open`.
pub(super) fn closing_quote(bytes: &[u8], open: usize, quote: u8) -> Option<usize> {
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match *byte {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The text as a double-quoted scalar of one line.
pub(in super::super) fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}') =>
            {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
