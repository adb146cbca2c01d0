use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use ttf_parser::{PlatformId, cmap, name, name_id};

use crate::files;

/// Most faces of a collection.
const MOST_FACES: u32 = 256;

/// Most bytes of a table that is read.
const LARGEST_TABLE: u32 = 8 * 1024 * 1024;

/// What is known of a face without reading its outlines.
#[derive(Debug, Clone)]
pub(super) struct Face {
    /// The file that it is in.
    pub(super) path: PathBuf,
    pub(super) family: String,
    /// Whether it is upright and of ordinary weight.
    pub(super) regular: bool,
    /// Whether it is upright and bold.
    pub(super) bold: bool,
    /// Characters that it has, in order.
    coverage: Vec<RangeInclusive<u32>>,
}

impl Face {
    /// The faces of a font file.
    pub(super) fn read_all(path: &Path) -> io::Result<Vec<Self>> {
        let mut file = files::open_regular(path)?;
        let mut head = [0; 12];
        file.read_exact(&mut head)?;
        if !head.starts_with(b"ttcf") {
            return Ok(Self::read(&mut file, path, 0).into_iter().collect());
        }
        let count = number(&head[8..12]).min(MOST_FACES);
        let mut offsets = vec![0; count as usize * 4];
        file.read_exact(&mut offsets)?;
        let faces = offsets.chunks_exact(4).filter_map(|offset| Self::read(&mut file, path, number(offset)));
        Ok(faces.collect())
    }

    /// The face whose tables are listed at an offset of a file.
    fn read(file: &mut File, path: &Path, offset: u32) -> Option<Self> {
        let names = table(file, offset, *b"name")?;
        let names = name::Table::parse(&names)?.names;
        let wanted = |id: u16| {
            let unicode = names.into_iter().filter(|name| name.name_id == id && name.is_unicode());
            let english =
                |name: &name::Name<'_>| name.platform_id == PlatformId::Windows && name.language_id == 0x0409;
            let mut unicode: Vec<_> = unicode.collect();
            unicode.sort_by_key(|name| !english(name));
            unicode.first()?.to_string()
        };
        let family = wanted(name_id::TYPOGRAPHIC_FAMILY).or_else(|| wanted(name_id::FAMILY))?;
        let style = wanted(name_id::TYPOGRAPHIC_SUBFAMILY).or_else(|| wanted(name_id::SUBFAMILY));
        let regular = style.as_deref().is_none_or(|style| matches!(style, "Regular" | "Book" | "Roman"));
        let bold = style.is_some_and(|style| style == "Bold");
        let characters = table(file, offset, *b"cmap")?;
        let coverage = coverage(&cmap::Table::parse(&characters)?);
        Some(Self { path: path.to_owned(), family, regular, bold, coverage })
    }

    /// Whether it has a character.
    pub(super) fn has(&self, c: char) -> bool {
        let c = u32::from(c);
        let after = self.coverage.partition_point(|range| *range.start() <= c);
        after > 0 && self.coverage[after - 1].contains(&c)
    }
}

/// A table of the face whose tables are listed at an offset.
fn table(file: &mut File, offset: u32, tag: [u8; 4]) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(offset.into())).ok()?;
    let mut head = [0; 12];
    file.read_exact(&mut head).ok()?;
    let count = u16::from_be_bytes([head[4], head[5]]);
    let mut records = vec![0; usize::from(count) * 16];
    file.read_exact(&mut records).ok()?;
    let record = records.chunks_exact(16).find(|record| record[..4] == tag)?;
    let (start, length) = (number(&record[8..12]), number(&record[12..16]));
    if length > LARGEST_TABLE {
        return None;
    }
    file.seek(SeekFrom::Start(start.into())).ok()?;
    let mut bytes = Vec::new();
    file.take(length.into()).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The characters of all Unicode subtables.
fn coverage(table: &cmap::Table<'_>) -> Vec<RangeInclusive<u32>> {
    let mut characters = Vec::new();
    for subtable in table.subtables.into_iter().filter(cmap::Subtable::is_unicode) {
        subtable.codepoints(|c| {
            if subtable.glyph_index(c).is_some_and(|glyph| glyph.0 != 0) {
                characters.push(c);
            }
        });
    }
    characters.sort_unstable();
    characters.dedup();
    let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
    for c in characters {
        match ranges.last_mut() {
            Some(last) if *last.end() + 1 == c => *last = *last.start()..=c,
            _ => ranges.push(c..=c),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_has_a_family_and_characters() {
        let roboto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../render-worker/fonts/Roboto.ttf");
        let faces = Face::read_all(&roboto).unwrap();
        let [face] = faces.as_slice() else { panic!("it is one face") };
        assert_eq!((face.family.as_str(), face.regular, face.bold), ("Roboto", true, false));
        assert!(face.has('a') && face.has('ж') && !face.has('漢'));
    }

    #[test]
    fn a_file_of_another_format_has_no_faces() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(Face::read_all(&manifest).unwrap().is_empty());
    }
}
