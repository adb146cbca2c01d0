//! Slides for browsers, as Reveal.js reads them: sections in a deck. The page shows them one below the other
//! without it, so that no program is needed to read them.

use std::fmt::Write as _;

use super::{
    blocks::{Writer, attributes, is_script},
    escape::escape,
    logo, settings,
    stretch::stretched,
};
use serde_json::Value;

use crate::{
    brand::Brand,
    metadata::{Metadata, scalar},
    model::{Attr, Block, Inline, plain},
    people::authors,
};

const STYLE: &str = include_str!("slides.css");
const SCRIPT: &str = include_str!("slides.js");

/// A slide: its heading and what is below it.
struct Slide<'b> {
    heading: Option<(u8, &'b Attr, &'b [Inline])>,
    content: Vec<&'b Block>,
}

/// The level of headings that begin slides: the first that has content right below it.
pub(crate) fn slide_level(blocks: &[Block], metadata: &Metadata) -> u8 {
    if let Some(level) = metadata.number("slide-level") {
        return level.min(6) as u8;
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

/// A document as a deck.
pub(crate) fn slides(
    blocks: &[Block],
    metadata: &Metadata,
    brand: &Brand,
    image: &dyn Fn(&str) -> Option<String>,
) -> String {
    let level = slide_level(blocks, metadata);
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
    let mut writer = Writer::new(image);
    writer.sections = false;
    writer.anchors = false;
    writer.link_start = "#/";
    writer.configure(metadata);
    let stretch = metadata.is_not_false("auto-stretch");
    writer.incremental = metadata.is_true("incremental");
    title_slide(metadata, &mut writer);
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
        section(slide, top, stretch, &mut writer);
    }
    if open {
        writer.out.push_str("</section>\n");
    }
    let footer = metadata.inlines("footer");
    if let Some(footer) = footer {
        writer.out.push_str("<div class=\"footer footer-default\">\n<p>");
        writer.inlines(&footer);
        writer.out.push_str("</p>\n</div>\n");
    }
    let content = std::mem::take(&mut writer.out);
    let logo = logo::of_slides(metadata, brand, image).unwrap_or_default();
    let settings = settings::script(metadata);
    let title = metadata.inlines("title").map(|title| plain(&title)).unwrap_or_default();
    let language = escape(metadata.text("lang").unwrap_or("en"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"proofmark\">\n\
         <title>{}</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1.0\">\n<style>\n{STYLE}</style>\n</head>\n\
         <body class=\"quarto-light\"{}>\n<div class=\"reveal\">\n<div class=\"slides\">\n{content}</div>\n{logo}</div>\n<script>\n{settings}{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&title),
        attributes(&all_slides(metadata, image)),
    )
}

/// The background of all slides, from the header.
fn all_slides(metadata: &Metadata, image: &dyn Fn(&str) -> Option<String>) -> Attr {
    let mut attr = Attr::default();
    for key in ["color", "image", "size", "position", "repeat"] {
        let own = metadata.text(&format!("background-{key}"));
        let own = own.or_else(|| metadata.text("backgroundcolor").filter(|_| key == "color"));
        if let Some(value) = own {
            attr.pairs.push((format!("data-background-{key}"), value.to_owned()));
        }
    }
    with_background(&mut attr, image);
    attr.pairs.retain(|(key, _)| key == "style");
    attr
}

fn title_slide(metadata: &Metadata, writer: &mut Writer<'_>) {
    let Some(title) = metadata.inlines("title") else { return };
    let mut attr = Attr::classes("quarto-title-block center").with_id("title-slide");
    if let Some(Value::Object(own)) = metadata.at("title-slide-attributes") {
        let pairs = own.iter().filter_map(|(key, value)| Some((key.clone(), scalar(value)?)));
        attr.pairs.extend(pairs.filter(|(key, _)| key.starts_with("data-")));
    }
    with_background(&mut attr, writer.image);
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
    for (level, attr, inner) in slides.iter().filter_map(|slide| slide.heading) {
        if u64::from(level) > depth || attr.has_class("unlisted") || inner.is_empty() {
            continue;
        }
        let _ = write!(writer.out, "<li><a href=\"#/{0}\" id=\"/toc-{0}\">", escape(&attr.id));
        writer.inlines(inner);
        writer.out.push_str("</a></li>\n");
    }
    writer.out.push_str("</ul>\n</nav>\n</section>\n");
}

fn section(slide: &Slide<'_>, top: bool, stretch: bool, writer: &mut Writer<'_>) {
    let mut attr = Attr::default();
    if let Some((level, own, _)) = slide.heading {
        attr = Attr { place: own.place, ..own.clone() };
        attr.classes.insert(0, format!("slide level{level}"));
        if top {
            attr.classes.insert(0, "title-slide".to_owned());
        }
        attr.pairs = own
            .pairs
            .iter()
            .map(|(key, value)| {
                let background = key.starts_with("background-") && !key.starts_with("data-");
                (if background { format!("data-{key}") } else { key.clone() }, value.clone())
            })
            .collect();
    }
    with_background(&mut attr, writer.image);
    let _ = writeln!(writer.out, "<section{}>", attributes(&attr));
    if let Some((level, own, inner)) = slide.heading {
        let tag = level.clamp(1, 6);
        let _ = write!(writer.out, "<h{tag}>");
        if let Some(number) = own.get("number") {
            let _ = write!(writer.out, "<span class=\"header-section-number\">{}</span> ", escape(number));
        }
        writer.inlines(inner);
        let _ = writeln!(writer.out, "</h{tag}>");
    }
    let before = writer.incremental;
    let stretch = stretch && !attr.has_class("nostretch");
    let mut paused = false;
    for block in &slide.content {
        if is_pause(block) {
            // What follows appears at the next step.
            writer.out.push_str(if paused { "</div>\n" } else { "" });
            writer.out.push_str("<div class=\"fragment\">\n");
            paused = true;
            continue;
        }
        if let Block::Div(attr, inner) = block
            && attr.has_class("notes")
        {
            let _ = writeln!(writer.out, "<aside class=\"notes\">");
            writer.blocks(inner);
            writer.out.push_str("</aside>\n");
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
    writer.out.push_str(if paused { "</div>\n" } else { "" });
    writer.incremental = before;
    if !writer.notes.is_empty() {
        writer.out.push_str("<aside><ol class=\"aside-footnotes\">\n");
        for (index, note) in std::mem::take(&mut writer.notes).iter().enumerate() {
            let _ = writeln!(writer.out, "<li id=\"fn{}\">{}</li>", index + 1, note.trim_end());
        }
        writer.out.push_str("</ol></aside>\n");
    }
    writer.out.push_str("</section>\n");
}

/// Shows the background color and the background picture of a slide: `data-background-color`, `data-background-image`.
fn with_background(attr: &mut Attr, image: &dyn Fn(&str) -> Option<String>) {
    let pairs = attr.pairs.clone();
    let value = |key: &str| {
        let key = format!("data-background-{key}");
        pairs.iter().find(|(own, _)| *own == key).map(|(_, value)| value.clone())
    };
    let is_safe = |text: &str| {
        text.len() < 80
            && text.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '#' | '%' | ',' | '.' | '(' | ')' | '-' | ' ')
            })
    };
    let mut style =
        attr.take("style").map(|own| format!("{};", own.trim_end_matches(';'))).unwrap_or_default();
    let color = value("color").filter(|color| is_safe(color));
    if let Some(color) = &color {
        let _ = write!(style, "background-color:{color};");
        match is_dark(color) {
            Some(true) => attr.classes.push("has-dark-background".to_owned()),
            Some(false) => attr.classes.push("has-light-background".to_owned()),
            None => {}
        }
    }
    let picture = value("image").filter(|path| !is_script(path) && !path.contains(['\'', '"', '\\', '\n']));
    if let Some(path) = picture {
        let source = image(&path).unwrap_or(path);
        let size = value("size").filter(|size| is_safe(size)).unwrap_or_else(|| "cover".to_owned());
        let place = value("position").filter(|place| is_safe(place)).unwrap_or_else(|| "center".to_owned());
        let repeat =
            value("repeat").filter(|repeat| is_safe(repeat)).unwrap_or_else(|| "no-repeat".to_owned());
        let _ = write!(
            style,
            "background-image:url('{source}');background-size:{size};background-position:{place};background-repeat:{repeat};"
        );
    }
    if !style.is_empty() {
        attr.pairs.push(("style".to_owned(), style));
    }
}

/// Whether a color is dark; nothing for colors that are not written in hexadecimals and have no well-known name.
fn is_dark(color: &str) -> Option<bool> {
    let named = match color {
        "black" | "navy" | "darkblue" | "midnightblue" | "maroon" | "darkred" | "darkgreen" | "indigo"
        | "purple" => true,
        "white" | "ivory" | "beige" | "lightgray" | "lightgrey" | "aquamarine" | "yellow" | "lightblue"
        | "whitesmoke" => false,
        hex => {
            let digits = hex.strip_prefix('#')?;
            let each = match digits.len() {
                3 | 4 => 1,
                6 | 8 => 2,
                _ => return None,
            };
            let part = |index: usize| {
                let own = digits.get(index * each..(index + 1) * each)?;
                let value = u32::from_str_radix(own, 16).ok()?;
                Some(if each == 1 { value * 17 } else { value })
            };
            part(0)? * 299 + part(1)? * 587 + part(2)? * 114 < 128_000
        }
    };
    Some(named)
}

/// `. . .` alone in a paragraph.
fn is_pause(block: &Block) -> bool {
    let Block::Para(inlines) = block else { return false };
    plain(inlines) == ". . ."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn background(pairs: &[(&str, &str)]) -> Attr {
        let pairs = pairs
            .iter()
            .map(|(key, value)| (format!("data-background-{key}"), (*value).to_owned()))
            .collect();
        let mut attr = Attr { pairs, ..Attr::default() };
        with_background(&mut attr, &|path| {
            (path == "here.png").then(|| "data:image/png;base64,AA".to_owned())
        });
        attr
    }

    #[test]
    fn slides_have_their_background() {
        let dark = background(&[("color", "#223344")]);
        assert_eq!(dark.get("style"), Some("background-color:#223344;"));
        assert!(dark.has_class("has-dark-background"));
        assert!(background(&[("color", "aquamarine")]).has_class("has-light-background"));
        let picture = background(&[("image", "here.png"), ("size", "contain")]);
        let style = picture.get("style").unwrap_or_default();
        assert!(
            style.starts_with("background-image:url('data:image/png;base64,AA');background-size:contain;"),
            "{style}"
        );
    }

    #[test]
    fn only_colors_and_paths_get_into_the_style() {
        for pairs in
            [[("color", "red;position:fixed")], [("image", "a');x:('b")], [("image", "javascript:a")]]
        {
            assert_eq!(background(&pairs).get("style"), None, "{pairs:?}");
        }
    }
}
