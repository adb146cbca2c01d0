use std::borrow::Cow;

use crate::text::Span;

/// One thing that a YAML text says, with its place in the fragment.
#[derive(Debug, Clone)]
pub(super) struct Event<'t> {
    pub(super) what: What<'t>,
    /// Bytes of the fragment, without anchor and tag. The end of a collection is not known here.
    pub(super) span: Span,
    /// Number of the anchor on this node, counted from 1; 0 without one.
    pub(super) anchor: usize,
    pub(super) tag: Option<Box<Tag>>,
}

/// The kinds of [`Event`].
#[derive(Debug, Clone)]
pub(super) enum What<'t> {
    Scalar { text: Cow<'t, str>, style: Style },
    Sequence { flow: bool },
    Mapping { flow: bool },
    /// End of the innermost collection; its place is the closing bracket where there is one.
    End,
    /// The node that has the anchor with this number.
    Alias(usize),
    /// The name of an anchor that stands nowhere before.
    UnknownAlias(Cow<'t, str>),
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

impl<'t> Event<'t> {
    /// An event without anchor and tag.
    pub(super) fn new(what: What<'t>, span: Span) -> Self {
        Self { what, span, anchor: 0, tag: None }
    }
}
