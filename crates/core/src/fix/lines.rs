//! The lines that edits touch.

use crate::text::Span;

/// Parts of text that begin and end with lines, without the last line's end: in their order, each once.
#[derive(Debug)]
pub(super) struct Lines(Vec<Span>);

impl Lines {
    /// The lines that spans touch. Very many spans of one long line take no longer than a few.
    pub(super) fn touched(text: &str, spans: impl IntoIterator<Item = Span>) -> Self {
        let mut spans: Vec<Span> = spans.into_iter().collect();
        spans.sort_by_key(|span| (span.start, span.end));
        let mut lines: Vec<Span> = Vec::new();
        for span in spans {
            let known = lines.last().map_or(0, |last| last.end);
            if !lines.is_empty() && span.end <= known {
                continue;
            }
            let end = text.get(span.end as usize..).and_then(|after| after.find('\n'));
            let end = end.map_or(text.len() as u32, |end| span.end + end as u32);
            match lines.last_mut() {
                Some(last) if span.start <= last.end => last.end = end,
                _ => {
                    let start = text.get(..span.start as usize).and_then(|before| before.rfind('\n'));
                    lines.push(Span { start: start.map_or(0, |start| start as u32 + 1), end });
                }
            }
        }
        Self(lines)
    }

    /// Whether a byte is in one of the lines, or at its end.
    pub(super) fn contains(&self, at: u32) -> bool {
        self.around(at).is_some()
    }

    /// The lines, as far as they are one part of the text, that a byte is in or at the end of.
    pub(super) fn around(&self, at: u32) -> Option<Span> {
        let after = self.0.partition_point(|line| line.start <= at);
        let last = after.checked_sub(1).and_then(|last| self.0.get(last)).copied();
        last.filter(|line| at <= line.end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\ntwo\nthree\nfour\n";

    fn touched(spans: &[(u32, u32)]) -> Vec<&'static str> {
        let lines = Lines::touched(TEXT, spans.iter().map(|&(start, end)| Span { start, end }));
        lines.iter().map(|line| line.of(TEXT)).collect()
    }

    #[test]
    fn lines_are_whole_and_each_is_there_once() {
        assert_eq!(touched(&[(9, 10), (5, 6), (4, 4), (6, 6)]), ["two", "three"]);
        assert_eq!(touched(&[(5, 9), (12, 15)]), ["two\nthree\nfour"]);
        assert_eq!(touched(&[(0, 0), (19, 19)]), ["one", ""]);
        assert_eq!(touched(&[]), [""; 0]);
    }

    #[test]
    fn the_end_of_a_line_belongs_to_it() {
        let lines = Lines::touched(TEXT, [Span { start: 5, end: 5 }, Span { start: 15, end: 15 }]);
        let contained: Vec<u32> = (0..20).filter(|&at| lines.contains(at)).collect();
        assert_eq!(contained, [4, 5, 6, 7, 14, 15, 16, 17, 18]);
    }
}
