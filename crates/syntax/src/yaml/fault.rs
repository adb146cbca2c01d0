/// A syntax error, which stops the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte of the fragment where the parser stopped.
    pub(super) at: usize,
    /// Start of the construct that could not be completed; otherwise the same as `at`.
    pub(super) context: usize,
    /// Whether the scanner was inside brackets.
    pub(super) flow: bool,
    /// Start of the last multi-line quoted scalar, if it ends on the line of the error.
    pub(super) quote: Option<usize>,
    pub(super) problem: Problem,
}

impl Fault {
    pub(super) fn new(problem: Problem, at: usize) -> Self {
        Self { at, context: at, flow: false, quote: None, problem }
    }

    pub(super) fn inside(problem: Problem, context: usize, at: usize) -> Self {
        Self { at, context, flow: false, quote: None, problem }
    }
}

/// What stopped the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// A character that YAML does not allow.
    ControlCharacter,
    /// A character that cannot start a token: a tab, `@`, `` ` ``, `%`.
    NoToken,
    /// `- ` where no list can start.
    EntryNotAllowed,
    /// `? ` where no key can start.
    KeyNotAllowed,
    /// `: ` where no key can precede it.
    ValueNotAllowed,
    /// A line that must be a key has no colon.
    ExpectedColon,
    /// `&` without a name.
    AnchorName,
    /// `*` without a name.
    AliasName,
    Tag,
    UndefinedTagHandle,
    Directive,
    BlockScalarHeader,
    BlockScalarTab,
    DocumentMarkInQuotes,
    UnclosedQuote,
    /// A backslash in double quotes before a character that cannot be escaped.
    Escape,
    /// `\x`, `\u` or `\U` without its digits, or with digits that are not those of a character.
    EscapeDigits,
    /// A colon in a flow collection before a bracket, comma or question mark.
    FlowColon,
    /// A tab in the indentation of a continued plain scalar.
    TabInPlain,
    ExpectedDocumentStart,
    ExpectedNode,
    /// In a block sequence, something other than `- `.
    ExpectedEntry,
    /// In a block mapping, something other than a key.
    ExpectedKey,
    /// In `[`, something other than `,` or `]`.
    ExpectedSequenceEnd,
    /// In `{`, something other than `,` or `}`.
    ExpectedMappingEnd,
    /// A duplicate anchor, which only `PyYAML` rejects.
    AnchorTwice,
    TooDeep,
}

impl Problem {
    /// The message of `libyaml`.
    pub(super) fn detail(self) -> &'static str {
        match self {
            Self::ControlCharacter => "control characters are not allowed",
            Self::NoToken => "found character that cannot start any token",
            Self::EntryNotAllowed => "block sequence entries are not allowed in this context",
            Self::KeyNotAllowed => "mapping keys are not allowed in this context",
            Self::ValueNotAllowed => "mapping values are not allowed in this context",
            Self::ExpectedColon => "could not find expected ':'",
            Self::AnchorName | Self::AliasName => "did not find expected alphabetic or numeric character",
            Self::Tag => "did not find a well-formed tag",
            Self::UndefinedTagHandle => "found undefined tag handle",
            Self::Directive => "did not find a well-formed directive",
            Self::BlockScalarHeader => "did not find expected comment or line break",
            Self::BlockScalarTab => "found a tab character where an indentation space is expected",
            Self::DocumentMarkInQuotes => "found unexpected document indicator",
            Self::UnclosedQuote => "found unexpected end of stream",
            Self::Escape => "found unknown escape character",
            Self::EscapeDigits => "did not find expected hexadecimal number",
            Self::FlowColon => "found unexpected ':'",
            Self::TabInPlain => "found a tab character that violates indentation",
            Self::ExpectedDocumentStart => "did not find expected <document start>",
            Self::ExpectedNode => "did not find expected node content",
            Self::ExpectedEntry => "did not find expected '-' indicator",
            Self::ExpectedKey => "did not find expected key",
            Self::ExpectedSequenceEnd => "did not find expected ',' or ']'",
            Self::ExpectedMappingEnd => "did not find expected ',' or '}'",
            Self::AnchorTwice => "found duplicate anchor",
            Self::TooDeep => "nested too deeply",
        }
    }
}
