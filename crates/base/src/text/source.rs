use super::{LineIndex, Position, Span};
use crate::budget::Once;

/// Text with its name.
#[derive(Debug)]
pub struct Source {
    name: String,
    /// The name in fingerprints, where it differs from `name`.
    key: Option<String>,
    text: String,
    lines: Once<LineIndex>,
}

/// The likely encoding of a rejected file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Starts with the byte order mark of little-endian UTF-16.
    Utf16Le,
    /// Starts with the byte order mark of big-endian UTF-16.
    Utf16Be,
    /// Has NUL bytes in its first kilobytes: not text.
    Binary,
    /// Text in another encoding than UTF-8, such as Latin-1.
    Unknown,
}

impl Encoding {
    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf16Le => "UTF-16 (little endian)",
            Self::Utf16Be => "UTF-16 (big endian)",
            Self::Binary => "binary data",
            Self::Unknown => "an unknown encoding",
        }
    }
}

/// Bytes that are not valid UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not UTF-8: byte {offset} is 0x{byte:02X} ({})", encoding.name())]
pub struct DecodeError {
    /// Offset of the first byte that cannot be decoded.
    pub offset: usize,
    /// The first byte that cannot be decoded; `0` if the file ends inside a character.
    pub byte: u8,
    /// Line (from 1) of that byte, counting `\n`.
    pub line: u32,
    /// The likely encoding.
    pub encoding: Encoding,
}

impl Source {
    /// A source of decoded text. Reports show `name`: a path relative to the working directory, or
    /// `<stdin>`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), key: None, text: text.into(), lines: Once::new() }
    }

    /// Sets the key by which fingerprints know the text, whatever its name in reports is.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into()).filter(|key| *key != self.name);
        self
    }

    /// The file at `path`, relative to the folder of this one.
    #[must_use]
    pub fn sibling(&self, path: &str, text: impl Into<String>) -> Self {
        let beside =
            |own: &str| own.rfind('/').map_or_else(|| path.to_owned(), |at| format!("{}{path}", &own[..=at]));
        let key = self.key.as_deref().map(beside);
        Self { key, ..Self::new(beside(&self.name), text) }
    }

    /// Decodes `bytes`, which must be UTF-8. A byte order mark stays in the text, so that offsets are
    /// those of the file.
    ///
    /// # Errors
    /// [`DecodeError`] with the first invalid byte and the likely encoding.
    #[doc(hidden)]
    pub fn decode(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, DecodeError> {
        String::from_utf8(bytes).map(|text| Self::new(name, text)).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let encoding = match bytes {
                [0xFF, 0xFE, ..] => Encoding::Utf16Le,
                [0xFE, 0xFF, ..] => Encoding::Utf16Be,
                _ if memchr::memchr(0, &bytes[..bytes.len().min(8192)]).is_some() => Encoding::Binary,
                _ => Encoding::Unknown,
            };
            let line = memchr::memchr_iter(b'\n', &bytes[..offset]).count() as u32 + 1;
            DecodeError { offset, byte: bytes.get(offset).copied().unwrap_or_default(), line, encoding }
        })
    }

    /// The name that reports show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What fingerprints know the text by: the same for every client that has this file, and empty for a
    /// text that is not a file (`<stdin>`).
    pub fn key(&self) -> &str {
        match &self.key {
            Some(key) => key,
            None if self.name.starts_with('<') => "",
            None => &self.name,
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(0, self.text.len())
    }

    /// The text of a span; empty if the span is out of bounds.
    #[inline]
    pub fn slice(&self, span: Span) -> &str {
        span.of(&self.text)
    }

    /// The line index, built on first use.
    #[doc(hidden)]
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        self.lines().position(&self.text, offset)
    }

    /// The lines that a span touches, without the last line ending.
    pub fn line_span(&self, span: Span) -> Span {
        let last = if span.is_empty() { span.end } else { span.end - 1 };
        let first = self.lines().span(&self.text, self.lines().line(span.start));
        first.cover(self.lines().span(&self.text, self.lines().line(last)))
    }

    /// The lines that a span touches, with the last line ending.
    pub fn full_line_span(&self, span: Span) -> Span {
        let last = if span.is_empty() { span.end } else { span.end - 1 };
        let first = self.lines().span_with_end(&self.text, self.lines().line(span.start));
        first.cover(self.lines().span_with_end(&self.text, self.lines().line(last)))
    }

    /// Returns the text.
    pub fn into_text(self) -> String {
        self.text
    }
}
