//! The pictures that a document shows: files beside it, as far as they may be read, and `data:` addresses.

use std::{collections::BTreeMap, io, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use proofmark_render_protocol::Picture;

use crate::{
    kinds::Observation,
    project::Subject,
    text::{Span, percent_decoded},
    tree::{Node, Tree},
};

/// Most bytes of a picture.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Most pixels of a picture: what an engine unpacks takes four bytes for each.
const MOST_PIXELS: u64 = 40_000_000;

/// Most pictures of a document.
const MOST: usize = 500;

/// The pictures of a document, and what is wrong with others.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    pub(super) list: Vec<Picture>,
    pub(super) blobs: Vec<Arc<[u8]>>,
    pub(super) facts: Vec<Observation>,
}

/// Why a picture is not shown.
#[derive(Debug, PartialEq, Eq)]
enum Refused {
    /// It is on the web.
    Remote,
    /// There is no such file, or none that may be read.
    Missing,
    /// It is in no format that pages can have.
    Format,
    /// It is too large.
    Large,
}

impl Pictures {
    /// Reads the pictures of a document.
    pub(super) fn of(subject: &Subject<'_>, tree: &Tree) -> Self {
        let mut pictures = Self::default();
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        for (target, span) in targets(tree) {
            if known.get(&target) == Some(&true) {
                continue;
            }
            let read = if pictures.list.len() < MOST { read(subject, &target) } else { Err(Refused::Large) };
            known.insert(target.clone(), read.is_ok());
            match read {
                Ok((extension, bytes)) => {
                    pictures.list.push(Picture { target, extension: extension.to_owned() });
                    pictures.blobs.push(bytes.into());
                }
                // A rule on the text reports those of the web where the document names a quill.
                Err(Refused::Remote) if tree.at_pointer("/quill/name").is_some() => {}
                Err(refused) => pictures.facts.push(refused.fact(&target).moved_to(span)),
            }
        }
        pictures
    }
}

impl Refused {
    fn fact(&self, target: &str) -> Observation {
        let reason = match self {
            Self::Remote => "remote",
            Self::Missing => "missing",
            Self::Format => "format",
            Self::Large => "large",
        };
        let shown = if target.starts_with("data:") { "data:…" } else { target };
        Observation::about_file("picture-not-rendered").with("target", shown).with("reason", reason)
    }
}

/// The pictures that a document names, in Markdown and in HTML, and where.
fn targets(tree: &Tree) -> Vec<(String, Span)> {
    let root = tree.root();
    let links = root.get("links").into_iter().flat_map(Node::items);
    let is_image = |link: &Node<'_>| link.get("kind").and_then(Node::as_str) == Some("image");
    let mut targets: Vec<(String, Span)> = links
        .filter(is_image)
        .filter_map(|link| {
            let target = link.get("target")?;
            Some((target.as_str()?.to_owned(), target.span()))
        })
        .collect();
    let text = root.source().text();
    for (start, _) in text.match_indices("<img") {
        let tag = &text[start..start + text[start..].find('>').unwrap_or_default()];
        let Some(at) = tag.find("src=") else { continue };
        let value = &tag[at + 4..];
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (from, length) = match quote {
            Some(quote) => (1, value[1..].find(quote)),
            None => (0, value.find(char::is_whitespace)),
        };
        let target = &value[from..][..length.unwrap_or(value.len() - from)];
        let begin = start + at + 4 + from;
        targets.push((target.to_owned(), Span::new(begin, begin + target.len())));
    }
    targets
}

fn read(subject: &Subject<'_>, target: &str) -> Result<(&'static str, Vec<u8>), Refused> {
    let bytes = if let Some(data) = target.strip_prefix("data:") {
        decoded(data).ok_or(Refused::Format)?
    } else if target.contains("://") || target.starts_with("//") {
        return Err(Refused::Remote);
    } else {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        subject.neighbor(&percent_decoded(path)).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => Refused::Large,
            _ => Refused::Missing,
        })?
    };
    if bytes.len() > MOST_BYTES {
        return Err(Refused::Large);
    }
    let extension = format(&bytes).ok_or(Refused::Format)?;
    let pixels = size(extension, &bytes).map_or(0, |(width, height)| u64::from(width) * u64::from(height));
    if pixels > MOST_PIXELS { Err(Refused::Large) } else { Ok((extension, bytes)) }
}

/// The bytes of a `data:` address, without `data:`.
fn decoded(data: &str) -> Option<Vec<u8>> {
    let (head, body) = data.split_once(',')?;
    if body.len() > MOST_BYTES * 2 {
        return None;
    }
    if head.ends_with(";base64") {
        let body: String = percent_decoded(body).chars().filter(|c| !c.is_whitespace()).collect();
        return BASE64_STANDARD.decode(body).ok();
    }
    Some(percent_decoded(body).into_owned().into_bytes())
}

/// The format of a picture by its first bytes.
fn format(bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(1024)];
    match start {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("jpg"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => String::from_utf8_lossy(start).contains("<svg").then_some("svg"),
    }
}

/// Width and height in pixels, where the format says so at its start.
fn size(extension: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let little = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let three = |at: usize| {
        let bytes = bytes.get(at..at + 3)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]) + 1)
    };
    match extension {
        "png" => Some((big(16)?, big(20)?)),
        "gif" => Some((little(6)?, little(8)?)),
        "webp" => match bytes.get(12..16)? {
            b"VP8X" => Some((three(24)?, three(27)?)),
            b"VP8 " => Some((little(26)? & 0x3FFF, little(28)? & 0x3FFF)),
            _ => None,
        },
        "jpg" => jpeg_size(bytes),
        _ => None,
    }
}

/// The size in the frame header of a JPEG file.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let short = |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        let [0xFF, marker] = *bytes.get(at..at + 2)? else { return None };
        let is_frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
        if is_frame {
            return Some((short(at + 7)?, short(at + 5)?));
        }
        at += 2 + short(at + 2)? as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_sizes_are_read_from_the_first_bytes() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 6]);
        assert_eq!((format(&png), size("png", &png)), (Some("png"), Some((20_000, 20_000))));
        let gif = b"GIF89a\x0a\0\x14\0";
        assert_eq!((format(gif), size("gif", gif)), (Some("gif"), Some((10, 20))));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xC0\0\x11\x08\0\x20\0\x40";
        assert_eq!((format(jpeg), size("jpg", jpeg)), (Some("jpg"), Some((64, 32))));
        assert_eq!(format(b"<?xml version='1.0'?><svg/>"), Some("svg"));
        assert_eq!(format(b"plain words"), None);
        assert_eq!(size("jpg", b"\xFF\xD8\xFF"), None);
    }

    #[test]
    fn data_addresses_are_decoded() {
        assert_eq!(decoded("image/png;base64,AQID"), Some(vec![1, 2, 3]));
        assert_eq!(decoded("image/svg+xml,%3Csvg/%3E"), Some(b"<svg/>".to_vec()));
        assert_eq!(decoded("image/png;base64,*"), None);
        assert_eq!(decoded("no comma"), None);
    }
}
