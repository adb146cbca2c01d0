//! What the grammar of metadata blocks matches, as plain ranges.

use std::ops::Range;

use super::Dialect;
use crate::peg::{Part, Reading};

mod tables {
    //! The grammar as tables.
    #![allow(clippy::unreadable_literal, reason = "the tables are generated")]

    use std::borrow::Cow::Borrowed;

    use crate::peg::{CharSet, Form, Grammar, Op, Program, Slice, Step, Symbols};

    include!(concat!(env!("OUT_DIR"), "/metadata_grammar.rs"));
}

/// What is at a position where a block may open. Ranges are relative to that position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Opened {
    /// A block; `end` is after the closing line.
    Block { content: Range<usize>, end: usize },
    /// A blank line at this offset, before anything closes the block.
    BlankLine(usize),
    /// Nothing below closes the block.
    Unclosed,
}

/// Reads the block that opens where `text` starts; the caller has seen `---` and a line end there and
/// no blank line below.
///
/// `at_end`: only the last line of the text, without a line end, can close it.
pub(super) fn block(text: &str, dialect: Dialect, at_end: bool) -> Opened {
    let rule = match (dialect, at_end) {
        (Dialect::Seed, false) => "contiguous_block",
        (Dialect::Seed, true) => "contiguous_block_at_end",
        (_, false) => "block",
        (_, true) => "block_at_end",
    };
    let mut content = 0..0;
    let block = read(rule, text);
    for part in block.iter().flat_map(Reading::children) {
        let span = range(part);
        match part.rule() {
            "content" | "content_to_end" | "contiguous" | "contiguous_to_end" => {
                content = span;
            }
            "closer" | "closer_at_end" => return Opened::Block { content, end: span.end },
            "err_blank_line" => return Opened::BlankLine(span.start),
            _ => {}
        }
    }
    Opened::Unclosed
}

/// What is wrong with a line meant as an opening or closing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerFault {
    ByteOrderMark,
    Indented,
    MoreDashes,
    TrailingBlanks,
    Dots,
    RunOn,
}

/// A line meant as `---`, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) span: Range<usize>,
    /// The first fault; absent on a proper line.
    pub(super) fault: Option<MarkerFault>,
}

/// An opening line and what looks like the rest of a block. Ranges are relative to the line's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WouldBeBlock {
    pub(super) opener: Marker,
    /// Blank lines between the opening line and the fields.
    pub(super) blank: Option<Range<usize>>,
    /// Key and name of a line such as `SCOPE: products`, which may be written in any case.
    pub(super) tag: Option<(Range<usize>, Range<usize>)>,
    /// Further lines that look like YAML, line ends included; may be empty.
    pub(super) fields: Range<usize>,
    pub(super) closer: Option<Marker>,
}

/// Reads on from an opening line that did not begin a block; nothing when the first line is not an
/// opening line.
pub(super) fn would_be_block(text: &str) -> Option<WouldBeBlock> {
    let mut opener = None;
    let mut block = WouldBeBlock {
        opener: Marker { span: 0..0, fault: None },
        blank: None,
        tag: None,
        fields: 0..0,
        closer: None,
    };
    let found = read("would_be_block", text);
    for part in found.iter().flat_map(Reading::children) {
        match part.rule() {
            "marker" => opener = Some(marker(part)),
            "blank_lines_below" => block.blank = Some(range(part)),
            "tagged" => {
                let mut inner = part.children();
                block.tag = inner.next().zip(inner.next()).map(|(key, name)| (range(key), range(name)));
            }
            "fields" => block.fields = range(part),
            "near_closer" => block.closer = part.children().next().map(marker),
            _ => {}
        }
    }
    opener.map(|opener| WouldBeBlock { opener, ..block })
}

/// Whether the first two lines that are not blank and not comments look like sentences, lists or
/// quotes, and not like `key: value`.
pub(super) fn begins_like_prose(text: &str) -> bool {
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).take(2).peekable();
    lines.peek().is_some_and(|line| line.starts_with(|c: char| c.is_alphanumeric() || "*->|`[(".contains(c)))
        && lines.all(|line| read("key_line", line).is_none())
}

/// The text as the rule reads it; nothing where it does not fit.
fn read<'t>(rule: &str, text: &'t str) -> Option<Reading<'static, 't>> {
    Reading::fitting(&tables::METADATA, rule, text)
}

fn range(part: Part<'_, '_>) -> Range<usize> {
    part.span().range()
}

fn marker(part: Part<'_, '_>) -> Marker {
    let span = range(part);
    let own = fault(part.rule());
    let fault = own.or_else(|| part.children().find_map(|part| fault(part.rule())));
    Marker { span, fault }
}

fn fault(rule: &str) -> Option<MarkerFault> {
    match rule {
        "err_byte_order_mark" => Some(MarkerFault::ByteOrderMark),
        "err_indented" => Some(MarkerFault::Indented),
        "err_more_dashes" => Some(MarkerFault::MoreDashes),
        "err_trailing_blanks" => Some(MarkerFault::TrailingBlanks),
        "err_dots" => Some(MarkerFault::Dots),
        "err_run_on" => Some(MarkerFault::RunOn),
        _ => None,
    }
}
