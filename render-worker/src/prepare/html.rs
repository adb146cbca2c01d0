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

/// Elements that begin a block, which a cell of the engine's tables cannot have.
const BLOCKS: [&str; 19] = [
    "address",
    "article",
    "blockquote",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "ul",
];

/// A table in which cells with blocks, pictures, formulas or footnotes are marks: `place` takes their content as Markdown.
/// The engine's tables have no caption: what is in one is left out here, and `check` has said so. Nothing where the engine
/// reads the table by itself.
pub(super) fn table(block: &str, place: &mut dyn FnMut(String) -> String) -> Option<String> {
    let mut result = String::with_capacity(block.len());
    let mut changed = false;
    // The content of the open cell, and how many tables are open.
    let mut cell: Option<String> = None;
    let mut depth = 0_usize;
    let (mut in_caption, mut has_caption) = (false, false);
    let mut close = |cell: &mut Option<String>, result: &mut String| {
        let Some(content) = cell.take() else { return };
        match cell_markdown(&content) {
            Some(markdown) => {
                changed = true;
                result.push_str(&place(markdown));
            }
            None => result.push_str(&content),
        }
    };
    for piece in pieces(block) {
        let (Piece::Text(text) | Piece::Tag(text)) = piece;
        let tag = if matches!(piece, Piece::Tag(_)) { Tag::read(text) } else { None };
        let name = tag.as_ref().map_or("", |tag| tag.name.as_str());
        let closing = tag.as_ref().is_some_and(|tag| tag.closing);
        if name == "caption" && depth == 1 && cell.is_none() {
            (in_caption, has_caption) = (!closing, true);
            continue;
        }
        // A row ends a caption that has no end.
        in_caption &= !matches!(name, "td" | "th" | "tr" | "thead" | "tbody" | "tfoot" | "table");
        if in_caption {
            continue;
        }
        if name == "table" && closing {
            depth = depth.saturating_sub(1);
        }
        let ends = match name {
            "td" | "th" | "tr" | "thead" | "tbody" | "tfoot" => depth == 1,
            "table" => closing && depth == 0,
            _ => false,
        };
        if ends {
            close(&mut cell, &mut result);
        }
        cell.as_mut().unwrap_or(&mut result).push_str(text);
        if name == "table" && !closing {
            depth += 1;
        }
        if ends && !closing && matches!(name, "td" | "th") {
            cell = Some(String::new());
        }
    }
    close(&mut cell, &mut result);
    (changed || has_caption).then_some(result)
}

/// The content of a cell as Markdown, where a line of Markdown is not enough for it.
fn cell_markdown(content: &str) -> Option<String> {
    let names: Vec<String> = pieces(content)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Tag(text) => Some(Tag::read(text)?.name),
            Piece::Text(_) => None,
        })
        .collect();
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    let blocks = has(&BLOCKS) || has(&["table"]);
    if !blocks && !has(&["img"]) && !content.contains("[^") && !content.contains('$') {
        return None;
    }
    Some(if blocks { Blocks::default().read(content) } else { content.trim().to_owned() })
}

/// Blocks of HTML as Markdown.
#[derive(Default)]
struct Blocks {
    result: String,
    /// Numbers of the next items of the open lists; none for lists without numbers.
    lists: Vec<Option<usize>>,
    /// The text of the open line.
    line: String,
    /// What the next line begins with.
    marker: String,
    /// Whether a heading is open.
    heading: bool,
}

impl Blocks {
    fn read(mut self, content: &str) -> String {
        let mut table: Option<(usize, String)> = None;
        for piece in pieces(content) {
            let (Piece::Text(text) | Piece::Tag(text)) = piece;
            let tag = if matches!(piece, Piece::Tag(_)) { Tag::read(text) } else { None };
            // A table in a cell stays one.
            if let Some((depth, source)) = &mut table {
                source.push_str(text);
                match &tag {
                    Some(tag) if tag.name == "table" && tag.closing => *depth -= 1,
                    Some(tag) if tag.name == "table" => *depth += 1,
                    _ => {}
                }
                if *depth == 0 {
                    self.block(&source.split_whitespace().collect::<Vec<_>>().join(" "));
                    table = None;
                }
                continue;
            }
            match tag {
                Some(tag) if tag.name == "table" && !tag.closing => {
                    self.end_line();
                    table = Some((1, text.to_owned()));
                }
                Some(tag) if BLOCKS.contains(&tag.name.as_str()) => self.tag(&tag),
                Some(_) => self.line.push_str(text),
                None if matches!(piece, Piece::Text(_)) => self.line.push_str(text),
                None => {}
            }
        }
        if let Some((_, source)) = table {
            self.line.push_str(&source);
        }
        self.end_line();
        self.result.trim_end().to_owned()
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.end_line();
        match (tag.name.as_str(), tag.closing) {
            ("ul", false) => self.lists.push(None),
            ("ol", false) => {
                let start = tag.attribute("start").and_then(|start| start.parse().ok());
                self.lists.push(Some(start.unwrap_or(1)));
            }
            ("ul" | "ol", true) => _ = self.lists.pop(),
            ("li", false) => {
                self.marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                }
            }
            ("h1" | "h2" | "h3" | "h4", closing) => self.heading = !closing,
            _ => {}
        }
    }

    /// Ends the open line of text.
    fn end_line(&mut self) {
        let mut line = self.line.split_whitespace().collect::<Vec<_>>().join(" ");
        self.line.clear();
        if self.heading && !line.is_empty() {
            line = format!("**{line}**");
        }
        if !line.is_empty() || !self.marker.is_empty() {
            self.block(&line);
        }
    }

    /// Adds a block, below the item that it belongs to.
    fn block(&mut self, text: &str) {
        let marker = std::mem::take(&mut self.marker);
        let depth = self.lists.len().saturating_sub(usize::from(!marker.is_empty()));
        if !self.result.is_empty() {
            self.result.push_str("\n\n");
        }
        self.result.push_str(&"    ".repeat(depth));
        self.result.push_str(&marker);
        // What belongs to an item is indented by four.
        self.result.push_str(&" ".repeat(if marker.is_empty() {
            0
        } else {
            4_usize.saturating_sub(marker.len())
        }));
        self.result.push_str(text);
    }
}

#[derive(Clone, Copy)]
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
    fn cells_with_blocks_become_marks() {
        let mut cells = Vec::new();
        let mut place = |cell: String| {
            cells.push(cell);
            "⟦⟧".to_owned()
        };
        let html = "<table><tr><td>a</td><td><p>Text</p><ul><li>b<ol><li>c</li></ol></li><li>d</li></ul></td></tr>\n\
                    <tr><td><table><tr><td>e</td></tr></table></td><td>n[^1]</tr></table>";
        let expected = "<table><tr><td>a</td><td>⟦⟧</td></tr>\n<tr><td>⟦⟧</td><td>⟦⟧</tr></table>";
        assert_eq!(table(html, &mut place).as_deref(), Some(expected));
        let list = "Text\n\n-   b\n\n    1.  c\n\n-   d";
        assert_eq!(cells, [list, "<table><tr><td>e</td></tr></table>", "n[^1]"]);
        assert_eq!(table("<table><tr><td>1</td></tr></table>", &mut |cell| cell), None);
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
