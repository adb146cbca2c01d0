//! Blocks as paragraphs of a shape.

use std::fmt::Write as _;

use crate::{
    budget,
    model::{Block, Cell, Inline, NumberDelimiter, NumberStyle, Numbering, Place},
    office_math::{self, office_math},
    weight::Weight,
    xml::escape,
};

/// The name space of formulas in text of slides.
const DRAWING: &str = "http://schemas.microsoft.com/office/drawing/2010/main";

/// The face of code.
const MONOSPACED: &str = "Courier New";

/// Paragraphs with what they need besides.
#[derive(Debug, Default)]
pub(super) struct Paragraphs {
    pub(super) xml: String,
    /// Targets of links; their relationship ids are numbered from `first_link`.
    pub(super) links: Vec<String>,
    /// The content of notes; their numbers continue those of the slide.
    pub(super) notes: Vec<String>,
    /// Pictures that are shown as their words.
    pub(super) pictures: Vec<(Place, String)>,
    /// Numbers of the paragraphs that appear one by one.
    pub(super) steps: Vec<usize>,
    /// How many paragraphs there are.
    pub(super) count: usize,
    /// Characters and level of each paragraph, and of each line that the author ends, to see what fits.
    pub(super) lengths: Vec<(usize, u32)>,
    /// Formulas as they are in the text, and what programs show that do not know them.
    pub(super) formulas: Vec<(String, String)>,
}

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent properties of text")]
struct Style {
    bold: bool,
    italic: bool,
    strike: bool,
    underline: bool,
    code: bool,
    /// Percent by which it is raised or lowered.
    baseline: i32,
    link: Option<usize>,
    caps: bool,
}

/// How a paragraph begins.
#[derive(Debug, Clone, Copy)]
enum Bullet {
    None,
    Mark,
    Number(Numbering),
    /// Indented as the text of an item, without a mark.
    Continued,
}

pub(super) struct TextWriter<'n> {
    out: Paragraphs,
    /// Notes that the slide has already.
    notes_before: usize,
    /// Links that the slide has already.
    links_before: usize,
    link_id: &'n dyn Fn(usize) -> String,
    /// Whether a slide has this label.
    is_slide: &'n dyn Fn(&str) -> bool,
    incremental: bool,
    size: Option<u32>,
    /// Whether formulas are more than text.
    has_formulas: bool,
    /// Text of one look that is not written yet.
    pending: Option<(Style, String)>,
}

impl<'n> TextWriter<'n> {
    pub(super) fn new(
        notes_before: usize,
        links_before: usize,
        link_id: &'n dyn Fn(usize) -> String,
    ) -> Self {
        Self {
            out: Paragraphs::default(),
            notes_before,
            links_before,
            link_id,
            is_slide: &|_| false,
            incremental: false,
            size: None,
            has_formulas: true,
            pending: None,
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

    pub(super) fn finish(mut self) -> Paragraphs {
        if self.out.count == 0 {
            self.out.xml.push_str("<a:p/>");
        }
        self.out
    }

    /// Adds text as one paragraph that begins as the shape wants it.
    pub(super) fn line(&mut self, inlines: &[Inline]) {
        self.open("");
        self.inlines(inlines, Style::default());
        self.close(0);
    }

    /// Adds text as one paragraph in the middle of the shape.
    pub(super) fn centered(&mut self, inlines: &[Inline]) {
        self.open("<a:pPr algn=\"ctr\"/>");
        self.inlines(inlines, Style::default());
        self.close(0);
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
        self.open(&properties(level, bullet));
        for (index, cell) in row.iter().enumerate() {
            self.run(if index == 0 { "" } else { " · " }, Style::default());
            for block in &cell.blocks {
                match block {
                    Block::Plain(inlines) | Block::Para(inlines) => self.inlines(inlines, Style::default()),
                    other => {
                        self.run(&crate::model::plain_blocks(std::slice::from_ref(other)), Style::default());
                    }
                }
            }
        }
        self.close(level);
    }

    fn items(&mut self, items: &[Vec<Block>], level: u32, bullet: Bullet) {
        // A list below a mark is one level deeper than it.
        for item in budget::within(items) {
            let start = self.out.count;
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
            let properties = properties(level, Bullet::None);
            self.open(&properties);
            let style = Style { code: true, ..Style::default() };
            self.run(&line.replace('\t', "    "), style);
            self.close(level);
        }
    }

    fn paragraph(&mut self, inlines: &[Inline], level: u32, bullet: Bullet, style: Style) {
        let properties = properties(level, bullet);
        self.open(&properties);
        self.inlines(inlines, style);
        self.close(level);
    }

    fn open(&mut self, properties: &str) {
        self.out.xml.push_str("<a:p>");
        self.out.xml.push_str(properties);
        self.out.lengths.push((0, 0));
        self.out.count += 1;
    }

    fn close(&mut self, level: u32) {
        self.flush();
        self.out.xml.push_str("</a:p>");
        if let Some(last) = self.out.lengths.last_mut() {
            last.1 = level;
        }
    }

    fn inlines(&mut self, inlines: &[Inline], style: Style) {
        for inline in budget::within(inlines) {
            match inline {
                Inline::Str(text) => self.run(text, style),
                Inline::Space | Inline::SoftBreak => self.run(" ", style),
                Inline::LineBreak => {
                    self.flush();
                    self.out.xml.push_str("<a:br/>");
                    // A line of its own, at the level of its paragraph.
                    let level = self.out.lengths.last().map_or(0, |last| last.1);
                    self.out.lengths.push((0, level));
                }
                Inline::Emph(inner) => self.inlines(inner, Style { italic: !style.italic, ..style }),
                Inline::Strong(inner) => self.inlines(inner, Style { bold: true, ..style }),
                Inline::Underline(inner) => self.inlines(inner, Style { underline: true, ..style }),
                Inline::Strikeout(inner) => self.inlines(inner, Style { strike: true, ..style }),
                Inline::Superscript(inner) => self.inlines(inner, Style { baseline: 30_000, ..style }),
                Inline::Subscript(inner) => self.inlines(inner, Style { baseline: -25_000, ..style }),
                Inline::SmallCaps(inner) => self.inlines(inner, Style { caps: true, ..style }),
                Inline::Code(_, text) => self.run(text, Style { code: true, ..style }),
                Inline::Math { display, tex, .. } => self.formula(*display, tex, style),
                Inline::Link(_, inner, target)
                    if target.url.contains("://")
                        || target.url.starts_with("mailto:")
                        || target.url.strip_prefix('#').is_some_and(|label| (self.is_slide)(label)) =>
                {
                    self.out.links.push(target.url.clone());
                    let link = Some(self.links_before + self.out.links.len() - 1);
                    self.inlines(inner, Style { link, ..style });
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
                    self.out.notes.push(crate::model::plain_blocks(blocks));
                    let number = self.notes_before + self.out.notes.len();
                    self.run(&number.to_string(), Style { baseline: 30_000, ..style });
                }
                Inline::Raw { .. } => {}
                Inline::NoteReference(name, _) => self.run(&format!("[^{name}]"), style),
                Inline::Shortcode(shortcode) => self.run(&shortcode.text, style),
            }
        }
    }

    /// A formula: as Office math where it can be, else its TeX in italics.
    fn formula(&mut self, display: bool, tex: &str, style: Style) {
        let style = Style { italic: true, ..style };
        let is_formula = self.has_formulas && !office_math::is_text(tex);
        let Some(math) = is_formula.then(|| office_math(tex, display)).flatten() else {
            return self.run(tex, style);
        };
        self.flush();
        let start = self.out.xml.len();
        self.run(tex, style);
        self.flush();
        let shown = self.out.xml.split_off(start);
        let formula = format!("<a14:m xmlns:a14=\"{DRAWING}\">{math}</a14:m>");
        if budget::allocate(formula.len() + shown.len()) {
            self.out.xml.push_str(&formula);
            self.out.formulas.push((formula, shown));
        }
    }

    fn run(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if let Some(last) = self.out.lengths.last_mut() {
            let count = text.chars().count();
            // Characters of code are wider than those of text are on average.
            last.0 += if style.code { count * 6 / 5 } else { count };
        }
        match &mut self.pending {
            Some((last, pending)) if *last == style => pending.push_str(text),
            _ => {
                self.flush();
                self.pending = Some((style, text.to_owned()));
            }
        }
    }

    /// Writes text of one look as a run.
    fn flush(&mut self) {
        let Some((style, text)) = self.pending.take() else { return };
        let out = &mut self.out.xml;
        out.push_str("<a:r><a:rPr lang=\"en-US\"");
        if let Some(size) = self.size {
            let _ = write!(out, " sz=\"{size}\"");
        }
        for (set, attribute) in [
            (style.bold, " b=\"1\""),
            (style.italic, " i=\"1\""),
            (style.underline, " u=\"sng\""),
            (style.strike, " strike=\"sngStrike\""),
            (style.caps, " cap=\"small\""),
        ] {
            out.push_str(if set { attribute } else { "" });
        }
        if style.baseline != 0 {
            let _ = write!(out, " baseline=\"{}\"", style.baseline);
        }
        out.push('>');
        if style.code {
            let _ = write!(out, "<a:latin typeface=\"{MONOSPACED}\"/><a:cs typeface=\"{MONOSPACED}\"/>");
        }
        if let Some(link) = style.link {
            let target = self.out.links.get(link - self.links_before);
            let is_jump = target.is_some_and(|target| target.starts_with('#'));
            let action = if is_jump { " action=\"ppaction://hlinksldjump\"" } else { "" };
            let _ = write!(self.out.xml, "<a:hlinkClick r:id=\"{}\"{action}/>", (self.link_id)(link));
        }
        let _ = write!(self.out.xml, "</a:rPr><a:t>{}</a:t></a:r>", escape(&text));
    }
}

fn is_list(block: &Block) -> bool {
    matches!(block, Block::BulletList(_) | Block::OrderedList(..))
}

fn properties(level: u32, bullet: Bullet) -> String {
    let level = level.min(8);
    let own = if level == 0 { String::new() } else { format!(" lvl=\"{level}\"") };
    match bullet {
        Bullet::Mark => format!("<a:pPr{own}/>"),
        Bullet::None => {
            let margin = level * 457_200;
            format!("<a:pPr{own} marL=\"{margin}\" indent=\"0\"><a:buNone/></a:pPr>")
        }
        Bullet::Continued => {
            let margin = 342_900 + level * 457_200;
            format!("<a:pPr{own} marL=\"{margin}\" indent=\"0\"><a:buNone/></a:pPr>")
        }
        Bullet::Number(numbering) => {
            let style = match numbering.style {
                NumberStyle::Decimal | NumberStyle::Example => "arabic",
                NumberStyle::LowerAlpha => "alphaLc",
                NumberStyle::UpperAlpha => "alphaUc",
                NumberStyle::LowerRoman => "romanLc",
                NumberStyle::UpperRoman => "romanUc",
            };
            let end = match numbering.delimiter {
                NumberDelimiter::Period => "Period",
                NumberDelimiter::OneParenthesis => "ParenR",
                NumberDelimiter::TwoParentheses => "ParenBoth",
            };
            let start = if numbering.start > 1 {
                format!(" startAt=\"{}\"", numbering.start.min(32_767))
            } else {
                String::new()
            };
            let margin = 457_200 + level * 457_200;
            format!(
                "<a:pPr{own} marL=\"{margin}\" indent=\"-457200\"><a:buFont typeface=\"+mj-lt\"/><a:buAutoNum type=\"{style}{end}\"{start}/></a:pPr>"
            )
        }
    }
}
