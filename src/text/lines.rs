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
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the line starts of `text` in one pass.
    pub(crate) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        Self { starts }
    }

    /// Number of lines; text that ends with a line ending has an empty last line.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Line (from 1) that contains the byte at `offset`.
    pub(crate) fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// Line and column of `offset` in the `text` that this index was built from. An offset inside a
    /// character counts as its start, an offset past the end as the end.
    pub(crate) fn position(&self, text: &str, offset: u32) -> Position {
        let offset = floor_boundary(text, offset as usize);
        let line = self.line(offset as u32);
        let start = self.starts[line as usize - 1] as usize;
        let column = text[start..offset].chars().count() as u32 + 1;
        Position { line, column }
    }

    /// Bytes of a line (from 1) without its line ending; the empty range at the end of the text for a
    /// line that does not exist.
    pub(crate) fn span(&self, text: &str, line: u32) -> Span {
        let whole = self.span_with_end(text, line);
        let body = whole.of(text);
        let body = body.strip_suffix('\n').map_or(body, |b| b.strip_suffix('\r').unwrap_or(b));
        Span::new(whole.start as usize, whole.start as usize + body.len())
    }

    /// Bytes of a line (from 1) with its line ending.
    pub(crate) fn span_with_end(&self, text: &str, line: u32) -> Span {
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index as usize));
        let Some(&start) = start else { return Span::at(text.len()) };
        let end = self.starts.get(line as usize).map_or(text.len(), |end| *end as usize);
        Span::new(start as usize, end)
    }
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
        assert_eq!(lines.span(text, 1).of(text), "é😀x");
        assert_eq!(lines.span(text, 2).of(text), "ab\rc");
        assert_eq!(lines.position(text, 9_999), Position { line: 3, column: 1 });
    }

    #[test]
    fn an_offset_inside_a_character_counts_as_its_start() {
        let text = "😀";
        assert_eq!(LineIndex::new(text).position(text, 2).column, 1);
    }
}
