//! Where the metadata blocks of a document are. Other modules read their YAML.

use std::ops::Range;

use memchr::memmem;

use super::{
    Dialect,
    grammar::{self, Opened},
};
use crate::budget;

/// A metadata block, as offsets of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawBlock {
    /// Offset of the opening `---`.
    pub(super) start: usize,
    /// What is between the two lines, without the line end before the closing one.
    pub(super) content: Range<usize>,
    /// Offset after the closing line with its line end.
    pub(super) end: usize,
    /// The name of a collection in the opening line.
    pub(super) name: Option<Range<usize>>,
}

/// Why the first line of a document opens a block that the dialect refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotClosed {
    /// Nothing closes it.
    Unclosed,
    /// A blank line at this offset, which `seed` takes for its end. The scan goes on as if the line
    /// were not blank.
    BlankLine(usize),
}

/// What a scan finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Scan {
    /// The blocks in their order; they do not overlap.
    pub(super) blocks: Vec<RawBlock>,
    /// The fault of a block that opens with the first line.
    pub(super) not_closed: Option<NotClosed>,
}

/// Finds the metadata blocks of `text`, in linear time.
pub(super) fn scan(text: &str, dialect: Dialect) -> Scan {
    let mut openers = Openers::new(text);
    let mut closers = Closers::default();
    let mut found = Scan::default();
    let mut from = 0;
    while let Some((start, content)) = openers.next(from) {
        if dialect != Dialect::Seed && !at_line_start(text, start) {
            from = start + 1;
            continue;
        }
        let opened =
            if blank_below(text, content) { None } else { closers.block(text, dialect, start, content) };
        from = match opened {
            Some(Opened::Block { content, end }) => {
                found.blocks.push(RawBlock {
                    start,
                    content: start + content.start..start + content.end,
                    end: start + end,
                    name: None,
                });
                start + end
            }
            Some(fault) if start == 0 => {
                let (fault, block) = recover(text, &fault);
                found.not_closed = Some(fault);
                let end = block.as_ref().map_or(3, |block| block.end);
                found.blocks.extend(block);
                end
            }
            _ => start + 3,
        };
    }
    found
}

/// Whether the offset is where a line starts; a lone carriage return counts as a line end here.
pub(super) fn at_line_start(text: &str, offset: usize) -> bool {
    offset == 0 || matches!(text.as_bytes()[offset - 1], b'\n' | b'\r')
}

fn blank_below(text: &str, content: usize) -> bool {
    text[content..].starts_with('\n') || text[content..].starts_with("\r\n")
}

/// The block that was meant where a blank line broke it.
fn recover(text: &str, fault: &Opened) -> (NotClosed, Option<RawBlock>) {
    let Opened::BlankLine(at) = fault else { return (NotClosed::Unclosed, None) };
    let block = [false, true].iter().find_map(|at_end| match grammar::block(text, Dialect::C2, *at_end) {
        Opened::Block { content, end } => Some(RawBlock { start: 0, content, end, name: None }),
        _ => None,
    });
    (NotClosed::BlankLine(*at), block)
}

/// Finds `---` with a line end after it.
struct Openers<'t> {
    text: &'t [u8],
    marker: memmem::Finder<'static>,
    /// Lines that end with `\r\n` count only below the last one that ends with `\n`.
    crlf: bool,
}

impl<'t> Openers<'t> {
    fn new(text: &'t str) -> Self {
        Self { text: text.as_bytes(), marker: memmem::Finder::new(b"---\n"), crlf: false }
    }

    /// Offsets of the next `---` and of the line below it.
    fn next(&mut self, from: usize) -> Option<(usize, usize)> {
        let rest = self.text.get(from..)?;
        if !self.crlf {
            if let Some(at) = self.marker.find(rest) {
                return Some((from + at, from + at + 4));
            }
            self.marker = memmem::Finder::new(b"---\r\n");
            self.crlf = true;
        }
        self.marker.find(rest).map(|at| (from + at, from + at + 5))
    }
}

/// Bytes of a block that are searched in one step of a budget.
const BYTES_OF_STEP: u64 = 16;

/// A line end and what a closing line starts with.
const MARKER: &[u8] = b"\n---";

/// What is known about closing lines further down, so that no part of the text is searched twice.
struct Closers {
    /// Finds the start of lines that may close a block.
    marker: memmem::Finder<'static>,
    /// No line below closes anything; only the end of the text still can.
    no_more: bool,
    /// A block that opens above this offset meets a blank line first.
    blank: usize,
    /// What can be closed by the end of the text, once it is known.
    end: Option<ClosingEnd>,
}

/// First and last offset of contents that the text's last line closes, when that is `---` without a
/// line end: for either line end before it, and for `\r\n`. The first line that begins with `---` and
/// has that line end before it must be the last one.
#[derive(Clone, Copy)]
struct ClosingEnd([Option<(usize, usize)>; 2]);

impl Default for Closers {
    fn default() -> Self {
        Self { marker: memmem::Finder::new(MARKER), no_more: false, blank: 0, end: None }
    }
}

impl Closers {
    /// The block from an opening line to the next closing one, whatever is between them: the grammar's `block`.
    fn closed(&self, text: &str, start: usize, content: usize) -> Opened {
        let bytes = text.as_bytes();
        let mut passed = content;
        for at in self.marker.find_iter(&bytes[content..]) {
            let at = content + at;
            if !budget::charge(1 + (at - passed) as u64 / BYTES_OF_STEP) {
                break;
            }
            passed = at;
            let line_end = match bytes[at + MARKER.len()..] {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => continue,
            };
            let content_end = if at > content && bytes[at - 1] == b'\r' { at - 1 } else { at };
            let end = at + MARKER.len() + line_end;
            return Opened::Block { content: content - start..content_end - start, end: end - start };
        }
        Opened::Unclosed
    }

    fn block(&mut self, text: &str, dialect: Dialect, start: usize, content: usize) -> Option<Opened> {
        if content <= self.blank {
            return None;
        }
        let at_end = self.no_more;
        if at_end && !self.end.get_or_insert_with(|| ClosingEnd::of(text)).closes(content) {
            return Some(Opened::Unclosed);
        }
        let opened = if at_end || dialect == Dialect::Seed {
            grammar::block(&text[start..], dialect, at_end)
        } else {
            self.closed(text, start, content)
        };
        match opened {
            Opened::Unclosed if !at_end => {
                self.no_more = true;
                self.block(text, dialect, start, content)
            }
            Opened::BlankLine(at) => {
                self.blank = start + at;
                Some(Opened::BlankLine(at))
            }
            opened => Some(opened),
        }
    }
}

impl ClosingEnd {
    fn of(text: &str) -> Self {
        Self(["\n---", "\r\n---"].map(|marker| {
            let head = text.strip_suffix(marker)?;
            let first = memmem::rfind(head.as_bytes(), marker.as_bytes()).map_or(0, |at| at + 1);
            Some((first, head.len()))
        }))
    }

    fn closes(self, content: usize) -> bool {
        self.0.iter().flatten().any(|(first, last)| (*first..=*last).contains(&content))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::budget::timed;

    /// The scan as the specification words it, without regard to cost: blocks as (start, content,
    /// end), or nothing when the first line opens a block that is refused.
    fn reference(text: &str, dialect: Dialect) -> Option<Vec<RawBlock>> {
        let mut blocks = Vec::new();
        let mut pos = 0;
        while pos < text.len() {
            let found = text[pos..].find("---\n").map(|at| (at, 4));
            let Some((at, length)) = found.or_else(|| text[pos..].find("---\r\n").map(|at| (at, 5))) else {
                break;
            };
            let start = pos + at;
            if dialect == Dialect::C2 && start > 0 && !matches!(text.as_bytes()[start - 1], b'\n' | b'\r') {
                pos = start + 1;
                continue;
            }
            let rest = &text[start + length..];
            if rest.starts_with('\n') || rest.starts_with("\r\n") {
                pos = start + 3;
                continue;
            }
            let closing = ["\n---\n", "\r\n---\r\n", "\n---\r\n", "\r\n---\n"]
                .iter()
                .filter_map(|closer| rest.find(closer).map(|at| (at, closer.len())));
            let at_end = ["\n---", "\r\n---"].iter().filter_map(|closer| {
                rest.find(closer).filter(|at| at + closer.len() == rest.len()).map(|at| (at, closer.len()))
            });
            let close = closing.chain(at_end).min_by_key(|(at, _)| *at);
            let close = close.filter(|(at, _)| {
                dialect == Dialect::C2 || !(rest[..*at].contains("\n\n") || rest[..*at].contains("\r\n\r\n"))
            });
            let content = start + length;
            match close {
                Some((at, length)) => {
                    pos = content + at + length;
                    blocks.push(RawBlock { start, content: content..content + at, end: pos, name: None });
                }
                None if start == 0 => return None,
                None => pos = start + 3,
            }
        }
        Some(blocks)
    }

    fn agrees(text: &str) {
        for dialect in [Dialect::Seed, Dialect::C2] {
            let found = scan(text, dialect);
            match reference(text, dialect) {
                Some(blocks) => assert_eq!(found, Scan { blocks, not_closed: None }, "{dialect:?} {text:?}"),
                None => assert!(found.not_closed.is_some(), "{dialect:?} {text:?} should be refused"),
            }
        }
    }

    #[test]
    fn marker_lines_in_every_order_scan_as_the_specification_says() {
        let lines = ["---\n", "---\r\n", "---", "\n", "\r\n", "\r", " ---\n", "a: 1\n", "----\n", "é---\r\n"];
        let base = lines.len();
        for number in 0..base.pow(5) {
            let digits = (0..5).map(|place| number / base.pow(place) % base);
            agrees(&digits.map(|digit| lines[digit]).collect::<String>());
        }
    }

    proptest! {
        #[test]
        fn scan_agrees_with_the_specification(parts in prop::collection::vec(
            prop::sample::select(vec!["---", "\n", "\r\n", "\r", " ", "-", "a: 1", "SCOPE: a", "é", "\u{FEFF}"]), 0..40)) {
            agrees(&parts.concat());
        }
    }

    #[test]
    fn hostile_input_is_scanned_in_linear_time() {
        let texts =
            ["---\n", "---\nx", "\r---\n", "---\nx\n\n", "\n----\n\r---\n", "---\r\n\r\n", "x ---\ny\n\n"];
        for text in texts {
            for tail in ["", "\n---", "\r\n---", "\n\n---\n"] {
                let text = text.repeat(40_000) + tail;
                let both = || (scan(&text, Dialect::Seed), scan(&text, Dialect::C2));
                assert!(timed(both).1.as_secs() < 5, "{:?} takes too long", &text[..20]);
            }
        }
    }
}
