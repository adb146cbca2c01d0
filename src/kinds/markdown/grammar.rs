//! The pest grammar of metadata blocks, and its pairs as plain ranges.

use std::ops::Range;

use pest::{Parser, iterators::Pair};
use pest_derive::Parser;

use super::Dialect;

#[derive(Parser)]
#[grammar = "grammars/markdown/metadata.pest"]
#[allow(missing_docs, reason = "the derive makes an undocumented enum of the rules")]
struct MetadataParser;

/// What stands at a place where a block may open. Ranges are relative to that place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Opened {
    /// A block; `end` lies behind the closing line.
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
        (Dialect::C2, false) => Rule::block,
        (Dialect::C2, true) => Rule::block_at_end,
        (Dialect::Seed, false) => Rule::contiguous_block,
        (Dialect::Seed, true) => Rule::contiguous_block_at_end,
    };
    let mut content = 0..0;
    for pair in parts(rule, text) {
        let span = range(&pair);
        match pair.as_rule() {
            Rule::content | Rule::content_to_end | Rule::contiguous | Rule::contiguous_to_end => {
                content = span;
            }
            Rule::closer | Rule::closer_at_end => return Opened::Block { content, end: span.end },
            Rule::err_blank_line => return Opened::BlankLine(span.start),
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

/// Reads the lines from an opening line that began no block on; nothing when the first line is none.
pub(super) fn would_be_block(text: &str) -> Option<WouldBeBlock> {
    let mut opener = None;
    let mut block = WouldBeBlock {
        opener: Marker { span: 0..0, fault: None },
        blank: None,
        tag: None,
        fields: 0..0,
        closer: None,
    };
    for pair in parts(Rule::would_be_block, text) {
        match pair.as_rule() {
            Rule::marker => opener = Some(marker(pair)),
            Rule::blank_lines_below => block.blank = Some(range(&pair)),
            Rule::tagged => {
                let mut inner = pair.into_inner();
                block.tag = inner.next().zip(inner.next()).map(|(key, name)| (range(&key), range(&name)));
            }
            Rule::fields => block.fields = range(&pair),
            Rule::near_closer => block.closer = pair.into_inner().next().map(marker),
            _ => {}
        }
    }
    opener.map(|opener| WouldBeBlock { opener, ..block })
}

/// Whether the first two lines that are neither blank nor comments look like sentences, lists or
/// quotes, and not like `key: value`.
pub(super) fn begins_like_prose(text: &str) -> bool {
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).take(2).peekable();
    lines.peek().is_some_and(|line| line.starts_with(|c: char| c.is_alphanumeric() || "*->|`[(".contains(c)))
        && lines.all(|line| MetadataParser::parse(Rule::key_line, line).is_err())
}

fn parts(rule: Rule, text: &str) -> impl Iterator<Item = Pair<'_, Rule>> {
    let outer = MetadataParser::parse(rule, text).ok().and_then(|mut pairs| pairs.next());
    outer.into_iter().flat_map(Pair::into_inner)
}

fn range(pair: &Pair<'_, Rule>) -> Range<usize> {
    let span = pair.as_span();
    span.start()..span.end()
}

fn marker(pair: Pair<'_, Rule>) -> Marker {
    let span = range(&pair);
    let own = fault(pair.as_rule());
    let fault = own.or_else(|| pair.into_inner().find_map(|part| fault(part.as_rule())));
    Marker { span, fault }
}

fn fault(rule: Rule) -> Option<MarkerFault> {
    match rule {
        Rule::err_byte_order_mark => Some(MarkerFault::ByteOrderMark),
        Rule::err_indented => Some(MarkerFault::Indented),
        Rule::err_more_dashes => Some(MarkerFault::MoreDashes),
        Rule::err_trailing_blanks => Some(MarkerFault::TrailingBlanks),
        Rule::err_dots => Some(MarkerFault::Dots),
        Rule::err_run_on => Some(MarkerFault::RunOn),
        _ => None,
    }
}
