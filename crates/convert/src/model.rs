//! The document model: what the reader builds, transformations change, and writers write. Its blocks and
//! inlines are those of Pandoc, so that a document can be handed over to Pandoc without loss.

use crate::budget;

/// A position in one of the sources of a document: its own or an included file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) struct Place {
    /// Index of the source; 0 is the document itself.
    pub source: u32,
    /// Byte offset in the source.
    pub offset: u32,
}

/// Identifier, classes and key-value pairs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Attr {
    pub id: String,
    pub classes: Vec<String>,
    pub pairs: Vec<(String, String)>,
    pub place: Place,
}

impl Attr {
    /// Attributes with one class.
    pub(crate) fn class(name: &str) -> Self {
        Self { classes: vec![name.to_owned()], ..Self::default() }
    }

    /// Attributes with several classes, separated by spaces.
    pub(crate) fn classes(names: &str) -> Self {
        Self { classes: names.split_whitespace().map(str::to_owned).collect(), ..Self::default() }
    }

    /// Sets the identifier.
    pub(crate) fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Adds a key with its value.
    pub(crate) fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.pairs.push((key.to_owned(), value.into()));
        self
    }

    pub(crate) fn has_class(&self, name: &str) -> bool {
        self.classes.iter().any(|class| class == name)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Removes a key and gives its value.
    pub(crate) fn take(&mut self, key: &str) -> Option<String> {
        let at = self.pairs.iter().position(|(name, _)| name == key)?;
        Some(self.pairs.remove(at).1)
    }

    /// What a picture says to those who do not see it, where that is not its caption: `fig-alt`, or else `alt`.
    pub(crate) fn alternative(&self) -> Option<&str> {
        self.get("fig-alt").or_else(|| self.get("alt"))
    }

    /// Removes [`Self::alternative`] and gives it.
    pub(crate) fn take_alternative(&mut self) -> Option<String> {
        self.take("fig-alt").or_else(|| self.take("alt"))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.id.is_empty() && self.classes.is_empty() && self.pairs.is_empty()
    }
}

/// Where a link or an image leads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Target {
    pub url: String,
    pub title: String,
}

/// A citation or cross-reference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Citation {
    pub key: String,
    pub prefix: Vec<Inline>,
    pub suffix: Vec<Inline>,
    pub mode: CitationMode,
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CitationMode {
    /// `@key`
    InText,
    /// `[@key]`
    Normal,
    /// `[-@key]`
    SuppressAuthor,
}

/// A shortcode that the transformation replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shortcode {
    pub name: String,
    pub arguments: Vec<String>,
    pub options: Vec<(String, String)>,
    /// The text with its marks.
    pub text: String,
    pub place: Place,
}

impl Shortcode {
    pub(crate) fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// A part of a line. There are two for each word of a document, so what few of them have is boxed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Inline {
    Str(String),
    Space,
    SoftBreak,
    LineBreak,
    Emph(Vec<Inline>),
    Strong(Vec<Inline>),
    Underline(Vec<Inline>),
    Strikeout(Vec<Inline>),
    Superscript(Vec<Inline>),
    Subscript(Vec<Inline>),
    SmallCaps(Vec<Inline>),
    Code(Box<Attr>, String),
    /// TeX, on a line of its own or within a line.
    Math {
        display: bool,
        tex: String,
        place: Place,
    },
    /// Raw content of a format.
    Raw {
        format: String,
        text: String,
        place: Place,
    },
    Link(Box<Attr>, Vec<Inline>, Box<Target>),
    Image(Box<Attr>, Vec<Inline>, Box<Target>),
    Note(Vec<Block>),
    /// A reference to a note that is defined elsewhere; replaced when the document has been read.
    NoteReference(String, Place),
    Span(Box<Attr>, Vec<Inline>),
    Cite(Vec<Citation>, Vec<Inline>),
    Shortcode(Box<Shortcode>),
}

/// The inlines that surround others, as a pattern.
macro_rules! surrounding {
    ($inner:ident) => {
        Inline::Emph($inner)
            | Inline::Strong($inner)
            | Inline::Underline($inner)
            | Inline::Strikeout($inner)
            | Inline::Superscript($inner)
            | Inline::Subscript($inner)
            | Inline::SmallCaps($inner)
            | Inline::Link(_, $inner, _)
            | Inline::Image(_, $inner, _)
            | Inline::Span(_, $inner)
            | Inline::Cite(_, $inner)
    };
}

impl Inline {
    pub(crate) fn code(attr: impl Into<Box<Attr>>, text: String) -> Self {
        Self::Code(attr.into(), text)
    }

    pub(crate) fn span(attr: impl Into<Box<Attr>>, content: Vec<Inline>) -> Self {
        Self::Span(attr.into(), content)
    }

    pub(crate) fn link(
        attr: impl Into<Box<Attr>>,
        content: Vec<Inline>,
        target: impl Into<Box<Target>>,
    ) -> Self {
        Self::Link(attr.into(), content, target.into())
    }

    pub(crate) fn image(
        attr: impl Into<Box<Attr>>,
        content: Vec<Inline>,
        target: impl Into<Box<Target>>,
    ) -> Self {
        Self::Image(attr.into(), content, target.into())
    }

    /// The inlines that it surrounds; none for text, and for a note, which is elsewhere.
    pub(crate) fn inner(&self) -> &[Inline] {
        match self {
            surrounding!(inner) => inner,
            _ => &[],
        }
    }

    /// Like [`Self::inner`], to be changed.
    pub(crate) fn inner_mut(&mut self) -> &mut [Inline] {
        match self {
            surrounding!(inner) => inner,
            _ => &mut [],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NumberStyle {
    #[default]
    Decimal,
    LowerAlpha,
    UpperAlpha,
    LowerRoman,
    UpperRoman,
    Example,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NumberDelimiter {
    #[default]
    Period,
    OneParenthesis,
    TwoParentheses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Alignment {
    Left,
    Right,
    Center,
    #[default]
    Default,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    pub attr: Attr,
    pub blocks: Vec<Block>,
    pub columns: u32,
    pub rows: u32,
}

/// A table with rows of cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    pub attr: Attr,
    pub caption: Vec<Inline>,
    pub alignments: Vec<Alignment>,
    /// Shares of the width of the page, where columns have them.
    pub widths: Vec<Option<f64>>,
    pub head: Vec<Vec<Cell>>,
    pub rows: Vec<Vec<Cell>>,
}

/// How the items of a list are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbering {
    pub start: u32,
    pub style: NumberStyle,
    pub delimiter: NumberDelimiter,
}

#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::enum_variant_names, reason = "the names of Pandoc's model")]
pub(crate) enum Block {
    /// Text that is not a paragraph: in tight lists.
    Plain(Vec<Inline>),
    Para(Vec<Inline>),
    LineBlock(Vec<Vec<Inline>>),
    Code(Attr, String),
    Raw {
        format: String,
        text: String,
        place: Place,
    },
    Quote(Vec<Block>),
    OrderedList(Numbering, Vec<Vec<Block>>),
    BulletList(Vec<Vec<Block>>),
    DefinitionList(Vec<(Vec<Inline>, Vec<Vec<Block>>)>),
    Header(u8, Attr, Vec<Inline>),
    Rule,
    Table(Box<Table>),
    Figure(Attr, Vec<Inline>, Vec<Block>),
    Div(Attr, Vec<Block>),
}

/// Text of its words, one string per word as Pandoc has it.
pub(crate) fn words(text: &str) -> Vec<Inline> {
    let mut out = Vec::new();
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(Inline::Space);
        }
        if !word.is_empty() {
            out.push(Inline::Str(word.to_owned()));
        }
    }
    out
}

/// The text of inlines without marks.
pub(crate) fn plain(inlines: &[Inline]) -> String {
    let mut out = String::new();
    add_plain(inlines, &mut out);
    out
}

fn add_plain(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Str(text) | Inline::Code(_, text) | Inline::Math { tex: text, .. } => out.push_str(text),
            Inline::Space | Inline::SoftBreak | Inline::LineBreak => out.push(' '),
            other => add_plain(other.inner(), out),
        }
    }
}

/// The text of blocks without marks, with a space between blocks.
pub(crate) fn plain_blocks(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        match block {
            Block::Plain(inlines) | Block::Para(inlines) | Block::Header(_, _, inlines) => {
                add_plain(inlines, &mut out);
            }
            Block::LineBlock(lines) => lines.iter().for_each(|line| {
                add_plain(line, &mut out);
                out.push(' ');
            }),
            Block::Code(_, text) => out.push_str(text),
            Block::Quote(inner) | Block::Div(_, inner) | Block::Figure(_, _, inner) => {
                out.push_str(&plain_blocks(inner));
            }
            Block::OrderedList(_, items) | Block::BulletList(items) => {
                for item in items {
                    out.push_str(&plain_blocks(item));
                    out.push(' ');
                }
            }
            Block::DefinitionList(items) => {
                for (term, definitions) in items {
                    add_plain(term, &mut out);
                    for blocks in definitions {
                        out.push(' ');
                        out.push_str(&plain_blocks(blocks));
                    }
                }
            }
            Block::Table(table) => {
                for cell in table.head.iter().chain(&table.rows).flatten() {
                    out.push_str(&plain_blocks(&cell.blocks));
                    out.push(' ');
                }
            }
            Block::Raw { .. } | Block::Rule => {}
        }
    }
    out
}

/// The identifier that Pandoc gives a heading.
pub(crate) fn identifier(inlines: &[Inline]) -> String {
    let mut out = String::new();
    for c in plain(inlines).chars() {
        match c {
            c if c.is_whitespace() && (!out.ends_with('-') || out.is_empty()) => {
                out.push('-');
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => out.extend(c.to_lowercase()),
            _ => {}
        }
    }
    let start = out.find(|c: char| c.is_alphabetic());
    let cut = start.map_or(String::new(), |at| out[at..].trim_end_matches('-').to_owned());
    if cut.is_empty() { "section".to_owned() } else { cut }
}

/// Steps that rewriting a part takes.
const REWRITTEN: u64 = 2;

/// Changes every list of blocks and of inlines, the inner ones first. Ends with what it has when the budget is used up.
pub(crate) trait Rewrite {
    /// Replaces what is in a list of blocks, whose parts have been rewritten.
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        blocks
    }

    /// Replaces what is in a list of inlines, whose parts have been rewritten.
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        inlines
    }

    /// Rewrites blocks and everything in them.
    fn rewrite(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let within = |_: &Block| budget::charge(REWRITTEN);
        let inner = blocks.into_iter().take_while(within).map(|block| self.block(block)).collect();
        self.blocks(inner)
    }

    /// Rewrites inlines and everything in them.
    fn rewrite_inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let within = |_: &Inline| budget::charge(REWRITTEN);
        let inner = inlines.into_iter().take_while(within).map(|inline| self.inline(inline)).collect();
        self.inlines(inner)
    }

    /// Rewrites the parts of a block.
    fn block(&mut self, block: Block) -> Block {
        let items = |this: &mut Self, items: Vec<Vec<Block>>| -> Vec<Vec<Block>> {
            items.into_iter().map(|item| this.rewrite(item)).collect()
        };
        match block {
            Block::Plain(inner) => Block::Plain(self.rewrite_inlines(inner)),
            Block::Para(inner) => Block::Para(self.rewrite_inlines(inner)),
            Block::LineBlock(lines) => {
                Block::LineBlock(lines.into_iter().map(|line| self.rewrite_inlines(line)).collect())
            }
            Block::Quote(inner) => Block::Quote(self.rewrite(inner)),
            Block::OrderedList(numbering, list) => Block::OrderedList(numbering, items(self, list)),
            Block::BulletList(list) => Block::BulletList(items(self, list)),
            Block::DefinitionList(list) => {
                let list = list
                    .into_iter()
                    .map(|(term, definitions)| (self.rewrite_inlines(term), items(self, definitions)));
                Block::DefinitionList(list.collect())
            }
            Block::Header(level, attr, inner) => Block::Header(level, attr, self.rewrite_inlines(inner)),
            Block::Table(mut table) => {
                table.caption = self.rewrite_inlines(std::mem::take(&mut table.caption));
                for cell in table.head.iter_mut().chain(&mut table.rows).flatten() {
                    cell.blocks = self.rewrite(std::mem::take(&mut cell.blocks));
                }
                Block::Table(table)
            }
            Block::Figure(attr, caption, inner) => {
                Block::Figure(attr, self.rewrite_inlines(caption), self.rewrite(inner))
            }
            Block::Div(attr, inner) => Block::Div(attr, self.rewrite(inner)),
            Block::Code(..) | Block::Raw { .. } | Block::Rule => block,
        }
    }

    /// Rewrites the parts of an inline.
    fn inline(&mut self, inline: Inline) -> Inline {
        match inline {
            Inline::Emph(inner) => Inline::Emph(self.rewrite_inlines(inner)),
            Inline::Strong(inner) => Inline::Strong(self.rewrite_inlines(inner)),
            Inline::Underline(inner) => Inline::Underline(self.rewrite_inlines(inner)),
            Inline::Strikeout(inner) => Inline::Strikeout(self.rewrite_inlines(inner)),
            Inline::Superscript(inner) => Inline::Superscript(self.rewrite_inlines(inner)),
            Inline::Subscript(inner) => Inline::Subscript(self.rewrite_inlines(inner)),
            Inline::SmallCaps(inner) => Inline::SmallCaps(self.rewrite_inlines(inner)),
            Inline::Link(attr, inner, target) => Inline::Link(attr, self.rewrite_inlines(inner), target),
            Inline::Image(attr, inner, target) => Inline::Image(attr, self.rewrite_inlines(inner), target),
            Inline::Span(attr, inner) => Inline::Span(attr, self.rewrite_inlines(inner)),
            Inline::Cite(citations, inner) => {
                let citations = citations.into_iter().map(|citation| Citation {
                    prefix: self.rewrite_inlines(citation.prefix),
                    suffix: self.rewrite_inlines(citation.suffix),
                    ..citation
                });
                Inline::Cite(citations.collect(), self.rewrite_inlines(inner))
            }
            Inline::Note(blocks) => Inline::Note(self.rewrite(blocks)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_pandoc() {
        assert_eq!(identifier(&words("1. My *New* Heading!")), "my-new-heading");
        assert_eq!(identifier(&words("123")), "section");
        assert_eq!(identifier(&words("R&D costs")), "rd-costs");
    }
}
