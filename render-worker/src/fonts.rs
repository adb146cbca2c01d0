//! The faces that every layout can use besides those of its bundle.
//!
//! The engine looks for faces below `assets/fonts/` of a bundle, and brings its own only where it finds
//! none. So the built-in faces are put there: a bundle that ships a face keeps all the others.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use quillmark::FileTreeNode;
use typst::text::FontInfo;

use crate::mark::is_end_of_mark;

/// Where the built-in faces go. The name sorts after those that bundles choose, and the engine prefers the
/// first of two faces of a family.
const FOLDER: &str = "assets/fonts/~proofmark";

/// The text face, in all weights.
const TEXT: [&[u8]; 2] =
    [include_bytes!("../fonts/Roboto.ttf"), include_bytes!("../fonts/Roboto-Italic.ttf")];

/// The family of code, which layouts have without naming it.
const MONOSPACED: &str = "DejaVu Sans Mono";

/// A face that is part of the program.
struct Face {
    family: String,
    info: FontInfo,
    data: &'static [u8],
    /// Whether layouts have it without naming it.
    always: bool,
}

static FACES: LazyLock<Vec<Face>> = LazyLock::new(|| {
    let text = TEXT.into_iter().map(|data| (data, true));
    let others = typst_assets::fonts().map(|data| (data, false));
    let face = |(data, text): (&'static [u8], bool)| {
        let info = FontInfo::new(data, 0)?;
        let always = text || info.family == MONOSPACED;
        Some(Face { family: info.family.to_lowercase(), info, data, always })
    };
    text.chain(others).filter_map(face).collect()
});

/// Reads the built-in faces, so that the first document does not wait for it.
pub(crate) fn warm_up() {
    LazyLock::force(&FACES);
}

/// The upright text face.
pub(crate) fn text_face() -> &'static [u8] {
    TEXT[0]
}

/// All built-in faces.
pub(crate) fn all() -> Vec<&'static [u8]> {
    FACES.iter().map(|face| face.data).collect()
}

/// Adds the built-in faces to a bundle: those of text and code, and the families that a layout of the
/// bundle names.
pub(crate) fn add(tree: &mut FileTreeNode, files: &BTreeMap<String, Vec<u8>>) {
    let named = mentioned(files);
    let used = FACES.iter().filter(|face| face.always || named.contains(&face.family));
    for (index, face) in used.enumerate() {
        let path = format!("{FOLDER}/{index:02}.otf");
        // The path is plain.
        let _ = tree.insert(path, FileTreeNode::File { contents: face.data.to_vec() });
    }
}

/// The families of built-in faces that the layouts of a bundle name.
fn mentioned(files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<String> {
    let layouts = files
        .iter()
        .filter(|(path, _)| path.rsplit_once('.').is_some_and(|(_, extension)| extension == "typ"));
    let texts: Vec<String> =
        layouts.map(|(_, bytes)| String::from_utf8_lossy(bytes).to_lowercase()).collect();
    let optional = FACES.iter().filter(|face| !face.always);
    let is_named = |face: &&Face| texts.iter().any(|text| text.contains(&format!("\"{}\"", face.family)));
    optional.filter(is_named).map(|face| face.family.clone()).collect()
}

/// The characters of `texts` that no face of a bundle has, the built-in ones included.
pub(crate) fn missing<'t>(
    texts: impl Iterator<Item = &'t str>,
    files: &BTreeMap<String, Vec<u8>>,
) -> BTreeSet<char> {
    let drawn = |c: &char| {
        let is_shown = !c.is_whitespace() && !c.is_control() && !typst::text::is_default_ignorable(*c);
        is_shown && !is_end_of_mark(*c)
    };
    let mut characters: BTreeSet<char> = texts.flat_map(str::chars).filter(drawn).collect();
    characters.retain(|c| !FACES.iter().any(|face| face.always && has(&face.info, *c)));
    in_no_file(characters, files)
}

/// The letters of `texts` that only the face of code has, of all faces of a bundle: text in them does not look like text.
pub(crate) fn only_for_code<'t>(
    texts: impl Iterator<Item = &'t str>,
    files: &BTreeMap<String, Vec<u8>>,
) -> BTreeSet<char> {
    let texts = texts.filter(|text| !text.is_ascii());
    let mut letters: BTreeSet<char> = texts.flat_map(str::chars).filter(|c| c.is_alphabetic()).collect();
    letters.retain(|c| {
        let mut having = FACES.iter().filter(|face| face.always && has(&face.info, *c)).peekable();
        having.peek().is_some() && having.all(|face| face.info.family == MONOSPACED)
    });
    in_no_file(letters, files)
}

fn has(info: &FontInfo, c: char) -> bool {
    info.coverage.contains(u32::from(c))
}

/// The characters that no face among the files of a bundle has.
fn in_no_file(mut characters: BTreeSet<char>, files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<char> {
    if characters.is_empty() {
        return characters;
    }
    let is_face = |path: &str| {
        let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        ["ttf", "otf", "ttc", "otc"].contains(&extension.as_str())
    };
    for (_, bytes) in files.iter().filter(|(path, _)| is_face(path)) {
        for info in FontInfo::iter(bytes) {
            characters.retain(|c| !has(&info, *c));
        }
    }
    characters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_a_face_and_a_named_family_is_added() {
        let families = |plate: &str| {
            let files = BTreeMap::from([("plate.typ".to_owned(), plate.as_bytes().to_vec())]);
            let mut tree = FileTreeNode::Directory { files: std::collections::HashMap::new() };
            add(&mut tree, &files);
            let paths = tree.find_files("assets/fonts/*");
            let info = |path| FontInfo::new(tree.get_file(path).unwrap(), 0).unwrap().family;
            paths.iter().map(info).collect::<BTreeSet<String>>()
        };
        assert_eq!(families("#data"), ["DejaVu Sans Mono", "Roboto"].map(str::to_owned).into());
        let named = families("#set text(font: \"libertinus serif\")");
        assert!(named.contains("Libertinus Serif") && !named.contains("New Computer Modern"), "{named:?}");
    }

    #[test]
    fn letters_that_only_the_face_of_code_has_are_found() {
        let found = only_for_code(["Grüße, Привет, 漢字 → سلام"].into_iter(), &BTreeMap::new());
        assert_eq!(found, ['س', 'ل', 'ا', 'م'].into());
    }

    #[test]
    fn characters_without_a_glyph_are_found() {
        let missing =
            missing(["Grüße, Привет, 漢字 → \u{F0000}link.1\u{F0001}"].into_iter(), &BTreeMap::new());
        assert_eq!(missing, ['漢', '字'].into());
    }
}
