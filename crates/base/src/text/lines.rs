use super::Span;

/// A position for people: both numbers start at 1, the column counts code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

/// The line starts of a source. A line ends with `\n` or `\r\n`, not with a lone `\r`.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// Code points before each [`STRIDE`] bytes of text with a longer line, so that a column is counted from the
    /// nearest of them.
    counted: Vec<u32>,
}

/// Most bytes that are counted for a column.
const STRIDE: usize = 4096;

impl LineIndex {
    /// Finds the line starts of `text` in one pass.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        let ends = starts[1..].iter().copied().chain([text.len() as u32]);
        let has_long_line = starts.iter().zip(ends).any(|(start, end)| end - start > STRIDE as u32);
        let mut counted = Vec::new();
        if has_long_line {
            let mut count = 0;
            for bytes in text.as_bytes().chunks(STRIDE) {
                counted.push(count);
                count += code_points(bytes);
            }
        }
        Self { starts, counted }
    }

    /// Number of lines; text that ends with a line ending has an empty last line.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Line (from 1) that contains the byte at `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// Line and column of `offset` in the `text` that this index was built from. An offset inside a
    /// character or a line ending counts as its start, an offset past the end as the end.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let mut offset = floor_boundary(text, offset as usize);
        if text.as_bytes().get(offset) == Some(&b'\n') && text[..offset].ends_with('\r') {
            offset -= 1;
        }
        let line = self.line(offset as u32);
        let start = self.starts[line as usize - 1] as usize;
        let column = self.code_points(text, start, offset) + 1;
        Position { line, column }
    }

    /// The number of code points between two offsets.
    fn code_points(&self, text: &str, start: usize, end: usize) -> u32 {
        let bytes = text.as_bytes();
        let until = |offset: usize| {
            let stride = offset / STRIDE;
            let before = self.counted.get(stride).copied();
            before.map(|before| before + code_points(&bytes[stride * STRIDE..offset]))
        };
        match (until(start), until(end)) {
            (Some(start), Some(end)) if !self.counted.is_empty() => end - start,
            _ => code_points(&bytes[start..end]),
        }
    }

    /// Bytes of a line (from 1) without its line ending; the empty range at the end of the text for a
    /// line that does not exist.
    pub fn span(&self, text: &str, line: u32) -> Span {
        let whole = self.span_with_end(text, line);
        let body = whole.of(text);
        let body = body.strip_suffix('\n').map_or(body, |b| b.strip_suffix('\r').unwrap_or(b));
        Span::new(whole.start as usize, whole.start as usize + body.len())
    }

    /// Bytes of a line (from 1) with its line ending.
    pub fn span_with_end(&self, text: &str, line: u32) -> Span {
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index as usize));
        let Some(&start) = start else { return Span::at(text.len()) };
        let end = self.starts.get(line as usize).map_or(text.len(), |end| *end as usize);
        Span::new(start as usize, end)
    }
}

/// The number of characters that begin in these bytes.
fn code_points(bytes: &[u8]) -> u32 {
    let begins = |byte: &&u8| **byte & 0xC0 != 0x80;
    bytes.iter().filter(begins).count() as u32
}

/// The nearest character boundary at or before `offset`.
fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_lines_end_with_lf_or_crlf() {
        let text = "é😀x\r\nab\rc\n";
        let lines = LineIndex::new(text);
        assert_eq!(lines.count(), 3);
        assert_eq!(lines.position(text, 6), Position { line: 1, column: 3 });
        assert_eq!(lines.position(text, 7), lines.position(text, 8), "a line ending has one position");
        assert_eq!(lines.span(text, 1).of(text), "é😀x");
        assert_eq!(lines.span(text, 2).of(text), "ab\rc");
        assert_eq!(lines.position(text, 9_999), Position { line: 3, column: 1 });
    }

    #[test]
    fn columns_of_long_lines_are_those_of_short_ones() {
        let text = format!("a\n{}\nb😀", "é😀x".repeat(4_000));
        let lines = LineIndex::new(&text);
        assert!(!lines.counted.is_empty());
        for (offset, _) in text.char_indices().step_by(37).chain([(text.len(), ' ')]) {
            let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
            let column = text[start..offset].chars().count() as u32 + 1;
            assert_eq!(lines.position(&text, offset as u32).column, column, "{offset}");
        }
    }

    #[test]
    fn an_offset_inside_a_character_counts_as_its_start() {
        let text = "😀";
        assert_eq!(LineIndex::new(text).position(text, 2).column, 1);
    }
}
