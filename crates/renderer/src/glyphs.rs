//! Characters that no face has, as facts at their first places in a document.

use proofmark_render_protocol::EngineMessage;

use super::fonts::{Fonts, by_script, is_built_in, is_shared};
use crate::{convert::MissingGlyphs, kinds::Observation, tree::Tree};

/// The facts about the characters of a message that have no glyph, or only that of code, one for each script.
pub(super) fn facts(message: &EngineMessage, tree: &Tree, fonts: &Fonts) -> Vec<Observation> {
    let text = tree.root().source().text();
    missing(message, fonts).iter().map(|missing| missing.fact(text)).collect()
}

/// The characters of a message by script, with installed families that have them.
pub(super) fn missing(message: &EngineMessage, fonts: &Fonts) -> Vec<MissingGlyphs> {
    let is_code = message.code == "proofmark::face_of_code";
    // Single letters in the face of code are read without trouble where the others have the text face.
    let is_reported = |c: &char| !(is_code && is_built_in(*c));
    let characters: String = message.characters.chars().filter(is_reported).collect();
    let mut families: Vec<String> = Vec::new();
    let mut scripts: Vec<_> = by_script(&characters).into_iter().collect();
    // A font for letters has their punctuation, too.
    scripts.sort_by_key(|(_, characters)| characters.iter().all(|c| is_shared(*c)));
    let of_script = |(script, characters): (&'static str, Vec<char>)| {
        let family = characters.iter().find_map(|c| fonts.family_with(*c, &families));
        families.extend(family.clone());
        MissingGlyphs { script, characters, family, is_code }
    };
    scripts.into_iter().map(of_script).collect()
}
