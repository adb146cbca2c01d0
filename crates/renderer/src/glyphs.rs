//! Characters that no face has, as facts at their first places in a document.

use super::fonts::{Fonts, by_script, is_shared};
use crate::{convert::MissingGlyphs, kinds::Observation, tree::Tree};

/// The facts about characters without a glyph, one for each script.
pub(super) fn facts(characters: &str, tree: &Tree, fonts: &Fonts) -> Vec<Observation> {
    let text = tree.root().source().text();
    missing(characters, fonts).iter().map(|missing| missing.fact(text)).collect()
}

/// Characters without a glyph by script, with installed families that have them.
pub(super) fn missing(characters: &str, fonts: &Fonts) -> Vec<MissingGlyphs> {
    let mut families: Vec<String> = Vec::new();
    let mut scripts: Vec<_> = by_script(characters).into_iter().collect();
    // A font for letters has their punctuation, too.
    scripts.sort_by_key(|(_, characters)| characters.iter().all(|c| is_shared(*c)));
    let of_script = |(script, characters): (&'static str, Vec<char>)| {
        let family = characters.iter().find_map(|c| fonts.family_with(*c, &families));
        families.extend(family.clone());
        MissingGlyphs { script, characters, family }
    };
    scripts.into_iter().map(of_script).collect()
}
