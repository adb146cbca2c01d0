//! Numbers of figures, tables, listings, theorems, equations and sections, and the references to them.

mod kinds;
mod labels;
mod references;

use std::collections::HashMap;

use self::{
    kinds::{KindOf, Names},
    labels::Labels,
    references::Resolve,
};
use super::Context;
use crate::{
    formats::Family,
    model::{Alignment, Attr, Block, Cell, Inline, Rewrite, Table, identifier, plain},
};

/// Numbers what can be referred to, and resolves the references.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    let names = Names::of(context);
    if context.family() == Family::Latex {
        for (kind, macro_name) in [("fig", "figurename"), ("tbl", "tablename")] {
            if let Some(title) = context.metadata.text(&format!("crossref.{kind}-title")) {
                let line = format!("\\AtBeginDocument{{\\renewcommand*\\{macro_name}{{{title}}}}}");
                context.preamble(&line);
            }
        }
    }
    let mut numbering = Numbering {
        labels: Labels::of(context),
        names,
        counts: HashMap::new(),
        sections: Vec::new(),
        offsets: offsets(context),
        targets: HashMap::new(),
        identifiers: HashMap::new(),
        parent: None,
        in_appendices: false,
        context,
    };
    let blocks = numbering.rewrite(blocks);
    let Numbering { mut targets, names, context, .. } = numbering;
    if context.exports_labels {
        context.labels.extend(targets.clone());
    }
    // What this page has wins over what others have.
    targets.extend(std::mem::take(&mut context.own_labels));
    Resolve { targets: &targets, names: &names, context }.rewrite(blocks)
}

/// Numbers that `number-offset` adds, the highest level first.
fn offsets(context: &Context<'_>) -> Vec<u32> {
    let number = |value: &serde_json::Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    match context.metadata.at("number-offset") {
        Some(serde_json::Value::Array(items)) => items.iter().map(|item| number(item).unwrap_or(0)).collect(),
        Some(value) => number(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// What identifiers of captions end with in pages of Quarto, which programs and styles select by them.
const CAPTION: &str = "0ceaefa1-69ba-4598-a22c-09a6ac19f8ca";

/// Something that can be referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) kind: String,
    pub(crate) number: String,
    /// Whether the number of its chapter is the first part of its number, in a book.
    pub(crate) is_within_chapter: bool,
}

impl Numbered {
    /// Puts the number of the chapter before its own number, where it is numbered within chapters.
    pub(crate) fn within(mut self, chapter: Option<&str>) -> Self {
        if let Some(chapter) = chapter.filter(|_| self.is_within_chapter) {
            self.number = format!("{chapter}.{}", self.number);
        }
        self
    }
}

/// A figure with figures in it.
struct Parent {
    number: String,
    children: u32,
}

struct Numbering<'a, 'c> {
    context: &'a mut Context<'c>,
    names: Names,
    labels: Labels,
    counts: HashMap<String, u32>,
    /// The numbers of the sections around, the outermost first.
    sections: Vec<u32>,
    /// What is added to the numbers of each level.
    offsets: Vec<u32>,
    targets: HashMap<String, Numbered>,
    /// Identifiers of headings, and how often each was given.
    identifiers: HashMap<String, u32>,
    parent: Option<Parent>,
    /// Whether the appendices of a book have begun.
    in_appendices: bool,
}

/// What is numbered with a caption.
struct Float {
    attr: Attr,
    kind: String,
    caption: Vec<Inline>,
    /// Whether its caption is nothing but its number.
    uncaptioned: bool,
    content: Vec<Block>,
    /// Whether it is part of another one.
    is_sub: bool,
    /// Whether others are part of it.
    has_parts: bool,
}

impl Numbering<'_, '_> {
    /// Whether the format numbers figures itself.
    fn numbers_itself(&self) -> bool {
        matches!(self.context.family(), Family::Latex | Family::Typst | Family::Asciidoc)
    }

    /// Whether the writer of the format numbers sections when it is asked to.
    fn numbers_sections(&self) -> bool {
        matches!(
            self.context.family(),
            Family::Latex
                | Family::Typst
                | Family::Docx
                | Family::Odt
                | Family::Context
                | Family::Docbook
                | Family::Texinfo
        )
    }

    fn register(&mut self, id: &str, kind: &str, number: String) {
        let is_within_chapter = kind != "sec" || self.sections.first().is_none_or(|count| *count == 0);
        let found = Numbered { kind: kind.to_owned(), number, is_within_chapter };
        self.targets.entry(id.to_owned()).or_insert(found);
    }

    fn next(&mut self, kind: &str) -> String {
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let number = self.labels.number(kind, *count);
        match &self.context.chapter {
            Some(chapter) => format!("{chapter}.{number}"),
            None => number,
        }
    }

    fn kind_of(&self, id: &str) -> Option<KindOf> {
        self.names.kind_of(id)
    }

    fn block_of(&mut self, block: Block, out: &mut Vec<Block>) {
        match block {
            Block::Raw { ref format, ref text, .. } if format == "typst" && text == super::APPENDICES => {
                self.in_appendices = true;
                out.push(block);
            }
            Block::Header(level, attr, inner) => {
                let heading = self.heading(level, attr, inner);
                out.push(heading);
            }
            Block::Figure(attr, caption, content) if self.is_float(&attr.id) => {
                self.float(attr, caption, content, out);
            }
            Block::Para(mut inlines) if self.is_bare_figure(&inlines) => {
                let mut caption = Vec::new();
                let image = match inlines.first_mut() {
                    // The caption of a picture that is a link is its text.
                    Some(Inline::Link(_, inner, _)) => match inner.first_mut() {
                        Some(Inline::Image(attr, words, _)) => {
                            caption.clone_from(words);
                            Some(attr)
                        }
                        _ => None,
                    },
                    Some(Inline::Image(attr, ..)) => Some(attr),
                    _ => None,
                };
                if let Some(attr) = image {
                    let figure =
                        Attr { id: std::mem::take(&mut attr.id), place: attr.place, ..Attr::default() };
                    self.float(figure, caption, vec![Block::Plain(inlines)], out);
                }
            }
            Block::Table(table) if self.is_float(&table.attr.id) => {
                let Table { caption, mut attr, .. } = *table.clone();
                let id = std::mem::take(&mut attr.id);
                let mut float = Attr { id, place: attr.place, ..Attr::default() };
                self.take_columns(&mut attr, &mut float);
                let table = Table { caption: Vec::new(), attr, ..*table };
                self.float(float, caption, vec![Block::Table(Box::new(table))], out);
            }
            Block::Table(mut table) => {
                table.caption = self.rewrite_inlines(std::mem::take(&mut table.caption));
                let made = self.block(Block::Table(table));
                out.push(made);
            }
            Block::Code(attr, text) if Self::is_listing(&attr) => {
                let mut attr = attr;
                let id = attr.take("lst-label").unwrap_or_else(|| std::mem::take(&mut attr.id));
                attr.id.clear();
                let caption = attr.take("lst-cap").unwrap_or_default();
                let caption = crate::reader::read_inlines(&caption, true);
                let mut float = Attr { id, place: attr.place, ..Attr::default() };
                self.take_columns(&mut attr, &mut float);
                if let Some(side) = attr.take("lst-cap-location") {
                    float = float.with("lst-cap-location", side);
                }
                self.float(float, caption, vec![Block::Code(attr, text)], out);
            }
            Block::Div(attr, inner) => self.div(attr, inner, out),
            other => {
                let made = self.block(other);
                out.push(made);
            }
        }
    }

    /// Moves the classes that say where content is on a page of Typst from it to the float that it becomes.
    fn take_columns(&self, own: &mut Attr, float: &mut Attr) {
        if self.context.family() == Family::Typst {
            float.classes.extend(own.classes.extract_if(.., |class| is_column(class)));
        }
    }

    /// The only float of a div in the margin, which is in the margin itself.
    fn only_float<'b>(&self, attr: &Attr, inner: &'b mut [Block]) -> Option<&'b mut Attr> {
        let in_margin = attr.has_class("column-margin") || attr.has_class("aside");
        if self.context.family() != Family::Typst || !in_margin || !attr.id.is_empty() {
            return None;
        }
        let [only] = inner else { return None };
        match only {
            Block::Figure(own, ..) | Block::Div(own, _) if self.is_float(&own.id) => Some(own),
            Block::Table(table) if self.is_float(&table.attr.id) => Some(&mut table.attr),
            Block::Code(own, _) if Self::is_listing(own) => Some(own),
            _ => None,
        }
    }

    fn is_float(&self, id: &str) -> bool {
        self.kind_of(id).is_some_and(|kind| kind.is_float())
    }

    /// An image with a label and without a caption, alone in its paragraph.
    fn is_bare_figure(&self, inlines: &[Inline]) -> bool {
        match inlines {
            [Inline::Image(attr, ..)] => self.is_float(&attr.id),
            [Inline::Link(_, inner, _)] => {
                matches!(inner.as_slice(), [Inline::Image(attr, ..)] if self.is_float(&attr.id))
            }
            _ => false,
        }
    }

    fn is_listing(attr: &Attr) -> bool {
        attr.get("lst-label").is_some() || (attr.id.starts_with("lst-") && attr.get("lst-cap").is_some())
    }

    fn div(&mut self, mut attr: Attr, mut inner: Vec<Block>, out: &mut Vec<Block>) {
        unnumber_titles(&attr, &mut inner);
        if let Some(own) = self.only_float(&attr, &mut inner) {
            own.classes.extend(attr.classes.into_iter().filter(|class| is_column(class)));
            out.extend(self.rewrite(inner));
            return;
        }
        let theorem = kinds::theorem_class(&attr);
        match self.kind_of(&attr.id) {
            Some(kind) if kind.is_float() => {
                let (caption, inner) = div_caption(&mut attr, inner, &kind.name);
                self.float(attr, caption, inner, out);
            }
            Some(kind) if kind.is_theorem() => {
                let made = self.theorem(attr, inner, &kind.name, true);
                out.push(made);
            }
            Some(kind) if kind.is_callout() => {
                let number = self.next(&kind.name);
                self.register(&attr.id, &kind.name, number.clone());
                attr.pairs.push((
                    "callout-number".to_owned(),
                    format!("{}\u{a0}{number}", self.names.title(&kind.name)),
                ));
                let inner = self.rewrite(inner);
                out.push(Block::Div(attr, inner));
            }
            _ => match theorem {
                Some(kind) => {
                    let made = self.theorem(attr, inner, kind, false);
                    out.push(made);
                }
                None => {
                    let inner = self.rewrite(inner);
                    out.push(Block::Div(attr, inner));
                }
            },
        }
    }

    fn heading(&mut self, level: u8, mut attr: Attr, inner: Vec<Inline>) -> Block {
        let inner = self.rewrite_inlines(inner);
        if attr.id.is_empty() {
            let base = identifier(&inner);
            let count = self.identifiers.entry(base.clone()).or_default();
            attr.id = if *count == 0 { base } else { format!("{base}-{count}") };
            *count += 1;
        }
        if attr.has_class("unnumbered") || attr.has_class("unlisted") && attr.has_class("unnumbered") {
            return Block::Header(level, attr, inner);
        }
        let depth = usize::from(level);
        self.sections.resize(depth, 0);
        self.sections[depth - 1] += 1;
        let first = self.sections.iter().position(|number| *number > 0).unwrap_or(0);
        let offset = |index: usize| self.offsets.get(index).copied().unwrap_or(0);
        let counts = self.sections.iter().enumerate().skip(first);
        let number: Vec<String> =
            counts.map(|(index, count)| count.saturating_add(offset(index)).to_string()).collect();
        let number = number.join(".");
        let number = match &self.context.chapter {
            Some(chapter) if first > 0 => format!("{chapter}.{number}"),
            _ => number,
        };
        if attr.id.starts_with("sec-") {
            // The headings of the first level in a whole book are chapters and appendices.
            let is_chapter = level == 1 && self.context.metadata.is_book;
            let kind = match (is_chapter, self.in_appendices) {
                (false, _) => "sec",
                (true, false) => "ch",
                (true, true) => "apx",
            };
            self.register(&attr.id.clone(), kind, number.clone());
        }
        let deepest =
            self.context.metadata.at("number-depth").and_then(serde_json::Value::as_u64).unwrap_or(6);
        let wanted = self.context.metadata.is_true("number-sections") && u64::from(level) <= deepest;
        if !wanted || self.numbers_sections() {
            return Block::Header(level, attr, inner);
        }
        attr.pairs.push(("number".to_owned(), number.clone()));
        if self.context.is_html() {
            return Block::Header(level, attr, inner);
        }
        attr.take("number");
        let mut numbered = vec![Inline::Str(number), Inline::Space];
        numbered.extend(inner);
        Block::Header(level, attr, numbered)
    }

    fn float(&mut self, attr: Attr, caption: Vec<Inline>, content: Vec<Block>, out: &mut Vec<Block>) {
        let kind = self.kind_of(&attr.id).map(|kind| kind.name).unwrap_or_default();
        let number = match &mut self.parent {
            Some(parent) => {
                parent.children += 1;
                let sub = self.labels.sub(parent.children);
                let shown = format!("({sub})");
                let number = format!("{}\u{a0}{shown}", parent.number);
                self.register(&attr.id, &kind, number);
                shown
            }
            None => {
                let number = self.next(&kind);
                self.register(&attr.id, &kind, number.clone());
                number
            }
        };
        let mut attr = attr;
        let content = with_subcaptions(&mut attr, &kind, content);
        let is_sub = self.parent.is_some();
        let outer = self.parent.take();
        let has_children = content.iter().any(|block| self.holds_float(block, 0));
        if has_children {
            self.parent = Some(Parent { number: number.clone(), children: 0 });
        }
        let content = self.rewrite(content);
        self.parent = outer;
        let caption = self.rewrite_inlines(caption);
        let uncaptioned = caption.is_empty();
        let caption = self.captioned(caption, &kind, &number, is_sub);
        self.write(Float { attr, kind, caption, uncaptioned, content, is_sub, has_parts: has_children }, out);
    }

    fn holds_float(&self, block: &Block, depth: u32) -> bool {
        if depth > 3 {
            return false;
        }
        match block {
            Block::Figure(attr, ..) | Block::Div(attr, _) if self.is_float(&attr.id) => true,
            Block::Table(table) => self.is_float(&table.attr.id),
            Block::Para(inlines) => inlines
                .iter()
                .any(|inline| matches!(inline, Inline::Image(attr, ..) if self.is_float(&attr.id))),
            Block::Div(_, inner) => inner.iter().any(|block| self.holds_float(block, depth + 1)),
            _ => false,
        }
    }

    /// The caption with what it is a caption of: `Figure 1: …`.
    fn captioned(&self, caption: Vec<Inline>, kind: &str, number: &str, is_sub: bool) -> Vec<Inline> {
        let all = self.context.family() == Family::Typst;
        if self.numbers_itself() && (all || matches!(kind, "fig" | "tbl" | "lst")) {
            return caption;
        }
        let title = self.names.title(kind);
        let lead = if is_sub { number.to_owned() } else { format!("{title}\u{a0}{number}") };
        let delimiter = if is_sub || caption.is_empty() { "" } else { self.names.delimiter() };
        let mut out = vec![Inline::Str(format!("{lead}{delimiter}"))];
        if !caption.is_empty() {
            out.push(Inline::Space);
            out.extend(caption);
        }
        out
    }

    /// A float as a figure of Typst.
    fn typst_float(&self, float: Float, out: &mut Vec<Block>) {
        let Float { attr, kind, caption, content, has_parts, .. } = float;
        let metadata = self.context.metadata;
        let own = metadata.text(&format!("{kind}-cap-location"));
        let location = own.or_else(|| metadata.text("cap-location"));
        out.extend(super::typst::float(super::typst::Float {
            attr,
            kind: &kind,
            supplement: &self.names.title(&kind),
            caption,
            content,
            has_parts,
            margin_caption: location == Some("margin"),
            location,
        }));
    }

    /// A float as the format shows it.
    fn write(&mut self, float: Float, out: &mut Vec<Block>) {
        let Float { mut attr, kind, mut caption, uncaptioned, mut content, is_sub, has_parts } = float;
        let layout: Vec<(String, String)> =
            attr.pairs.extract_if(.., |(key, _)| key.starts_with("layout")).collect();
        if !layout.is_empty() {
            let in_float = matches!(self.context.family(), Family::Latex | Family::Typst);
            let classes = if in_float { vec!["in-float".to_owned()] } else { vec![] };
            content = vec![Block::Div(
                Attr { pairs: layout, place: attr.place, classes, ..Attr::default() },
                content,
            )];
        }
        if self.context.is_html() {
            out.push(self.html_float(Float { attr, kind, caption, uncaptioned, content, is_sub, has_parts }));
            return;
        }
        let family = self.context.family();
        if family == Family::Typst {
            self.typst_float(Float { attr, kind, caption, uncaptioned, content, is_sub, has_parts }, out);
            return;
        }
        if matches!(family, Family::Docx | Family::Odt) {
            out.push(self.framed(Float { attr, kind, caption, uncaptioned, content, is_sub, has_parts }));
            return;
        }
        if family == Family::Latex && !attr.id.is_empty() {
            let label = Inline::Raw {
                format: "tex".to_owned(),
                text: format!("\\label{{{}}}", std::mem::take(&mut attr.id)),
                place: attr.place,
            };
            caption.insert(0, label);
        }
        let no_figures = family == Family::Markdown && self.context.format.id != "markdown";
        if let (true, [Block::Plain(inlines) | Block::Para(inlines)]) = (no_figures, content.as_mut_slice())
            && let Some((own, words, _)) = image_of(inlines)
            && own.alternative().is_none_or(|other| other == plain(&caption))
        {
            own.id = attr.id;
            *words = caption;
            out.push(Block::Para(std::mem::take(inlines)));
            return;
        }
        // A table has its own caption everywhere.
        if let ("tbl", [Block::Table(table)]) = (kind.as_str(), content.as_mut_slice())
            && family != Family::Jats
        {
            table.caption = caption;
            table.attr.id = attr.id;
            out.extend(content);
            return;
        }
        let is_bare_table = kind == "tbl" && !is_sub && !content.iter().any(|block| holds_table(block, 0));
        if family == Family::Latex && is_bare_table {
            out.extend(super::latex::table(caption, content));
            return;
        }
        if family == Family::Asciidoc
            && !matches!(content.as_slice(), [Block::Para(inlines) | Block::Plain(inlines)] if is_picture(inlines))
        {
            out.extend(asciidoc(&attr, caption, content));
            return;
        }
        if kind == "fig" || self.numbers_itself() || family == Family::Jats {
            for block in &mut content {
                if let Block::Para(inlines) = block {
                    *block = Block::Plain(std::mem::take(inlines));
                }
            }
            out.push(Block::Figure(
                Attr { id: attr.id, place: attr.place, ..Attr::default() },
                caption,
                content,
            ));
            return;
        }
        let mut inner = Vec::new();
        if kind == "lst" || kind == "tbl" {
            inner.push(Block::Para(caption));
            inner.extend(content);
        } else {
            inner.extend(content);
            inner.push(Block::Para(caption));
        }
        out.push(Block::Div(Attr { id: attr.id, place: attr.place, ..Attr::default() }, inner));
    }

    /// A float of a web page: a figure in a div with its identifier. The div of parts side by side is their panel.
    fn html_float(&self, float: Float) -> Block {
        let Float { mut attr, kind, mut caption, uncaptioned, mut content, is_sub, .. } = float;
        let id = std::mem::take(&mut attr.id);
        let place = attr.place;
        let name = if is_sub { "quarto-subfloat" } else { "quarto-float" };
        let mut figure = Attr::classes(&format!("quarto-float {name}-{kind} figure"));
        if let Some(side) = attr.take(&format!("{kind}-cap-location")) {
            figure = figure.with("cap-location", side);
        }
        // The writers of other programs do not know these.
        let is_page = self.context.family() == Family::Html;
        if uncaptioned && is_page {
            figure = figure.with("uncaptioned", "true");
        }
        if !caption.is_empty() && is_page {
            figure = figure.with("caption-id", format!("{id}-caption-{CAPTION}"));
        }
        let align = attr.take("fig-align");
        let default = if kind == "lst" { "left" } else { "center" };
        let side = align.as_deref().or_else(|| side_of(&content)).unwrap_or(default).to_owned();
        // A picture that is all there is does not make a paragraph.
        if let [Block::Para(inlines)] = content.as_mut_slice()
            && is_picture(inlines)
        {
            content = vec![Block::Plain(std::mem::take(inlines))];
        }
        if kind == "lst" {
            let language = content.iter().find_map(|block| match block {
                Block::Code(own, _) => own.classes.first().cloned(),
                _ => None,
            });
            attr.classes.push("listing".to_owned());
            attr.classes.extend(language);
        }
        let panel = match content.as_mut_slice() {
            [Block::Div(own, _)]
                if own.id.is_empty() && own.pairs.iter().any(|(key, _)| key.starts_with("layout")) =>
            {
                own.classes.push("in-panel".to_owned());
                own.pairs.push(("ref-parent".to_owned(), id.clone()));
                true
            }
            _ => false,
        };
        let inner = Block::Figure(Attr { place, ..figure }, std::mem::take(&mut caption), content);
        let classes = if panel {
            "quarto-layout-panel anchored".to_owned()
        } else {
            format!("quarto-float quarto-figure quarto-figure-{side} anchored")
        };
        let mut outer = Attr { place, ..Attr::classes(&classes) };
        outer.id = id;
        outer.classes.extend(attr.classes);
        attr.pairs.retain(|(key, _)| !matches!(key.as_str(), "fig-cap" | "tbl-cap" | "lst-cap"));
        outer.pairs = attr.pairs;
        Block::Div(outer, vec![inner])
    }

    /// A float of a word processor: its content and its caption stay together in a frame without lines.
    fn framed(&self, float: Float) -> Block {
        let Float { attr, kind, caption, content, .. } = float;
        let metadata = self.context.metadata;
        let own = attr.get(&format!("{kind}-cap-location"));
        let side = own.or_else(|| metadata.text(&format!("{kind}-cap-location")));
        let above = side.map_or(matches!(kind.as_str(), "tbl" | "lst"), |side| side == "top");
        let style = Attr::default().with("custom-style", "Image Caption");
        let caption = Block::Div(style, vec![Block::Para(caption)]);
        let mut inner = content;
        inner.insert(if above { 0 } else { inner.len() }, caption);
        let column = if kind == "fig" { Alignment::Center } else { Alignment::Left };
        let alignment = match side_of(&inner[usize::from(above)..]) {
            Some("left") => Alignment::Left,
            Some("right") => Alignment::Right,
            _ => column,
        };
        let named = Attr { id: attr.id, place: attr.place, ..Attr::default() };
        let cell = Cell { blocks: vec![Block::Div(named, inner)], columns: 1, rows: 1, ..Cell::default() };
        Block::Table(Box::new(Table {
            alignments: vec![alignment],
            widths: vec![Some(1.0)],
            rows: vec![vec![cell]],
            ..Table::default()
        }))
    }

    /// A theorem, a proof or the like: its title before its text.
    fn theorem(&mut self, mut attr: Attr, mut inner: Vec<Block>, kind: &str, numbered: bool) -> Block {
        let mut name = attr.take("name").map(|name| crate::reader::read_inlines(&name, true));
        if name.is_none()
            && let Some(Block::Header(..)) = inner.first()
            && let Block::Header(_, _, title) = inner.remove(0)
        {
            name = Some(title);
        }
        let title = self.names.title(kind);
        let mut lead = vec![];
        if numbered && self.context.family() == Family::Latex {
            let number = self.next(kind);
            self.register(&attr.id, kind, number);
            return self.latex_theorem(attr, name.unwrap_or_default(), inner, kind);
        }
        if numbered && self.context.family() == Family::Typst {
            let number = self.next(kind);
            self.register(&attr.id, kind, number);
            return self.typst_theorem(attr, name.unwrap_or_default(), inner, kind);
        }
        if numbered {
            let number = self.next(kind);
            self.register(&attr.id, kind, number.clone());
            lead.push(Inline::Str(format!("{title} {number}")));
        } else {
            lead.push(Inline::Str(title));
        }
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            lead.extend([Inline::Space, Inline::Str("(".to_owned())]);
            lead.extend(name);
            lead.push(Inline::Str(")".to_owned()));
        }
        let is_proof = matches!(kind, "prf" | "rem" | "sol");
        let class = kinds::theorem_name(kind);
        let heading = if is_proof {
            vec![Inline::Emph(lead), Inline::Str(".".to_owned()), Inline::Space]
        } else {
            vec![Inline::Strong(lead), Inline::Space]
        };
        let title_class = if is_proof { "proof-title" } else { "theorem-title" };
        let spans = self.context.is_html() || self.context.format.id == "markdown";
        let heading = if spans {
            let mut heading = heading;
            heading.pop();
            vec![Inline::span(Attr::class(title_class), heading), Inline::Space]
        } else {
            heading
        };
        let mut inner = self.rewrite(inner);
        match inner.first_mut() {
            Some(Block::Para(inlines) | Block::Plain(inlines)) => {
                let mut all = heading;
                all.append(inlines);
                *inlines = all;
            }
            _ => inner.insert(0, Block::Para(heading)),
        }
        if !attr.has_class("theorem") && !is_proof {
            attr.classes.insert(0, "theorem".to_owned());
        }
        if is_proof && !attr.has_class("proof") {
            attr.classes.insert(0, "proof".to_owned());
        }
        if !attr.has_class(class) {
            attr.classes.push(class.to_owned());
        }
        Block::Div(attr, inner)
    }
}

impl Numbering<'_, '_> {
    /// A theorem as LaTeX numbers it.
    fn latex_theorem(&mut self, attr: Attr, name: Vec<Inline>, inner: Vec<Block>, kind: &str) -> Block {
        let environment = kinds::theorem_name(kind);
        let raw = |text: String| Inline::Raw { format: "tex".to_owned(), text, place: attr.place };
        let mut lead = vec![raw(format!("\\begin{{{environment}}}["))];
        lead.extend(name);
        lead.push(raw(format!("]\\protect\\hypertarget{{{0}}}{{}}\\label{{{0}}}", attr.id)));
        let mut out = vec![Block::Plain(lead)];
        out.extend(self.rewrite(inner));
        out.push(Block::Plain(vec![raw(format!("\\end{{{environment}}}"))]));
        let line = format!("\\newtheorem{{{environment}}}{{{}}}[section]", self.names.title(kind));
        self.context.preamble("\\usepackage{amsthm}");
        self.context.preamble(&line);
        Block::Div(Attr { place: attr.place, ..Attr::default() }, out)
    }
}

impl Numbering<'_, '_> {
    /// A theorem as the template for Typst numbers it.
    fn typst_theorem(&mut self, attr: Attr, name: Vec<Inline>, inner: Vec<Block>, kind: &str) -> Block {
        let function = kinds::theorem_name(kind);
        let slanted = matches!(kind, "thm" | "lem" | "cor" | "prp" | "cnj");
        self.context.preamble(&format!(
            "#let {function} = make-frame({}, {}, slanted: {slanted})",
            super::typst::quoted(&format!("quarto-thm-{kind}")),
            super::typst::quoted(&self.names.title(kind))
        ));
        let mut lead = vec![super::typst::code(format!("#{function}("))];
        if !name.is_empty() {
            lead.push(super::typst::code("title: ["));
            lead.extend(name);
            lead.push(super::typst::code("]"));
        }
        lead.push(super::typst::code(")["));
        let mut out = vec![Block::Plain(lead)];
        out.extend(self.rewrite(inner));
        out.push(super::typst::line(format!("] <{}>", attr.id)));
        Block::Div(Attr { place: attr.place, ..Attr::class("typst-theorem") }, out)
    }
}

impl Rewrite for Numbering<'_, '_> {
    fn rewrite(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            self.block_of(block, &mut out);
        }
        out
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Span(attr, inner) if attr.id.starts_with("eq-") && is_display(&inner) => {
                    let number = self.next("eq");
                    self.register(&attr.id.clone(), "eq", number.clone());
                    out.push(self.equation(*attr, inner, &number));
                }
                other => out.push(other),
            }
        }
        out
    }
}

impl Numbering<'_, '_> {
    fn equation(&self, attr: Attr, inner: Vec<Inline>, number: &str) -> Inline {
        let formula = inner.iter().find_map(|inline| match inline {
            Inline::Math { tex, place, .. } => Some((tex.trim().to_owned(), *place)),
            _ => None,
        });
        let (tex, place) = formula.unwrap_or_default();
        match self.context.family() {
            Family::Latex => Inline::Raw {
                format: "tex".to_owned(),
                text: format!(
                    "\\begin{{equation}}\\phantomsection\\label{{{}}}{{\n{tex}\n}}\\end{{equation}}",
                    attr.id
                ),
                place: attr.place,
            },
            Family::Typst => {
                let alternative = attr.get("alt").map(|alt| format!("alt: {}, ", super::typst::quoted(alt)));
                let open = format!(
                    "#math.equation(block: true, numbering: equation-numbering, {}[ ",
                    alternative.unwrap_or_default()
                );
                let close = super::typst::code(format!(" ])<{}>", attr.id));
                let formula = Inline::Math { display: true, tex, place };
                let plain = Attr { place: attr.place, ..Attr::default() };
                Inline::span(plain, vec![super::typst::code(open), formula, close])
            }
            Family::Html | Family::Epub => {
                let tex = format!("{tex} \\tag{{{number}}}");
                Inline::span(attr, vec![Inline::Math { display: true, tex, place }])
            }
            _ => {
                let tex = format!("{tex} \\qquad({number})");
                Inline::span(attr, vec![Inline::Math { display: true, tex, place }])
            }
        }
    }
}

/// Whether a class says where content is on a page.
fn is_column(class: &str) -> bool {
    class.starts_with("column-") || matches!(class, "aside" | "margin-caption")
}

/// The headings that are titles of a callout or of tabs begin no section, so they get no numbers.
fn unnumber_titles(attr: &Attr, inner: &mut [Block]) {
    let level_of = |block: &Block| if let Block::Header(level, ..) = block { Some(*level) } else { None };
    let count = if attr.has_class("panel-tabset") {
        inner.len()
    } else {
        usize::from(attr.classes.iter().any(|class| class.starts_with("callout")))
    };
    let level = inner.iter().take(count).find_map(level_of);
    for block in inner.iter_mut().take(count) {
        if let Block::Header(found, attr, _) = block
            && Some(*found) == level
            && !attr.has_class("unnumbered")
        {
            attr.classes.push("unnumbered".to_owned());
        }
    }
}

fn is_display(inner: &[Inline]) -> bool {
    inner.iter().any(|inline| matches!(inline, Inline::Math { display: true, .. }))
}

/// The side that the only picture of a figure says it is on.
fn side_of(content: &[Block]) -> Option<&str> {
    let [Block::Para(inlines) | Block::Plain(inlines)] = content else { return None };
    let side = match inlines.as_slice() {
        [Inline::Image(attr, ..)] => attr.get("fig-align"),
        _ => None,
    };
    side.filter(|side| matches!(*side, "left" | "right" | "center" | "default"))
}

/// The image that a paragraph consists of, also as a link.
fn image_of(inlines: &mut [Inline]) -> Option<(&mut Attr, &mut Vec<Inline>, &mut String)> {
    match inlines {
        [Inline::Image(attr, words, target)] => Some((attr, words, &mut target.url)),
        [Inline::Link(_, inner, _)] => match inner.as_mut_slice() {
            [Inline::Image(attr, words, target)] => Some((attr, words, &mut target.url)),
            _ => None,
        },
        _ => None,
    }
}

/// The caption of a div: an attribute, the caption of its table, or its last paragraph.
fn div_caption(attr: &mut Attr, mut inner: Vec<Block>, kind: &str) -> (Vec<Inline>, Vec<Block>) {
    let named = attr.take(&format!("{kind}-cap")).or_else(|| attr.take("cap"));
    if let Some(text) = named {
        return (crate::reader::read_inlines(&text, true), inner);
    }
    let table = inner.iter_mut().find_map(|block| match block {
        Block::Table(table) if !table.caption.is_empty() && table.attr.id.is_empty() => Some(table),
        _ => None,
    });
    if let Some(table) = table {
        return (std::mem::take(&mut table.caption), inner);
    }
    let raw = inner.iter_mut().find_map(|block| match block {
        Block::Raw { format, text, .. } if kind == "tbl" && format == "html" => raw_caption(text),
        _ => None,
    });
    if let Some(text) = raw {
        return (crate::reader::read_inlines(&text, true), inner);
    }
    let code = inner.iter_mut().find_map(|block| match block {
        Block::Code(attr, _) => attr.take("lst-cap"),
        _ => None,
    });
    if let Some(text) = code {
        return (crate::reader::read_inlines(&text, true), inner);
    }
    let is_only_image = |inlines: &[Inline]| {
        inlines.iter().all(|inline| {
            matches!(inline, Inline::Image(..) | Inline::Space | Inline::SoftBreak)
                || matches!(inline, Inline::Link(_, inner, _) if matches!(inner.as_slice(), [Inline::Image(..)]))
        })
    };
    if let Some(Block::Para(inlines)) = inner.last()
        && !is_only_image(inlines)
        && (inner.len() > 1 || kind != "tbl")
        && let Some(Block::Para(caption)) = inner.pop()
    {
        return (caption, inner);
    }
    // The caption of the only figure is that of the div around it.
    if let [Block::Figure(figure, caption, _)] = inner.as_mut_slice()
        && figure.id.is_empty()
    {
        let caption = std::mem::take(caption);
        let Some(Block::Figure(_, _, content)) = inner.pop() else { return (caption, inner) };
        return (caption, content);
    }
    (Vec::new(), inner)
}

fn is_picture(inlines: &[Inline]) -> bool {
    matches!(inlines, [Inline::Image(..)])
        || matches!(inlines, [Inline::Link(_, inner, _)] if matches!(inner.as_slice(), [Inline::Image(..)]))
}

/// A block of `AsciiDoc` with an anchor and a title; what is not one block is an example.
fn asciidoc(attr: &Attr, caption: Vec<Inline>, content: Vec<Block>) -> Vec<Block> {
    let place = attr.place;
    let raw = |text: String| Inline::Raw { format: "asciidoc".to_owned(), text, place };
    let (anchor, is_group) = match content.as_slice() {
        [Block::Code(..)] => (format!("[[{}]]", attr.id), false),
        [Block::Figure(..) | Block::Div(..), ..] => (format!("[#{}]", attr.id), true),
        _ => (format!("[[{}]]", attr.id), true),
    };
    let mut lead = vec![raw(anchor)];
    if !caption.is_empty() {
        lead.push(raw("\n.".to_owned()));
        lead.extend(caption);
    }
    if is_group {
        lead.push(raw("\n====".to_owned()));
    }
    let mut out = vec![Block::Plain(lead)];
    out.extend(content);
    if is_group {
        out.push(Block::Plain(vec![raw("====".to_owned())]));
    }
    out
}

/// Whether a table, or parts side by side, are in a block.
fn holds_table(block: &Block, depth: u32) -> bool {
    match block {
        Block::Table(_) | Block::Figure(..) => true,
        Block::Div(attr, inner) => {
            attr.has_class("in-float") || depth < 3 && inner.iter().any(|block| holds_table(block, depth + 1))
        }
        _ => false,
    }
}

/// Gives the results of a cell the captions that `fig-subcap` or `tbl-subcap` lists.
fn with_subcaptions(attr: &mut Attr, kind: &str, content: Vec<Block>) -> Vec<Block> {
    let listed = attr.take(&format!("{kind}-subcap"));
    let Some(captions) = listed.and_then(|text| serde_json::from_str::<Vec<String>>(&text).ok()) else {
        return content;
    };
    let mut captions = captions.into_iter().zip(1_u32..);
    let is_code = |block: &Block| match block {
        Block::Code(..) => true,
        Block::Div(attr, _) => attr.has_class("cell-code"),
        _ => false,
    };
    let mut give = |block: Block| {
        if is_code(&block) {
            return block;
        }
        let Some((caption, number)) = captions.next() else { return block };
        let id = format!("{}-{number}", attr.id);
        let inner = match block {
            Block::Div(own, inner) if own.id.is_empty() => inner,
            other => vec![other],
        };
        Block::Div(
            Attr { place: attr.place, ..Attr::default().with_id(id) }.with(&format!("{kind}-cap"), caption),
            inner,
        )
    };
    content.into_iter().map(&mut give).collect()
}

/// Takes the caption out of a table that is written in HTML.
fn raw_caption(text: &mut String) -> Option<String> {
    let start = text.find("<caption")?;
    let inner = start + text[start..].find('>')? + 1;
    let end = inner + text[inner..].find("</caption>")?;
    let caption = text[inner..end].trim().to_owned();
    text.replace_range(start..end + "</caption>".len(), "");
    (!caption.is_empty()).then_some(caption)
}
