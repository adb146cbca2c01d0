//! Tags of HTML within Markdown. Rules and conversions read them with these.

use super::{lines::run, marks};

/// A tag at the start of text.
pub struct Tag<'t> {
    pub name: &'t str,
    pub closing: bool,
    pub length: usize,
}

/// Longest tag that is looked at.
const LONGEST: usize = 16_384;

/// The tag that text begins with.
pub fn tag(text: &str) -> Option<Tag<'_>> {
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
pub fn attributes(tag: &str) -> Vec<(String, String)> {
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
pub fn is_block(name: &str) -> bool {
    BLOCKS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a tag stands for a block where one begins.
pub fn begins_block(name: &str) -> bool {
    is_block(name) || EITHER.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a tag ends the paragraph before it: that of a block, or the one that closes the innermost `open` one.
pub fn ends_text(tag: &Tag<'_>, open: Option<&str>) -> bool {
    is_block(tag.name) || tag.closing && open.is_some_and(|open| tag.name.eq_ignore_ascii_case(open))
}

/// Most tags of a line that are looked at.
const TAGS: usize = 64;

/// Where a tag that ends a paragraph is in a line of it, from an offset on. Code, math and keys of citations have no tags.
pub fn block_tag(line: &str, from: usize, open: Option<&str>) -> Option<usize> {
    let bytes = line.as_bytes();
    let last = memchr::memrchr(b'<', bytes)?;
    let (mut at, mut tags, mut ticks, mut is_math) = (0, 0, 0, true);
    while at <= last {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => {
                let length = run(&line[at..], b'`');
                match marks::code_end(line, at + length, line.len(), length) {
                    Some(end) => at = end + length,
                    None => {
                        ticks += length;
                        at += length;
                    }
                }
            }
            b'$' if is_math && !line[at + 1..].starts_with(|c: char| c == '$' || c.is_whitespace()) => {
                match marks::math_end(line, at + 1, line.len()) {
                    Some(end) => at = end + 1,
                    None => is_math = false,
                }
            }
            b'@' => at = marks::cited_key(line, 0, at, line.len()).map_or(at + 1, |key| key.end),
            b'<' => {
                tags += 1;
                // Code that is open here may end below.
                if tags > TAGS || ticks % 2 == 1 {
                    return None;
                }
                let found = tag(&line[at..]);
                if at >= from && found.as_ref().is_some_and(|tag| ends_text(tag, open)) {
                    return Some(at);
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    None
}

/// Whether a tag has no content.
pub fn is_void(name: &str) -> bool {
    const VOID: [&str; 14] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ];
    VOID.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The content of a tag whose name is this is verbatim.
pub fn is_verbatim(name: &str) -> bool {
    ["script", "style", "pre", "textarea"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_blocks_end_text() {
        assert_eq!(block_tag("a <b>c</b> <div>", 0, None), Some(11));
        assert_eq!(block_tag("<p> a <pre>", 1, None), Some(6));
        assert_eq!(block_tag("a </video>", 0, Some("video")), Some(2));
        for line in ["`<div>` a", "$5 <div>$", "@a<div> b", "\\<div> `a", "`a <div>", "a < div"] {
            assert_eq!(block_tag(line, 0, None), None, "{line}");
        }
    }

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
}
