//! Blocks and inlines as HTML.

use std::{collections::HashMap, fmt::Write as _};

use super::{
    css,
    escape::{escape, text},
    formula::mathml,
    highlight::{highlight, is_known},
};
use crate::budget;
use crate::{
    metadata::Metadata,
    model::{Alignment, Attr, Block, Cell, Inline, NumberStyle, Numbering, Table, Target, plain},
};

/// Attributes of HTML that are written without `data-`.
const ATTRIBUTES: [&str; 40] = [
    "abbr", "accept", "alt", "async", "cite", "class", "cols", "colspan", "controls", "datetime", "dir",
    "disabled", "download", "for", "headers", "height", "href", "hreflang", "id", "lang", "loading", "loop",
    "max", "media", "min", "name", "poster", "rel", "role", "rows", "rowspan", "sizes", "src", "srcset",
    "start", "style", "target", "title", "type", "width",
];

/// Where the explanations of annotated code are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Annotations {
    Below,
    /// They are shown when the mark of a line is pointed at or chosen.
    OnDemand,
}

/// Writes blocks.
#[allow(clippy::struct_excessive_bools, reason = "independent options of a page")]
pub(super) struct Writer<'w> {
    pub out: String,
    /// Bytes of a local image as a `data:` address; nothing where it is not there.
    pub image: &'w dyn Fn(&str) -> Option<String>,
    /// The content of notes that were referred to.
    pub notes: Vec<String>,
    code_blocks: u32,
    /// Whether headings get a mark for links to them.
    pub anchors: bool,
    /// Whether headings begin sections.
    pub sections: bool,
    pub code_copy: bool,
    pub line_numbers: bool,
    /// Whether the words of code have classes by what they are.
    highlight: bool,
    /// What is added to names of pictures without an extension.
    image_extension: String,
    /// Whether lists appear item by item.
    pub incremental: bool,
    /// Whether the page is a deck: it has pauses and speaker notes, and scripts that read attributes.
    pub deck: bool,
    /// Sides of captions that the metadata sets, by kind.
    pub caption_sides: HashMap<&'static str, String>,
    /// Where figures are when they do not say it.
    figure_side: &'static str,
    /// Whether tables in HTML get the classes that other tables have.
    raw_tables: bool,
    /// What begins a link within the document.
    pub link_start: &'static str,
    /// Whether content can be in other columns of the page than the text.
    pub columns: bool,
    /// Whether pictures are those of a figure.
    in_figure: bool,
    /// Whether the heading that is written has a section around it with its identifier.
    in_section: bool,
    /// How annotations of code are shown.
    annotations: Annotations,
    /// How much of the output is charged.
    charged: usize,
}

impl<'w> Writer<'w> {
    pub(super) fn new(image: &'w dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            out: String::new(),
            image,
            notes: Vec::new(),
            code_blocks: 0,
            anchors: true,
            sections: true,
            code_copy: true,
            line_numbers: false,
            highlight: true,
            image_extension: String::new(),
            incremental: false,
            deck: false,
            caption_sides: HashMap::new(),
            figure_side: "center",
            raw_tables: true,
            link_start: "#",
            columns: false,
            in_figure: false,
            in_section: false,
            annotations: Annotations::Below,
            charged: 0,
        }
    }

    /// Takes over what the metadata says of captions and code.
    pub(super) fn configure(&mut self, metadata: &Metadata) {
        for (kind, key) in
            [("fig", "fig-cap-location"), ("tbl", "tbl-cap-location"), ("lst", "lst-cap-location")]
        {
            if let Some(side) = metadata.text(key) {
                self.caption_sides.insert(kind, side.to_owned());
            }
        }
        self.figure_side = metadata.text("fig-align").and_then(side).unwrap_or("center");
        self.raw_tables = metadata.text("html-table-processing") != Some("none");
        if matches!(metadata.text("code-annotations"), Some("hover" | "select")) {
            self.annotations = Annotations::OnDemand;
        }
        self.code_copy = metadata.at("code-copy").and_then(serde_json::Value::as_bool).unwrap_or(true);
        self.line_numbers = metadata.is_true("code-line-numbers");
        let style = ["syntax-highlighting", "highlight-style"].into_iter().find_map(|key| metadata.at(key));
        self.highlight = !style.is_some_and(|style| {
            style == &serde_json::Value::Bool(false) || style.is_null() || style.as_str() == Some("none")
        });
        metadata.text("default-image-extension").unwrap_or_default().clone_into(&mut self.image_extension);
    }

    /// What was written since a length.
    fn taken(&mut self, from: usize) -> String {
        self.out.split_off(from)
    }

    /// Writes blocks with the sections that headings begin, also those in divs.
    pub(super) fn document(&mut self, blocks: &[Block]) {
        let mut open: Vec<u8> = Vec::new();
        let mut paused = false;
        for (index, block) in budget::within(blocks).enumerate() {
            match block {
                _ if self.deck && is_pause(block) => self.pause(&mut paused),
                Block::Header(level, attr, inner) if self.sections => {
                    self.close_sections(&mut open, *level);
                    let rest = blocks.get(index + 1..).unwrap_or_default();
                    let is_end = |block: &Block| matches!(block, Block::Header(found, ..) if found <= level);
                    let end = rest.iter().position(is_end).unwrap_or(rest.len());
                    self.open_section(*level, attr, None, &rest[..end]);
                    open.push(*level);
                    self.in_section = true;
                    self.heading(*level, attr, inner);
                    self.in_section = false;
                }
                Block::Div(attr, inner) if self.sections => match section_of(attr, inner) {
                    // A div that is a section of its own.
                    Some((level, heading, words)) => {
                        self.close_sections(&mut open, level);
                        self.open_section(level, heading, Some(attr), inner);
                        self.in_section = true;
                        self.heading(level, heading, words);
                        self.in_section = false;
                        self.document(inner.get(1..).unwrap_or_default());
                        self.out.push_str("</section>\n");
                    }
                    None => self.block(block),
                },
                other => self.block(other),
            }
            self.charge();
        }
        self.end_pause(paused);
        self.close_sections(&mut open, 0);
    }

    /// What follows appears at the next step.
    pub(super) fn pause(&mut self, is_paused: &mut bool) {
        self.end_pause(*is_paused);
        self.out.push_str("<div class=\"fragment\">\n");
        *is_paused = true;
    }

    pub(super) fn end_pause(&mut self, is_paused: bool) {
        self.out.push_str(if is_paused { "</div>\n" } else { "" });
    }

    fn close_sections(&mut self, open: &mut Vec<u8>, level: u8) {
        while open.last().is_some_and(|last| *last >= level) {
            open.pop();
            self.out.push_str("</section>\n");
        }
    }

    /// Elements around what is in another column of the page have the grid of the page.
    fn in_grid(&self, attr: &mut Attr, inner: &[Block]) {
        let wants = self.columns && inner.iter().any(|block| has_column(block, 0));
        let outside = attr.has_class("column-container") || attr.has_class("quarto-layout-row");
        for class in ["page-columns", "page-full"] {
            if wants && !outside && !attr.has_class(class) {
                attr.classes.push(class.to_owned());
            }
        }
    }

    /// Begins a section with what its heading says, and the div that it is.
    fn open_section(&mut self, level: u8, attr: &Attr, div: Option<&Attr>, inner: &[Block]) {
        let mut classes = vec![format!("level{level}")];
        let own = attr.classes.iter().filter(|class| *class != "anchored");
        for class in own.chain(div.into_iter().flat_map(|div| &div.classes)) {
            if !classes.contains(class) {
                classes.push(class.clone());
            }
        }
        let pairs: Vec<(String, String)> = div.map(|div| div.pairs.clone()).unwrap_or_default();
        let mut section = Attr { id: attr.id.clone(), classes, pairs, place: attr.place };
        self.in_grid(&mut section, inner);
        let _ = writeln!(self.out, "<section{}{}>", attributes(&section), number(attr));
    }

    /// Writes blocks that are not next to each other.
    pub(super) fn blocks_of(&mut self, blocks: &[&Block]) {
        for block in blocks {
            self.blocks(std::slice::from_ref(*block));
        }
    }

    pub(super) fn blocks(&mut self, blocks: &[Block]) {
        for block in budget::within(blocks) {
            self.block(block);
            self.charge();
        }
    }

    /// Charges what was written since the last time.
    fn charge(&mut self) {
        let more = self.out.len().saturating_sub(self.charged);
        self.charged = self.out.len();
        budget::allocate(more);
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Plain(inner) => {
                self.inlines(inner);
                self.out.push('\n');
            }
            Block::Para(inner) if self.is_aligned(inner) => {
                self.plain_figure(&Attr::default(), &[], std::slice::from_ref(block));
            }
            Block::Para(inner) => {
                self.out.push_str("<p>");
                self.inlines(inner);
                self.out.push_str("</p>\n");
            }
            Block::LineBlock(lines) => {
                self.out.push_str("<div class=\"line-block\">");
                for (index, line) in lines.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str("<br>\n");
                    }
                    self.inlines(line);
                }
                self.out.push_str("</div>\n");
            }
            Block::Code(attr, text) => self.code(attr, text),
            Block::Raw { format, text, .. } => {
                if format == "html" && text.contains("<table") && self.raw_tables {
                    self.out.push_str(&raw_tables(text));
                } else {
                    self.out.push_str(text);
                }
                self.out.push('\n');
            }
            Block::Quote(inner) => {
                self.out.push_str("<blockquote class=\"blockquote\">\n");
                self.blocks(inner);
                self.out.push_str("</blockquote>\n");
            }
            Block::OrderedList(numbering, items) => self.ordered(*numbering, items),
            Block::BulletList(items) => {
                let tasks = items.iter().all(|item| task(item).is_some());
                self.out.push_str(if tasks { "<ul class=\"task-list\">\n" } else { "<ul>\n" });
                self.items(items);
                self.out.push_str("</ul>\n");
            }
            Block::DefinitionList(items) => {
                self.out.push_str("<dl>\n");
                let fragment = if self.incremental { " class=\"fragment\"" } else { "" };
                for (term, definitions) in items {
                    let _ = write!(self.out, "<dt{fragment}>");
                    self.inlines(term);
                    self.out.push_str("</dt>\n");
                    for definition in definitions {
                        let _ = writeln!(self.out, "<dd{fragment}>");
                        self.blocks(definition);
                        self.out.push_str("</dd>\n");
                    }
                }
                self.out.push_str("</dl>\n");
            }
            Block::Header(level, attr, inner) => self.heading(*level, attr, inner),
            Block::Rule => self.out.push_str("<hr>\n"),
            Block::Table(table) => self.table(table),
            Block::Figure(attr, caption, inner) => self.figure(attr, caption, inner),
            Block::Div(attr, inner) if self.deck && attr.has_class("notes") => {
                self.out.push_str("<aside class=\"notes\">\n");
                let before = std::mem::replace(&mut self.incremental, false);
                self.blocks(inner);
                self.incremental = before;
                self.out.push_str("</aside>\n");
            }
            Block::Div(attr, inner) => self.div(attr, inner),
        }
    }

    fn div(&mut self, attr: &Attr, inner: &[Block]) {
        let is_aside = self.deck && attr.has_class("aside");
        let is_section = !self.deck && attr.has_class("section");
        let tag = if is_section {
            "section"
        } else if is_aside {
            "aside"
        } else {
            "div"
        };
        let before = (self.incremental, self.raw_tables);
        let mut own = attr.clone();
        if is_aside {
            own = own.with("role", "note");
        }
        self.positioned(&mut own);
        if let Some(processing) = own.take("html-table-processing") {
            self.raw_tables = processing != "none";
        }
        self.incremental =
            (self.incremental || attr.has_class("incremental")) && !attr.has_class("nonincremental");
        if own.has_class("column")
            && let Some(width) = own.take("width")
        {
            own = own.with("style", format!("width:{width};"));
        }
        if own.has_class("panel-input") {
            own.classes.extend(["card", "bg-light", "p-2"].map(str::to_owned));
        }
        self.in_grid(&mut own, inner);
        let _ = writeln!(self.out, "<{tag}{}>", attributes(&own));
        self.document(inner);
        (self.incremental, self.raw_tables) = before;
        let _ = writeln!(self.out, "</{tag}>");
    }

    fn heading(&mut self, level: u8, attr: &Attr, inner: &[Inline]) {
        // A slide without a title is a section without a heading.
        if inner.is_empty() {
            return;
        }
        let level = level.clamp(1, 6);
        // The section around it has its identifier.
        let own = Attr { id: if self.in_section { String::new() } else { attr.id.clone() }, ..attr.clone() };
        let mut own = own;
        if self.anchors {
            own.classes.push("anchored".to_owned());
        }
        let _ = write!(self.out, "<h{level}{}", attributes(&own));
        if self.anchors {
            let _ = write!(self.out, " data-anchor-id=\"{}\"", escape(&attr.id));
        }
        self.out.push('>');
        if let Some(number) = attr.get("number") {
            let _ = write!(self.out, "<span class=\"header-section-number\">{}</span> ", escape(number));
        }
        self.inlines(inner);
        let _ = writeln!(self.out, "</h{level}>");
    }

    fn ordered(&mut self, numbering: Numbering, items: &[Vec<Block>]) {
        let style = match numbering.style {
            NumberStyle::Decimal => " type=\"1\"",
            NumberStyle::Example => " class=\"example\" type=\"1\"",
            NumberStyle::LowerAlpha => " type=\"a\"",
            NumberStyle::UpperAlpha => " type=\"A\"",
            NumberStyle::LowerRoman => " type=\"i\"",
            NumberStyle::UpperRoman => " type=\"I\"",
        };
        let start =
            if numbering.start == 1 { String::new() } else { format!(" start=\"{}\"", numbering.start) };
        let _ = writeln!(self.out, "<ol{start}{style}>");
        self.items(items);
        self.out.push_str("</ol>\n");
    }

    fn items(&mut self, items: &[Vec<Block>]) {
        for item in items {
            self.out.push_str(if self.incremental { "<li class=\"fragment\">" } else { "<li>" });
            match task(item) {
                Some(done) => {
                    let checked = if done { " checked=\"\"" } else { "" };
                    let _ = write!(self.out, "<label><input type=\"checkbox\"{checked}>");
                    let mut rest = item.clone();
                    if let Some(Block::Plain(inlines) | Block::Para(inlines)) = rest.first_mut() {
                        inlines.drain(..2.min(inlines.len()));
                        self.inlines(inlines);
                        rest.remove(0);
                    }
                    self.out.push_str("</label>\n");
                    self.blocks(&rest);
                }
                None => {
                    // A list that is not tight has its paragraphs.
                    let from = self.out.len();
                    self.blocks(item);
                    let content = self.taken(from);
                    self.out.push_str(content.trim_end());
                }
            }
            self.out.push_str("</li>\n");
        }
    }

    #[allow(clippy::too_many_lines, reason = "the parts of a block of code in their order")]
    fn code(&mut self, attr: &Attr, code: &str) {
        self.code_blocks += 1;
        let block = self.code_blocks;
        let Some(language) = attr.classes.first() else {
            let _ = writeln!(self.out, "<pre{}><code>{}</code></pre>", attributes(attr), text(code));
            return;
        };
        let filename = attr.get("filename").map(str::to_owned);
        if let Some(name) = &filename {
            let _ = writeln!(
                self.out,
                "<div class=\"code-with-filename\">\n<div class=\"code-with-filename-file\">\n<pre><strong>{}</strong></pre>\n</div>",
                escape(name)
            );
        }
        let own_numbers = attr.get("code-line-numbers").map(|value| value != "false");
        let numbers = own_numbers.unwrap_or(self.line_numbers || attr.has_class("numberLines"));
        let start: u64 = attr.get("startFrom").and_then(|value| value.parse().ok()).unwrap_or(1);
        let mut classes = vec!["sourceCode".to_owned()];
        if numbers {
            classes.push("numberSource".to_owned());
        }
        classes.extend(attr.classes.iter().filter(|class| *class != "numberLines").cloned());
        if numbers {
            classes.push("number-lines".to_owned());
        }
        if self.code_copy {
            classes.push("code-with-copy".to_owned());
            self.out.push_str("<div class=\"code-copy-outer-scaffold\">");
        }
        let id = if attr.id.is_empty() { format!("cb{block}") } else { attr.id.clone() };
        let marks: Vec<(usize, u32)> = attr
            .get("annotations")
            .into_iter()
            .flat_map(|marks| marks.split(' ').filter_map(|mark| mark.split_once(':')))
            .filter_map(|(line, number)| Some((line.parse().ok()?, number.parse().ok()?)))
            .collect();
        let mut outer = Attr {
            id: id.clone(),
            classes: vec!["sourceCode".to_owned()],
            pairs: attr.pairs.clone(),
            place: attr.place,
        };
        outer.take("annotations");
        let steps = outer.take("code-line-numbers").filter(|steps| self.deck && is_steps(steps));
        if let Some(steps) = steps {
            outer.pairs.push(("data-code-line-numbers".to_owned(), steps));
        }
        let _ = write!(self.out, "<div{}>", attributes(&outer));
        let counter = if start == 1 {
            String::new()
        } else {
            format!(" style=\"counter-reset: source-line {};\"", i128::from(start) - 1)
        };
        let _ = write!(
            self.out,
            "<pre class=\"{}\"><code class=\"sourceCode {}\"{counter}>",
            escape(&classes.join(" ")),
            escape(language)
        );
        let painted =
            if self.highlight { highlight(language, code) } else { code.lines().map(text).collect() };
        for index in 0..code.lines().count() {
            if index > 0 {
                self.out.push('\n');
            }
            let number = start + index as u64;
            let label = if numbers {
                format!("aria-label=\"{number}\"")
            } else {
                "aria-hidden=\"true\" tabindex=\"-1\"".to_owned()
            };
            let marked = marks.iter().find(|(line, _)| *line == index + 1);
            let anchor = marked.map(|(_, number)| {
                let (tag, more) = match self.annotations {
                    Annotations::OnDemand => ("button", ""),
                    Annotations::Below => ("a", " onclick=\"event.preventDefault();\""),
                };
                format!(
                    "<{tag} class=\"code-annotation-anchor\" data-target-cell=\"{}\" data-target-annotation=\"{number}\"{more}>{number}</{tag}>",
                    escape(&id)
                )
            });
            let class = if marked.is_some() { " class=\"code-annotation-target\"" } else { "" };
            let _ = write!(
                self.out,
                "{3}<span id=\"{0}-{1}\"{class}><a href=\"#{0}-{1}\" {label}></a>{2}</span>",
                escape(&id),
                number,
                painted.get(index).map_or("", String::as_str),
                anchor.unwrap_or_default()
            );
        }
        if !marks.is_empty() {
            self.out.push_str(
                "<div class=\"code-annotation-gutter-bg\"></div><div class=\"code-annotation-gutter\"></div>",
            );
        }
        self.out.push_str("</code></pre></div>");
        if self.code_copy {
            self.out.push_str(
                "<button title=\"Copy to Clipboard\" class=\"code-copy-button\"><i class=\"bi\"></i></button></div>",
            );
        }
        self.out.push('\n');
        if filename.is_some() {
            self.out.push_str("</div>\n");
        }
    }

    fn figure(&mut self, attr: &Attr, caption: &[Inline], inner: &[Block]) {
        let kind = attr.classes.iter().find_map(|class| {
            class.strip_prefix("quarto-float-").or_else(|| class.strip_prefix("quarto-subfloat-"))
        });
        let float = if attr.classes.iter().any(|class| class.starts_with("quarto-subfloat-")) {
            "quarto-subfloat"
        } else {
            "quarto-float"
        };
        let Some(kind) = kind.map(str::to_owned) else {
            self.plain_figure(attr, caption, inner);
            return;
        };
        let mut attr = attr.clone();
        let own_side = attr.take("cap-location");
        let wanted = own_side.as_deref().or(self.caption_sides.get(kind.as_str()).map(String::as_str));
        let above = match wanted {
            Some("top") => true,
            Some("bottom") => false,
            _ => kind == "tbl" || kind == "lst",
        };
        let uncaptioned = if attr.take("uncaptioned").is_some() { " quarto-uncaptioned" } else { "" };
        let margin = if wanted == Some("margin") { " margin-caption" } else { "" };
        let id = attr.take("caption-id").map(|id| escape(&id));
        let _ = writeln!(self.out, "<figure{}>", attributes(&attr));
        let side = match wanted {
            Some("margin") => "margin",
            _ if above => "top",
            _ => "bottom",
        };
        let from = self.out.len();
        if !caption.is_empty() {
            let _ = writeln!(
                self.out,
                "<figcaption class=\"quarto-float-caption-{side} {float}-caption {float}-{kind}{uncaptioned}{margin}\"{}>",
                id.as_ref().map(|id| format!(" id=\"{id}\"")).unwrap_or_default()
            );
            self.inlines(caption);
            self.out.push_str("\n</figcaption>\n");
        }
        let caption = self.taken(from);
        if above {
            self.out.push_str(&caption);
        }
        match id {
            Some(id) => {
                let _ = writeln!(self.out, "<div aria-describedby=\"{id}\">");
            }
            None => self.out.push_str("<div>\n"),
        }
        let before = std::mem::replace(&mut self.in_figure, true);
        self.blocks(inner);
        self.in_figure = before;
        self.out.push_str("</div>\n");
        if !above {
            self.out.push_str(&caption);
        }
        self.out.push_str("</figure>\n");
    }

    /// Whether a paragraph is a picture that says where it is.
    fn is_aligned(&self, inlines: &[Inline]) -> bool {
        let attr = match inlines {
            [Inline::Image(attr, ..)] => attr,
            [Inline::Link(link, inner, _)] if link.has_class("lightbox") => match inner.as_slice() {
                [Inline::Image(attr, ..)] => attr,
                _ => return false,
            },
            _ => return false,
        };
        !self.in_figure && attr.get("fig-align").and_then(side).is_some()
    }

    /// A figure without a number. Its picture says where it is, and how it appears.
    fn plain_figure(&mut self, attr: &Attr, caption: &[Inline], inner: &[Block]) {
        let mut inner = inner.to_vec();
        let mut classes = vec!["quarto-figure".to_owned()];
        let mut column = None;
        let mut align = attr.get("fig-align").and_then(side);
        if let Some(image) = only_image(&mut inner) {
            align = image.get("fig-align").and_then(side).or(align);
            let moved = |class: &str| class == "fragment" || class.starts_with("column-");
            let (moved, kept): (Vec<String>, Vec<String>) =
                std::mem::take(&mut image.classes).into_iter().partition(|class| moved(class));
            image.classes = kept;
            column = moved.iter().find(|class| class.starts_with("column-")).cloned();
            classes.extend(moved.into_iter().filter(|class| class == "fragment"));
        }
        classes.insert(1, format!("quarto-figure-{}", align.unwrap_or(self.figure_side)));
        let id = attr.id.clone();
        if let Some(column) = &column {
            let margin = if column == "column-margin" { " no-row-height column-container" } else { "" };
            let _ = writeln!(self.out, "<div class=\"{}{margin}\">", escape(column));
        }
        let outer = Attr { id, classes, ..Attr::default() };
        let _ = writeln!(self.out, "<div{}>\n<figure class=\"figure\">", attributes(&outer));
        let before = std::mem::replace(&mut self.in_figure, true);
        self.figure_content(&inner);
        self.in_figure = before;
        let in_margin = self.caption_sides.get("fig").is_some_and(|side| side == "margin");
        if !caption.is_empty() {
            self.out.push_str(if in_margin {
                "<figcaption class=\"margin-caption\">"
            } else {
                "<figcaption>"
            });
            self.inlines(caption);
            self.out.push_str("</figcaption>\n");
        }
        self.out.push_str("</figure>\n</div>\n");
        if column.is_some() {
            self.out.push_str("</div>\n");
        }
    }

    fn figure_content(&mut self, inner: &[Block]) {
        match inner {
            [Block::Plain(inlines) | Block::Para(inlines)] => {
                self.out.push_str("<p>");
                self.inlines(inlines);
                self.out.push_str("</p>\n");
            }
            other => self.blocks(other),
        }
    }

    fn table(&mut self, table: &Table) {
        let mut attr = table.attr.clone();
        let mut classes = vec!["caption-top".to_owned(), "table".to_owned()];
        for class in attr.classes.drain(..) {
            classes.push(table_class(&class));
        }
        attr.classes = classes;
        attr.pairs
            .retain(|(key, _)| !matches!(key.as_str(), "tbl-colwidths" | "tbl-cap" | "tbl-cap-location"));
        let responsive: Vec<String> = attr
            .classes
            .iter()
            .filter(|class| class.starts_with("responsive"))
            .map(|class| format!("table-{class}"))
            .collect();
        attr.classes.retain(|class| !class.starts_with("responsive"));
        if !responsive.is_empty() {
            let _ = writeln!(self.out, "<div class=\"{}\">", escape(&responsive.join(" ")));
        }
        let _ = writeln!(self.out, "<table{}>", attributes(&attr));
        if !table.caption.is_empty() {
            self.out.push_str("<caption>");
            self.inlines(&table.caption);
            self.out.push_str("</caption>\n");
        }
        if table.widths.iter().any(Option::is_some) {
            self.out.push_str("<colgroup>\n");
            for width in &table.widths {
                let share = width.unwrap_or(0.0) * 100.0;
                let _ = writeln!(self.out, "<col style=\"width: {}%\">", share.round());
            }
            self.out.push_str("</colgroup>\n");
        }
        if !table.head.is_empty() {
            self.out.push_str("<thead>\n");
            for row in &table.head {
                self.row(row, &table.alignments, "header", "th");
            }
            self.out.push_str("</thead>\n");
        }
        self.out.push_str("<tbody>\n");
        for (index, row) in table.rows.iter().enumerate() {
            self.row(row, &table.alignments, if index % 2 == 0 { "odd" } else { "even" }, "td");
        }
        self.out.push_str("</tbody>\n</table>\n");
        if !responsive.is_empty() {
            self.out.push_str("</div>\n");
        }
    }

    fn row(&mut self, row: &[Cell], alignments: &[Alignment], class: &str, tag: &str) {
        let _ = writeln!(self.out, "<tr class=\"{class}\">");
        let mut column = 0;
        for cell in budget::within(row) {
            let style = match alignments.get(column).copied().unwrap_or_default() {
                Alignment::Left => " style=\"text-align: left;\"",
                Alignment::Right => " style=\"text-align: right;\"",
                Alignment::Center => " style=\"text-align: center;\"",
                Alignment::Default => "",
            };
            column += cell.columns.max(1) as usize;
            let span = |name: &str, count: u32| {
                if count > 1 { format!(" {name}=\"{count}\"") } else { String::new() }
            };
            let spans = [span("colspan", cell.columns), span("rowspan", cell.rows)].concat();
            let _ = write!(self.out, "<{tag}{spans}{style}>");
            let from = self.out.len();
            self.blocks(&cell.blocks);
            let content = self.taken(from);
            let _ = writeln!(self.out, "{}</{tag}>", content.trim_end());
        }
        self.out.push_str("</tr>\n");
    }

    pub(super) fn inlines(&mut self, inlines: &[Inline]) {
        for inline in budget::within(inlines) {
            self.inline(inline);
        }
    }

    fn wrapped(&mut self, tag: &str, inner: &[Inline]) {
        let _ = write!(self.out, "<{tag}>");
        self.inlines(inner);
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = write!(self.out, "</{name}>");
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::Str(content) => self.out.push_str(&text(content)),
            Inline::Space => self.out.push(' '),
            Inline::SoftBreak => self.out.push('\n'),
            Inline::LineBreak => self.out.push_str("<br>\n"),
            Inline::Emph(inner) => self.wrapped("em", inner),
            Inline::Strong(inner) => self.wrapped("strong", inner),
            Inline::Underline(inner) => self.wrapped("u", inner),
            Inline::Strikeout(inner) => self.wrapped("del", inner),
            Inline::Superscript(inner) => self.wrapped("sup", inner),
            Inline::Subscript(inner) => self.wrapped("sub", inner),
            Inline::SmallCaps(inner) => self.wrapped("span class=\"smallcaps\"", inner),
            Inline::Code(attr, content)
                if self.highlight && attr.classes.first().is_some_and(|name| is_known(name)) =>
            {
                let language = attr.classes.first().map_or("", String::as_str);
                let mut own = (**attr).clone();
                own.classes.insert(0, "sourceCode".to_owned());
                let painted = highlight(language, content).join("\n");
                let _ = write!(self.out, "<code{}>{painted}</code>", attributes(&own));
            }
            Inline::Code(attr, content) => {
                let _ = write!(self.out, "<code{}>{}</code>", attributes(attr), text(content));
            }
            Inline::Math { display, tex, .. } => self.formula(*display, tex),
            Inline::Raw { text, .. } => self.out.push_str(text),
            Inline::Link(attr, inner, target) => self.link(attr, inner, target),
            Inline::Image(attr, inner, target) => self.image_tag(attr, inner, target),
            Inline::Note(blocks) => self.note(blocks),
            Inline::NoteReference(name, _) => {
                let _ = write!(self.out, "[^{}]", escape(name));
            }
            Inline::Span(attr, inner) => {
                let tag =
                    if attr.classes.first().is_some_and(|class| class == "mark") { "mark" } else { "span" };
                let mut own = if tag == "mark" {
                    Attr { classes: vec![], ..(**attr).clone() }
                } else {
                    (**attr).clone()
                };
                self.positioned(&mut own);
                let _ = write!(self.out, "<{tag}{}>", attributes(&own));
                self.inlines(inner);
                let _ = write!(self.out, "</{tag}>");
            }
            Inline::Cite(citations, inner) => {
                let keys: Vec<&str> = citations.iter().map(|citation| citation.key.as_str()).collect();
                let _ =
                    write!(self.out, "<span class=\"citation\" data-cites=\"{}\">", escape(&keys.join(" ")));
                let bracketed = citations.iter().any(|c| c.mode != crate::model::CitationMode::InText);
                self.out.push_str(if bracketed { "[" } else { "" });
                self.inlines(inner);
                self.out.push_str(if bracketed { "]" } else { "" });
                self.out.push_str("</span>");
            }
            Inline::Shortcode(shortcode) => self.out.push_str(&text(&shortcode.text)),
        }
    }

    fn formula(&mut self, display: bool, tex: &str) {
        let (class, open, close) = if display { ("display", "\\[", "\\]") } else { ("inline", "\\(", "\\)") };
        let _ = match mathml(tex, display) {
            Some(formula) => write!(self.out, "<span class=\"math {class}\">{formula}</span>"),
            None => write!(self.out, "<span class=\"math {class}\">{open}{}{close}</span>", text(tex)),
        };
    }

    fn link(&mut self, attr: &Attr, inner: &[Inline], target: &Target) {
        let url = if is_script(&target.url) { "#" } else { target.url.as_str() };
        let inside = url.strip_prefix('#').filter(|id| !id.is_empty() && !id.starts_with('/'));
        let url = inside.map_or(url.to_owned(), |id| format!("{}{id}", self.link_start));
        let url = if self.deck { without_markup(&url) } else { url };
        let title = if target.title.is_empty() {
            String::new()
        } else {
            format!(" title=\"{}\"", escape(&target.title))
        };
        let _ = write!(self.out, "<a href=\"{}\"{title}{}>", escape(&url), attributes(attr));
        self.inlines(inner);
        self.out.push_str("</a>");
    }

    /// Where `.absolute` puts a part of a slide, as its style.
    fn positioned(&self, attr: &mut Attr) {
        if !self.deck || !attr.has_class("absolute") {
            return;
        }
        let mut style =
            attr.take("style").map(|own| format!("{};", own.trim_end_matches(';'))).unwrap_or_default();
        for key in ["top", "left", "bottom", "right", "width", "height"] {
            let Some(value) = attr.take(key).and_then(|value| css::length(&value)) else { continue };
            let _ = write!(style, "{key}: {value};");
        }
        if !style.is_empty() {
            attr.pairs.push(("style".to_owned(), style));
        }
    }

    pub(super) fn image_tag(&mut self, attr: &Attr, inner: &[Inline], target: &Target) {
        let name = target.url.rsplit('/').next().unwrap_or_default();
        let bare = !self.image_extension.is_empty() && !name.is_empty() && !name.contains(['.', ':']);
        let own = if bare { format!("{}.{}", target.url, self.image_extension) } else { target.url.clone() };
        let source = (self.image)(&own);
        let url = source.as_deref().unwrap_or(&own);
        let url = if is_script(url) { "#" } else { url };
        let mut attr = attr.clone();
        self.positioned(&mut attr);
        if let Some(side) = attr.get("fig-align").and_then(side).filter(|_| self.in_figure) {
            attr.classes.extend(["quarto-figure".to_owned(), format!("quarto-figure-{side}")]);
        }
        let alt = attr.take_alternative().unwrap_or_else(|| plain(inner));
        attr.pairs.retain(|(key, _)| {
            !matches!(key.as_str(), "fig-align" | "fig-cap" | "fig-scap" | "fig-env" | "fig-pos")
        });
        let mut style = attr.take("style").unwrap_or_default();
        for key in ["width", "height"] {
            let Some(value) = attr.take(key) else { continue };
            let number = value.strip_suffix("px").unwrap_or(&value);
            if number.parse::<f64>().is_ok() {
                attr.pairs.push((key.to_owned(), number.to_owned()));
            } else {
                // Percentages have a decimal, as Pandoc writes them.
                let percent =
                    value.strip_suffix('%').filter(|number| number.bytes().all(|b| b.is_ascii_digit()));
                let value = percent.map_or(value.clone(), |number| format!("{number}.0%"));
                let _ = write!(style, "{key}:{value};");
            }
        }
        if !style.is_empty() {
            style.truncate(style.trim_end_matches(';').len());
            attr.pairs.push(("style".to_owned(), style));
        }
        if !attr.has_class("img-fluid") {
            attr.classes.push("img-fluid".to_owned());
        }
        if self.in_figure && !attr.has_class("figure-img") {
            attr.classes.push("figure-img".to_owned());
        }
        let title = if target.title.is_empty() {
            String::new()
        } else {
            format!(" title=\"{}\"", escape(&target.title))
        };
        let _ = write!(
            self.out,
            "<img src=\"{}\"{}{title} alt=\"{}\">",
            escape(url),
            attributes(&attr),
            escape(&alt)
        );
    }

    fn note(&mut self, blocks: &[Block]) {
        let number = self.notes.len() + 1;
        self.notes.push(String::new());
        if self.deck {
            // Its text is on the same slide.
            let _ = write!(self.out, "<sup class=\"footnote-ref\">{number}</sup>");
            let from = self.out.len();
            self.blocks(blocks);
            self.notes[number - 1] = self.taken(from);
            return;
        }
        let _ = write!(
            self.out,
            "<a href=\"#fn{number}\" class=\"footnote-ref\" id=\"fnref{number}\" role=\"doc-noteref\"><sup>{number}</sup></a>"
        );
        let from = self.out.len();
        self.blocks(blocks);
        let mut content = self.taken(from);
        let back = format!("<a href=\"#fnref{number}\" class=\"footnote-back\" role=\"doc-backlink\">↩︎</a>");
        match content.rfind("</p>") {
            Some(at) => content.insert_str(at, &back),
            None => content.push_str(&back),
        }
        self.notes[number - 1] = content;
    }

    /// The notes of what was written, as a section at its end.
    pub(super) fn footnotes(&mut self) {
        if self.notes.is_empty() {
            return;
        }
        self.out.push_str("<section id=\"footnotes\" class=\"footnotes footnotes-end-of-document\" role=\"doc-endnotes\">\n<h2 class=\"anchored quarto-appendix-heading\">Footnotes</h2>\n<ol>\n");
        for (index, note) in std::mem::take(&mut self.notes).iter().enumerate() {
            let _ = writeln!(self.out, "<li id=\"fn{}\">{}</li>", index + 1, note.trim_end());
        }
        self.out.push_str("</ol>\n</section>\n");
    }
}

/// Whether a part of a block is in another column of the page than the text.
pub(super) fn has_column(block: &Block, depth: u32) -> bool {
    let is_column = |attr: &Attr| attr.classes.iter().any(|class| class.starts_with("column-"));
    let picture = |inlines: &[Inline]| matches!(inlines, [Inline::Image(attr, ..)] if is_column(attr));
    if depth > 8 {
        return false;
    }
    match block {
        Block::Div(attr, inner) => is_column(attr) || inner.iter().any(|block| has_column(block, depth + 1)),
        Block::Figure(_, _, inner) => inner.iter().any(|block| has_column(block, depth + 1)),
        Block::Para(inlines) | Block::Plain(inlines) => picture(inlines),
        _ => false,
    }
}

/// The heading of a div that consists of one section: it begins with a heading, and has no other of its level or above.
pub(super) fn section_of<'b>(attr: &Attr, inner: &'b [Block]) -> Option<(u8, &'b Attr, &'b [Inline])> {
    let (first, rest) = inner.split_first()?;
    let Block::Header(level, heading, words) = first else { return None };
    let is_deeper = |block: &Block| !matches!(block, Block::Header(found, ..) if found <= level);
    let is_apart = ["column", "columns", "fragment"].iter().any(|class| attr.has_class(class));
    let is_same = attr.id.is_empty() || heading.id.is_empty() || attr.id == heading.id;
    (!is_apart && is_same && rest.iter().all(is_deeper)).then_some((*level, heading, words))
}

/// The side that a value of `fig-align` names.
fn side(value: &str) -> Option<&'static str> {
    ["left", "center", "right"].into_iter().find(|side| *side == value)
}

/// The attributes of the picture that a figure consists of.
fn only_image(inner: &mut [Block]) -> Option<&mut Attr> {
    let [Block::Plain(inlines) | Block::Para(inlines)] = inner else { return None };
    match inlines.as_mut_slice() {
        [Inline::Image(attr, ..)] => Some(attr),
        [Inline::Link(link, inner, _)] if link.has_class("lightbox") => match inner.as_mut_slice() {
            [Inline::Image(attr, ..)] => Some(attr),
            _ => None,
        },
        _ => None,
    }
}

/// The class that a short name of a table stands for.
fn table_class(name: &str) -> String {
    const SHORT: [&str; 14] = [
        "striped",
        "hover",
        "borderless",
        "bordered",
        "sm",
        "active",
        "primary",
        "secondary",
        "success",
        "danger",
        "warning",
        "info",
        "light",
        "dark",
    ];
    if SHORT.contains(&name) { format!("table-{name}") } else { name.to_owned() }
}

/// Tables that are written in HTML get the classes that other tables have.
fn raw_tables(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find("<table") {
        let Some(end) = rest[at..].find('>').map(|end| at + end) else { break };
        let tag = &rest[at..end];
        out.push_str(&rest[..at]);
        match tag.find("class=\"").map(|start| start + 7) {
            Some(start) => {
                let stop = tag[start..].find('"').map_or(tag.len(), |stop| start + stop);
                let classes: Vec<String> = tag[start..stop].split_whitespace().map(table_class).collect();
                let plain = tag.contains("data-quarto-disable-processing");
                let more = if plain || classes.iter().any(|class| class == "table") {
                    ""
                } else {
                    " caption-top table"
                };
                let _ = write!(out, "{}{}{more}{}", &tag[..start], classes.join(" "), &tag[stop..]);
            }
            None if tag.contains("data-quarto-disable-processing") => out.push_str(tag),
            None => out.push_str(&tag.replacen("<table", "<table class=\"caption-top table\"", 1)),
        }
        rest = &rest[end..];
        if !tag.contains("data-quarto-disable-processing") {
            let close = rest.find("</table").unwrap_or(rest.len());
            out.push_str(&striped(&rest[..close]));
            rest = &rest[close..];
        }
    }
    out.push_str(rest);
    out
}

/// The rows of a table's body with the classes of odd and even ones, where they have no classes.
fn striped(table: &str) -> String {
    let body = table.find("<tbody").or_else(|| table.find("</thead>")).unwrap_or(0);
    let (head, mut rest) = table.split_at(body);
    let mut out = head.to_owned();
    let mut row = 0_usize;
    while let Some(at) = rest.find("<tr") {
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end);
        let is_row = matches!(rest.as_bytes().get(at + 3), Some(b'>' | b' ' | b'\n'));
        let (before, tag) = (&rest[..at], &rest[at..end]);
        out.push_str(before);
        if is_row {
            row += 1;
        }
        if is_row && !tag.contains("class=") {
            let class = if row % 2 == 1 { "odd" } else { "even" };
            let _ = write!(out, "<tr class=\"{class}\"{}", &tag[3..]);
        } else {
            out.push_str(tag);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Whether an item is a task, and whether it is done.
pub(crate) fn task(item: &[Block]) -> Option<bool> {
    let (Block::Plain(inlines) | Block::Para(inlines)) = item.first()? else { return None };
    match inlines.first()? {
        Inline::Str(mark) if mark == "☐" => Some(false),
        Inline::Str(mark) if mark == "☒" => Some(true),
        _ => None,
    }
}

/// `. . .` alone in a paragraph.
pub(super) fn is_pause(block: &Block) -> bool {
    let Block::Para(inlines) = block else { return false };
    plain(inlines) == ". . ."
}

/// Whether a value names lines of code, step by step: `1|3-5,7|`.
fn is_steps(value: &str) -> bool {
    let has_numbers = value.bytes().any(|byte| byte.is_ascii_digit());
    has_numbers && value.bytes().all(|byte| byte.is_ascii_digit() || b"|,- ".contains(&byte))
}

/// An address without characters of HTML, for scripts that put it into the page.
fn without_markup(url: &str) -> String {
    if !url.contains(['"', '<', '>', '`']) {
        return url.to_owned();
    }
    url.replace('"', "%22").replace('<', "%3C").replace('>', "%3E").replace('`', "%60")
}

/// Whether a target would run a program in the page.
pub(crate) fn is_script(url: &str) -> bool {
    let start: String = url.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(12).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("javascript:") || start.starts_with("vbscript:")
}

fn number(attr: &Attr) -> String {
    attr.get("number").map(|number| format!(" data-number=\"{}\"", escape(number))).unwrap_or_default()
}

/// Attributes as HTML, each with a space before it.
pub(crate) fn attributes(attr: &Attr) -> String {
    let mut out = String::new();
    if !attr.id.is_empty() {
        let _ = write!(out, " id=\"{}\"", escape(&attr.id));
    }
    if !attr.classes.is_empty() {
        let _ = write!(out, " class=\"{}\"", escape(&attr.classes.join(" ")));
    }
    for (key, value) in &attr.pairs {
        let is_name = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        if !is_name || key.is_empty() {
            continue;
        }
        let name = key.strip_prefix("data-").unwrap_or(key);
        let is_address = ["src", "href", "background", "preview"].iter().any(|start| name.starts_with(start));
        if is_address && is_script(value) {
            continue;
        }
        // Scripts of slides show these as HTML.
        let value = match name {
            "notes" => &escape(value),
            "preview-link" => &without_markup(value),
            _ => value,
        };
        let standard =
            ATTRIBUTES.contains(&key.as_str()) || key.starts_with("data-") || key.starts_with("aria-");
        let prefix = if standard { "" } else { "data-" };
        let _ = write!(out, " {prefix}{key}=\"{}\"", escape(value));
    }
    out
}
