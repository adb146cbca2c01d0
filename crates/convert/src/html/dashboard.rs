//! Dashboards: headings are pages, rows and columns in turn, and what they hold is shown in cards of a grid.

use std::fmt::Write as _;

use super::{
    blocks::{Writer, attributes, is_script},
    css,
    escape::escape,
};
use crate::{
    metadata::{Metadata, scalar},
    model::{Attr, Block, Inline, plain, plain_blocks},
    people::authors,
};

/// What the style of the page has for dashboards.
pub(super) const STYLE: &str = include_str!("dashboard.css");

/// Deepest nesting of headings.
const DEPTH: u8 = 6;

/// What a container holds: sections by their headings, and blocks.
enum Item<'b> {
    Section { attr: &'b Attr, title: &'b [Inline], level: u8, items: Vec<Item<'b>> },
    Block(&'b Block),
}

/// Ends the innermost section that is open.
fn close<'b>(open: &mut Vec<Item<'b>>, top: &mut Vec<Item<'b>>) {
    let Some(done) = open.pop() else { return };
    match open.last_mut() {
        Some(Item::Section { items, .. }) => items.push(done),
        _ => top.push(done),
    }
}

/// The items of blocks, as their headings divide them.
fn items(blocks: &[Block]) -> Vec<Item<'_>> {
    let mut open: Vec<Item<'_>> = Vec::new();
    let mut top: Vec<Item<'_>> = Vec::new();
    for block in blocks {
        if let Block::Header(level, attr, title) = block {
            while matches!(open.last(), Some(Item::Section { level: last, .. }) if last >= level) {
                close(&mut open, &mut top);
            }
            open.push(Item::Section { attr, title, level: *level, items: Vec::new() });
            continue;
        }
        match open.last_mut() {
            Some(Item::Section { items, .. }) => items.push(Item::Block(block)),
            _ => top.push(Item::Block(block)),
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

/// What has a place of its own in a grid.
enum Part<'i, 'b> {
    Section(&'i Attr, &'i [Inline], &'i [Item<'b>]),
    /// A card that the document writes, or a result.
    Card(&'b Attr, &'b [Block]),
    ValueBox(&'b Attr, &'b [Block]),
    /// Blocks without a card of their own share one.
    Loose(Vec<&'b Block>),
    Hidden(&'b Block),
}

fn is_value_box(attr: &Attr) -> bool {
    attr.has_class("valuebox") || ["content", "component"].iter().any(|key| attr.get(key) == Some("valuebox"))
}

fn parts<'i, 'b>(items: &'i [Item<'b>]) -> Vec<Part<'i, 'b>> {
    let mut out: Vec<Part<'i, 'b>> = Vec::new();
    for item in items {
        let block = match item {
            Item::Section { attr, title, items, .. } => {
                out.push(Part::Section(attr, title, items));
                continue;
            }
            Item::Block(block) => *block,
        };
        match block {
            Block::Div(attr, inner) if is_value_box(attr) => out.push(Part::ValueBox(attr, inner)),
            Block::Div(attr, inner) if attr.has_class("card") => out.push(Part::Card(attr, inner)),
            Block::Div(attr, _) if attr.has_class("hidden") => out.push(Part::Hidden(block)),
            Block::Div(attr, inner) if attr.has_class("cell") => {
                if !inner.is_empty() {
                    out.push(Part::Card(attr, inner));
                }
            }
            Block::Div(attr, _)
                if attr.has_class("quarto-layout-panel") || attr.has_class("quarto-float") =>
            {
                out.push(Part::Loose(vec![block]));
            }
            other => match out.last_mut() {
                Some(Part::Loose(blocks)) if !is_own(blocks) => blocks.push(other),
                _ => out.push(Part::Loose(vec![other])),
            },
        }
    }
    out
}

/// Whether blocks are a result with a caption, which has a card of its own.
fn is_own(blocks: &[&Block]) -> bool {
    matches!(blocks, [Block::Div(attr, _)] if attr.has_class("quarto-layout-panel") || attr.has_class("quarto-float"))
}

impl Part<'_, '_> {
    fn attr(&self) -> Option<&Attr> {
        match self {
            Part::Section(attr, ..) | Part::Card(attr, _) | Part::ValueBox(attr, _) => Some(attr),
            Part::Loose(_) | Part::Hidden(_) => None,
        }
    }

    fn has_class(&self, name: &str) -> bool {
        self.attr().is_some_and(|attr| attr.has_class(name))
    }

    /// Whether a part is as high as its content.
    fn flows(&self, depth: u8) -> bool {
        match self {
            Part::Section(attr, _, items) => {
                attr.has_class("flow")
                    || !attr.has_class("fill")
                        && !attr.has_class("tabset")
                        && depth < DEPTH
                        && parts(items).iter().all(|part| part.flows(depth + 1))
            }
            Part::ValueBox(..) | Part::Hidden(_) => true,
            Part::Card(attr, _) => attr.has_class("flow") || attr.get("fill") == Some("false"),
            Part::Loose(blocks) => !is_own(blocks),
        }
    }
}

/// The places of a grid: what has a size keeps it, and the others share what is left.
fn sizes(parts: &[Part<'_, '_>], key: &str, flowing: bool) -> String {
    let given: Vec<Option<&str>> =
        parts.iter().map(|part| part.attr().and_then(|attr| attr.get(key))).collect();
    let percent = |size: &str| size.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let flows = |part: &Part<'_, '_>| flowing && part.flows(0);
    let taken: f64 = given.iter().flatten().filter_map(|size| percent(size)).sum();
    let free = given.iter().zip(parts).filter(|(size, part)| size.is_none() && !flows(part)).count();
    #[allow(clippy::cast_precision_loss, reason = "numbers of parts are small")]
    let share = if taken > 0.0 && taken < 100.0 && free > 0 { (100.0 - taken) / free as f64 } else { 1.0 };
    let sizes = given.into_iter().zip(parts).map(|(size, part)| match size {
        Some(size) if percent(size).is_some() => format!("minmax(3em, {}fr)", percent(size).unwrap_or(1.0)),
        Some(size) if size.parse::<f64>().is_ok() => format!("{size}px"),
        Some(size) if size.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') => size.to_owned(),
        _ if flows(part) => "minmax(3em, max-content)".to_owned(),
        _ => format!("minmax(3em, {share}fr)"),
    });
    sizes.collect::<Vec<_>>().join(" ")
}

/// Writes the parts of a dashboard.
struct Dashboard<'d, 'w> {
    writer: &'d mut Writer<'w>,
    scrolls: bool,
    expandable: bool,
    cards: u32,
    sidebars: u32,
}

impl Dashboard<'_, '_> {
    fn out(&mut self, text: &str) {
        self.writer.out.push_str(text);
    }

    /// A grid of rows or of columns; what is in them is turned the other way.
    fn container(&mut self, items: &[Item<'_>], rows: bool, attr: Option<&Attr>, depth: u8) {
        let mut parts = parts(items);
        if let Some(at) = parts.iter().position(|part| part.has_class("sidebar")) {
            let bar = parts.remove(at);
            self.beside(&bar, at > 0, depth, |this| this.grid(&parts, false, attr, depth));
            return;
        }
        if let Some(at) = parts.iter().position(|part| part.has_class("toolbar")) {
            let bar = parts.remove(at);
            self.out("<div class=\"bslib-toolbar-container\">\n");
            if at == 0 {
                self.toolbar(&bar);
            }
            self.grid(&parts, rows, attr, depth);
            if at > 0 {
                self.toolbar(&bar);
            }
            self.out("</div>\n");
            return;
        }
        self.grid(&parts, rows, attr, depth);
    }

    fn toolbar(&mut self, bar: &Part<'_, '_>) {
        self.out("<div class=\"toolbar\">\n");
        self.plain_part(bar);
        self.out("</div>\n");
    }

    /// The blocks of a part without a card around them.
    fn plain_part(&mut self, part: &Part<'_, '_>) {
        match part {
            Part::Section(_, title, items) => {
                if !title.is_empty() && !plain(title).trim().is_empty() {
                    self.out("<div class=\"h4\">");
                    self.writer.inlines(title);
                    self.out("</div>\n");
                }
                for part in parts(items) {
                    self.plain_part(&part);
                }
            }
            Part::Card(_, blocks) | Part::ValueBox(_, blocks) => self.writer.blocks(blocks),
            Part::Loose(blocks) => self.writer.blocks_of(blocks),
            Part::Hidden(block) => self.writer.blocks(std::slice::from_ref(*block)),
        }
    }

    /// A bar at the side of what `main` writes.
    fn beside(&mut self, bar: &Part<'_, '_>, right: bool, depth: u8, main: impl FnOnce(&mut Self)) {
        self.sidebars += 1;
        let id = format!("bslib-sidebar-{}", self.sidebars);
        let side = if right { " sidebar-right" } else { "" };
        let width = bar.attr().and_then(|attr| css::length(attr.get("width")?));
        let style = width.map(|width| format!(" style=\"--bslib-sidebar-width: {width};\""));
        let outer = if depth == 0 {
            " data-bslib-sidebar-border=\"false\" data-bslib-sidebar-border-radius=\"false\""
        } else {
            ""
        };
        let style = style.unwrap_or_default();
        self.out(&format!(
            "<div class=\"bslib-sidebar-layout html-fill-item{side}\" data-bslib-sidebar-open=\"desktop\" data-bslib-sidebar-init=\"true\"{outer}{style}>\n\
             <div class=\"main html-fill-container\">\n<div class=\"sidebar-content html-fill-item html-fill-container\">\n"
        ));
        main(self);
        self.out(&format!(
            "</div>\n</div>\n<aside id=\"{id}\" class=\"sidebar html-fill-container html-fill-item\">\n"
        ));
        self.plain_part(bar);
        self.out("</aside>\n</div>\n");
    }

    fn grid(&mut self, parts: &[Part<'_, '_>], rows: bool, attr: Option<&Attr>, depth: u8) {
        if parts.is_empty() {
            return;
        }
        let shown: Vec<&Part<'_, '_>> =
            parts.iter().filter(|part| !matches!(part, Part::Hidden(_))).collect();
        let key = if rows { "height" } else { "width" };
        let sizes = if shown.len() == parts.len() { sizes(parts, key, rows) } else { String::new() };
        let style = match (rows, sizes.is_empty()) {
            (true, false) => {
                format!("display: grid; grid-template-rows: {sizes}; grid-auto-columns: minmax(0, 1fr);")
            }
            (false, false) => {
                format!("display: grid; grid-template-columns: {sizes};\ngrid-auto-rows: minmax(0, 1fr);")
            }
            _ => "display: grid;".to_owned(),
        };
        let mut own = Attr::classes("bslib-grid html-fill-item");
        if let Some(attr) = attr {
            let skipped = ["sidebar", "toolbar", "unnumbered", "tabset", "hidden"];
            own.classes
                .extend(attr.classes.iter().filter(|class| !skipped.contains(&class.as_str())).cloned());
        }
        if depth == 0 {
            own.classes.push("bslib-grid-item".to_owned());
        }
        let text = attributes(&own.with("style", style));
        self.out(&format!("<div{text}>\n"));
        for part in parts {
            self.part(part, rows, depth);
        }
        self.out("</div>\n");
    }

    fn part(&mut self, part: &Part<'_, '_>, rows: bool, depth: u8) {
        match part {
            Part::Section(attr, _, items) if attr.has_class("tabset") => self.tabset(attr, items),
            Part::Section(attr, _, items) if depth < DEPTH => {
                self.container(items, !rows, Some(attr), depth + 1);
            }
            Part::Section(..) => self.plain_part(part),
            Part::Card(attr, blocks) => {
                let blocks: Vec<&Block> = blocks.iter().collect();
                self.card(attr, &blocks, part.flows(depth));
            }
            Part::Loose(blocks) => self.card(&Attr::default(), blocks, part.flows(depth)),
            Part::ValueBox(attr, blocks) => self.value_box(attr, blocks),
            Part::Hidden(block) => self.writer.blocks(std::slice::from_ref(*block)),
        }
    }

    /// Begins a card.
    fn open_card(&mut self, attr: &Attr, more: &str, expands: bool) {
        self.cards += 1;
        let mut own = Attr::classes(&format!("card{more} bslib-card html-fill-container html-fill-item"));
        own.id.clone_from(&attr.id);
        let known = ["card", "cell", "valuebox", "tabset", "expandable"];
        own.classes.extend(attr.classes.iter().filter(|class| !known.contains(&class.as_str())).cloned());
        let mut own = own.with("data-bslib-card-init", "").with("data-require-bs-caller", "card()");
        if expands {
            own = own.with("data-full-screen", "false");
        }
        let size = |key: &str| Some(format!("{key}: {};", css::length(attr.get(key)?)?));
        let style: String = ["min-height", "max-height"].iter().filter_map(|key| size(key)).collect();
        let own = if style.is_empty() { own } else { own.with("style", style) };
        let text = attributes(&own);
        self.out(&format!("<div{text}>\n"));
    }

    /// The words at the top of a card.
    fn title(&mut self, title: &str) {
        self.out("<div class=\"card-title\"><span style=\"display: inline\">");
        self.writer.inlines(&crate::reader::read_inlines(title, true));
        self.out("</span></div>");
    }

    fn card(&mut self, attr: &Attr, blocks: &[&Block], flows: bool) {
        let is_expandable = self.expandable && !flows || attr.get("expandable") == Some("true");
        let expands = is_expandable && attr.get("expandable") != Some("false");
        self.open_card(attr, "", expands);
        let (mut header, mut footer) = (Vec::<&Block>::new(), Vec::<&[Block]>::new());
        let mut bodies = Vec::<Vec<&Block>>::new();
        let mut joins = false;
        for block in blocks {
            match block {
                Block::Quote(inner) => footer.push(inner),
                Block::Div(own, inner) if own.has_class("card-footer") => footer.push(inner),
                Block::Div(own, inner) if own.has_class("card-header") => header.extend(inner),
                Block::Div(own, _) if own.has_class("card-body") => {
                    bodies.push(vec![block]);
                    joins = false;
                }
                other => match bodies.last_mut().filter(|_| joins) {
                    Some(body) => body.push(other),
                    None => {
                        bodies.push(vec![other]);
                        joins = true;
                    }
                },
            }
        }
        if let Some(title) = attr.get("title").map(str::to_owned) {
            self.out("<div class=\"card-header\">");
            self.title(&title);
            self.writer.blocks_of(&header);
            self.out("</div>\n");
        } else if !header.is_empty() {
            self.out("<div class=\"card-header\"><div class=\"card-title\">");
            self.writer.blocks_of(&header);
            self.out("</div></div>\n");
        }
        let fill = if flows { " flow" } else { " html-fill-item html-fill-container" };
        for body in bodies {
            if let [Block::Div(own, inner)] = body.as_slice()
                && own.has_class("card-body")
            {
                self.out(&format!("<div class=\"card-body{fill}\">\n"));
                self.writer.blocks(inner);
            } else {
                self.out(&format!("<div class=\"card-body{fill}\">\n"));
                self.writer.blocks_of(&body);
            }
            self.out("</div>\n");
        }
        if !footer.is_empty() {
            self.out("<div class=\"card-footer\">\n");
            for inner in footer {
                self.writer.blocks(inner);
            }
            self.out("</div>\n");
        }
        self.out("</div>\n");
    }

    fn tabset(&mut self, attr: &Attr, items: &[Item<'_>]) {
        self.open_card(attr, " tabset", self.expandable);
        let id = format!("card-tabset-{}", self.cards);
        let parts = parts(items);
        let title_of = |index: usize, part: &Part<'_, '_>| {
            let own = part.attr().and_then(|attr| attr.get("title")).map(str::to_owned);
            let heading = match part {
                Part::Section(_, title, _) => Some(plain(title)),
                _ => None,
            };
            own.or(heading).filter(|title| !title.is_empty()).unwrap_or_else(|| format!("Tab {}", index + 1))
        };
        self.out("<div class=\"card-header bslib-navs-card-title\">");
        if let Some(title) = attr.get("title").map(str::to_owned) {
            self.title(&title);
        }
        self.out(&format!(
            "<ul class=\"nav nav-tabs card-header-tabs\" role=\"tablist\" data-tabsetid=\"{id}\">\n"
        ));
        for (index, part) in parts.iter().enumerate() {
            let (class, selected) = if index == 0 { (" active", "true") } else { ("", "false") };
            let (number, title) = (index + 1, escape(&title_of(index, part)));
            self.out(&format!(
                "<li class=\"nav-item\" role=\"presentation\"><a href=\"#{id}-{number}\" id=\"{id}-{number}-tab\" class=\"nav-link{class}\" role=\"tab\" \
                 data-toggle=\"tab\" data-bs-toggle=\"tab\" data-value=\"{title}\" aria-controls=\"{id}-{number}\" aria-selected=\"{selected}\">{title}</a></li>\n"
            ));
        }
        self.out(&format!("</ul></div>\n<div class=\"tab-content html-fill-item html-fill-container\" data-tabset-id=\"{id}\">\n"));
        for (index, part) in parts.iter().enumerate() {
            let class = if index == 0 { " active show" } else { "" };
            let number = index + 1;
            self.out(&format!(
                "<div class=\"tab-pane{class} html-fill-item html-fill-container\" role=\"tabpanel\" id=\"{id}-{number}\" aria-labelledby=\"{id}-{number}-tab\">\n\
                 <div class=\"card-body html-fill-item html-fill-container\">\n"
            ));
            match part {
                // The heading is the title of the tab.
                Part::Section(_, _, items) => {
                    for part in self::parts(items) {
                        self.plain_part(&part);
                    }
                }
                other => self.plain_part(other),
            }
            self.out("</div>\n</div>\n");
        }
        self.out("</div>\n</div>\n");
    }

    /// A number with what it is a number of.
    fn value_box(&mut self, attr: &Attr, blocks: &[Block]) {
        let is_hex =
            |color: &str| color.starts_with('#') && color[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_name = |color: &str| color.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let mut classes = String::from(" valuebox bslib-value-box");
        let mut style = String::new();
        let background = attr.get("color").or_else(|| attr.get("bg-color"));
        let foreground = attr.get("fg-color").filter(|_| attr.get("color").is_none());
        for (color, property, prefix) in [(background, "background", "bg"), (foreground, "color", "text")] {
            match color {
                Some(color) if is_hex(color) => {
                    let _ = write!(style, "{property}: {color};");
                }
                Some(color) if is_name(color) => {
                    let _ = write!(classes, " {prefix}-{color}");
                }
                _ => {}
            }
        }
        if background.is_none() && foreground.is_none() {
            classes.push_str(" bg-secondary");
        }
        let icon = attr.get("icon").filter(|icon| is_name(icon));
        if icon.is_some() {
            let position =
                attr.get("showcase-position").filter(|place| is_name(place)).unwrap_or("left-center");
            let _ = write!(classes, " showcase-{position}");
        }
        let mut own = Attr { id: attr.id.clone(), classes: attr.classes.clone(), ..Attr::default() };
        own.classes.retain(|class| class != "valuebox");
        self.cards += 1;
        let mut card = Attr::classes(&format!("card{classes} bslib-card html-fill-container html-fill-item"));
        card.id = own.id;
        card.classes.extend(own.classes);
        let mut card = card.with("data-bslib-card-init", "").with("data-require-bs-caller", "card()");
        if !style.is_empty() {
            card = card.with("style", style);
        }
        let card = attributes(&card);
        self.out(&format!(
            "<div{card}>\n<div class=\"card-body value-box-grid\">\n<div class=\"value-box-grid\">\n"
        ));
        if let Some(icon) = icon {
            self.out(&format!("<div class=\"value-box-showcase\"><i class=\"bi bi-{icon}\"></i></div>\n"));
        }
        let mut rest = blocks;
        self.out("<div class=\"value-box-area\">\n<p class=\"value-box-title\">");
        if let Some(title) = attr.get("title") {
            self.writer.inlines(&crate::reader::read_inlines(title, true));
        } else if let (Some((first, more)), true) = (rest.split_first(), rest.len() > 1) {
            self.words(first);
            rest = more;
        } else {
            self.out("&nbsp;");
        }
        self.out("</p>\n<p class=\"value-box-value\">");
        if let Some((value, more)) = rest.split_first() {
            self.words(value);
            rest = more;
        }
        self.out("</p>\n");
        self.writer.blocks(rest);
        self.out("</div>\n</div>\n</div>\n</div>\n");
    }

    /// The words of a block.
    fn words(&mut self, block: &Block) {
        match block {
            Block::Para(inlines) | Block::Plain(inlines) | Block::Header(_, _, inlines) => {
                self.writer.inlines(inlines);
            }
            other => {
                let words = escape(&plain_blocks(std::slice::from_ref(other)));
                self.out(&words);
            }
        }
    }
}

/// The bar at the top: title, pages and links.
fn header(metadata: &Metadata, logos: &str, pages: &[(String, String)], writer: &mut Writer<'_>) -> String {
    let mut out = String::from(
        "<header id=\"quarto-dashboard-header\">\n<nav class=\"navbar navbar-expand-md slim\" data-bs-theme=\"dark\">\n\
         <div class=\"navbar-container container-fluid\">\n",
    );
    let title = metadata.inlines("title");
    let people: Vec<String> = authors(metadata).iter().map(|author| escape(&author.name)).collect();
    let _ = writeln!(out, "<div class=\"navbar-brand-container\">\n{logos}<div class=\"navbar-title\">");
    if let Some(title) = title {
        let from = writer.out.len();
        writer.inlines(&title);
        let title = writer.out.split_off(from);
        let _ = writeln!(
            out,
            "<div class=\"navbar-title-text\" role=\"heading\" aria-level=\"1\"><a href=\"#\">{title}</a></div>"
        );
    }
    if let Some(subtitle) = metadata.at("subtitle").and_then(scalar) {
        let _ = writeln!(out, "<div class=\"navbar-subtitle\">{}</div>", escape(&subtitle));
    }
    if !people.is_empty() {
        let _ = writeln!(out, "<div class=\"navbar-author\">{}</div>", people.join(", "));
    }
    out.push_str("</div>\n</div>\n");
    if !pages.is_empty() {
        out.push_str("<div id=\"dashboard-collapse\" class=\"navbar-collapse collapse show\">\n<ul class=\"navbar-nav navbar-nav-scroll me-auto\" role=\"tablist\">\n");
        for (index, (id, title)) in pages.iter().enumerate() {
            let (class, selected) = if index == 0 { (" active", "true") } else { ("", "false") };
            let (id, title) = (escape(id), escape(title));
            let _ = writeln!(
                out,
                "<li class=\"nav-item\" role=\"presentation\"><a id=\"tab-{id}\" class=\"nav-link{class}\" data-bs-toggle=\"tab\" role=\"tab\" \
                 data-bs-target=\"#{id}\" href=\"#{id}\" aria-controls=\"{id}\" aria-selected=\"{selected}\"><span class=\"nav-link-text\">{title}</span></a></li>"
            );
        }
        out.push_str("</ul>\n</div>\n");
    }
    out.push_str(&buttons(metadata));
    out.push_str("</div>\n</nav>\n</header>\n");
    out
}

/// Links at the right of the bar.
fn buttons(metadata: &Metadata) -> String {
    let mut out = String::new();
    for button in metadata.items("nav-buttons") {
        let field = |key: &str| button.get(key).and_then(scalar);
        let Some(href) = field("href").filter(|href| !is_script(href)) else { continue };
        let more: String = ["rel", "title", "target", "aria-label"]
            .iter()
            .filter_map(|key| Some(format!(" {key}=\"{}\"", escape(&field(key)?))))
            .collect();
        let icon = field("icon").map(|icon| format!("<i class=\"bi bi-{}\"></i>", escape(&icon)));
        let words = field("text")
            .map(|text| format!("<span class=\"quarto-dashboard-link-text\">{}</span>", escape(&text)));
        let _ = writeln!(
            out,
            "<a class=\"quarto-dashboard-link\" href=\"{}\"{more}>{}{}</a>",
            escape(&href),
            icon.unwrap_or_default(),
            words.unwrap_or_default()
        );
    }
    if out.is_empty() { out } else { format!("<div class=\"quarto-dashboard-links\">\n{out}</div>\n") }
}

/// The bar and the content of a dashboard.
pub(super) fn body(blocks: &[Block], metadata: &Metadata, logos: &str, writer: &mut Writer<'_>) -> String {
    writer.sections = false;
    writer.anchors = false;
    let all = items(blocks);
    let scrolls = metadata.is_true("scrolling");
    let rows = metadata.text("orientation") != Some("columns");
    let is_bar = |attr: &Attr| attr.has_class("sidebar") || attr.has_class("toolbar");
    let pages: Vec<(&Attr, &[Inline], &[Item<'_>])> = all
        .iter()
        .filter_map(|item| match item {
            Item::Section { attr, title, level: 1, items } if !is_bar(attr) => {
                Some((*attr, *title, items.as_slice()))
            }
            _ => None,
        })
        .collect();
    let expandable = metadata.is_not_false("expandable");
    let mut dashboard = Dashboard { writer, scrolls, expandable, cards: 0, sidebars: 0 };
    let mut names = Vec::new();
    if pages.is_empty() {
        dashboard.container(&all, rows, None, 0);
    } else {
        let bar = parts(&all).into_iter().find(|part| part.has_class("sidebar"));
        let mut write = |dashboard: &mut Dashboard<'_, '_>| {
            for (index, (attr, title, items)) in pages.iter().enumerate() {
                let id = if attr.id.is_empty() {
                    format!("dashboard-page-{}", index + 1)
                } else {
                    attr.id.clone()
                };
                let rows = match attr.get("orientation") {
                    Some(own) => own != "columns",
                    None => rows && !attr.has_class("columns"),
                };
                let class = if index == 0 { " show active" } else { " dashboard-grid-skip" };
                dashboard.out(&format!(
                    "<div id=\"{0}\" class=\"dashboard-page tab-pane{class} html-fill-item html-fill-container\" aria-labelledby=\"tab-{0}\">\n",
                    escape(&id)
                ));
                dashboard.container(items, rows, None, 0);
                dashboard.out("</div>\n");
                names.push((id, plain(title)));
            }
        };
        match bar {
            Some(bar) => dashboard.beside(&bar, false, 0, write),
            None => write(&mut dashboard),
        }
    }
    // The notes of all pages are below them.
    dashboard.writer.footnotes();
    let fill = if dashboard.scrolls { "dashboard-scrolling" } else { "bslib-page-fill" };
    let content = std::mem::take(&mut dashboard.writer.out);
    let header = header(metadata, logos, &names, writer);
    let pages = if names.is_empty() { "" } else { " quarto-dashboard-pages tab-content" };
    format!(
        "{header}<div id=\"quarto-content\" class=\"page-columns page-rows-contents page-layout-custom quarto-dashboard-content \
         bslib-gap-spacing html-fill-container {fill}{pages}\" role=\"main\">\n{content}</div>\n"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{formats, reader};

    fn written(header: Value, text: &str) -> String {
        let format = formats::named("dashboard").expect("a format");
        let metadata = Metadata::new(Value::Null, header, &[], format);
        let no_picture = |_: &str| None;
        body(&reader::read_text(text, true), &metadata, "", &mut Writer::new(&no_picture))
    }

    #[test]
    fn notes_are_below_the_pages() {
        let page = written(json!({"title": "D"}), "# One\n\nText.^[A note.]\n\n# Two\n\nMore.^[Another.]\n");
        let (pages, notes) = page.split_once("<section id=\"footnotes\"").unwrap_or_default();
        assert!(pages.contains("href=\"#fn2\""), "{page}");
        for expected in ["<li id=\"fn1\"><p>A note.", "<li id=\"fn2\"><p>Another."] {
            assert!(notes.contains(expected), "{expected} is missing in {page}");
        }
    }

    #[test]
    fn rows_hold_columns() {
        let text = "## Row {height=30%}\n\n::: {.card title=\"A *b*\"}\none\n:::\n\n::: {.card}\ntwo\n\n> foot\n:::\n\n## Row\n\nloose\n";
        let page = written(json!({"title": "D"}), text);
        for expected in [
            "grid-template-rows: minmax(3em, 30fr) minmax(3em, max-content)",
            "grid-template-columns: minmax(3em, 1fr) minmax(3em, 1fr)",
            "<div class=\"card-title\"><span style=\"display: inline\">A <em>b</em></span></div>",
            "<div class=\"card-footer\">\n<p>foot</p>",
            "<div class=\"navbar-title-text\" role=\"heading\" aria-level=\"1\"><a href=\"#\">D</a></div>",
            " role=\"main\">",
        ] {
            assert!(page.contains(expected), "{expected} is missing in {page}");
        }
        assert_eq!(page.matches("data-bslib-card-init").count(), 3, "{page}");
    }

    #[test]
    fn headings_of_the_first_level_are_pages() {
        let text = "# One {#one}\n\na\n\n# Two {#two orientation=columns}\n\n## Column {.tabset}\n\n::: {.card title=\"T\"}\nb\n:::\n\n::: {.card}\nc\n:::\n";
        let page = written(json!({}), text);
        for expected in [
            "data-bs-target=\"#one\"",
            "<div id=\"two\" class=\"dashboard-page tab-pane dashboard-grid-skip",
            "data-value=\"T\"",
            "data-value=\"Tab 2\"",
        ] {
            assert!(page.contains(expected), "{expected} is missing in {page}");
        }
    }

    #[test]
    fn boxes_have_a_value_and_sidebars_are_beside_the_rest() {
        let text = "## {.sidebar}\n\npick\n\n## Column\n\n::: {.valuebox icon=\"trash\" color=\"danger\"}\nSpam\n\n12\n:::\n";
        let page = written(json!({}), text);
        for expected in [
            "<aside id=\"bslib-sidebar-1\" class=\"sidebar",
            "bg-danger showcase-left-center",
            "<p class=\"value-box-title\">Spam</p>\n<p class=\"value-box-value\">12</p>",
            "<i class=\"bi bi-trash\"></i>",
        ] {
            assert!(page.contains(expected), "{expected} is missing in {page}");
        }
    }
}
