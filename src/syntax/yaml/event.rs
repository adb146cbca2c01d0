use std::borrow::Cow;

use crate::text::Span;

/// The text of a scalar.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// What stands at a span of the fragment.
    Slice(Span),
    /// What stands nowhere as such.
    Copy(String),
}

impl Text {
    /// The text, given the fragment's.
    pub(super) fn of<'t>(&'t self, fragment: &'t str) -> &'t str {
        match self {
            Self::Slice(span) => span.of(fragment),
            Self::Copy(text) => text,
        }
    }

    /// The same, with its own copy where it has one.
    pub(super) fn into_cow(self, fragment: &str) -> Cow<'_, str> {
        match self {
            Self::Slice(span) => Cow::Borrowed(span.of(fragment)),
            Self::Copy(text) => Cow::Owned(text),
        }
    }
}

/// One thing that a YAML text says, with its place in the fragment.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) what: What,
    /// Bytes of the fragment, without anchor and tag. The end of a collection is not known here.
    pub(super) span: Span,
    /// Number of the anchor on this node, counted from 1; 0 without one.
    pub(super) anchor: usize,
    pub(super) tag: Option<Box<Tag>>,
}

/// The kinds of [`Event`].
#[derive(Debug, Clone)]
pub(super) enum What {
    Scalar {
        text: Text,
        style: Style,
    },
    Sequence {
        flow: bool,
    },
    Mapping {
        flow: bool,
    },
    /// End of the innermost collection; its place is the closing bracket where there is one.
    End,
    /// The node that has the anchor with this number.
    Alias(usize),
    /// An alias for an anchor that stands nowhere before.
    UnknownAlias,
    DocumentStart,
    DocumentEnd,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

/// A tag of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    /// With its handle resolved: `tag:yaml.org,2002:int` or `!local`.
    pub(super) name: String,
    /// Bytes of the fragment.
    pub(super) span: Span,
}

impl Event {
    /// An event without anchor and tag.
    pub(super) fn new(what: What, span: Span) -> Self {
        Self { what, span, anchor: 0, tag: None }
    }
}
