//! The parts of a line of YAML, as far as they can be determined without the surrounding lines.

use std::fmt::Write as _;

use crate::text::Span;

/// A line without its line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Line {
    pub(in super::super) span: Span,
    /// First byte that is not whitespace; the end for a blank line.
    pub(in super::super) first: usize,
    /// First byte after the markers of list items (`- `).
    pub(in super::super) content: usize,
}

/// A key with the value after its colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Entry {
    pub(in super::super) key: Span,
    pub(in super::super) colon: usize,
    /// Without surrounding whitespace and trailing comment; may be empty.
    pub(in super::super) value: Span,
}

impl Line {
    /// The line of the byte at `at`.
    pub(in super::super) fn at(text: &str, at: usize) -> Self {
        let at = at.min(text.len());
        let bytes = text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |length| at + length);
        let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
        let skip_spaces = |from: usize| {
            bytes[from..end].iter().position(|byte| !matches!(byte, b' ' | b'\t')).map_or(end, |n| from + n)
        };
        let first = skip_spaces(start);
        let mut content = first;
        while bytes[content..end].starts_with(b"- ") {
            content = skip_spaces(content + 1);
        }
        Self { span: Span::new(start, end), first, content }
    }

    /// The nearest line above that has more than whitespace and comments.
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

    /// The nearest line below that has more than whitespace and comments.
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

    /// The leading whitespace.
    pub(super) fn indentation(self) -> Span {
        Span::new(self.span.start as usize, self.first)
    }

    /// Length of the indentation.
    pub(super) fn indent(self) -> usize {
        self.first - self.span.start as usize
    }

    /// The text from `from` on, without surrounding whitespace and trailing comment.
    pub(in super::super) fn rest(self, text: &str, from: usize) -> Span {
        let end = self.span.end as usize;
        let from = from.min(end);
        let rest = &text[from..end];
        let whitespace = [' ', '\t'];
        let start = from + (rest.len() - rest.trim_start_matches(whitespace).len());
        let body = &text[start..end];
        let comment = body.find(" #").into_iter().chain(body.find("\t#")).min();
        let body = if body.starts_with('#') { "" } else { comment.map_or(body, |at| &body[..at]) };
        Span::new(start, start + body.trim_end_matches(whitespace).len())
    }

    /// The key of the line and its value.
    pub(in super::super) fn entry(self, text: &str) -> Option<Entry> {
        let is_first = self.content == 0 && text.starts_with('\u{FEFF}');
        self.entry_from(text, if is_first { '\u{FEFF}'.len_utf8() } else { self.content })
    }

    /// The key at or after `from` and its value.
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
