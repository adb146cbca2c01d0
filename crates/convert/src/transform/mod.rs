//! What only Quarto has, replaced by what every format has: shortcodes, conditional content, cells, callouts,
//! tabsets, numbered figures and their references. What a format cannot keep is recorded as a [`Loss`].

mod annotations;
pub(crate) mod callouts;
mod cards;
mod cells;
mod conditions;
mod crossrefs;
mod diagrams;
mod formulas;
mod html_tables;
mod interpreted;
mod landscape;
mod latex;
mod lightbox;
mod margins;
mod nested_notes;
mod notes;
mod panels;
mod shortcodes;
mod strings;
mod table_widths;
mod titles;
mod typst;
mod words;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

pub(crate) use self::crossrefs::Numbered;
pub(crate) use self::interpreted::{blocks_of as pandoc_blocks, in_line as pandoc_inlines};
pub(crate) use self::typst::{values as typst_values, with_pictures as with_typst_pictures};
use super::{
    brand::{Brand, Mode},
    formats::{Engine, Family, Format},
    images::Pictures,
    metadata::Metadata,
    model::{Block, Inline, Place, Rewrite},
    weight::Weight,
    worker::{MissingGlyphs, PictureKind, RenderWorker},
};
use crate::budget;

/// What begins the appendices of a book in Typst: a function of the template.
pub(crate) const APPENDICES: &str = "#show: appendices";

/// Something that the result does not have as the document says it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Loss {
    pub place: Place,
    pub kind: LossKind,
    /// What it is about, such as the name of a shortcode.
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LossKind {
    /// Content that is left out.
    Dropped,
    /// Content that is there, but not as it was meant.
    Simplified,
    /// A cell that is shown and not executed.
    NotExecuted,
    /// A reference to something that the document does not have.
    Unresolved,
    /// A key of the header that is refused.
    Ignored,
    /// An option that nothing honors for the format.
    NoEffect,
    /// Blocks that are nested too deeply.
    TooDeep,
    /// A layout that a template does not have.
    LayoutMissing,
    /// Text that is larger than its place on a slide.
    Overflow,
    /// A diagram that the program that draws refuses.
    NotDrawn,
    /// A diagram without a program that draws it.
    NoRenderer,
    /// A page of a website or a book that is converted without the others.
    Alone,
    /// Something that does not fit on a page.
    DoesNotFit,
}

/// Most losses of a kind that are described; further ones are counted.
const DESCRIBED: usize = 1_000;

/// What a conversion has lost so far, each loss once.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    listed: Vec<Loss>,
    known: HashSet<Loss>,
    /// How many losses there are of each kind.
    counts: HashMap<LossKind, usize>,
}

impl Losses {
    pub(crate) fn push(&mut self, loss: Loss) {
        if self.known.contains(&loss) {
            return;
        }
        let count = self.counts.entry(loss.kind).or_default();
        *count += 1;
        if *count <= DESCRIBED && budget::allocate(2 * (size_of::<Loss>() + loss.what.len())) {
            self.known.insert(loss.clone());
            self.listed.push(loss);
        }
    }

    pub(crate) fn extend(&mut self, losses: impl IntoIterator<Item = Loss>) {
        losses.into_iter().for_each(|loss| self.push(loss));
    }

    /// The losses in their order, with those that are only counted.
    pub(crate) fn listed(&self) -> Vec<Loss> {
        let mut listed = self.listed.clone();
        let mut further: Vec<Loss> = self
            .counts
            .iter()
            .filter(|(_, count)| **count > DESCRIBED)
            .map(|(kind, count)| Loss {
                place: Place::default(),
                kind: *kind,
                what: format!("{} more", count - DESCRIBED),
            })
            .collect();
        further.sort_by(|a, b| a.what.cmp(&b.what));
        listed.append(&mut further);
        listed
    }
}

/// What the transformation of a document knows.
pub(crate) struct Context<'c> {
    pub format: &'c Format,
    pub engine: Engine,
    pub metadata: &'c Metadata,
    /// Variables of the project, from `_variables.yml`.
    pub variables: &'c Value,
    /// Colors and logos.
    pub brand: &'c Brand,
    /// What draws diagrams.
    pub worker: Option<&'c dyn RenderWorker>,
    /// The kind of picture that the result can have inside its file.
    pub picture_kind: Option<PictureKind>,
    /// The pictures that the result has inside its file.
    pub pictures: Pictures,
    pub losses: Losses,
    /// Characters of pages and diagrams that no font has.
    pub missing_glyphs: Vec<MissingGlyphs>,
    /// Whether Typst resolves the citations.
    pub native_citations: bool,
    /// Lines that the head of a LaTeX or Typst document needs.
    pub preamble: Vec<String>,
    /// The number of the chapter of a book that the document is.
    pub chapter: Option<String>,
    /// What other pages of the project have that can be referred to.
    pub elsewhere: Option<&'c dyn Elsewhere>,
    /// Labels of the page that are not among its blocks, such as that of its title.
    pub own_labels: HashMap<String, Numbered>,
    /// Whether the labels of the document are wanted, and those that were found.
    pub exports_labels: bool,
    pub labels: HashMap<String, Numbered>,
}

/// What other pages of a project have that can be referred to.
pub(crate) trait Elsewhere {
    /// Whether a page has a label.
    fn has(&self, label: &str) -> bool;

    /// The address of the page that has a label, and its number.
    fn find(&self, label: &str) -> Option<(String, Numbered)>;
}

impl<'c> Context<'c> {
    /// The context of a document that is not a page of a website or a book.
    pub(crate) fn new(
        (format, engine): (&'c Format, Engine),
        metadata: &'c Metadata,
        variables: &'c Value,
        brand: &'c Brand,
    ) -> Self {
        Self {
            format,
            engine,
            metadata,
            variables,
            brand,
            worker: None,
            picture_kind: None,
            pictures: Pictures::default(),
            losses: Losses::default(),
            missing_glyphs: Vec::new(),
            native_citations: false,
            preamble: Vec::new(),
            chapter: None,
            elsewhere: None,
            own_labels: HashMap::new(),
            exports_labels: false,
            labels: HashMap::new(),
        }
    }
}

impl Context<'_> {
    pub(crate) fn family(&self) -> Family {
        self.format.family
    }

    fn is_html(&self) -> bool {
        matches!(self.family(), Family::Html | Family::Epub)
    }

    /// Whether the document is light or dark, where it is only one of them.
    pub(crate) fn brand_mode(&self) -> Mode {
        if self.metadata.text("brand-mode") == Some("dark") { Mode::Dark } else { Mode::Light }
    }

    /// Adds a line to the head of a LaTeX or Typst document.
    fn preamble(&mut self, line: &str) {
        if !self.preamble.iter().any(|known| known == line) {
            self.preamble.push(line.to_owned());
        }
    }

    fn lose(&mut self, kind: LossKind, place: Place, what: impl Into<String>) {
        self.losses.push(Loss { place, kind, what: what.into() });
    }
}

/// Transforms the blocks of a document.
pub(crate) fn transform(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    let mut growth = Growth::of(&blocks);
    let blocks = growth.charged(interpreted::apply(blocks));
    let blocks = shifted(blocks, context.metadata);
    let blocks = growth.charged(html_tables::apply(blocks, context));
    let blocks = table_widths::apply(blocks, context);
    // Shortcodes charge what they make.
    let blocks = shortcodes::expand(blocks, context);
    let mut growth = Growth::of(&blocks);
    let blocks = growth.charged(conditions::apply(blocks, context));
    let blocks = growth.charged(notes::apply(blocks, context));
    let blocks = growth.charged(nested_notes::apply(blocks, context));
    let blocks = growth.charged(cells::apply(blocks, context));
    let blocks = growth.charged(cards::apply(blocks, context));
    let blocks = growth.charged(annotations::apply(blocks, context));
    let blocks = growth.charged(crossrefs::apply(blocks, context));
    let blocks = growth.charged(lightbox::apply(blocks, context));
    let blocks = titles::apply(blocks, context);
    let blocks = growth.charged(callouts::apply(blocks, context));
    let blocks = growth.charged(panels::apply(blocks, context));
    let blocks = growth.charged(margins::apply(blocks, context));
    let blocks = growth.charged(landscape::apply(blocks, context));
    let blocks = if context.family() == Family::Latex { latex::aligned(blocks) } else { blocks };
    let blocks = growth.charged(typst::apply(blocks, context));
    let blocks = growth.charged(formulas::apply(blocks, context));
    let mut raw = RawContent { context };
    raw.rewrite(blocks)
}

/// The blocks with the levels of headings that `shift-heading-level-by` asks for; headings above the first level become
/// paragraphs.
fn shifted(blocks: Vec<Block>, metadata: &Metadata) -> Vec<Block> {
    struct Shift(i64);
    impl Rewrite for Shift {
        fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
            let shift = |block: Block| match block {
                Block::Header(level, attr, words) => match u8::try_from(i64::from(level) + self.0) {
                    Ok(level @ 1..) => Block::Header(level, attr, words),
                    _ => Block::Para(words),
                },
                other => other,
            };
            blocks.into_iter().map(shift).collect()
        }
    }
    let by = metadata.at("shift-heading-level-by").and_then(Value::as_i64);
    match by.filter(|by| *by != 0 && by.abs() <= 5) {
        Some(by) => Shift(by).rewrite(blocks),
        None => blocks,
    }
}

/// The size of a document, of which each transformation charges what it has added.
struct Growth(usize);

impl Growth {
    fn of(blocks: &[Block]) -> Self {
        Self(Weight::of_blocks(blocks).bytes)
    }

    /// The blocks; none of them when the budget is used up.
    fn charged(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let now = Weight::of_blocks(&blocks);
        let added = now.bytes.saturating_sub(self.0);
        self.0 = now.bytes;
        if budget::charge(now.parts) && budget::allocate(added) { blocks } else { Vec::new() }
    }
}

/// Replaces the shortcodes in text of the metadata, such as a title.
pub(crate) fn text(text: &str, context: &mut Context<'_>) -> String {
    shortcodes::expand_text(text, context)
}

/// Raw content stays where the format can show it.
struct RawContent<'a, 'c> {
    context: &'a mut Context<'c>,
}

impl RawContent<'_, '_> {
    fn is_kept(&self, format: &str) -> bool {
        let name = format.split(['+', '-']).next().unwrap_or(format);
        let family = self.context.family();
        match name {
            "html" | "html5" | "html4" | "xhtml" => {
                matches!(
                    family,
                    Family::Html | Family::Epub | Family::Markdown | Family::Ipynb | Family::Wiki
                )
            }
            "tex" | "latex" => match family {
                Family::Latex | Family::Ipynb | Family::Context => true,
                // Readers of these two formats show TeX as it is.
                Family::Markdown => !matches!(self.context.format.id.as_str(), "gfm" | "commonmark"),
                _ => false,
            },
            "openxml" => matches!(family, Family::Docx | Family::Pptx),
            "opendocument" => family == Family::Odt,
            "markdown" | "md" => matches!(family, Family::Markdown | Family::Ipynb),
            other => other == self.context.format.id || other == self.context.format.writer(),
        }
    }

    fn is_comment(text: &str) -> bool {
        let text = text.trim();
        text.starts_with("<!--") && text.ends_with("-->")
    }
}

impl Rewrite for RawContent<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Raw { format, text, place } if !self.is_kept(&format) => {
                    let math = format == "tex" && super::math::is_environment(&text);
                    if math {
                        out.push(Block::Para(vec![Inline::Math { display: true, tex: text, place }]));
                    } else if !Self::is_comment(&text) && !text.trim().is_empty() {
                        self.context.lose(LossKind::Dropped, place, format!("raw {format}"));
                    }
                }

                other => out.push(other),
            }
        }
        out
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Raw { format, text, place } if !self.is_kept(&format) => {
                    if format == "html" && super::math::is_line_break(&text) {
                        out.push(Inline::LineBreak);
                    } else if format == "tex" && self.context.is_html() {
                        // TeX in a web page is shown by what shows math, where it is math.
                        self.context.lose(LossKind::Dropped, place, "raw tex");
                    } else if !Self::is_comment(&text) {
                        self.context.lose(LossKind::Dropped, place, format!("raw {format}"));
                    }
                }
                other => out.push(other),
            }
        }
        out
    }
}
