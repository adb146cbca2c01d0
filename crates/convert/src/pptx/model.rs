//! What slides consist of, between the blocks of a document and the XML of a presentation: shapes with paragraphs, which
//! have runs of text. Lengths are in English Metric Units, sizes of text in hundredths of a point.

use crate::model::{Alignment, Numbering};

/// A rectangle in English Metric Units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rect {
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

/// A place that slides fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    /// `title`, `ctrTitle`, `subTitle`, `body`, `obj`, `pic`, `dt`, `ftr`, `sldNum`.
    pub kind: String,
    pub index: Option<String>,
    pub rect: Rect,
    pub sizes: TextSizes,
}

impl Placeholder {
    /// Whether it takes text and other content.
    pub fn takes_content(&self) -> bool {
        matches!(self.kind.as_str(), "body" | "obj")
    }

    pub fn is_title(&self) -> bool {
        matches!(self.kind.as_str(), "title" | "ctrTitle")
    }
}

/// Sizes of text by its level, in hundredths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSizes(pub(super) [u32; 4]);

impl TextSizes {
    /// The sizes of text that no placeholder and no master gives another size.
    pub(super) const USUAL: Self = Self([1800; 4]);

    /// The size of a level, which begins with 0.
    pub(super) fn of(self, level: u32) -> u32 {
        self.0[(level as usize).min(self.0.len() - 1)]
    }

    /// Some percent of the sizes, in whole points.
    pub(super) fn scaled(self, percent: u32) -> Self {
        Self(self.0.map(|size| (size * percent / 10_000).max(1) * 100))
    }
}

/// What a part of a presentation refers to: its `n`-th relationship, which begins with 1, has the id `rIdn`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relationship {
    /// The type, without what all types begin with.
    pub(super) kind: &'static str,
    pub(super) target: String,
    /// Whether it leads out of the file.
    pub(super) is_external: bool,
}

/// A slide.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub(super) background: Option<Background>,
    pub(super) shapes: Vec<Shape>,
    pub(super) steps: Option<Steps>,
    /// Whether its background is dark, where it has one of its own.
    pub(super) is_dark: Option<bool>,
}

/// The background of a slide that has one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Background {
    Color([u8; 3]),
    /// The relationship of a picture.
    Picture(usize),
}

/// Paragraphs of a shape that appear one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) shape: u32,
    /// The paragraphs with which a step begins.
    pub(super) starts: Vec<usize>,
    /// How many paragraphs the shape has.
    pub(super) paragraphs: usize,
}

/// A shape with its number, which no other shape of the slide has.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) id: u32,
    pub(super) kind: ShapeKind,
}

#[derive(Debug)]
pub(super) enum ShapeKind {
    /// What fills a placeholder; with a rectangle it has another place than in the layout.
    Filled { placeholder: Placeholder, rect: Option<Rect>, text: Frame },
    /// Text that is in no placeholder.
    Text { rect: Rect, look: Look, text: Frame },
    /// A picture.
    Picture { rect: Rect, relationship: usize, alternative: String },
    /// A table.
    Table { rect: Rect, table: Table },
}

/// How text looks that is in no placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Lines.
    Lines,
    /// Content, with marks of lists.
    Content,
    /// A callout: dark text on a ground, with a line around it. Colors in hexadecimal digits.
    Callout { line: &'static str, ground: &'static str },
}

/// The text of a shape.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) paragraphs: Vec<Paragraph>,
    /// The percentage of the size that the text has, where it has not its own.
    pub(super) scale: Option<u32>,
}

impl Frame {
    pub(super) fn new(paragraphs: Vec<Paragraph>) -> Self {
        Self { paragraphs, scale: None }
    }
}

/// A table, which is as wide as its columns and as high as its rows.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<i64>,
    /// Whether its first row is a head.
    pub(super) has_head: bool,
    pub(super) rows: Vec<Row>,
    /// Between the text of a cell and the rows around it.
    pub(super) margin: i64,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) height: i64,
    pub(super) cells: Vec<Cell>,
}

#[derive(Debug)]
pub(super) struct Cell {
    /// How many columns it has.
    pub(super) span: usize,
    pub(super) paragraphs: Vec<Paragraph>,
}

/// A paragraph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Paragraph {
    /// Begins with 0.
    pub(super) level: u32,
    pub(super) bullet: Bullet,
    pub(super) alignment: Alignment,
    pub(super) pieces: Vec<Piece>,
}

impl Paragraph {
    fn has_formulas(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Formula { .. }))
    }
}

/// How a paragraph begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Bullet {
    /// As the shape has it.
    #[default]
    Inherited,
    None,
    Mark,
    Number(Numbering),
    /// Indented as the text of an item, without a mark.
    Continued,
}

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Run(Run),
    Break,
    /// A formula as Office math, and what programs show that do not know it.
    Formula {
        math: String,
        shown: Vec<Run>,
    },
    /// The number of the slide, which programs update. On a ground of the slide's own it has the color of its text: not all
    /// programs exchange the colors that a layout names.
    SlideNumber {
        number: usize,
        has_own_ground: bool,
    },
}

/// Text of one look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) style: Style,
    pub(super) size: Option<u32>,
}

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent properties of text")]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) strike: bool,
    pub(super) underline: bool,
    pub(super) code: bool,
    /// Thousandths of a percent by which it is raised or lowered.
    pub(super) baseline: i32,
    pub(super) link: Option<Link>,
    pub(super) caps: bool,
}

/// What a click on text leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) relationship: usize,
    /// Whether it is a slide of the deck.
    pub(super) is_slide: bool,
}

impl ShapeKind {
    pub(super) fn has_formulas(&self) -> bool {
        let of = |paragraphs: &[Paragraph]| paragraphs.iter().any(Paragraph::has_formulas);
        match self {
            Self::Filled { text, .. } | Self::Text { text, .. } => of(&text.paragraphs),
            Self::Table { table, .. } => {
                table.rows.iter().flat_map(|row| &row.cells).any(|cell| of(&cell.paragraphs))
            }
            Self::Picture { .. } => false,
        }
    }
}
