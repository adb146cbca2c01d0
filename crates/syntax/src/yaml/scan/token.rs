use super::super::event::{Style, Text};
use crate::text::Span;

/// A token with its position in the fragment.
#[derive(Debug)]
pub(in super::super) struct Token {
    pub(in super::super) what: Lexeme,
    pub(in super::super) span: Span,
}

/// The kinds of [`Token`].
#[derive(Debug)]
pub(in super::super) enum Lexeme {
    StreamEnd,
    Version {
        major: u32,
        minor: u32,
    },
    TagDirective(Box<TagParts>),
    UnknownDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    /// The name follows the first byte of the span.
    Alias,
    /// The name follows the first byte of the span.
    Anchor,
    Tag(Box<TagParts>),
    Scalar(Text, Style),
}

/// A tag as written, or a `%TAG` directive.
#[derive(Debug)]
pub(in super::super) struct TagParts {
    /// `!`, `!!`, `!name!`; empty for a verbatim tag.
    pub(in super::super) handle: String,
    /// What follows the handle, with its escapes decoded; the prefix of a directive.
    pub(in super::super) suffix: String,
}
