//! HTML in Markdown: the tags that have a counterpart, and the words of blocks.

use std::ops::Range;

use crate::mark::{END, START, mark};

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    /// In lower case.
    pub(super) name: String,
    pub(super) closing: bool,
    attributes: &'t str,
}

impl<'t> Tag<'t> {
    /// Reads `<name …>` or `</name>`; nothing for comments and the like.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let inner = text.strip_prefix('<')?.strip_suffix('>')?;
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let (closing, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(inner.len());
        let starts = inner.starts_with(|c: char| c.is_ascii_alphabetic());
        starts.then(|| Self { name: inner[..end].to_ascii_lowercase(), closing, attributes: &inner[end..] })
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, wanted: &str) -> Option<&'t str> {
        let mut rest = self.attributes.trim_start();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
            let name = &rest[..end];
            rest = rest[end..].trim_start();
            let mut value = "";
            if let Some(after) = rest.strip_prefix('=') {
                let after = after.trim_start();
                let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
                (value, rest) = match quote {
                    Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                    None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
                };
                rest = rest.trim_start();
            }
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value);
            }
            if end == 0 {
                break;
            }
        }
        None
    }

    /// Whether it asks for a new page.
    fn breaks_page(&self) -> bool {
        let style = self.attribute("style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
        let class = self.attribute("class").unwrap_or_default();
        ["page-break-after:always", "page-break-before:always", "break-after:page", "break-before:page"]
            .iter()
            .any(|rule| style.contains(rule))
            || class.split_whitespace().any(|class| matches!(class, "page-break" | "pagebreak"))
    }
}

/// The Markdown around the content of a pair of tags.
pub(super) fn around(tag: &Tag<'_>, content: &str) -> Option<(String, String)> {
    let marks = |open: &str, close: &str| Some((open.to_owned(), close.to_owned()));
    let tight = !content.is_empty() && content.trim() == content;
    let plain = !content.contains(['<', '*', '_', '`', '\\', '&', '"', '\'', '[', '~']);
    match tag.name.as_str() {
        "b" | "strong" if tight => marks("**", "**"),
        "i" | "em" | "cite" | "var" | "dfn" if tight => marks("*", "*"),
        "s" | "del" | "strike" if tight => marks("~~", "~~"),
        "code" | "kbd" | "samp" | "tt" if tight && plain => marks("`", "`"),
        name @ ("sub" | "sup") if tight && plain => Some((format!("{START}{name}."), END.to_string())),
        "a" if tight => {
            let target = tag.attribute("href")?;
            Some(("[".to_owned(), format!("](<{}>)", target.replace(['<', '>', '\n'], ""))))
        }
        _ => None,
    }
}

/// Elements whose content is not words.
const WORDLESS: [&str; 9] =
    ["script", "style", "template", "iframe", "object", "svg", "noscript", "video", "audio"];

/// Elements that continue a line.
const INLINE: [&str; 27] = [
    "a", "abbr", "b", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "label", "mark",
    "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
];

/// A block of HTML as Markdown in one line: its words and its pictures. `picture` makes the mark of an
/// `<img>`. Nothing when the engine reads the block by itself.
pub(super) fn words(block: &str, picture: &mut dyn FnMut(&Tag<'_>) -> Option<String>) -> Option<String> {
    let start = block.trim_start().to_ascii_lowercase();
    if start.starts_with("<table") || start.contains("<qm-") {
        return None;
    }
    let mut result = String::new();
    let mut skipped: Option<String> = None;
    for piece in pieces(block) {
        match piece {
            Piece::Text(text) if skipped.is_none() => add_words(&mut result, text),
            Piece::Text(_) => {}
            Piece::Tag(text) => {
                let Some(tag) = Tag::read(text) else { continue };
                if let Some(name) = &skipped {
                    if tag.closing && tag.name == *name {
                        skipped = None;
                    }
                    continue;
                }
                if !tag.closing && WORDLESS.contains(&tag.name.as_str()) {
                    skipped = Some(tag.name);
                } else if !tag.closing && tag.breaks_page() {
                    result.push_str(&mark("pagebreak", ""));
                } else if tag.name == "img" {
                    result.extend(picture(&tag));
                } else if tag.name == "br" {
                    result.push_str(&mark("line", ""));
                } else if tag.name == "li" && !tag.closing {
                    result.push_str(&mark("par", ""));
                    result.push_str("• ");
                } else if !INLINE.contains(&tag.name.as_str()) {
                    result.push_str(&mark("par", ""));
                }
            }
        }
    }
    let par = mark("par", "");
    let mut result = result.trim();
    while let Some(rest) = result.strip_prefix(par.as_str()).or_else(|| result.strip_suffix(par.as_str())) {
        result = rest.trim();
    }
    Some(result.to_owned())
}

enum Piece<'t> {
    Text(&'t str),
    Tag(&'t str),
}

/// The text and the tags of HTML; a comment is a tag without a name.
fn pieces(html: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else if is_tag(rest) {
            rest.find('>').map(|end| end + 1)
        } else {
            None
        };
        if let Some(end) = end {
            pieces.push(Piece::Tag(&rest[..end]));
            rest = &rest[end..];
            continue;
        }
        let next = rest.char_indices().skip(1).find(|(_, c)| *c == '<').map_or(rest.len(), |(at, _)| at);
        pieces.push(Piece::Text(&rest[..next]));
        rest = &rest[next..];
    }
    pieces
}

fn is_tag(text: &str) -> bool {
    let after = text.strip_prefix('<').map(|rest| rest.strip_prefix('/').unwrap_or(rest));
    after.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!'))
}

/// Adds words, one space between them, so that Markdown reads nothing into them.
fn add_words(result: &mut String, text: &str) {
    if text.starts_with(char::is_whitespace) && !result.ends_with(' ') {
        result.push(' ');
    }
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            result.push(' ');
        }
        for c in word.chars() {
            if matches!(c, '\\' | '*' | '_' | '`' | '[' | ']' | '<' | '#' | '~' | '|' | '$') {
                result.push('\\');
            }
            result.push(c);
        }
    }
    if text.ends_with(char::is_whitespace) && !result.ends_with(' ') {
        result.push(' ');
    }
}

/// Open inline tags, with their ranges.
#[derive(Debug, Default)]
pub(super) struct Open<'t> {
    list: Vec<(Tag<'t>, Range<usize>)>,
}

impl<'t> Open<'t> {
    pub(super) fn push(&mut self, tag: Tag<'t>, range: Range<usize>) {
        self.list.push((tag, range));
    }

    /// The open tag that a closing tag belongs to; those inside it stay open no longer.
    pub(super) fn close(&mut self, name: &str) -> Option<(Tag<'t>, Range<usize>)> {
        let index = self.list.iter().rposition(|(tag, _)| tag.name == name)?;
        self.list.truncate(index + 1);
        self.list.pop()
    }

    /// Tags do not reach over blocks.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_in_all_forms() {
        let tag = Tag::read("<img src=\"a b.png\" alt='x' width=20 hidden>").unwrap();
        assert_eq!(tag.attribute("src"), Some("a b.png"));
        assert_eq!(tag.attribute("ALT"), Some("x"));
        assert_eq!(tag.attribute("width"), Some("20"));
        assert_eq!((tag.attribute("hidden"), tag.attribute("none")), (Some(""), None));
        assert!(Tag::read("</p>").unwrap().closing && Tag::read("<!-- x -->").is_none());
    }

    #[test]
    fn the_words_of_a_block_are_kept_and_nothing_is_read_into_them() {
        let words = |html: &str| words(html, &mut |_| None).unwrap();
        let par = mark("par", "");
        assert_eq!(words("<div align=\"center\">\nTwo  *words*\n</div>"), "Two \\*words\\*");
        assert_eq!(words("<p>One</p>\n<p>Two</p>"), format!("One{par} {par}Two"));
        assert_eq!(words("<script>alert(1)</script><!-- <b>no</b> -->"), "");
        assert_eq!(words("<div style=\"page-break-after: always\"></div>"), mark("pagebreak", ""));
    }
}
