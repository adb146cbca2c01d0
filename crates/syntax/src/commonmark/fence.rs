use std::ops::Range;

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// From the opening marker to the end of the closing line, or of the content.
    pub range: Range<usize>,
    /// The opening run of backticks or tildes.
    pub marker: Range<usize>,
    /// What follows it, trimmed.
    pub info: Range<usize>,
    /// First word of that, without the braces of `{mermaid}`.
    pub language: Range<usize>,
    /// Whether the language is in braces, as in executable code of Quarto.
    pub braced: bool,
    /// The pieces of the content; several where every line has a prefix of a quote or a list.
    pub content: Vec<Range<usize>>,
    pub closed: bool,
}

impl Fence {
    /// The fence that opens at the start of `range`.
    pub fn open(text: &str, range: Range<usize>, info: &str) -> Option<Self> {
        let line_end =
            memchr::memchr(b'\n', &text.as_bytes()[range.clone()]).map_or(range.end, |at| range.start + at);
        let line = &text[range.start..line_end];
        let start = range.start + (line.len() - line.trim_start_matches([' ', '\t']).len());
        let line = &text[start..line_end];
        let mark = line.bytes().next().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = line.bytes().take_while(|byte| *byte == mark).count();
        let marker = start..start + length;
        let rest = &line[length..];
        let start = marker.end + (rest.len() - rest.trim_start().len());
        let info_range =
            if info.is_empty() { marker.end..marker.end } else { start..start + rest.trim().len() };
        let (language, braced) = language(text, info_range.clone());
        Some(Self { range, marker, info: info_range, language, braced, content: Vec::new(), closed: false })
    }

    /// Takes in a piece of the content.
    pub fn add(&mut self, text: &str, range: Range<usize>) {
        match self.content.last_mut() {
            // A carriage return before a line end is left out of the pieces.
            Some(last) if last.end == range.start || text[last.end..range.start] == *"\r" => {
                last.end = range.end;
            }
            _ => self.content.push(range),
        }
    }

    #[must_use]
    pub fn finished(mut self, text: &str) -> Self {
        let opener = &text[self.range.clone()];
        let below_opener =
            memchr::memchr(b'\n', opener.as_bytes()).map_or(self.range.end, |at| self.range.start + at + 1);
        if let Some(first) =
            self.content.first_mut().filter(|first| text.get(below_opener..first.start) == Some("\r"))
        {
            first.start = below_opener;
        }
        let end = self.content.last().map_or(below_opener, |last| last.end);
        let closing = text[end..self.range.end].trim_end();
        self.closed = closing.ends_with(&text[self.marker.clone()]);
        self
    }

    /// Makes the fence one that is not closed above `offset`.
    pub fn end_at(&mut self, offset: usize) {
        self.range.end = offset;
        self.content.retain(|piece| piece.start < offset);
        if let Some(last) = self.content.last_mut() {
            last.end = last.end.min(offset);
        }
    }

    /// From the first byte of the content to its last one.
    pub fn content_range(&self) -> Range<usize> {
        let start = self.content.first().map_or(self.marker.end, |first| first.start);
        start..self.content.last().map_or(start, |last| last.end)
    }
}

/// The language of an info string: `js title=x` is `js`, `{mermaid}` is `mermaid`, `{.r echo}` is `r`.
fn language(text: &str, info: Range<usize>) -> (Range<usize>, bool) {
    let whole = &text[info.clone()];
    let inner = whole.trim_start_matches(['{', ' ', '.', '=']);
    let braced = whole.starts_with('{');
    let start = info.start + if braced { whole.len() - inner.len() } else { 0 };
    let word = &text[start..info.end];
    let length = word.find(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ',')).unwrap_or(word.len());
    (start..start + length, braced)
}
