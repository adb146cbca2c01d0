//! Pictures of a document: local ones become part of the result.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    model::{Block, Inline, Rewrite},
    project_files::ReadFile,
};

/// Largest picture that becomes part of a result.
const LARGEST: usize = 32 << 20;

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

/// A local picture as a `data:` address; nothing for what is not local, is not there or is not a picture.
pub(super) fn inlined(url: &str, read: ReadFile<'_>) -> Option<String> {
    if url.contains("://") || url.starts_with("data:") || url.starts_with('#') || url.starts_with("//") {
        return None;
    }
    let path = crate::text::percent_decoded(url);
    let path = path.split(['?', '#']).next().unwrap_or(&path);
    let bytes = read(path.trim_start_matches('/')).filter(|bytes| bytes.len() <= LARGEST)?;
    let mime = mime(&bytes)?;
    Some(format!("data:{mime};base64,{}", STANDARD.encode(bytes)))
}

/// Puts local pictures into a document.
pub(super) struct Inlined<'r> {
    pub(super) read: ReadFile<'r>,
    /// Pictures that are left out: of other servers, or not there.
    pub(super) missing: Vec<(crate::convert::model::Place, String)>,
}

impl Rewrite for Inlined<'_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        blocks
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let replaced = inlines.into_iter().map(|inline| match inline {
            Inline::Image(attr, inner, mut target) if !target.url.starts_with("data:") => {
                match inlined(&target.url, self.read) {
                    Some(data) => {
                        target.url = data;
                        Inline::Image(attr, inner, target)
                    }
                    None => {
                        self.missing.push((attr.place, target.url));
                        let mut shown = vec![Inline::Str("[".to_owned())];
                        shown.extend(inner);
                        shown.push(Inline::Str("]".to_owned()));
                        Inline::Span(attr, shown)
                    }
                }
            }
            other => other,
        });
        replaced.collect()
    }
}

/// Puts local pictures beside a document, under names of their own: in the folder that the render worker reads.
pub(super) struct Placed<'r> {
    pub(super) read: ReadFile<'r>,
    pub(super) files: &'r mut BTreeMap<String, Vec<u8>>,
    /// Pictures that are left out: of other servers, not there, or of a kind that is not set.
    pub(super) missing: Vec<(crate::convert::model::Place, String)>,
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

impl Placed<'_> {
    /// The name of a picture among the files.
    fn place(&mut self, url: &str) -> Option<String> {
        let bytes = match data(url) {
            Some(bytes) => bytes,
            None => data(&inlined(url, self.read)?)?,
        };
        let ending = ending(mime(&bytes)?)?;
        if let Some((name, _)) = self.files.iter().find(|(_, known)| **known == bytes) {
            return Some(name.clone());
        }
        let name = format!("assets/picture-{}.{ending}", self.files.len() + 1);
        self.files.insert(name.clone(), bytes);
        Some(name)
    }
}

/// The bytes of a `data:` address.
fn data(url: &str) -> Option<Vec<u8>> {
    let (kind, content) = url.strip_prefix("data:")?.split_once(',')?;
    if kind.ends_with(";base64") {
        return STANDARD.decode(content.as_bytes()).ok();
    }
    Some(crate::text::percent_decoded(content).as_bytes().to_vec())
}

impl Rewrite for Placed<'_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let replaced = inlines.into_iter().map(|inline| match inline {
            Inline::Image(attr, inner, mut target) => match self.place(&target.url) {
                Some(name) => {
                    target.url = name;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_pictures_are_put_into_the_result() {
        let read = |path: &str| (path == "a b.png").then(|| b"\x89PNG\r\n".to_vec());
        assert_eq!(inlined("a%20b.png", &read).as_deref(), Some("data:image/png;base64,iVBORw0K"));
        assert_eq!(inlined("https://example.com/a.png", &read), None);
        let mut files = BTreeMap::new();
        let mut placed = Placed { read: &read, files: &mut files, missing: Vec::new() };
        assert_eq!(placed.place("a b.png").as_deref(), Some("assets/picture-1.png"));
        assert_eq!(placed.place("a%20b.png").as_deref(), Some("assets/picture-1.png"));
        assert_eq!(placed.place("https://example.com/a.png"), None);
        assert_eq!(placed.place("data:image/svg+xml,%3Csvg/%3E").as_deref(), Some("assets/picture-2.svg"));
        let secret = |_: &str| Some(b"root:x:0:0".to_vec());
        assert_eq!(inlined("../passwd", &secret), None);
    }
}
