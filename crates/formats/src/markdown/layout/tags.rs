//! HTML tags, in lines and in blocks.

use std::ops::Range;

use super::masks::closing_run;
use crate::budget;

/// An HTML tag.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    /// The tag with its angle brackets.
    pub(super) range: Range<usize>,
    pub(super) name: Range<usize>,
    /// Whether it ends an element.
    pub(super) closing: bool,
    pub(super) in_table: bool,
}

impl Tag {
    /// The tag that a piece of HTML within a line is; nothing for comments and instructions.
    pub(super) fn read(text: &str, range: Range<usize>) -> Option<Self> {
        let closing = text[range.clone()].starts_with("</");
        let start = range.start + 1 + usize::from(closing);
        let name = text.get(start..range.end)?;
        if name.starts_with(['!', '?', '>']) {
            return None;
        }
        let length = name.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(name.len());
        let name = start..start + length;
        Some(Self { range, name, closing, in_table: false })
    }
}

/// The tags in a block of HTML that CommonMark would find in a paragraph.
pub(super) fn in_block(text: &str, block: Range<usize>, tags: &mut Vec<Tag>) {
    let bytes = &text.as_bytes()[..block.end];
    let mut at = block.start;
    while let Some(next) = memchr::memchr3(b'<', b'`', b'\\', &bytes[at..]).map(|next| at + next) {
        if !budget::charge(1) {
            return;
        }
        at = match bytes[next] {
            b'\\' => next + 2,
            b'`' => {
                let length = bytes[next..].iter().take_while(|byte| **byte == b'`').count();
                closing_run(bytes, next + length, b'`', length).unwrap_or(next + length)
            }
            _ => match end_of_html(&text[..block.end], next) {
                Some(end) => {
                    tags.extend(Tag::read(text, next..end));
                    end
                }
                None => next + 1,
            },
        };
        if at >= block.end {
            return;
        }
    }
}

/// The end of the tag, comment, instruction or declaration that begins at an offset (CommonMark 0.31, section 6.6).
fn end_of_html(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start + 1..];
    let until = |from: &str, mark: &str| {
        let inner = rest.strip_prefix(from)?;
        inner.find(mark).map(|at| start + 1 + from.len() + at + mark.len())
    };
    match rest.as_bytes().first()? {
        b'!' if rest.starts_with("!--") => until("!--", "-->"),
        b'!' if rest.starts_with("![CDATA[") => until("![CDATA[", "]]>"),
        b'!' => until("!", ">"),
        b'?' => until("?", "?>"),
        b'/' => {
            let name = name_length(&rest[1..])?;
            let after = rest[1 + name..].trim_start();
            after.starts_with('>').then(|| text.len() - after.len() + 1)
        }
        _ => end_of_opening(text, start + 1 + name_length(rest)?),
    }
}

fn name_length(text: &str) -> Option<usize> {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        .then(|| text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count())
}

/// The end of an opening tag whose name ends at an offset.
fn end_of_opening(text: &str, from: usize) -> Option<usize> {
    let mut rest = &text[from..];
    loop {
        let after = rest.trim_start();
        if let Some(end) = after.strip_prefix("/>").or_else(|| after.strip_prefix('>')) {
            return Some(text.len() - end.len());
        }
        if after.len() == rest.len() || !budget::charge(1) {
            return None;
        }
        rest = after_attribute(after)?;
    }
}

/// What follows an attribute.
fn after_attribute(text: &str) -> Option<&str> {
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':');
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
    let name = text.strip_prefix(starts)?.trim_start_matches(goes_on);
    let Some(value) = name.trim_start().strip_prefix('=') else { return Some(name) };
    let value = value.trim_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            return quoted.find(quote).map(|end| &quoted[end + 1..]);
        }
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '<' | '>' | '`');
    let end = value.find(ends).unwrap_or(value.len());
    (end > 0).then(|| &value[end..])
}

/// The value of an attribute of a tag.
pub(super) fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    loop {
        let lower = tag.get(from..)?.to_ascii_lowercase();
        let at = from + lower.find(name)?;
        from = at + name.len();
        if !tag[..at].ends_with(char::is_whitespace) {
            continue;
        }
        let Some(value) = tag[from..].trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start().trim_start_matches(['"', '\'']);
        let end =
            value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '>')).unwrap_or(value.len());
        return Some(&value[..end]);
    }
}
