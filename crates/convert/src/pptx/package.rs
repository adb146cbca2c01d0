//! The zip file with its parts.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
    sync::Arc,
};

use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

use memchr::memmem;

use crate::{
    budget,
    text::{clip, visible},
    xml,
};

/// The name space of presentations (ECMA-376).
pub(super) const PRESENTATION: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";

/// The name space of references to relationships, and what the types of relationships begin with.
pub(super) const TYPES: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// The name space of lists of relationships.
pub(super) const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// The name space of properties, and the type of the relationship that leads to them (ECMA-376, part 2).
pub(super) const CORE: &str = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties";
pub(super) const TO_CORE: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";

/// The name spaces of slides: those of drawings, relationships and presentations.
pub(super) const NAMESPACES: [(&str, &str); 3] = [
    ("xmlns:a", "http://schemas.openxmlformats.org/drawingml/2006/main"),
    ("xmlns:r", TYPES),
    ("xmlns:p", PRESENTATION),
];

/// Most parts of a template.
const PARTS: usize = 5_000;

/// Most bytes of all parts together.
const BYTES: u64 = 128 << 20;

/// What an entry in the list of a zip file begins with.
const ENTRY: &[u8] = b"PK\x01\x02";

/// Longest name of a part.
const LONGEST: usize = 512;

/// The parts of a presentation by their names.
#[derive(Debug, Clone, Default)]
pub(super) struct Package {
    pub(super) parts: BTreeMap<String, Arc<[u8]>>,
}

impl Package {
    /// Reads a file, within limits on what its parts become.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        // Counted before the list is read.
        if memmem::find_iter(bytes, ENTRY).count() > PARTS {
            return Err(format!("it has more than {PARTS} parts"));
        }
        let mut archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|_| "it is not a zip file".to_owned())?;
        if archive.len() > PARTS {
            return Err(format!("it has more than {PARTS} parts"));
        }
        let too_large = || format!("its parts are larger than {} MiB", BYTES >> 20);
        let sizes = (0..archive.len()).filter_map(|index| Some(archive.by_index_raw(index).ok()?.size()));
        if sizes.fold(0_u64, u64::saturating_add) > BYTES {
            return Err(too_large());
        }
        let mut parts = BTreeMap::new();
        let mut left = BYTES;
        for index in 0..archive.len() {
            let file = archive.by_index(index).map_err(|_| "a part cannot be read".to_owned())?;
            if file.is_dir() {
                continue;
            }
            let name = file.name().map_err(|_| "a part has no name".to_owned())?.to_string();
            let shown = || visible(&clip(&name, 60)).into_owned();
            if !is_inside(&name) {
                return Err(format!("the name of its part `{}` leads out of the file", shown()));
            }
            let is_xml = [".xml", ".rels"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
            let most = if is_xml { left.min(xml::LARGEST as u64) } else { left };
            let said = file.size();
            let mut content = Vec::with_capacity(usize::try_from(said.min(most)).unwrap_or_default() + 1);
            let read = file.take(most.min(said) + 1).read_to_end(&mut content);
            read.map_err(|_| format!("`{}` cannot be read", shown()))?;
            if content.len() as u64 > said && said <= most {
                return Err(format!("its part `{}` is larger than the file says", shown()));
            }
            if !budget::charge(content.len() as u64 / 4) {
                return Err("the budget is used up".to_owned());
            }
            if content.len() as u64 > most {
                let part = || format!("its part `{}` is larger than {} MiB", shown(), xml::LARGEST >> 20);
                return Err(if most < left { part() } else { too_large() });
            }
            left -= content.len() as u64;
            parts.insert(name, content.into());
        }
        Ok(Self { parts })
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.parts.get(name).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    pub(super) fn put(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.put_shared(name, content.into().into());
    }

    /// Puts a part whose bytes others have, too.
    pub(super) fn put_shared(&mut self, name: impl Into<String>, content: Arc<[u8]>) {
        self.parts.insert(name.into(), content);
    }

    /// The file; the same parts give the same bytes.
    pub(super) fn write(&self) -> Result<Vec<u8>, String> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default());
        // Readers expect the list of types first.
        let first = "[Content_Types].xml";
        let names =
            std::iter::once(first).chain(self.parts.keys().map(String::as_str).filter(|name| *name != first));
        for name in names {
            let Some(content) = self.parts.get(name) else { continue };
            writer.start_file(name, options).map_err(|error| error.to_string())?;
            writer.write_all(content).map_err(|error| error.to_string())?;
        }
        writer.finish().map(Cursor::into_inner).map_err(|error| error.to_string())
    }
}

/// Whether the name of a part is a path within the file, as it is written: nothing else is the name of a part.
fn is_inside(name: &str) -> bool {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    name.len() <= LONGEST
        && name.split('/').all(is_plain)
        && !name.contains(['\\', ':'])
        && !name.contains(char::is_control)
}
