//! XML: text within it, and XML of strangers, the parts of presentations and citation styles. The parser takes quadratic time for the attributes
//! of one element and for namespaces in namespaces, so both are counted before it reads.

pub(super) mod edit;
mod write;

use memchr::memmem;
use roxmltree::{Document, ParsingOptions};

use crate::{budget, text::entity};

pub(super) use self::write::Writer;

/// Largest document.
pub(super) const LARGEST: usize = 16 << 20;

/// Most nodes of a document.
const NODES: u32 = 500_000;

/// Most attributes of an element, with its namespaces.
const ATTRIBUTES: usize = 256;

/// Most namespaces that count at one place.
const NAMESPACES: usize = 128;

/// Most namespaces that all elements together declare.
const DECLARATIONS: usize = 20_000;

/// Deepest nesting of elements.
const DEPTH: usize = 256;

/// Text within XML. Characters that XML cannot have are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => match entity(c) {
                Some(entity) => out.push_str(entity),
                None => out.push(c),
            },
        }
    }
    out
}

/// Reads a document within limits.
///
/// # Errors
/// What is wrong with it, or which limit it exceeds.
pub(super) fn parse(text: &str) -> Result<Document<'_>, String> {
    if !budget::charge(text.len() as u64 / 2) {
        return Err("the budget is used up".to_owned());
    }
    check(text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES, ..ParsingOptions::default() };
    let parsed = budget::measure(text.len() as u64, || Document::parse_with_options(text, options));
    parsed.map_err(|error| error.to_string())
}

/// Compares what the tags have with the limits. Whether the document is well formed is not looked at.
fn check(text: &str) -> Result<(), String> {
    let limited = |what: &str, count: usize, most: usize| {
        if count > most { Err(format!("it has more than {most} {what}")) } else { Ok(()) }
    };
    limited("bytes of XML in a part", text.len(), LARGEST)?;
    let bytes = text.as_bytes();
    // How many namespaces each open element declares.
    let mut open: Vec<usize> = Vec::new();
    let (mut namespaces, mut declarations) = (0, 0);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        let markup = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((start, end)) = markup.into_iter().find(|(start, _)| rest.starts_with(start.as_bytes())) {
            let Some(length) = memmem::find(&rest[start.len()..], end.as_bytes()) else { return Ok(()) };
            at += start.len() + length + end.len();
            continue;
        }
        let tag = tag(rest);
        at += tag.length;
        limited("attributes of one element", tag.attributes, ATTRIBUTES)?;
        match rest.get(1) {
            Some(b'/') => namespaces -= open.pop().unwrap_or_default(),
            _ => {
                declarations += tag.namespaces;
                limited("namespaces", declarations, DECLARATIONS)?;
                limited("namespaces in each other", namespaces + tag.namespaces, NAMESPACES)?;
                if !tag.is_empty {
                    namespaces += tag.namespaces;
                    open.push(tag.namespaces);
                    limited("elements in each other", open.len(), DEPTH)?;
                }
            }
        }
    }
    Ok(())
}

struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
    /// Whether it is an element without content.
    is_empty: bool,
}

/// What the tag has that these bytes begin with.
fn tag(bytes: &[u8]) -> Tag {
    let mut tag = Tag { length: bytes.len(), attributes: 0, namespaces: 0, is_empty: false };
    let mut at = 1;
    // Where the name of the attribute begins.
    let mut name = at;
    while let Some(found) = memchr::memchr3(b'"', b'\'', b'>', &bytes[at..]) {
        at += found;
        if bytes[at] == b'>' {
            tag.is_empty = bytes[at - 1] == b'/';
            tag.length = at + 1;
            break;
        }
        tag.attributes += 1;
        tag.namespaces += usize::from(memmem::find(&bytes[name..at], b"xmlns").is_some());
        let Some(end) = memchr::memchr(bytes[at], &bytes[at + 1..]) else { break };
        at += end + 2;
        name = at;
    }
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(text).err().unwrap_or_default()
    }

    #[test]
    fn ordinary_documents_are_read() {
        let text = "<?xml version=\"1.0\"?><!-- < ' --><a xmlns=\"u\" xmlns:b='v' c=\"1 > 0\"><b:d/><![CDATA[<]]></a>";
        assert_eq!(parse(text).unwrap().root_element().attribute("c"), Some("1 > 0"));
        // Siblings declare the same namespace again, as PowerPoint writes it.
        let again = format!("<a>{}</a>", "<b xmlns:c=\"u\"/>".repeat(1_000));
        assert!(parse(&again).is_ok());
    }

    #[test]
    fn what_takes_quadratic_time_is_counted_first() {
        let attributes: String = (0..300).map(|number| format!(" a{number}='1'")).collect();
        assert_eq!(refused(&format!("<a{attributes}/>")), "it has more than 256 attributes of one element");
        let namespaces: String = (0..200).map(|number| format!(" xmlns:a{number}='{number}'")).collect();
        assert_eq!(refused(&format!("<a{namespaces}/>")), "it has more than 128 namespaces in each other");
        let nested: String = (0..200).map(|number| format!("<a xmlns:n{number}='{number}'>")).collect();
        assert_eq!(refused(&nested), "it has more than 128 namespaces in each other");
        let many = "<b xmlns:c='u'/>".repeat(20_001);
        assert_eq!(refused(&format!("<a>{many}</a>")), "it has more than 20000 namespaces");
        assert_eq!(refused(&"<a>".repeat(300)), "it has more than 256 elements in each other");
        assert!(refused(&format!("<a>{}</a>", "<b/>".repeat(600_000))).contains("limit"));
        assert!(refused("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>").contains("DTD"));
    }
}
