use std::borrow::Cow;

use super::super::event::Style;
use crate::text::Span;

/// A token with its place in the fragment.
#[derive(Debug)]
pub(in super::super) struct Token<'t> {
    pub(in super::super) what: Lexeme<'t>,
    pub(in super::super) span: Span,
}

/// The kinds of [`Token`].
#[derive(Debug)]
pub(in super::super) enum Lexeme<'t> {
    StreamEnd,
    Version { major: u32, minor: u32 },
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
    Scalar(Cow<'t, str>, Style),
}

/// A tag as it is written, or a `%TAG` directive.
#[derive(Debug)]
pub(in super::super) struct TagParts {
    /// `!`, `!!`, `!name!`; empty for a verbatim tag.
    pub(in super::super) handle: String,
    /// What follows the handle, with its escapes decoded; the prefix of a directive.
    pub(in super::super) suffix: String,
}
