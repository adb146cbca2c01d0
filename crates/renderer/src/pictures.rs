//! The pictures that a document shows: files beside it, as far as they may be read, files that came with the
//! request, and `data:` addresses.

use std::{collections::BTreeMap, io, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use proofmark_render_protocol::Picture;
use serde_json::Value;

use super::Bundle;
use crate::{
    kinds::{
        Observation,
        quill::{FieldSchema, FieldType, Quill},
    },
    project::Subject,
    syntax::commonmark,
    text::{Span, percent_decoded},
    tree::{Node, Tree},
};

/// Most bytes of a picture.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Most pixels of a picture: what an engine unpacks takes four bytes for each.
const MOST_PIXELS: u64 = 40_000_000;

/// Most pictures of a document.
const MOST: usize = 500;

/// Files that came with a request, by the path that the document or the layout names them by.
pub type Assets = BTreeMap<String, Arc<[u8]>>;

/// Key of a field whose value names a picture, which the layout gets the path of.
const PICTURE: &str = "picture";

/// The pictures of a document, and what is wrong with others.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    pub(super) list: Vec<Picture>,
    pub(super) blobs: Vec<Arc<[u8]>>,
    pub(super) facts: Vec<Observation>,
    /// Fields that name pictures, with the paths at which the layout finds them.
    fields: Vec<(String, Option<String>)>,
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
    /// It is a drawing that shows other files.
    Refers,
}

impl Pictures {
    /// Reads the pictures of a document that is rendered with `quill`, whose files are `bundle`.
    pub(super) fn of(
        subject: &Subject<'_>,
        tree: &Tree,
        quill: &Quill,
        bundle: &Bundle,
        assets: &Assets,
    ) -> Self {
        let mut pictures = Self::default();
        for (name, bytes) in assets {
            let path = format!("assets/{name}");
            if !bundle.files().contains_key(&path) {
                pictures.add(name.clone(), String::new(), Some(path), Arc::clone(bytes));
            }
        }
        pictures.read_fields(subject, tree, quill, bundle, assets);
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        for (target, span) in targets(tree).into_iter().chain(targets_in_fields(tree, quill)) {
            if known.get(&target) == Some(&true) {
                continue;
            }
            let read =
                if pictures.list.len() < MOST { read(subject, &target, assets) } else { Err(Refused::Large) };
            known.insert(target.clone(), read.is_ok());
            match read {
                Ok((extension, bytes)) => pictures.add(target, extension.to_owned(), None, bytes),
                // A rule on the text reports those of the web where the document names a quill.
                Err(Refused::Remote) if tree.at_pointer("/quill/name").is_some() => {}
                Err(refused) => pictures.facts.push(refused.fact(&target).moved_to(span)),
            }
        }
        pictures
    }

    fn add(&mut self, target: String, extension: String, path: Option<String>, bytes: Arc<[u8]>) {
        self.list.push(Picture { target, extension, path });
        self.blobs.push(bytes);
    }

    /// Reads the pictures that fields name: files beside the document, else files of the quill.
    fn read_fields(
        &mut self,
        subject: &Subject<'_>,
        tree: &Tree,
        quill: &Quill,
        bundle: &Bundle,
        assets: &Assets,
    ) {
        let named = quill.fields.iter().filter(|(_, field)| field.custom.get(PICTURE) == Some(&true.into()));
        for (name, _) in named {
            let value = tree.root().get("frontmatter").and_then(|fields| fields.get(name));
            let Some((node, target)) = value.and_then(|node| Some((node, node.as_str()?))) else { continue };
            if target.is_empty() {
                continue;
            }
            let path = match read(subject, target, assets) {
                Ok((extension, bytes)) => {
                    let path = format!("assets/proofmark/field-{name}.{extension}");
                    self.add(target.to_owned(), extension.to_owned(), Some(path.clone()), bytes);
                    Some(format!("/{path}"))
                }
                Err(_) if bundle.files().contains_key(target) => Some(format!("/{target}")),
                Err(refused) => {
                    self.facts.push(refused.fact(target).moved_to(node.span()));
                    None
                }
            };
            self.fields.push((name.clone(), path));
        }
    }

    /// Replaces the values of fields that name pictures with the paths at which the layout finds them.
    pub(super) fn put_into(&self, fields: &mut Value) {
        let Some(fields) = fields.as_object_mut() else { return };
        for (name, path) in &self.fields {
            match path {
                Some(path) => fields.insert(name.clone(), path.clone().into()),
                None => fields.remove(name),
            };
        }
    }
}

impl Refused {
    fn fact(&self, target: &str) -> Observation {
        let reason = match self {
            Self::Remote => "remote",
            Self::Missing => "missing",
            Self::Format => "format",
            Self::Large => "large",
            Self::Refers => "refers",
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

/// The pictures that rich-text fields name in Markdown, and where. Those in HTML are among the ones of the whole text.
fn targets_in_fields(tree: &Tree, quill: &Quill) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for value in rich_texts(tree, quill) {
        let markdown = value.as_str().filter(|text| text.contains("]("));
        for link in markdown.map(|text| commonmark::read(text, &[]).links).unwrap_or_default() {
            if link.kind.name() == "image" {
                let written = value.span().of(value.source().text());
                let start = value.span().range().start;
                let place = written
                    .find(&link.target)
                    .map_or_else(|| value.span(), |at| Span::new(start + at, start + at + link.target.len()));
                found.push((link.target, place));
            }
        }
    }
    found
}

/// The values of a document that its quill declares as Markdown.
fn rich_texts<'t>(tree: &'t Tree, quill: &Quill) -> Vec<Node<'t>> {
    let root = tree.root();
    let mut found = Vec::new();
    add_rich_texts(&quill.fields, root.get("frontmatter"), &mut found);
    for (name, fields) in &quill.collections {
        let items = root.get("scopes").and_then(|scopes| scopes.get(name));
        for item in items.into_iter().flat_map(Node::items) {
            add_rich_texts(fields, Some(item), &mut found);
        }
    }
    found
}

fn add_rich_texts<'t>(fields: &[(String, FieldSchema)], values: Option<Node<'t>>, found: &mut Vec<Node<'t>>) {
    for (name, field) in fields {
        if let Some(value) = values.and_then(|values| values.get(name)) {
            add_rich_text(field, value, found);
        }
    }
}

fn add_rich_text<'t>(field: &FieldSchema, value: Node<'t>, found: &mut Vec<Node<'t>>) {
    match field.field_type {
        Some(FieldType::Richtext) => found.push(value),
        Some(FieldType::Array) => {
            let Some(of_items) = &field.items else { return };
            value.items().for_each(|item| add_rich_text(of_items, item, found));
        }
        Some(FieldType::Object) => add_rich_texts(&field.properties, Some(value), found),
        _ => {}
    }
}

fn read(subject: &Subject<'_>, target: &str, assets: &Assets) -> Result<(&'static str, Arc<[u8]>), Refused> {
    let bytes: Arc<[u8]> = if let Some(bytes) = assets.get(target.trim_start_matches("./")) {
        Arc::clone(bytes)
    } else if let Some(data) = target.strip_prefix("data:") {
        decoded(data).ok_or(Refused::Format)?.into()
    } else if target.contains("://") || target.starts_with("//") {
        return Err(Refused::Remote);
    } else {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let read = subject.neighbor(&percent_decoded(path)).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => Refused::Large,
            _ => Refused::Missing,
        });
        read?.into()
    };
    if bytes.len() > MOST_BYTES {
        return Err(Refused::Large);
    }
    let extension = format(&bytes).ok_or(Refused::Format)?;
    let pixels = size(extension, &bytes).map_or(0, |(width, height)| u64::from(width) * u64::from(height));
    if pixels > MOST_PIXELS {
        return Err(Refused::Large);
    }
    if extension == "svg" && refers(&String::from_utf8_lossy(&bytes)) {
        return Err(Refused::Refers);
    }
    Ok((extension, bytes))
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

/// Whether a drawing shows something that is not in it. Links do not count.
fn refers(svg: &str) -> bool {
    let shows = |tag: &str| ["image", "feImage", "use"].iter().any(|name| tag.starts_with(name));
    let tags = svg.split('<').filter(|tag| shows(tag)).map(|tag| tag.split('>').next().unwrap_or_default());
    let mut values = tags.flat_map(|tag| tag.split("href").skip(1)).map(|rest| {
        rest.trim_start().trim_start_matches('=').trim_start().trim_start_matches(['"', '\'']).trim_start()
    });
    values.any(|value| !value.starts_with('#') && !value.starts_with("data:"))
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
    fn drawings_that_show_other_files_are_recognized() {
        for svg in ["<image href='a.png'/>", "<image\n xlink:href = \"file:///x\"/>", "<use href='b.svg#c'/>"]
        {
            assert!(refers(svg), "{svg}");
        }
        for svg in [
            "<use href='#a'/>",
            "<image href=' data:image/png;base64,AQID'/>",
            "<a href='https://a.example'/>",
        ] {
            assert!(!refers(svg), "{svg}");
        }
    }

    #[test]
    fn data_addresses_are_decoded() {
        assert_eq!(decoded("image/png;base64,AQID"), Some(vec![1, 2, 3]));
        assert_eq!(decoded("image/svg+xml,%3Csvg/%3E"), Some(b"<svg/>".to_vec()));
        assert_eq!(decoded("image/png;base64,*"), None);
        assert_eq!(decoded("no comma"), None);
    }
}
