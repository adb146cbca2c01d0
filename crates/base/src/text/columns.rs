//! Positions as editors count them: lines and columns from 0, columns in the code units that client and server have
//! agreed on. The Language Server Protocol ends a line with `\n`, `\r\n` or a lone `\r`; [`super::LineIndex`] does not
//! count the last one, so these lines have an index of their own.

use super::Span;

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16: characters beyond U+FFFF count twice.
    #[default]
    Utf16,
    /// Code points.
    Utf32,
}

impl ColumnUnit {
    /// How often a character counts.
    fn width(self, character: char) -> u32 {
        match self {
            Self::Utf8 => character.len_utf8() as u32,
            Self::Utf16 => character.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }

    /// The length of `text`.
    fn length(self, text: &str) -> u32 {
        match self {
            _ if text.is_ascii() => text.len() as u32,
            Self::Utf8 => text.len() as u32,
            Self::Utf16 => text.encode_utf16().count() as u32,
            Self::Utf32 => text.chars().count() as u32,
        }
    }
}

/// A position in an editor: both numbers start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EditorPosition {
    /// Line.
    pub line: u32,
    /// Column, in the unit that was asked for.
    pub column: u32,
}

/// The lines of text as an editor counts them.
#[derive(Debug, Clone)]
pub struct EditorLines {
    starts: Vec<u32>,
    unit: ColumnUnit,
    /// Length of the text before each [`STRIDE`] bytes, where a line is longer than that: a column in a long line is
    /// counted from the nearest of them.
    counted: Vec<u32>,
}

/// Most bytes that are counted for a column.
const STRIDE: usize = 4096;

impl EditorLines {
    /// Finds the lines of `text` in one pass.
    pub fn new(text: &str, unit: ColumnUnit) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        let ends = starts[1..].iter().copied().chain([text.len() as u32]);
        let has_long_line = starts.iter().zip(ends).any(|(start, end)| end - start > STRIDE as u32);
        let mut counted = Vec::new();
        if has_long_line {
            let (mut count, mut start) = (0, 0);
            while start < text.len() {
                counted.push(count);
                let end = floor(text, (counted.len() * STRIDE).min(text.len()));
                count += unit.length(&text[start..end]);
                start = end;
            }
        }
        Self { starts, unit, counted }
    }

    /// What columns count.
    pub fn unit(&self) -> ColumnUnit {
        self.unit
    }

    /// Number of lines; text that ends with a line ending has an empty last line.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The position of a byte in the `text` that this index was built from. An offset inside a character counts as its
    /// start, an offset past the end as the end.
    pub fn position(&self, text: &str, offset: u32) -> EditorPosition {
        let offset = floor(text, offset as usize);
        let line = self.starts.partition_point(|start| *start as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let column = match (self.until(text, start), self.until(text, offset)) {
            (Some(before), Some(until)) if offset - start > STRIDE => until - before,
            _ => self.unit.length(&text[start..offset]),
        };
        EditorPosition { line: line as u32, column }
    }

    /// The byte at a position. A column past the end of its line is the end of the line, a line past the end of the
    /// text is the end of the text, and a column inside a character is its start.
    pub fn offset(&self, text: &str, position: EditorPosition) -> u32 {
        let Some(&start) = self.starts.get(position.line as usize) else { return text.len() as u32 };
        let line = self.line(text, position.line);
        let (mut at, mut left) = (start as usize, position.column);
        if line.len() > STRIDE
            && let Some(before) = self.until(text, at)
        {
            // The last stride that begins in the line and not after the column.
            let target = before + left;
            let first = at / STRIDE + 1;
            let last = self.counted.partition_point(|count| *count <= target).saturating_sub(1);
            if last >= first {
                let from = floor(text, last * STRIDE);
                if from <= line.end as usize {
                    left = target - self.counted[last];
                    at = from;
                }
            }
        }
        let rest = &text[at..line.end as usize];
        if rest.is_ascii() {
            return (at + rest.len().min(left as usize)) as u32;
        }
        for character in rest.chars() {
            let width = self.unit.width(character);
            if width > left {
                break;
            }
            left -= width;
            at += character.len_utf8();
        }
        at as u32
    }

    /// The bytes of a line, without its line ending; the end of the text for a line that does not exist.
    pub fn line(&self, text: &str, line: u32) -> Span {
        let Some(&start) = self.starts.get(line as usize) else { return Span::at(text.len()) };
        let end = self.starts.get(line as usize + 1).map_or(text.len(), |end| *end as usize);
        let body = &text[start as usize..end];
        let body = body.strip_suffix('\n').unwrap_or(body);
        let body = body.strip_suffix('\r').unwrap_or(body);
        Span::new(start as usize, start as usize + body.len())
    }

    /// Length of the text before an offset, where that is known.
    fn until(&self, text: &str, offset: usize) -> Option<u32> {
        let stride = offset / STRIDE;
        let from = floor(text, stride * STRIDE);
        self.counted.get(stride).map(|count| count + self.unit.length(&text[from..offset]))
    }
}

/// The nearest character boundary at or before `offset`.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: [ColumnUnit; 3] = [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32];

    /// Every position in `text`, counted character by character.
    fn counted(text: &str, unit: ColumnUnit) -> Vec<(u32, EditorPosition)> {
        let mut all = Vec::new();
        let mut position = EditorPosition { line: 0, column: 0 };
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            all.push((at as u32, position));
            let next = characters.peek().map(|(_, next)| *next);
            if character == '\n' || (character == '\r' && next != Some('\n')) {
                position = EditorPosition { line: position.line + 1, column: 0 };
            } else {
                position.column += unit.width(character);
            }
        }
        all.push((text.len() as u32, position));
        all
    }

    #[test]
    fn positions_and_offsets_agree_in_every_unit() {
        let long = "é😀x".repeat(4_000);
        let texts = [
            "",
            "\u{FEFF}a",
            "a\r\nb\rc\n",
            "é😀x\r\n\r\r\n👩‍👩‍👧e\u{301}",
            &format!("a\n{long}\nb😀{long}\r{long}"),
        ];
        for text in texts {
            for unit in UNITS {
                let lines = EditorLines::new(text, unit);
                for (offset, position) in
                    counted(text, unit).into_iter().step_by(if text.len() > 99 { 41 } else { 1 })
                {
                    assert_eq!(lines.position(text, offset), position, "{unit:?} {offset}");
                    let in_ending =
                        text[offset as usize..].starts_with('\n') && text[..offset as usize].ends_with('\r');
                    if !in_ending {
                        assert_eq!(lines.offset(text, position), offset, "{unit:?} {position:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn positions_outside_the_text_are_at_its_nearest_end() {
        let lines = EditorLines::new("ab\r\nc", ColumnUnit::Utf16);
        assert_eq!(
            lines.offset("ab\r\nc", EditorPosition { line: 0, column: 99 }),
            2,
            "not into the line ending"
        );
        assert_eq!(lines.offset("ab\r\nc", EditorPosition { line: 9, column: 0 }), 5);
    }

    #[test]
    fn a_column_inside_a_character_is_its_start() {
        let lines = EditorLines::new("😀", ColumnUnit::Utf16);
        assert_eq!(lines.offset("😀", EditorPosition { line: 0, column: 1 }), 0);
        assert_eq!(lines.position("😀", 2), EditorPosition { line: 0, column: 0 });
    }
}
