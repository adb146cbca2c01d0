use std::ops::Range;

use super::{
    attributes::Attributes,
    shortcodes::{Shortcode, Shortcodes},
};
use crate::commonmark::{Fence, Outline};

/// The parts of a document, each kind in the order of the source.
#[derive(Debug, Default)]
pub struct Pandoc {
    /// The YAML at the start.
    pub header: Option<Header>,
    pub divs: Vec<Div>,
    pub headings: Vec<Heading>,
    pub code: Vec<CodeBlock>,
    /// Links, images and spans.
    pub links: Vec<Link>,
    /// Code within a line that has attributes or is executed.
    pub spans: Vec<CodeSpan>,
    /// Display math with attributes.
    pub equations: Vec<Equation>,
    /// Attributes that belong to none of these: mostly those of captions.
    pub loose: Vec<Loose>,
    pub citations: Vec<Citation>,
    /// References to notes.
    pub notes: Vec<Footnote>,
    /// Definitions of notes.
    pub note_definitions: Vec<Footnote>,
    pub shortcodes: Vec<Shortcode>,
    /// Raw HTML blocks with verbatim content, TeX environments.
    pub raw: Vec<Range<usize>>,
    pub slips: Vec<Slip>,
    /// Comments, paragraphs and longer code, for readers of any Markdown.
    pub outline: Outline,
}

impl Pandoc {
    /// Takes in the shortcodes of the text.
    pub(super) fn add_shortcodes(&mut self, found: Shortcodes) {
        self.shortcodes = found.all;
        let slip = |range| Slip { kind: SlipKind::UnclosedShortcode, range, other: None };
        self.slips.extend(found.unclosed.into_iter().map(slip));
    }

    /// Records something that was likely meant as another thing than it is.
    pub(super) fn slip(&mut self, kind: SlipKind, range: Range<usize>) {
        self.slips.push(Slip { kind, range, other: None });
    }
}

/// YAML between two lines of dashes at the start of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The opening line.
    pub opener: Range<usize>,
    pub content: Range<usize>,
    /// The closing line, where there is one.
    pub closer: Option<Range<usize>>,
    /// Where there is none, a line at the end of the content that was meant as one, such as `--`.
    pub near_closer: Option<Range<usize>>,
}

/// A fenced div.
#[derive(Debug, Clone)]
pub struct Div {
    /// The opening line, without the whitespace around it.
    pub opener: Range<usize>,
    /// The colons that open it.
    pub marker: Range<usize>,
    pub attributes: Option<Attributes>,
    /// The class of `::: class`.
    pub word: Option<Range<usize>>,
    /// The colons that close it.
    pub closer: Option<Range<usize>>,
    /// The div around it.
    pub parent: Option<usize>,
    /// How many divs are around it.
    pub depth: usize,
}

/// A heading.
#[derive(Debug, Clone)]
pub struct Heading {
    pub range: Range<usize>,
    pub level: u8,
    /// Its text, without marks and attributes.
    pub words: Range<usize>,
    pub attributes: Option<Attributes>,
    /// The div around it.
    pub div: Option<usize>,
}

/// A fenced code block.
#[derive(Debug, Clone)]
pub struct CodeBlock {
    pub fence: Fence,
    pub attributes: Option<Attributes>,
    /// Whether it is raw content of a format: `{=html}`.
    pub raw: bool,
    /// The div around it.
    pub div: Option<usize>,
}

/// What a pair of brackets is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    Link,
    Image,
    Span,
}

/// A link, an image or a span.
#[derive(Debug, Clone)]
pub struct Link {
    pub kind: LinkKind,
    pub range: Range<usize>,
    /// What is between the brackets.
    pub words: Range<usize>,
    /// The target, without a title; absent for spans.
    pub target: Option<Range<usize>>,
    pub attributes: Option<Attributes>,
    /// The div around it.
    pub div: Option<usize>,
}

/// Code within a line.
#[derive(Debug, Clone)]
pub struct CodeSpan {
    pub range: Range<usize>,
    pub content: Range<usize>,
    pub attributes: Option<Attributes>,
    /// The format of raw content: `` `<br>`{=html} ``.
    pub raw: Option<Range<usize>>,
}

/// Display math with attributes.
#[derive(Debug, Clone)]
pub struct Equation {
    pub range: Range<usize>,
    pub attributes: Attributes,
    /// The div around it.
    pub div: Option<usize>,
}

/// Attributes that follow no heading, link, image, code or math.
#[derive(Debug, Clone)]
pub struct Loose {
    pub attributes: Attributes,
    /// Whether the paragraph is the caption of a table.
    pub caption: bool,
    /// The div around it.
    pub div: Option<usize>,
}

/// A citation or a cross-reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The key, without `@`.
    pub key: Range<usize>,
    /// Whether it is in brackets.
    pub bracketed: bool,
}

/// A reference to a note or the definition of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footnote {
    pub range: Range<usize>,
    /// The name, without brackets and caret.
    pub name: Range<usize>,
}

/// Something that is not what its author likely meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    pub kind: SlipKind,
    pub range: Range<usize>,
    /// Another part that it is about.
    pub other: Option<Range<usize>>,
}

/// The ways in which marks can miss what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlipKind {
    /// Braces with attributes that nothing closes.
    UnclosedAttributes,
    /// Braces of a div that hold something else than attributes.
    UnreadAttributes,
    /// A shortcode without closing marks.
    UnclosedShortcode,
    /// The target of an image without `)`.
    UnclosedImage,
    /// The target of a link without `)`.
    UnclosedLink,
    /// A line of colons that closes nothing.
    SurplusDivEnd,
    /// A line that would open a div, but has further text.
    DivWithText,
    /// A line that would open a div within a paragraph.
    DivInParagraph,
    /// A line that would open a div, but is indented.
    IndentedDiv,
    /// A heading within a paragraph.
    HeadingInParagraph,
    /// A comment that nothing closes.
    UnclosedComment,
    /// Cells of a row of a table after its last column.
    SurplusCells,
}
