//! Characters that no face has, as facts at their first places in a document.

use super::fonts::{Fonts, by_script};
use crate::{kinds::Observation, text::Span, tree::Tree};

/// Most characters of a script that are named.
const MOST_NAMED: usize = 12;

/// The facts about characters without a glyph, one for each script.
pub(super) fn facts(characters: &str, tree: &Tree, fonts: &Fonts) -> Vec<Observation> {
    let text = tree.root().source().text();
    let fact = |(script, characters): (&str, Vec<char>)| {
        let named: Vec<String> = characters.iter().take(MOST_NAMED).map(char::to_string).collect();
        let first = text.char_indices().find(|(_, c)| characters.contains(c));
        let span = first.map_or(Span::at(0), |(start, _)| run(text, start, &characters));
        let family = characters.iter().find_map(|c| fonts.family_with(*c));
        Observation::about_file("missing-glyph")
            .with("script", script)
            .with("characters", named)
            .with("count", characters.len())
            .with("family", family)
            .moved_to(span)
    };
    by_script(characters).into_iter().map(fact).collect()
}

/// The characters in a row from an offset on that are among these.
fn run(text: &str, start: usize, characters: &[char]) -> Span {
    let rest = &text[start..];
    let end = rest.find(|c| !characters.contains(&c)).unwrap_or(rest.len());
    Span::new(start, start + end)
}
