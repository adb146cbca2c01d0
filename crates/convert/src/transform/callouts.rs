//! Callouts: boxes with a title in web pages, quotes with a bold title elsewhere.

use super::{Context, typst};
use crate::{
    formats::{Engine, Family},
    model::{Attr, Block, Inline, Place, Rewrite, plain, words},
    reader,
};

/// Replaces callouts by what the format shows them as.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    Callouts { context, titled: 0 }.rewrite(blocks)
}

struct Callouts<'a, 'c> {
    context: &'a Context<'c>,
    /// How many callouts with a title there were.
    titled: u32,
}

/// The kind of a callout, by its class.
fn kind(attr: &Attr) -> Option<&str> {
    let kinds = attr.classes.iter().filter_map(|class| class.strip_prefix("callout-"));
    kinds.into_iter().find(|kind| matches!(*kind, "note" | "tip" | "warning" | "important" | "caution"))
}

/// The class of callouts that the writer of slides draws as boxes; `callout` is their kind.
pub(crate) const BOX: &str = "callout-box";

/// The colors of the line and the ground of callouts of a kind.
pub(crate) fn colors(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "tip" => ("00A047", "CCF1E3"),
        "warning" => ("EB9113", "FCEFDC"),
        "important" => ("CC1914", "F7DDDC"),
        "caution" => ("FC5300", "FFE5D0"),
        _ => ("0758E5", "DAE6FB"),
    }
}

struct Callout {
    kind: String,
    attr: Attr,
    /// What callouts of the kind are called.
    name: String,
    title: Vec<Inline>,
    /// Whether the author wrote the title.
    has_title: bool,
    body: Vec<Block>,
}

impl Callout {
    fn read(kind: &str, mut attr: Attr, mut body: Vec<Block>, name: Option<&str>) -> Self {
        let number = attr.take("callout-number");
        let mut title = attr.take("title").map(|title| reader::read_inlines(&title, true));
        if title.is_none()
            && matches!(body.first(), Some(Block::Header(..)))
            && let Block::Header(_, _, inlines) = body.remove(0)
        {
            title = Some(inlines);
        }
        let has_title = title.is_some();
        let mut default: String = kind.to_owned();
        if let Some(first) = default.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let name = name.map_or(default, str::to_owned);
        let title = match (number, title) {
            (Some(number), Some(title)) => {
                let mut all = vec![Inline::Str(format!("{number}:")), Inline::Space];
                all.extend(title);
                all
            }
            (Some(number), None) => vec![Inline::Str(number)],
            (None, title) => title.unwrap_or_else(|| words(&name)),
        };
        Self { kind: kind.to_owned(), attr, name, title, has_title, body }
    }

    fn html(self, appearance: &str, place: Place, count: &mut u32) -> Block {
        let raw = |text: String| Inline::Raw { format: "html".to_owned(), text, place };
        let Self { kind, mut attr, name, title, has_title, body } = self;
        let collapse = attr.take("collapse");
        let appearance = attr.take("appearance").unwrap_or_else(|| appearance.to_owned());
        let icon = attr.take("icon").is_none_or(|icon| icon != "false");
        let (appearance, icon) =
            if appearance == "minimal" { ("simple", false) } else { (appearance.as_str(), icon) };
        let mut classes = Attr::classes(&format!("callout callout-style-{appearance} callout-{kind}"));
        if !icon {
            classes.classes.push("no-icon".to_owned());
        }
        let titled = has_title || appearance == "default" || collapse.is_some() || !attr.id.is_empty();
        if titled {
            classes.classes.push("callout-titled".to_owned());
        }
        classes.classes.extend(attr.classes.into_iter().filter(|class| !class.starts_with("callout")));
        let outer = Attr { id: attr.id, pairs: attr.pairs, place, ..classes };
        let mark = if icon { "callout-icon" } else { "callout-icon no-icon" };
        let icon = Block::Div(
            Attr::class("callout-icon-container"),
            vec![Block::Plain(vec![raw(format!("<i class=\"{mark}\"></i>"))])],
        );
        let body = Block::Div(Attr::classes("callout-body-container callout-body"), body);
        if !titled {
            let row = Attr::classes("callout-body d-flex");
            let inner = vec![icon, Block::Div(Attr::class("callout-body-container"), vec_of(body))];
            return Block::Div(outer, vec![Block::Div(row, inner)]);
        }
        *count += 1;
        // The kind is a color otherwise, which not all readers see.
        let spoken = Inline::span(Attr::class("screen-reader-only"), words(&name));
        let title = if has_title { [vec![spoken], title].concat() } else { title };
        let title = Block::Div(Attr::classes("callout-title-container flex-fill"), vec![Block::Plain(title)]);
        let mut header = Attr::classes("callout-header d-flex align-content-center");
        let Some(state) = collapse.filter(|state| matches!(state.as_str(), "true" | "false")) else {
            return Block::Div(outer, vec![Block::Div(header, vec![icon, title]), body]);
        };
        let open = state == "false";
        let id = format!("callout-{count}");
        if !open {
            header.classes.push("collapsed".to_owned());
        }
        let header = header
            .with("bs-toggle", "collapse")
            .with("bs-target", format!(".{id}-contents"))
            .with("aria-controls", id.as_str())
            .with("aria-expanded", open.to_string())
            .with("aria-label", "Toggle callout");
        let toggle = Block::Plain(vec![raw(
            "<div class=\"callout-btn-toggle d-inline-block border-0 py-1 ps-1 pe-0 float-end\"><i class=\"callout-toggle\"></i></div>"
                .to_owned(),
        )]);
        let shown = if open { " show" } else { "" };
        let content = Attr::classes(&format!("{id}-contents callout-collapse collapse{shown}")).with_id(id);
        Block::Div(
            outer,
            vec![Block::Div(header, vec![icon, title, toggle]), Block::Div(content, vec![body])],
        )
    }

    /// A quote whose first paragraph is the title.
    fn quote(self) -> Vec<Block> {
        let mut inner = vec![Block::Para(vec![Inline::Strong(self.title)])];
        inner.extend(self.body);
        let quote = Block::Quote(inner);
        if self.attr.id.is_empty() {
            vec![quote]
        } else {
            vec![Block::Div(Attr::default().with_id(self.attr.id), vec![quote])]
        }
    }

    /// A box on a slide: its title, and its body.
    fn boxed(self) -> Block {
        let attr = Attr::class(BOX).with("callout", self.kind).with_id(self.attr.id);
        let mut inner = vec![Block::Para(vec![Inline::Strong(self.title)])];
        inner.extend(self.body);
        Block::Div(attr, inner)
    }

    /// A table of Word: the title on a tinted row, the body below it, and a bar of the color of the kind beside both.
    fn word(self, place: Place) -> Vec<Block> {
        let Self { kind, attr, title, body, .. } = self;
        let (line, fill) = colors(&kind);
        let raw = |text: String| Block::Raw { format: "openxml".to_owned(), text, place };
        let border = |side: &str, size: u32| {
            format!("<w:{side} w:val=\"single\" w:sz=\"{size}\" w:space=\"0\" w:color=\"{line}\"/>")
        };
        let borders =
            [border("top", 4), border("left", 24), border("bottom", 4), border("right", 4)].concat();
        let margin = |size: u32| {
            format!(
                "<w:tcMar><w:top w:w=\"{size}\" w:type=\"dxa\"/><w:bottom w:w=\"{size}\" w:type=\"dxa\"/></w:tcMar>"
            )
        };
        let mut out = vec![raw(format!(
            "<w:tbl><w:tblPr><w:tblStyle w:val=\"Table\"/><w:tblW w:type=\"pct\" w:w=\"5000\"/><w:tblBorders>{borders}</w:tblBorders>\
             <w:tblCellMar><w:left w:w=\"144\" w:type=\"dxa\"/><w:right w:w=\"144\" w:type=\"dxa\"/></w:tblCellMar></w:tblPr>\
             <w:tblGrid><w:gridCol w:w=\"7920\"/></w:tblGrid><w:tr><w:trPr><w:cantSplit/></w:trPr><w:tc><w:tcPr><w:shd w:color=\"auto\" w:fill=\"{fill}\" w:val=\"clear\"/>{}</w:tcPr>",
            margin(92)
        ))];
        let title = Block::Para(vec![Inline::Strong(title)]);
        if attr.id.is_empty() {
            out.push(title);
        } else {
            out.push(Block::Div(Attr::default().with_id(attr.id), vec![title]));
        }
        out.push(raw(format!("</w:tc></w:tr><w:tr><w:tc><w:tcPr>{}</w:tcPr>", margin(108))));
        // A cell of Word ends with a paragraph.
        let is_open = matches!(
            body.last(),
            None | Some(Block::Table(_) | Block::Div(..) | Block::Raw { .. } | Block::Figure(..))
        );
        let closing = if is_open { "<w:p/>" } else { "" };
        out.extend(body);
        out.push(raw(format!("{closing}</w:tc></w:tr></w:tbl><w:p/>")));
        out
    }

    /// `> [!NOTE]`, which GitHub shows as a callout.
    fn alert(self, place: Place) -> Block {
        let mark = format!("[!{}]", self.kind.to_uppercase());
        let mut lead = vec![Inline::Raw { format: "markdown".to_owned(), text: mark, place }];
        let mut inner = Vec::new();
        if self.has_title {
            inner.push(Block::Para(vec![]));
            inner.push(Block::Header(3, Attr::default(), self.title));
        }
        inner.extend(self.body);
        match inner.first_mut() {
            Some(Block::Para(inlines) | Block::Plain(inlines)) => {
                if !inlines.is_empty() {
                    lead.push(Inline::SoftBreak);
                }
                lead.append(inlines);
                *inlines = lead;
            }
            _ => inner.insert(0, Block::Para(lead)),
        }
        Block::Quote(inner)
    }
}

fn vec_of(block: Block) -> Vec<Block> {
    match block {
        Block::Div(_, inner) => inner,
        other => vec![other],
    }
}

impl Callouts<'_, '_> {
    /// A box of Typst, which numbers those that have a label.
    fn typst(&self, callout: Callout, number: Option<String>) -> Vec<Block> {
        let Callout { kind, mut attr, title, has_title, body, .. } = callout;
        let own = attr.take("icon");
        let all = self.context.metadata.is_not_false("callout-icon");
        let has_icon = own.map_or(all, |icon| icon != "false");
        // The text of the number is that of formats that do not count.
        let supplement = number.map(|text| text.split('\u{a0}').next().unwrap_or_default().to_owned());
        let title = match &supplement {
            Some(supplement) => {
                let mut all = vec![Inline::Str(format!("{supplement} "))];
                all.push(typst::code(typst::callout_number(&kind)));
                if has_title {
                    all.extend([Inline::Str(":".to_owned()), Inline::Space]);
                    all.extend(title);
                }
                all
            }
            None => title,
        };
        typst::callout(typst::Callout { kind: &kind, attr, title, body, supplement, has_icon }, self.context)
    }
}

impl Rewrite for Callouts<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            let Block::Div(attr, inner) = block else {
                out.push(block);
                continue;
            };
            let Some(kind) = kind(&attr).map(str::to_owned) else {
                out.push(Block::Div(attr, inner));
                continue;
            };
            let place = attr.place;
            let mut attr = attr;
            let typst = self.context.family() == Family::Typst;
            let number = if typst { attr.take("callout-number") } else { None };
            let name = self.context.metadata.words(&format!("language.callout-{kind}-title"));
            let callout = Callout::read(&kind, attr, inner, name);
            let raw = |format: &str, text: String| Block::Raw { format: format.to_owned(), text, place };
            let is_slide = self.context.format.id == "pptx" && self.context.engine == Engine::Embedded;
            match self.context.family() {
                _ if is_slide => out.push(callout.boxed()),
                Family::Html | Family::Epub => {
                    let appearance = self.context.metadata.words("callout-appearance").unwrap_or("default");
                    out.push(callout.html(appearance, place, &mut self.titled));
                }
                Family::Markdown if self.context.format.id == "docusaurus-md" => {
                    let name = match kind.as_str() {
                        "important" => "info",
                        "caution" => "danger",
                        other => other,
                    };
                    let title = if callout.has_title {
                        format!("[{}]", plain(&callout.title))
                    } else {
                        String::new()
                    };
                    out.push(raw("markdown", format!(":::{name}{title}")));
                    out.extend(callout.body);
                    out.push(raw("markdown", ":::".to_owned()));
                }
                Family::Markdown if matches!(self.context.format.id.as_str(), "gfm" | "commonmark") => {
                    out.push(callout.alert(place));
                }
                Family::Typst => out.extend(self.typst(callout, number)),
                Family::Docx => out.extend(callout.word(place)),
                Family::Asciidoc => {
                    let title = if callout.has_title {
                        format!(".{}\n", plain(&callout.title))
                    } else {
                        String::new()
                    };
                    out.push(raw("asciidoc", format!("[{}]\n{title}====", kind.to_uppercase())));
                    out.extend(callout.body);
                    out.push(raw("asciidoc", "====".to_owned()));
                }
                _ => out.extend(callout.quote()),
            }
        }
        out
    }
}
