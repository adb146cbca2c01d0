use std::borrow::Cow;

use crate::text::Span;

/// One thing that a YAML text says, with its place in the fragment.
#[derive(Debug, Clone)]
pub(super) struct Event<'t> {
    pub(super) what: What<'t>,
    /// Bytes of the fragment. The end of a block collection is that of its last child and unknown
    /// here.
    pub(super) span: Span,
    /// Number of the anchor on this node, counted from 1; 0 without one.
    pub(super) anchor: usize,
    pub(super) tag: Option<Box<Tag>>,
}

/// The kinds of [`Event`].
#[derive(Debug, Clone)]
pub(super) enum What<'t> {
    Scalar {
        text: Cow<'t, str>,
        style: Style,
    },
    Sequence {
        flow: bool,
    },
    Mapping {
        flow: bool,
    },
    /// End of the innermost collection.
    End,
    /// The node that has the anchor with this number.
    Alias(usize),
    /// The name of an anchor that stands nowhere before.
    UnknownAlias(Cow<'t, str>),
    /// A comment with its `#`.
    Comment,
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

/// Why no further event could be read.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    /// Byte of the fragment where the parser gave up.
    pub(super) at: usize,
    pub(super) kind: FaultKind,
    /// What the parser says about it.
    pub(super) detail: String,
}

/// What the parser gave up on, as far as the reader distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    TooDeep,
    Other,
}

/// A YAML parser: text to events. Everything else in this folder knows only this.
pub(super) trait Events<'t> {
    /// The next event; nothing after the end of the text or after a fault.
    fn next_event(&mut self) -> Option<Result<Event<'t>, Fault>>;
}
