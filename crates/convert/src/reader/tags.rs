//! Tags and entities of HTML within Markdown.

use crate::budget::Lazy;

/// A tag at the start of text.
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) closing: bool,
    pub(super) length: usize,
}

/// Longest tag that is looked at.
const LONGEST: usize = 16_384;

/// The tag that text begins with.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    let inner = text.strip_prefix('<')?;
    let closing = inner.starts_with('/');
    let name_start = 1 + usize::from(closing);
    let name = &text[name_start..];
    let length = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
    if length == 0 || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut quote = None;
    for (at, byte) in bytes.iter().copied().enumerate().take(LONGEST).skip(name_start + length) {
        match (quote, byte) {
            (None, b'>') => return Some(Tag { name: &name[..length], closing, length: at + 1 }),
            (None, b'<') => return None,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The attributes of a tag, in order.
pub(super) fn attributes(tag: &str) -> Vec<(String, String)> {
    let inner = tag.trim_start_matches(['<', '/']).trim_end_matches('>').trim_end_matches('/');
    let mut rest = inner.find(char::is_whitespace).map_or("", |at| inner[at..].trim_start());
    let mut out = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let (found, next) = match after.chars().next().filter(|c| matches!(c, '"' | '\'')) {
                Some(quote) => {
                    let close = after[1..].find(quote).map_or(after.len(), |at| at + 1);
                    (&after[1..close], after.get(close + 1..).unwrap_or(""))
                }
                None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            };
            found.clone_into(&mut value);
            rest = next.trim_start();
        }
        if name.is_empty() {
            break;
        }
        out.push((name, value));
    }
    out
}

/// Tags that stand for blocks wherever they are.
#[rustfmt::skip]
const BLOCKS: [&str; 57] = [
    "address", "article", "aside", "blockquote", "body", "canvas", "caption", "center", "col", "colgroup",
    "dd", "details", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "isindex",
    "li", "main", "menu", "meta", "nav", "noframes", "ol", "output", "p", "pre", "script", "section",
    "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul",
];

/// Tags that stand for blocks where one begins, and for parts of text elsewhere.
#[rustfmt::skip]
const EITHER: [&str; 17] = [
    "applet", "area", "audio", "button", "del", "embed", "iframe", "ins", "map", "noscript", "object",
    "progress", "source", "style", "svg", "track", "video",
];

/// Whether a tag stands for a block, also within text.
pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a tag stands for a block where one begins.
pub(super) fn begins_block(name: &str) -> bool {
    is_block(name) || EITHER.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a tag has no content.
pub(super) fn is_void(name: &str) -> bool {
    const VOID: [&str; 14] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ];
    VOID.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The content of a tag whose name is this is verbatim.
pub(super) fn is_verbatim(name: &str) -> bool {
    ["script", "style", "pre", "textarea"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The character of an entity, without its marks.
pub(super) fn entity(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0').map(|c| c.to_string());
    }
    let at = ENTITIES.binary_search_by_key(&name, |(known, _)| *known).ok()?;
    let codes = ENTITIES[at].1.split('-').filter_map(|code| u32::from_str_radix(code, 16).ok());
    Some(codes.filter_map(char::from_u32).collect())
}

/// The names of entities in HTML, sorted, and the code points that they stand for.
static ENTITIES: Lazy<Vec<(&str, &str)>> =
    Lazy::new(|| include_str!("entities.txt").lines().filter_map(|line| line.split_once(' ')).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_end_after_their_attributes() {
        let found = tag("<a href='x>y'>z").map(|tag| (tag.name, tag.closing, tag.length));
        assert_eq!(found, Some(("a", false, 14)));
        assert!(tag("< a>").is_none() && tag("<1>").is_none());
        assert_eq!(
            attributes("<div class=\"a b\" id=x data-y>"),
            [("class", "a b"), ("id", "x"), ("data-y", "")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }

    #[test]
    fn entities_are_characters() {
        assert_eq!(entity("#x41").as_deref(), Some("A"));
        assert_eq!(entity("nbsp").as_deref(), Some("\u{a0}"));
        assert_eq!(entity("nothing"), None);
    }
}
