//! Characters that no face has, as facts at their first places in a document.

use super::fonts::{Fonts, by_script, is_shared};
use crate::{kinds::Observation, text::Span, tree::Tree};

/// Most characters of a script that are named.
const MOST_NAMED: usize = 12;

/// The facts about characters without a glyph, one for each script.
pub(super) fn facts(characters: &str, tree: &Tree, fonts: &Fonts) -> Vec<Observation> {
    let text = tree.root().source().text();
    let mut families: Vec<String> = Vec::new();
    let fact = |(script, characters): (&str, Vec<char>)| {
        let named: Vec<String> = characters.iter().take(MOST_NAMED).map(char::to_string).collect();
        let first = text.char_indices().find(|(_, c)| characters.contains(c));
        let span = first.map_or(Span::at(0), |(start, _)| run(text, start, &characters));
        let family = characters.iter().find_map(|c| fonts.family_with(*c, &families));
        families.extend(family.clone());
        Observation::about_file("missing-glyph")
            .with("script", script)
            .with("characters", named)
            .with("count", characters.len())
            .with("family", family)
            .moved_to(span)
    };
    let mut scripts: Vec<_> = by_script(characters).into_iter().collect();
    // A font for letters has their punctuation, too.
    scripts.sort_by_key(|(_, characters)| characters.iter().all(|c| is_shared(*c)));
    scripts.into_iter().map(fact).collect()
}

/// The characters in a row from an offset on that are among these.
fn run(text: &str, start: usize, characters: &[char]) -> Span {
    let rest = &text[start..];
    let end = rest.find(|c| !characters.contains(&c)).unwrap_or(rest.len());
    Span::new(start, start + end)
}
