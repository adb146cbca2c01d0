//! The zip file with its parts.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
};

use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::text::entity;

/// Most parts of a template.
const PARTS: usize = 5_000;

/// Most bytes of all parts together.
const BYTES: u64 = 400 << 20;

/// The parts of a presentation by their names.
#[derive(Debug, Clone, Default)]
pub(super) struct Package {
    pub(super) parts: BTreeMap<String, Vec<u8>>,
}

impl Package {
    /// Reads a file, within limits on what its parts become.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|_| "it is not a zip file".to_owned())?;
        if archive.len() > PARTS {
            return Err(format!("it has more than {PARTS} parts"));
        }
        let mut parts = BTreeMap::new();
        let mut left = BYTES;
        for index in 0..archive.len() {
            let file = archive.by_index(index).map_err(|_| "a part cannot be read".to_owned())?;
            if file.is_dir() {
                continue;
            }
            let name =
                file.name().map_err(|_| "a part has no name".to_owned())?.trim_start_matches('/').to_owned();
            let mut content = Vec::new();
            let read = file.take(left + 1).read_to_end(&mut content);
            read.map_err(|_| format!("`{name}` cannot be read"))?;
            left = left.checked_sub(content.len() as u64).ok_or("its parts are larger than 400 MB")?;
            parts.insert(name, content);
        }
        Ok(Self { parts })
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.parts.get(name).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    pub(super) fn put(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.parts.insert(name.into(), content.into());
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

/// Text within XML. Characters that XML cannot have are left out.
pub(super) fn escape(text: &str) -> String {
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
