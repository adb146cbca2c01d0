use std::borrow::Cow;

use super::Span;

/// Part of a host text that is parsed separately, such as the content of a code fence.
///
/// The fragment's text need not be contiguous in the host: inside a block quote or a list it omits the
/// host's line prefixes. [`Fragment::host`] maps every span back to the host.
#[derive(Debug, Clone)]
pub struct Fragment<'t> {
    text: Cow<'t, str>,
    /// (offset in the fragment, offset in the host) of the start of each contiguous run, ascending.
    runs: Vec<(u32, u32)>,
}

impl<'t> Fragment<'t> {
    /// The contiguous fragment at `span` of `host`.
    pub fn contiguous(host: &'t str, span: Span) -> Self {
        Self { text: Cow::Borrowed(span.of(host)), runs: vec![(0, span.start)] }
    }

    /// The fragment that consists of several spans of `host`, in their order.
    pub fn pieces(host: &'t str, spans: &[Span]) -> Self {
        if let [only] = spans {
            return Self::contiguous(host, *only);
        }
        let mut text = String::new();
        let mut runs = Vec::with_capacity(spans.len());
        for span in spans {
            runs.push((text.len() as u32, span.start));
            text.push_str(span.of(host));
        }
        Self { text: Cow::Owned(text), runs }
    }

    /// A copy with parts left out or replaced: it consists of these ranges of this fragment, in their order. A range is
    /// kept, or each of its bytes is replaced by an ASCII character, so that its length stays.
    #[must_use]
    pub fn rewritten(&self, parts: &[(Span, Option<u8>)]) -> Fragment<'static> {
        let mut text = String::with_capacity(self.text.len());
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for (part, fill) in parts.iter().filter(|(part, _)| !part.is_empty()) {
            let start = text.len() as u32;
            runs.push((start, self.host_offset(part.start)));
            let first = self.runs.partition_point(|(local, _)| *local <= part.start);
            let inner = self.runs[first..].iter().take_while(|(local, _)| *local < part.end);
            runs.extend(inner.map(|(local, host)| (start + (local - part.start), *host)));
            match fill.filter(u8::is_ascii) {
                Some(fill) => text.extend(std::iter::repeat_n(char::from(fill), part.len())),
                None => text.push_str(part.of(&self.text)),
            }
        }
        // Where nothing is left out between two runs, they are one.
        runs.dedup_by(|(local, host), (before, host_before)| {
            host.wrapping_sub(*host_before) == *local - *before
        });
        if runs.is_empty() {
            runs.push((0, self.host_offset(0)));
        }
        Fragment { text: Cow::Owned(text), runs }
    }

    /// The fragment's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the fragment is a single contiguous run of the host.
    pub fn is_contiguous(&self) -> bool {
        self.runs.len() < 2
    }

    /// The host's span for a span of the fragment; a span over several runs includes the host text
    /// between them.
    pub fn host(&self, span: Span) -> Span {
        let start = self.host_offset(span.start);
        let end = if span.is_empty() { start } else { self.host_offset(span.end - 1) + 1 };
        Span { start, end }
    }

    /// The offset in the fragment of one of the host; nothing where the fragment does not have it.
    pub fn local(&self, host: u32) -> Option<u32> {
        let index = self.runs.iter().rposition(|(_, start)| *start <= host)?;
        let (local, start) = self.runs[index];
        let end = self.runs.get(index + 1).map_or(self.text.len() as u32, |(next, _)| *next);
        let offset = local + (host - start);
        (offset <= end).then_some(offset)
    }

    fn host_offset(&self, offset: u32) -> u32 {
        if let [(0, host)] = self.runs.as_slice() {
            return host + offset;
        }
        let index = self.runs.partition_point(|(local, _)| *local <= offset).saturating_sub(1);
        self.runs.get(index).map_or(offset, |(local, host)| host + (offset - local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_a_quoted_fragment_map_back_to_the_host() {
        let host = "> ab\n> cd\n";
        let fragment = Fragment::pieces(host, &[Span::new(2, 5), Span::new(7, 10)]);
        assert_eq!(fragment.text(), "ab\ncd\n");
        assert_eq!(fragment.host(Span::new(3, 5)).of(host), "cd");
        assert_eq!(fragment.host(Span::new(1, 4)).of(host), "b\n> c");
        assert_eq!(fragment.host(Span::at(3)), Span::at(7));
        assert_eq!(
            [0, 2, 3, 7, 10, 11].map(|at| fragment.local(at)),
            [None, Some(0), Some(1), Some(3), Some(6), None]
        );
    }

    #[test]
    fn what_is_rewritten_maps_back_to_the_host() {
        let host = "> a {{x}}\n> b {{y}} c\n";
        let fragment = Fragment::pieces(host, &[Span::new(2, 10), Span::new(12, 22)]);
        assert_eq!(fragment.text(), "a {{x}}\nb {{y}} c\n");
        let parts = [
            (Span::new(0, 2), None),
            (Span::new(2, 7), Some(b'x')),
            (Span::new(7, 10), None),
            (Span::new(15, 18), None),
        ];
        let written = fragment.rewritten(&parts);
        assert_eq!(written.text(), "a xxxxx\nb  c\n");
        assert_eq!(written.host(Span::new(2, 7)).of(host), "{{x}}");
        assert_eq!(written.host(Span::new(8, 9)).of(host), "b");
        assert_eq!(written.host(Span::new(11, 12)).of(host), "c");
        assert_eq!(written.host(Span::new(8, 12)).of(host), "b {{y}} c");
        let whole = Fragment::contiguous(host, Span::new(0, host.len()));
        let masked = whole.rewritten(&[
            (Span::new(0, 4), None),
            (Span::new(4, 9), Some(b'x')),
            (Span::new(9, 22), None),
        ]);
        assert!(masked.is_contiguous());
    }
}
