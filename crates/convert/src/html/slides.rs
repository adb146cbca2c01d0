//! Slides for browsers with reveal.js: sections in a deck, and its runtime. Without scripts, the slides are below each
//! other.

use std::fmt::Write as _;

use super::{
    backgrounds,
    blocks::{Writer, attributes, is_pause},
    css,
    escape::escape,
    logo,
    page::{annotations, included, script},
    room::Space,
    settings,
    stretch::stretched,
};
use serde_json::Value;

use crate::{
    brand::{Brand, Mode},
    frames,
    metadata::{Metadata, scalar},
    model::{Attr, Block, Inline, Place, plain},
    people::authors,
    reveal::{self, theme},
};

const STYLE: &str = include_str!("slides.css");
/// The style of a deck without scripts.
const PLAIN_STYLE: &str = include_str!("slides_plain.css");
const SCRIPT: &str = include_str!("slides.js");

/// What each slide of a deck is.
struct Common {
    /// Whether pictures that are alone fill their slide.
    stretches: bool,
    /// Whether the slides of sections and of the title are centered.
    centers: bool,
    classes: Vec<&'static str>,
}

/// A slide: its heading and what is below it.
struct Slide<'b> {
    heading: Option<(u8, &'b Attr, &'b [Inline])>,
    content: Vec<&'b Block>,
}

/// A slide with more than fits: its number, and percent of its height.
pub(crate) struct Overfull {
    pub(crate) place: Place,
    pub(crate) slide: usize,
    pub(crate) percent: i64,
}

/// What is more than fits, in percent of the height: the sizes are estimates.
const OVERFULL: i64 = 110;

impl Slide<'_> {
    /// The percent of its height that its content takes where that is too much and neither scrolls nor is out of the flow.
    fn overflow(&self, space: Space) -> Option<i64> {
        let (mut space, mut title) = (space, 0);
        if let Some((level, attr, words)) = self.heading {
            if attr.has_class("scrollable") {
                return None;
            }
            if attr.has_class("smaller") {
                space = space.smaller();
            }
            title = space.title(level, words);
        }
        let percent = (title + space.blocks(self.content.iter().copied())) * 100 / space.height;
        (percent > OVERFULL).then_some(percent)
    }

    /// Whether the slide is left out of the deck.
    fn is_hidden(&self) -> bool {
        self.heading.is_some_and(|(_, attr, _)| {
            ["visibility", "data-visibility"].iter().any(|key| attr.get(key) == Some("hidden"))
        })
    }
}

/// The level of headings that begin slides: 2 in decks for browsers, elsewhere the first that has content right below it.
pub(crate) fn slide_level(blocks: &[Block], metadata: &Metadata, is_deck: bool) -> u8 {
    if let Some(level) = metadata.number("slide-level") {
        return level.min(6) as u8;
    }
    if is_deck {
        return 2;
    }
    let mut level = 6;
    for pair in blocks.windows(2) {
        if let (Block::Header(found, ..), next) = (&pair[0], &pair[1])
            && !matches!(next, Block::Header(..))
        {
            level = level.min(*found);
        }
    }
    if level == 6 { 2 } else { level }
}

/// A document as a deck, and the slides with more than fits.
pub(crate) fn slides(
    blocks: &[Block],
    metadata: &Metadata,
    brand: &Brand,
    image: &dyn Fn(&str) -> Option<String>,
) -> (String, Vec<Overfull>) {
    let level = slide_level(blocks, metadata, true);
    let space = Space::of(metadata);
    // A title of one line is above the content.
    let room = space.height - space.title(level, &[Inline::Str(String::new())]);
    let blocks: &[Block] = &frames::divided(blocks, level, metadata, (room, &|block| space.block(block)));
    let mut all: Vec<Slide<'_>> = Vec::new();
    for block in blocks {
        match block {
            Block::Header(found, attr, inner) if *found <= level => {
                all.push(Slide { heading: Some((*found, attr, inner)), content: vec![] });
            }
            Block::Rule => all.push(Slide { heading: None, content: vec![] }),
            other => {
                if all.is_empty() {
                    all.push(Slide { heading: None, content: vec![] });
                }
                if let Some(last) = all.last_mut() {
                    last.content.push(other);
                }
            }
        }
    }
    all.retain(|slide| !slide.is_hidden());
    let mut writer = Writer::new(image);
    writer.sections = false;
    writer.anchors = false;
    writer.deck = true;
    writer.link_start = "#/";
    writer.configure(metadata);
    writer.line_numbers = metadata.is_not_false("code-line-numbers");
    writer.incremental = metadata.is_true("incremental");
    let classes = ["scrollable", "smaller"].into_iter().filter(|class| metadata.is_true(class)).collect();
    let common = Common {
        stretches: metadata.is_not_false("auto-stretch"),
        centers: metadata.is_not_false("center-title-slide"),
        classes,
    };
    title_slide(metadata, common.centers, &mut writer);
    let before = usize::from(metadata.inlines("title").is_some()) + usize::from(metadata.is_true("toc"));
    let overfull = if metadata.is_true("scrollable") { Vec::new() } else { overfull(&all, before, space) };
    if metadata.is_true("toc") {
        contents(&all, metadata, &mut writer);
    }
    let mut open = false;
    for slide in &all {
        let top = slide.heading.is_some_and(|(found, ..)| found < level);
        if top && open {
            writer.out.push_str("</section>\n");
        }
        if top {
            writer.out.push_str("<section>\n");
            open = true;
        }
        section(slide, top, &common, &mut writer);
    }
    if open {
        writer.out.push_str("</section>\n");
    }
    let content = std::mem::take(&mut writer.out);
    writer.out.push_str("<div class=\"footer footer-default\">\n");
    if let Some(footer) = metadata.inlines("footer") {
        writer.out.push_str("<p>");
        writer.inlines(&footer);
        writer.out.push_str("</p>\n");
    }
    writer.out.push_str("</div>\n");
    let footer = std::mem::take(&mut writer.out);
    (document(&content, &footer, metadata, brand, image), overfull)
}

/// The slides with more than fits; `before` is how many come before them.
fn overfull(slides: &[Slide<'_>], before: usize, space: Space) -> Vec<Overfull> {
    let numbered = (before + 1..).zip(slides);
    let found = numbered.filter_map(|(number, slide)| {
        let place = slide.heading.map(|(_, attr, _)| attr.place).unwrap_or_default();
        Some(Overfull { place, slide: number, percent: slide.overflow(space)? })
    });
    found.collect()
}

/// The page around the slides.
fn document(
    content: &str,
    footer: &str,
    metadata: &Metadata,
    brand: &Brand,
    image: &dyn Fn(&str) -> Option<String>,
) -> String {
    let theme = theme(metadata.at("theme"));
    let file = |name: &str| reveal::file(name).unwrap_or_default();
    let theme_style = file(&format!("themes/{}.css", theme.name));
    let own_style = format!("{}{}", corrections(theme.name), custom_style(metadata, brand));
    let styles = [file("reset.css"), file("reveal.css"), theme_style, STYLE, own_style.as_str()].join("\n");
    let logo = logo::of_slides(metadata, brand, image).unwrap_or_default();
    let settings = settings::script(metadata, image);
    let marks = [
        "role=\"tablist\"",
        "class=\"code-copy-button\"",
        "data-bs-toggle=",
        "class=\"lightbox\"",
        "code-annotation-anchor",
    ];
    let parts = if marks.iter().any(|mark| content.contains(mark)) {
        format!("<script>\n{}{}</script>\n", annotations(metadata), script())
    } else {
        String::new()
    };
    let title = metadata.text("pagetitle").map(str::to_owned);
    let title = title.or_else(|| Some(plain(&metadata.inlines("title")?)));
    let title =
        title.or_else(|| Some(plain(&metadata.inlines("subtitle")?))).unwrap_or_else(|| "Slides".to_owned());
    let language = escape(metadata.text("lang").unwrap_or("en"));
    let direction = if is_right_to_left(metadata) { " dir=\"rtl\"" } else { "" };
    let mut authors_of_page = String::new();
    for author in authors(metadata) {
        let _ = writeln!(authors_of_page, "<meta name=\"author\" content=\"{}\">", escape(&author.name));
    }
    let (background, contrast) = backgrounds::of_all(metadata, image);
    let is_dark = theme.is_dark || metadata.text("brand-mode") == Some("dark");
    let mut body = Attr::class(if is_dark { "quarto-dark" } else { "quarto-light" });
    body.classes.extend(theme.is_dark.then(|| "dark-theme".to_owned()));
    body.classes.extend(contrast.map(str::to_owned));
    body.classes
        .extend(metadata.text("body-classes").into_iter().flat_map(str::split_whitespace).map(str::to_owned));
    if !background.is_empty() {
        body.pairs.push(("style".to_owned(), background));
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\"{direction}>\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"proofmark\">\n\
         {authors_of_page}<title>{}</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1.0\">\n\
         <style>\n{styles}</style>\n<noscript><style>\n{PLAIN_STYLE}</style></noscript>\n{}</head>\n\
         <body{}>\n{}<main>\n<div class=\"reveal\">\n<div class=\"slides\">\n{content}</div>\n{logo}{footer}</div>\n</main>\n\
         {parts}<script>\n{}</script>\n<script>\n{}</script>\n<script>\n{settings}{SCRIPT}</script>\n{}</body>\n</html>\n",
        escape(&title),
        included(metadata, "include-in-header"),
        attributes(&body),
        included(metadata, "include-before-body"),
        file("reveal.js"),
        file("notes.js"),
        included(metadata, "include-after-body"),
    )
}

/// Whether the language of a document is written from right to left.
fn is_right_to_left(metadata: &Metadata) -> bool {
    let language = metadata.text("lang").and_then(|language| language.split('-').next()).unwrap_or_default();
    match metadata.text("dir") {
        Some(direction) => direction == "rtl",
        None => matches!(language, "ar" | "fa" | "he" | "ur" | "yi"),
    }
}

/// What is different from a theme of reveal.js: the plain ones have the fonts of the system and titles as they are written,
/// and colors that are hard to read contrast more.
fn corrections(theme: &str) -> String {
    let color = match theme {
        "white" => "--r-link-color: #1f69cc; ",
        "blood" => "--r-link-color: #f0707f; ",
        "solarized" => "--r-main-color: #586e75; ",
        _ => "",
    };
    let fonts = if matches!(theme, "white" | "black" | "white-contrast" | "black-contrast") {
        "--r-main-font: \"Source Sans 3\", \"Source Sans Pro\", system-ui, -apple-system, \"Segoe UI\", Roboto, Helvetica, Arial, sans-serif; \
         --r-heading-font: var(--r-main-font); --r-main-font-size: 40px; --r-heading-text-transform: none; "
    } else {
        ""
    };
    format!(":root {{ {color}{fonts}}}\n")
}

/// Colors, fonts and sizes of the header and of the brand, as far as they are plain values.
fn custom_style(metadata: &Metadata, brand: &Brand) -> String {
    let is_safe = |value: &String| css::is_plain(value);
    let mode = if metadata.text("brand-mode") == Some("dark") { Mode::Dark } else { Mode::Light };
    let color = |names: &[&str]| names.iter().find_map(|name| brand.color(mode, name)).map(str::to_owned);
    let font = |role: &str| brand.typography(mode, role, "family");
    let own = |key: &str| metadata.at(key).and_then(scalar);
    let main = own("mainfont").or_else(|| font("base"));
    let text = own("fontcolor").or_else(|| color(&["foreground"]));
    let variables = [
        ("background-color", color(&["background"])),
        ("main-color", text.clone()),
        ("heading-color", brand.typography(mode, "headings", "color").or(text)),
        ("link-color", own("linkcolor").or_else(|| color(&["link", "primary"]))),
        ("main-font", main.clone()),
        ("heading-font", font("headings").or(main)),
        ("code-font", own("monofont").or_else(|| font("monospace"))),
        ("main-font-size", own("fontsize")),
    ];
    let mut out = String::new();
    for (name, value) in variables {
        let Some(value) = value.filter(is_safe) else { continue };
        let fallback = match name {
            "main-font" | "heading-font" => ", sans-serif",
            "code-font" => ", monospace",
            _ => "",
        };
        let _ = writeln!(out, ":root {{ --r-{name}: {value}{fallback}; }}");
        if name == "background-color" {
            out.push_str(".reveal-viewport { background-image: none; }\n");
        }
    }
    if let Some(height) = own("code-block-height").filter(is_safe) {
        let _ = writeln!(out, ".reveal {{ --code-height: {height}; }}");
    }
    out
}

fn title_slide(metadata: &Metadata, is_centered: bool, writer: &mut Writer<'_>) {
    let Some(title) = metadata.inlines("title") else { return };
    let mut attr = Attr::classes("quarto-title-block").with_id("title-slide");
    attr.classes.extend(is_centered.then(|| "center".to_owned()));
    if let Some(Value::Object(own)) = metadata.at("title-slide-attributes") {
        let pairs = own.iter().filter_map(|(key, value)| Some((key.clone(), scalar(value)?)));
        attr.pairs.extend(pairs.filter(|(key, _)| key.starts_with("data-")));
    }
    backgrounds::complete(&mut attr, writer.image);
    let _ = write!(writer.out, "<section{}>\n<h1 class=\"title\">", attributes(&attr));
    writer.inlines(&title);
    writer.out.push_str("</h1>\n");
    if let Some(subtitle) = metadata.inlines("subtitle") {
        writer.out.push_str("<p class=\"subtitle\">");
        writer.inlines(&subtitle);
        writer.out.push_str("</p>\n");
    }
    let people = authors(metadata);
    if !people.is_empty() {
        writer.out.push_str("<div class=\"quarto-title-authors\">\n");
        for author in people {
            let _ = writeln!(
                writer.out,
                "<div class=\"quarto-title-author\">\n<div class=\"quarto-title-author-name\">\n{}\n</div>",
                escape(&author.name)
            );
            for name in &author.affiliations {
                let _ = writeln!(writer.out, "<p class=\"quarto-title-affiliation\">{}</p>", escape(name));
            }
            writer.out.push_str("</div>\n");
        }
        writer.out.push_str("</div>\n");
    }
    if let Some(date) = metadata.at("date").and_then(scalar) {
        let _ = writeln!(writer.out, "<p class=\"date\">{}</p>", escape(&date));
    }
    writer.out.push_str("</section>\n");
}

/// A slide with links to all slides that have a heading.
fn contents(slides: &[Slide<'_>], metadata: &Metadata, writer: &mut Writer<'_>) {
    let depth = metadata.number("toc-depth").unwrap_or(3);
    let title = metadata.inlines("toc-title").unwrap_or_else(|| vec![Inline::Str("Contents".to_owned())]);
    writer.out.push_str("<section id=\"TOC\">\n<nav role=\"doc-toc\">\n<h2 id=\"toc-title\">");
    writer.inlines(&title);
    writer.out.push_str("</h2>\n<ul>\n");
    let top = slides.iter().filter_map(|slide| slide.heading).map(|(level, ..)| level).min();
    for (level, attr, inner) in slides.iter().filter_map(|slide| slide.heading) {
        if u64::from(level) > depth || attr.has_class("unlisted") || inner.is_empty() {
            continue;
        }
        let class = if Some(level) > top { " class=\"toc-inner\"" } else { "" };
        let _ = write!(writer.out, "<li{class}><a href=\"#/{0}\" id=\"/toc-{0}\">", escape(&attr.id));
        writer.inlines(inner);
        writer.out.push_str("</a></li>\n");
    }
    writer.out.push_str("</ul>\n</nav>\n</section>\n");
}

fn section(slide: &Slide<'_>, top: bool, common: &Common, writer: &mut Writer<'_>) {
    let mut attr = Attr::class("slide");
    if let Some((level, own, _)) = slide.heading {
        attr = Attr { place: own.place, ..own.clone() };
        attr.classes.insert(0, format!("slide level{level}"));
        if top {
            attr.classes.insert(0, "title-slide".to_owned());
            let is_note = |block: &&Block| matches!(block, Block::Div(attr, _) if attr.has_class("notes"));
            if common.centers && slide.content.iter().all(is_note) {
                attr.classes.push("center".to_owned());
            }
        }
        attr.pairs = own
            .pairs
            .iter()
            .map(|(key, value)| {
                let background = key == "background" || key.starts_with("background-");
                (if background { format!("data-{key}") } else { key.clone() }, value.clone())
            })
            .collect();
    }
    attr.classes.extend(common.classes.iter().map(|class| (*class).to_owned()));
    backgrounds::complete(&mut attr, writer.image);
    let _ = writeln!(writer.out, "<section{}>", attributes(&attr));
    if let Some((level, own, inner)) = slide.heading.filter(|(.., inner)| !inner.is_empty()) {
        let tag = level.clamp(1, 6);
        // Titles of slides that are animated move to each other.
        let moves = ["auto-animate", "data-auto-animate"].iter().any(|key| own.get(key).is_some());
        let id = if moves { " data-id=\"quarto-animate-title\"" } else { "" };
        let _ = write!(writer.out, "<h{tag}{id}>");
        if let Some(number) = own.get("number") {
            let _ = write!(writer.out, "<span class=\"header-section-number\">{}</span> ", escape(number));
        }
        writer.inlines(inner);
        let _ = writeln!(writer.out, "</h{tag}>");
    }
    let before = writer.incremental;
    let stretch = common.stretches && !attr.has_class("nostretch");
    let mut paused = false;
    for block in &slide.content {
        if is_pause(block) {
            writer.pause(&mut paused);
            continue;
        }
        match stretched(block, &slide.content).filter(|_| stretch && !paused) {
            Some(picture) => {
                let mut attr = picture.attr;
                attr.classes.insert(0, "r-stretch".to_owned());
                writer.image_tag(&attr, picture.words, picture.target);
                if !picture.caption.is_empty() {
                    writer.out.push_str("<p class=\"caption\">");
                    writer.inlines(picture.caption);
                    writer.out.push_str("</p>");
                }
                writer.out.push('\n');
            }
            None => writer.blocks(std::slice::from_ref(*block)),
        }
    }
    writer.end_pause(paused);
    writer.incremental = before;
    if !writer.notes.is_empty() {
        writer.out.push_str("<aside role=\"note\"><ol class=\"aside-footnotes\">\n");
        for note in std::mem::take(&mut writer.notes) {
            let _ = writeln!(writer.out, "<li>{}</li>", note.trim_end());
        }
        writer.out.push_str("</ol></aside>\n");
    }
    writer.out.push_str("</section>\n");
}
