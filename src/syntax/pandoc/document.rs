use std::ops::Range;

use super::{
    attributes::Attributes,
    shortcodes::{Shortcode, Shortcodes},
};
use crate::syntax::commonmark::{Fence, Outline};

/// The parts of a document, each kind in the order of the source.
#[derive(Debug, Default)]
pub(crate) struct Pandoc {
    /// The YAML at the start.
    pub(crate) header: Option<Header>,
    pub(crate) divs: Vec<Div>,
    pub(crate) headings: Vec<Heading>,
    pub(crate) code: Vec<CodeBlock>,
    /// Links, images and spans.
    pub(crate) links: Vec<Link>,
    /// Code within a line that has attributes or is executed.
    pub(crate) spans: Vec<CodeSpan>,
    /// Display math with attributes.
    pub(crate) equations: Vec<Equation>,
    /// Attributes that belong to none of these: mostly those of captions.
    pub(crate) loose: Vec<Loose>,
    pub(crate) citations: Vec<Citation>,
    /// References to notes.
    pub(crate) notes: Vec<Footnote>,
    /// Definitions of notes.
    pub(crate) note_definitions: Vec<Footnote>,
    pub(crate) shortcodes: Vec<Shortcode>,
    /// Raw HTML blocks with verbatim content, TeX environments.
    pub(crate) raw: Vec<Range<usize>>,
    pub(crate) slips: Vec<Slip>,
    /// Comments, paragraphs and longer code, for readers of any Markdown.
    pub(crate) outline: Outline,
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
pub(crate) struct Header {
    /// The opening line.
    pub(crate) opener: Range<usize>,
    pub(crate) content: Range<usize>,
    /// The closing line, where there is one.
    pub(crate) closer: Option<Range<usize>>,
}

/// A fenced div.
#[derive(Debug, Clone)]
pub(crate) struct Div {
    /// The opening line, without the whitespace around it.
    pub(crate) opener: Range<usize>,
    /// The colons that open it.
    pub(crate) marker: Range<usize>,
    pub(crate) attributes: Option<Attributes>,
    /// The class of `::: class`.
    pub(crate) word: Option<Range<usize>>,
    /// The colons that close it.
    pub(crate) closer: Option<Range<usize>>,
    /// The div around it.
    pub(crate) parent: Option<usize>,
    /// How many divs are around it.
    pub(crate) depth: usize,
}

/// A heading.
#[derive(Debug, Clone)]
pub(crate) struct Heading {
    pub(crate) range: Range<usize>,
    pub(crate) level: u8,
    /// Its text, without marks and attributes.
    pub(crate) words: Range<usize>,
    pub(crate) attributes: Option<Attributes>,
    /// The div around it.
    pub(crate) div: Option<usize>,
}

/// A fenced code block.
#[derive(Debug, Clone)]
pub(crate) struct CodeBlock {
    pub(crate) fence: Fence,
    pub(crate) attributes: Option<Attributes>,
    /// Whether it is raw content of a format: `{=html}`.
    pub(crate) raw: bool,
    /// The div around it.
    pub(crate) div: Option<usize>,
}

/// What a pair of brackets is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Link,
    Image,
    Span,
}

/// A link, an image or a span.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) kind: LinkKind,
    pub(crate) range: Range<usize>,
    /// What is between the brackets.
    pub(crate) words: Range<usize>,
    /// The target, without a title; absent for spans.
    pub(crate) target: Option<Range<usize>>,
    pub(crate) attributes: Option<Attributes>,
    /// The div around it.
    pub(crate) div: Option<usize>,
}

/// Code within a line.
#[derive(Debug, Clone)]
pub(crate) struct CodeSpan {
    pub(crate) range: Range<usize>,
    pub(crate) content: Range<usize>,
    pub(crate) attributes: Option<Attributes>,
    /// The format of raw content: `` `<br>`{=html} ``.
    pub(crate) raw: Option<Range<usize>>,
}

/// Display math with attributes.
#[derive(Debug, Clone)]
pub(crate) struct Equation {
    pub(crate) range: Range<usize>,
    pub(crate) attributes: Attributes,
    /// The div around it.
    pub(crate) div: Option<usize>,
}

/// Attributes that follow no heading, link, image, code or math.
#[derive(Debug, Clone)]
pub(crate) struct Loose {
    pub(crate) attributes: Attributes,
    /// Whether the paragraph is the caption of a table.
    pub(crate) caption: bool,
    /// The div around it.
    pub(crate) div: Option<usize>,
}

/// A citation or a cross-reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Citation {
    /// The key, without `@`.
    pub(crate) key: Range<usize>,
    /// Whether it is in brackets.
    pub(crate) bracketed: bool,
}

/// A reference to a note or the definition of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Footnote {
    pub(crate) range: Range<usize>,
    /// The name, without brackets and caret.
    pub(crate) name: Range<usize>,
}

/// Something that is not what its author likely meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slip {
    pub(crate) kind: SlipKind,
    pub(crate) range: Range<usize>,
    /// Another part that it is about.
    pub(crate) other: Option<Range<usize>>,
}

/// The ways in which marks can miss what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlipKind {
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
    /// A heading within a paragraph.
    HeadingInParagraph,
    /// A comment that nothing closes.
    UnclosedComment,
}
