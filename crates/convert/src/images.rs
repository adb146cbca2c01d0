//! Pictures of a document: local ones become part of the result.

use std::collections::{BTreeMap, HashMap};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    model::{Block, Inline, Place, Rewrite, words},
    project_files::ReadFile,
};
use crate::budget;

/// Largest picture that becomes part of a result.
const LARGEST: usize = 32 << 20;

/// Steps that looking for a picture takes.
const PICTURE: u64 = 1_000;

/// The MIME type of a picture, by its first bytes.
pub(super) fn mime(bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(512)];
    let text = String::from_utf8_lossy(start);
    Some(match start {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xFF, 0xD8, ..] => "image/jpeg",
        [b'G', b'I', b'F', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'B', b'M', ..] => "image/bmp",
        _ if text.trim_start().starts_with("<svg") || (text.contains("<?xml") && text.contains("<svg")) => {
            "image/svg+xml"
        }
        _ => return None,
    })
}

/// A local picture: its MIME type and its bytes; nothing for what is not local, is not there or is not a picture.
fn local(url: &str, read: ReadFile<'_>) -> Option<(&'static str, Vec<u8>)> {
    if url.contains("://") || url.starts_with("data:") || url.starts_with('#') || url.starts_with("//") {
        return None;
    }
    let path = crate::text::percent_decoded(url);
    let path = path.split(['?', '#']).next().unwrap_or(&path);
    if !budget::charge(PICTURE) {
        return None;
    }
    let bytes = read(path).filter(|bytes| bytes.len() <= LARGEST)?;
    let mime = mime(&bytes)?;
    // The picture, and its copy in the result.
    let is_left = budget::charge(bytes.len() as u64) && budget::allocate(2 * bytes.len());
    is_left.then_some((mime, bytes))
}

/// A picture that its address contains, or a local one, for results that have pictures as files.
pub(super) fn bytes(url: &str, read: ReadFile<'_>) -> Option<Vec<u8>> {
    data(url).or_else(|| local(url, read).map(|(_, bytes)| bytes))
}

/// A local picture as a `data:` address, for results that have pictures in their text.
pub(super) fn inlined(url: &str, read: ReadFile<'_>) -> Option<String> {
    let (mime, bytes) = local(url, read)?;
    budget::allocate(bytes.len()).then(|| format!("data:{mime};base64,{}", STANDARD.encode(bytes)))
}

/// A picture that is left out: of another server, not there, or of a kind that the result cannot have.
pub(super) type Missing = (Place, String);

/// Replaces the addresses of all pictures of a document. Words stand for a picture that gets no address.
struct Addresses<'a> {
    address: &'a mut dyn FnMut(&str) -> Option<String>,
    missing: Vec<Missing>,
}

impl Rewrite for Addresses<'_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let replaced = inlines.into_iter().map(|inline| match inline {
            Inline::Image(attr, inner, mut target) => match (self.address)(&target.url) {
                Some(address) => {
                    target.url = address;
                    Inline::Image(attr, inner, target)
                }
                None => {
                    self.missing.push((attr.place, target.url));
                    let mut shown = vec![Inline::Str("[".to_owned())];
                    shown.extend(inner);
                    shown.push(Inline::Str("]".to_owned()));
                    Inline::Span(attr, shown)
                }
            },
            other => other,
        });
        replaced.collect()
    }
}

fn readdressed(
    blocks: Vec<Block>,
    address: &mut dyn FnMut(&str) -> Option<String>,
) -> (Vec<Block>, Vec<Missing>) {
    let mut addresses = Addresses { address, missing: Vec::new() };
    let blocks = addresses.rewrite(blocks);
    (blocks, addresses.missing)
}

/// The blocks with the alternative text of each picture where Pandoc looks for it: as its words. A figure has its caption
/// beside them.
pub(super) fn with_alternatives(blocks: Vec<Block>) -> Vec<Block> {
    Alternatives.rewrite(blocks)
}

struct Alternatives;

impl Rewrite for Alternatives {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let described = inlines.into_iter().map(|inline| match inline {
            Inline::Image(mut attr, inner, target) => {
                let own = attr.take_alternative();
                let inner = own.map_or(inner, |own| words(&own));
                Inline::Image(attr, inner, target)
            }
            other => other,
        });
        described.collect()
    }
}

/// The blocks with local pictures as `data:` addresses, and the pictures that are left out.
pub(super) fn with_inlined(blocks: Vec<Block>, read: ReadFile<'_>) -> (Vec<Block>, Vec<Missing>) {
    readdressed(blocks, &mut |url| {
        if url.starts_with("data:") { Some(url.to_owned()) } else { inlined(url, read) }
    })
}

/// The blocks with local pictures as files of their own, for the folder that the render worker reads, and the
/// pictures that are left out.
pub(super) fn with_files(
    blocks: Vec<Block>,
    read: ReadFile<'_>,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> (Vec<Block>, Vec<Missing>) {
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    readdressed(blocks, &mut |url| match known.get(url) {
        Some(name) => name.clone(),
        None => known.entry(url.to_owned()).or_insert(file(url, read, files)).clone(),
    })
}

/// The name of a picture among the files.
pub(super) fn file(url: &str, read: ReadFile<'_>, files: &mut BTreeMap<String, Vec<u8>>) -> Option<String> {
    let bytes = bytes(url, read)?;
    let ending = ending(mime(&bytes)?)?;
    if let Some((name, _)) = files.iter().find(|(_, known)| **known == bytes) {
        return Some(name.clone());
    }
    let name = format!("assets/picture-{}.{ending}", files.len() + 1);
    files.insert(name.clone(), bytes);
    Some(name)
}

/// The ending of a kind of picture that pages can have.
fn ending(mime: &str) -> Option<&'static str> {
    Some(match mime {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        _ => return None,
    })
}

/// The bytes of a `data:` address.
fn data(url: &str) -> Option<Vec<u8>> {
    let (kind, content) = url.strip_prefix("data:")?.split_once(',')?;
    if kind.ends_with(";base64") {
        return STANDARD.decode(content.as_bytes()).ok();
    }
    Some(crate::text::percent_decoded(content).as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_pictures_are_put_into_the_result() {
        let read = |path: &str| (path == "a b.png").then(|| b"\x89PNG\r\n".to_vec());
        assert_eq!(inlined("a%20b.png", &read).as_deref(), Some("data:image/png;base64,iVBORw0K"));
        assert_eq!(inlined("https://example.com/a.png", &read), None);
        let mut files = BTreeMap::new();
        let mut placed = |url: &str| file(url, &read, &mut files);
        assert_eq!(placed("a b.png").as_deref(), Some("assets/picture-1.png"));
        assert_eq!(placed("a%20b.png").as_deref(), Some("assets/picture-1.png"));
        assert_eq!(placed("https://example.com/a.png"), None);
        assert_eq!(placed("data:image/svg+xml,%3Csvg/%3E").as_deref(), Some("assets/picture-2.svg"));
        let secret = |_: &str| Some(b"root:x:0:0".to_vec());
        assert_eq!(inlined("../passwd", &secret), None);
        assert_eq!(bytes("../passwd", &secret), None);
        assert_eq!(bytes("a%20b.png", &read).as_deref(), Some(&b"\x89PNG\r\n"[..]));
        assert_eq!(bytes("data:image/png;base64,iVBORw0K", &read).as_deref(), Some(&b"\x89PNG\r\n"[..]));
    }
}
