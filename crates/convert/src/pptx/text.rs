//! Blocks as paragraphs of a shape.

use super::model::{Bullet, Link, Paragraph, Piece, Run, Style};
use crate::{
    budget,
    formula_text::{Position, formula_text},
    model::{Alignment, Block, Cell, Inline, Place, plain_blocks, words},
    office_math::{self, office_math},
    weight::Weight,
};

/// By how much exponents and marks of notes are raised, and indices lowered, in thousandths of a percent.
const RAISED: i32 = 30_000;
const LOWERED: i32 = -25_000;

/// Paragraphs with what they need besides.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) paragraphs: Vec<Paragraph>,
    /// Targets of links; their relationships are numbered from the first one on.
    pub(super) links: Vec<String>,
    /// The content of notes; their numbers continue those of the slide.
    pub(super) notes: Vec<Vec<Inline>>,
    /// Pictures that are shown as their words.
    pub(super) pictures: Vec<(Place, String)>,
    /// Numbers of the paragraphs that appear one by one.
    pub(super) steps: Vec<usize>,
    /// Characters and level of each paragraph, and of each line that the author ends, to see what fits.
    pub(super) lengths: Vec<(usize, u32)>,
}

pub(super) struct TextWriter<'n> {
    out: Written,
    /// Notes that the slide has already.
    notes_before: usize,
    /// The relationship of the first link.
    first_link: usize,
    /// Whether a slide has this label.
    is_slide: &'n dyn Fn(&str) -> bool,
    incremental: bool,
    size: Option<u32>,
    /// Whether formulas are more than text.
    has_formulas: bool,
}

impl<'n> TextWriter<'n> {
    pub(super) fn new(notes_before: usize, first_link: usize) -> Self {
        Self {
            out: Written::default(),
            notes_before,
            first_link,
            is_slide: &|_| false,
            incremental: false,
            size: None,
            has_formulas: true,
        }
    }

    /// Lists appear item by item.
    pub(super) fn incremental(mut self, incremental: bool) -> Self {
        self.incremental = incremental;
        self
    }

    /// Text has this size, in hundredths of a point.
    pub(super) fn sized(mut self, size: u32) -> Self {
        self.size = Some(size);
        self
    }

    /// Links to labels lead to the slides that have them.
    pub(super) fn within(mut self, is_slide: &'n dyn Fn(&str) -> bool) -> Self {
        self.is_slide = is_slide;
        self
    }

    /// Formulas are text: where programs do not look for others.
    pub(super) fn without_formulas(mut self) -> Self {
        self.has_formulas = false;
        self
    }

    /// What was written; a shape has a paragraph also where there is no text.
    pub(super) fn finish(mut self) -> Written {
        if self.out.paragraphs.is_empty() {
            self.out.paragraphs.push(Paragraph::default());
        }
        self.out
    }

    /// Adds text as one paragraph that begins as the shape wants it.
    pub(super) fn line(&mut self, inlines: &[Inline]) {
        self.paragraph(inlines, 0, Bullet::Inherited, Style::default());
    }

    /// Adds text as one paragraph in the middle of the shape.
    pub(super) fn centered(&mut self, inlines: &[Inline]) {
        self.line(inlines);
        if let Some(last) = self.out.paragraphs.last_mut() {
            last.alignment = Alignment::Center;
        }
    }

    pub(super) fn blocks(&mut self, blocks: &[Block]) {
        self.blocks_at(blocks, 0, Bullet::None);
    }

    fn blocks_at(&mut self, blocks: &[Block], level: u32, first: Bullet) {
        let mut bullet = first;
        for block in budget::within(blocks) {
            match block {
                Block::Plain(inlines) | Block::Para(inlines) => {
                    self.paragraph(inlines, level, bullet, Style::default());
                }
                Block::Header(_, _, inlines) => {
                    self.paragraph(inlines, level, bullet, Style { bold: true, ..Style::default() });
                }
                Block::LineBlock(lines) => {
                    for line in lines {
                        self.paragraph(line, level, bullet, Style::default());
                    }
                }
                Block::Code(_, text) => self.code(text, level),
                Block::Quote(inner) => self.quote(inner, level),
                Block::BulletList(items) => self.items(items, level, Bullet::Mark),
                Block::OrderedList(numbering, items) => self.items(items, level, Bullet::Number(*numbering)),
                Block::DefinitionList(items) => {
                    for (term, definitions) in items {
                        self.paragraph(term, level, Bullet::None, Style { bold: true, ..Style::default() });
                        for definition in definitions {
                            self.blocks_at(definition, level + 1, Bullet::Continued);
                        }
                    }
                }
                Block::Div(attr, inner) => {
                    let before = self.incremental;
                    self.incremental =
                        (before || attr.has_class("incremental")) && !attr.has_class("nonincremental");
                    self.blocks_at(inner, level, bullet);
                    self.incremental = before;
                }
                Block::Figure(_, caption, inner) => self.figure(caption, inner, level, bullet),
                Block::Table(table) => {
                    if !table.caption.is_empty() {
                        self.paragraph(&table.caption, level, bullet, Style::default());
                    }
                    for row in table.head.iter().chain(&table.rows) {
                        self.row(row, level, bullet);
                    }
                }
                Block::Raw { .. } | Block::Rule => {}
            }
            if !matches!(first, Bullet::None) {
                bullet = Bullet::Continued;
            }
        }
    }

    /// A picture is its caption, with its words where it has other ones.
    fn figure(&mut self, caption: &[Inline], inner: &[Block], level: u32, bullet: Bullet) {
        let image = match inner {
            [Block::Plain(inlines) | Block::Para(inlines)] => match inlines.as_slice() {
                [Inline::Image(attr, _, target)] => Some((attr, target)),
                _ => None,
            },
            _ => None,
        };
        let is_its_caption = image.filter(|(attr, _)| !caption.is_empty() && attr.alternative().is_none());
        match is_its_caption {
            Some((attr, target)) => self.out.pictures.push((attr.place, target.url.clone())),
            None => self.blocks_at(inner, level, bullet),
        }
        if !caption.is_empty() {
            self.paragraph(caption, level, bullet, Style::default());
        }
    }

    /// A row of a table as a line.
    fn row(&mut self, row: &[Cell], level: u32, bullet: Bullet) {
        self.open(level, bullet);
        for (index, cell) in row.iter().enumerate() {
            self.run(if index == 0 { "" } else { " · " }, Style::default());
            for block in &cell.blocks {
                match block {
                    Block::Plain(inlines) | Block::Para(inlines) => self.inlines(inlines, Style::default()),
                    other => {
                        self.run(&plain_blocks(std::slice::from_ref(other)), Style::default());
                    }
                }
            }
        }
    }

    fn items(&mut self, items: &[Vec<Block>], level: u32, bullet: Bullet) {
        // A list below a mark is one level deeper than it.
        for item in budget::within(items) {
            let start = self.out.paragraphs.len();
            let (own, nested): (Vec<&Block>, Vec<&Block>) = item.iter().partition(|block| !is_list(block));
            let own: Vec<Block> = own.into_iter().cloned().collect();
            if !Weight::of_blocks(&own).charge() {
                break;
            }
            self.blocks_at(&own, level, bullet);
            if self.incremental {
                self.out.steps.push(start);
            }
            for list in nested {
                self.blocks_at(std::slice::from_ref(list), level + 1, Bullet::None);
            }
        }
    }

    fn quote(&mut self, inner: &[Block], level: u32) {
        for block in inner {
            match block {
                Block::Plain(inlines) | Block::Para(inlines) => {
                    self.paragraph(
                        inlines,
                        level,
                        Bullet::Continued,
                        Style { italic: true, ..Style::default() },
                    );
                }
                other => self.blocks_at(std::slice::from_ref(other), level, Bullet::Continued),
            }
        }
    }

    fn code(&mut self, text: &str, level: u32) {
        for line in budget::within(text.lines()) {
            self.open(level, Bullet::None);
            let style = Style { code: true, ..Style::default() };
            self.run(&line.replace('\t', "    "), style);
        }
    }

    fn paragraph(&mut self, inlines: &[Inline], level: u32, bullet: Bullet, style: Style) {
        self.open(level, bullet);
        if let [Inline::Math { display: true, .. }] = inlines
            && let Some(last) = self.out.paragraphs.last_mut()
        {
            last.alignment = Alignment::Center;
        }
        self.inlines(inlines, style);
    }

    fn open(&mut self, level: u32, bullet: Bullet) {
        self.out.paragraphs.push(Paragraph { level, bullet, ..Paragraph::default() });
        self.out.lengths.push((0, level));
    }

    /// Adds a part to the last paragraph.
    fn push(&mut self, piece: Piece) {
        if let Some(last) = self.out.paragraphs.last_mut() {
            last.pieces.push(piece);
        }
    }

    fn inlines(&mut self, inlines: &[Inline], style: Style) {
        for inline in budget::within(inlines) {
            match inline {
                Inline::Str(text) => self.run(text, style),
                Inline::Space | Inline::SoftBreak => self.run(" ", style),
                Inline::LineBreak => {
                    self.push(Piece::Break);
                    // A line of its own, at the level of its paragraph.
                    let level = self.out.lengths.last().map_or(0, |last| last.1);
                    self.out.lengths.push((0, level));
                }
                Inline::Emph(inner) => self.inlines(inner, Style { italic: !style.italic, ..style }),
                Inline::Strong(inner) => self.inlines(inner, Style { bold: true, ..style }),
                Inline::Underline(inner) => self.inlines(inner, Style { underline: true, ..style }),
                Inline::Strikeout(inner) => self.inlines(inner, Style { strike: true, ..style }),
                Inline::Superscript(inner) => self.inlines(inner, Style { baseline: RAISED, ..style }),
                Inline::Subscript(inner) => self.inlines(inner, Style { baseline: LOWERED, ..style }),
                Inline::SmallCaps(inner) => self.inlines(inner, Style { caps: true, ..style }),
                Inline::Code(_, text) => self.run(text, Style { code: true, ..style }),
                Inline::Math { display, tex, .. } => self.formula(*display, tex, style),
                Inline::Link(_, inner, target)
                    if target.url.contains("://")
                        || target.url.starts_with("mailto:")
                        || target.url.strip_prefix('#').is_some_and(|label| (self.is_slide)(label)) =>
                {
                    let relationship = self.first_link + self.out.links.len();
                    let link = Link { relationship, is_slide: target.url.starts_with('#') };
                    self.out.links.push(target.url.clone());
                    self.inlines(inner, Style { link: Some(link), ..style });
                }
                Inline::Link(_, inner, _) | Inline::Span(_, inner) | Inline::Cite(_, inner) => {
                    self.inlines(inner, style);
                }
                Inline::Image(attr, inner, target) => {
                    self.out.pictures.push((attr.place, target.url.clone()));
                    self.run("[", style);
                    match attr.alternative() {
                        Some(alternative) => self.run(alternative, style),
                        None => self.inlines(inner, style),
                    }
                    self.run("]", style);
                }
                Inline::Note(blocks) => {
                    self.out.notes.push(note(blocks));
                    let number = self.notes_before + self.out.notes.len();
                    self.run(&number.to_string(), Style { baseline: RAISED, ..style });
                }
                Inline::Raw { .. } => {}
                Inline::NoteReference(name, _) => self.run(&format!("[^{name}]"), style),
                Inline::Shortcode(shortcode) => self.run(&shortcode.text, style),
            }
        }
    }

    /// A formula: as Office math where it can be, else as text; its TeX in italics where it cannot be read.
    fn formula(&mut self, display: bool, tex: &str, style: Style) {
        let is_formula = self.has_formulas && !office_math::is_text(tex);
        let math = is_formula.then(|| office_math(tex, display)).flatten();
        let shown = if is_formula && math.is_none() { None } else { formula_text(tex) };
        let Some(shown) = shown else { return self.run(tex, Style { italic: true, ..style }) };
        let styled = |position: Position, italic: bool| {
            let baseline = match position {
                Position::Line => style.baseline,
                Position::Raised => RAISED,
                Position::Lowered => LOWERED,
            };
            Style { italic, baseline, ..style }
        };
        let Some(math) = math else {
            for part in &shown {
                self.run(&part.text, styled(part.position, part.italic));
            }
            return;
        };
        if !budget::allocate(math.len() + 4 * tex.len()) {
            return;
        }
        let size = self.size;
        let run = |text: String, style: Style| Run { text, style, size };
        let mut runs = Vec::new();
        for part in shown {
            self.count(&part.text, style);
            runs.push(run(part.text, styled(part.position, part.italic)));
        }
        self.push(Piece::Formula { math, shown: runs });
    }

    /// Text of one look; what follows text of the same look is one run with it.
    fn run(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.count(text, style);
        let size = self.size;
        let pieces = self.out.paragraphs.last_mut().map(|last| &mut last.pieces);
        match pieces.and_then(|pieces| pieces.last_mut()) {
            Some(Piece::Run(last)) if last.style == style => last.text.push_str(text),
            _ => self.push(Piece::Run(Run { text: text.to_owned(), style, size })),
        }
    }

    fn count(&mut self, text: &str, style: Style) {
        if let Some(last) = self.out.lengths.last_mut() {
            let count = text.chars().count();
            // Characters of code are wider than those of text are on average.
            last.0 += if style.code { count * 6 / 5 } else { count };
        }
    }
}

/// The content of a note as one line: with its looks where it is a paragraph, else without marks.
fn note(blocks: &[Block]) -> Vec<Inline> {
    match blocks {
        [Block::Plain(inlines) | Block::Para(inlines)] if !inlines.iter().any(is_apart) => inlines.clone(),
        blocks => words(&plain_blocks(blocks)),
    }
}

/// Whether an inline has a part elsewhere on the slide, or has one in it.
fn is_apart(inline: &Inline) -> bool {
    matches!(inline, Inline::Note(_) | Inline::Image(..)) || inline.inner().iter().any(is_apart)
}

fn is_list(block: &Block) -> bool {
    matches!(block, Block::BulletList(_) | Block::OrderedList(..))
}
