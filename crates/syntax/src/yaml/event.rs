use std::borrow::Cow;

use crate::text::Span;

/// The text of a scalar.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// The text of a span of the fragment.
    Slice(Span),
    /// Text that differs from the fragment, such as unescaped text.
    Copy(String),
}

impl Text {
    /// The text, given that of the fragment.
    pub(super) fn of<'t>(&'t self, fragment: &'t str) -> &'t str {
        match self {
            Self::Slice(span) => span.of(fragment),
            Self::Copy(text) => text,
        }
    }

    /// Whether it is `other`, given the text of the fragment.
    pub(super) fn is(&self, other: &str, fragment: &str) -> bool {
        match self {
            Self::Slice(span) => fragment.as_bytes().get(span.range()) == Some(other.as_bytes()),
            Self::Copy(text) => text == other,
        }
    }

    /// Like [`Self::of`], moving the copy if there is one.
    pub(super) fn into_cow(self, fragment: &str) -> Cow<'_, str> {
        match self {
            Self::Slice(span) => Cow::Borrowed(span.of(fragment)),
            Self::Copy(text) => Cow::Owned(text),
        }
    }
}

/// An event of a YAML text, with its position in the fragment.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) what: What,
    /// Bytes of the fragment, without anchor and tag. A collection has no end yet.
    pub(super) span: Span,
    /// Number of the anchor of this node, from 1; 0 without an anchor.
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
    /// End of the innermost collection; its span is the closing bracket if there is one.
    End,
    /// An alias for the anchor with this number.
    Alias(usize),
    /// An alias for an anchor that is not declared before it.
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
    /// The name with its handle resolved: `tag:yaml.org,2002:int` or `!local`.
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
