//! Pictures of a document: local ones become part of the result.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    io::Write as _,
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD, write::EncoderWriter};

use super::{
    model::{Block, Inline, Place, Rewrite, words},
    project_files::ReadFile,
};
use crate::{budget, text::Fingerprint};

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

/// A picture: its media type and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) mime: &'static str,
    pub(crate) bytes: Arc<[u8]>,
}

/// What a mark begins with: like any other address of a picture that is in the document itself, and with a character that
/// Unicode keeps for marks like these.
const MARK: &str = "data:image/\u{FDD0}";

/// What a mark ends with.
const END: &str = "\u{FDD1}";

/// Most digits of the number in a mark.
const DIGITS: usize = 10;

/// Whether the mark of a picture is in this text, which gets much longer when it is written.
pub(crate) fn has_mark(text: &str) -> bool {
    text.contains(MARK)
}

/// The pictures that a result contains. The model and the text of the result have a mark as the address of each; its bytes
/// are encoded when the text is complete, straight into the result.
#[derive(Debug, Default)]
pub(crate) struct Pictures(RefCell<Vec<Picture>>);

impl Pictures {
    /// Adds a picture; gives the mark that is its address.
    pub(crate) fn add(&self, picture: Picture) -> String {
        let mut pictures = self.0.borrow_mut();
        pictures.push(picture);
        format!("{MARK}{}{END}", pictures.len() - 1)
    }

    /// The picture whose mark an address is.
    pub(crate) fn get(&self, address: &str) -> Option<Picture> {
        let index: usize = address.strip_prefix(MARK)?.strip_suffix(END)?.parse().ok()?;
        self.0.borrow().get(index).cloned()
    }

    /// Adds the bytes of all pictures to a hash.
    pub(crate) fn add_to(&self, hash: &mut Fingerprint) {
        for picture in self.0.borrow().iter() {
            hash.add_bytes(picture.bytes.iter().copied());
        }
    }

    /// A local picture as part of the result: its mark.
    pub(super) fn local(&self, url: &str, read: ReadFile<'_>) -> Option<String> {
        local(url, read).map(|picture| self.add(picture))
    }

    /// The bytes of text, with the bytes of pictures as `data:` addresses in place of their marks. Ends early when the budget is
    /// used up.
    pub(crate) fn written(&self, text: String) -> Vec<u8> {
        let pictures = self.0.borrow();
        if pictures.is_empty() {
            return text.into_bytes();
        }
        let size: usize = pictures.iter().map(Picture::written_size).sum();
        let mut out = Vec::with_capacity(text.len() + size);
        let mut from = 0;
        for (at, _) in text.match_indices(MARK) {
            let after = at + MARK.len();
            let count = text[after..].bytes().take(DIGITS).take_while(u8::is_ascii_digit).count();
            let (digits, rest) = text[after..].split_at(count);
            let index = digits.parse::<usize>().ok().filter(|_| rest.starts_with(END));
            let Some(picture) = index.and_then(|index| pictures.get(index)) else { continue };
            // A document can have the same mark many times.
            if !budget::allocate(picture.written_size()) {
                break;
            }
            out.extend_from_slice(&text.as_bytes()[from..at]);
            picture.write(&mut out);
            from = after + digits.len() + END.len();
        }
        out.extend_from_slice(&text.as_bytes()[from..]);
        out
    }
}

impl Picture {
    /// The size of its `data:` address.
    fn written_size(&self) -> usize {
        "data:;base64,".len() + self.mime.len() + self.bytes.len().div_ceil(3) * 4
    }

    /// Adds its `data:` address.
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("data:{};base64,", self.mime).as_bytes());
        let mut encoder = EncoderWriter::new(out, &STANDARD);
        let is_written = encoder.write_all(&self.bytes).is_ok() && encoder.finish().is_ok();
        debug_assert!(is_written, "a vector takes everything");
    }
}

/// A local picture; nothing for what is not local, is not there or is not a picture.
fn local(url: &str, read: ReadFile<'_>) -> Option<Picture> {
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
    is_left.then_some(Picture { mime, bytes })
}

/// A picture that its address contains, one whose mark the address is, or a local one, for results that have pictures as files.
pub(super) fn bytes(url: &str, pictures: &Pictures, read: ReadFile<'_>) -> Option<Arc<[u8]>> {
    let known = pictures.get(url).map(|picture| picture.bytes);
    known.or_else(|| data(url).map(Arc::from)).or_else(|| local(url, read).map(|picture| picture.bytes))
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

/// The blocks with local pictures as parts of the result, and the pictures that are left out.
pub(super) fn with_contained(
    blocks: Vec<Block>,
    pictures: &Pictures,
    read: ReadFile<'_>,
) -> (Vec<Block>, Vec<Missing>) {
    readdressed(blocks, &mut |url| {
        if url.starts_with("data:") { Some(url.to_owned()) } else { pictures.local(url, read) }
    })
}

/// Files for the render worker, by their names.
pub(super) type Files = BTreeMap<String, Arc<[u8]>>;

/// The blocks with local pictures as files of their own, for the folder that the render worker reads, and the
/// pictures that are left out.
pub(super) fn with_files(
    blocks: Vec<Block>,
    pictures: &Pictures,
    read: ReadFile<'_>,
    files: &mut Files,
) -> (Vec<Block>, Vec<Missing>) {
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    readdressed(blocks, &mut |url| match known.get(url) {
        Some(name) => name.clone(),
        None => known.entry(url.to_owned()).or_insert(file(url, pictures, read, files)).clone(),
    })
}

/// The name of a picture among the files.
pub(super) fn file(url: &str, pictures: &Pictures, read: ReadFile<'_>, files: &mut Files) -> Option<String> {
    let bytes = bytes(url, pictures, read)?;
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
        let png: Arc<[u8]> = Arc::from(&b"\x89PNG\r\n"[..]);
        let read = |path: &str| (path == "a b.png").then(|| Arc::clone(&png));
        let pictures = Pictures::default();
        let written = |url: &str| {
            let mark = pictures.local(url, &read)?;
            Some(String::from_utf8(pictures.written(mark)).unwrap())
        };
        assert_eq!(written("a%20b.png").as_deref(), Some("data:image/png;base64,iVBORw0K"));
        assert_eq!(written("https://example.com/a.png"), None);
        let mut files = Files::new();
        let mut placed = |url: &str| file(url, &pictures, &read, &mut files);
        assert_eq!(placed("a b.png").as_deref(), Some("assets/picture-1.png"));
        assert_eq!(placed("a%20b.png").as_deref(), Some("assets/picture-1.png"));
        assert_eq!(placed("https://example.com/a.png"), None);
        assert_eq!(placed("data:image/svg+xml,%3Csvg/%3E").as_deref(), Some("assets/picture-2.svg"));
        let drawn = Picture { mime: "image/svg+xml", bytes: Arc::from(&b"<svg></svg>"[..]) };
        let drawn = pictures.add(drawn);
        assert_eq!(placed(&drawn).as_deref(), Some("assets/picture-3.svg"));
        assert!(Arc::ptr_eq(&files["assets/picture-1.png"], &png), "bytes are not copied");
        let secret = |_: &str| Some(Arc::from(&b"root:x:0:0"[..]));
        assert_eq!(pictures.local("../passwd", &secret), None);
        assert_eq!(bytes("../passwd", &pictures, &secret), None);
        assert_eq!(bytes("a%20b.png", &pictures, &read), Some(Arc::clone(&png)));
        assert_eq!(bytes("data:image/png;base64,iVBORw0K", &pictures, &read), Some(png));
    }

    #[test]
    fn pictures_are_written_where_their_marks_are() {
        let pictures = Pictures::default();
        assert_eq!(pictures.written(format!("{MARK}0{END}")), format!("{MARK}0{END}").into_bytes());
        let add =
            |content: &str| pictures.add(Picture { mime: "image/png", bytes: Arc::from(content.as_bytes()) });
        let (one, two) = (add("1"), add("22"));
        let text = format!("a {two} b {one}{one} {MARK}9{END} {MARK}x{END} {MARK}1");
        let written = String::from_utf8(pictures.written(text)).unwrap();
        let address = |content: &str| format!("data:image/png;base64,{content}");
        let expected =
            format!("a {} b {1}{1} {MARK}9{END} {MARK}x{END} {MARK}1", address("MjI="), address("MQ=="));
        assert_eq!(written, expected);
    }

    #[test]
    fn marks_that_a_document_repeats_are_charged() {
        let pictures = Pictures::default();
        let mark = pictures.add(Picture { mime: "image/png", bytes: vec![0; 1_000_000].into() });
        let budget = crate::budget::Budget { bytes: Some(10 << 20), ..Default::default() };
        let (written, spent) = budget.spend(|| pictures.written(mark.repeat(10_000)));
        assert!(spent.exceeded.is_some() && written.len() < 11 << 20, "{}", written.len());
    }
}
