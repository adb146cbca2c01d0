//! The words that a document in a language begins its captions, notes and title block with.

use serde_json::{Map, Value};

use crate::budget::Lazy;

static LANGUAGES: Lazy<Map<String, Value>> =
    Lazy::new(|| serde_json::from_str(include_str!("languages.json")).unwrap_or_default());

/// The words of a language such as `fr-CA`: its own, completed by those of `fr`.
pub(super) fn words(language: &str) -> Map<String, Value> {
    let base = language.split('-').next().unwrap_or(language);
    let own = |name: &str| {
        let found = LANGUAGES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.and_then(|(_, words)| words.as_object()).cloned().unwrap_or_default()
    };
    let mut words = own(base);
    if base != language {
        words.extend(own(language));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_completes_its_language() {
        let words = words("fr-ca");
        assert_eq!(words["title-block-author-single"], "Auteur(-trice)");
        assert_eq!(words["crossref-thm-title"], "Théorème");
    }

    #[test]
    fn languages_have_the_same_words() {
        let german: Vec<&String> =
            LANGUAGES["de"].as_object().map(|words| words.keys().collect()).unwrap_or_default();
        assert!(german.len() > 20);
        for (name, words) in LANGUAGES.iter().filter(|(name, _)| !name.contains('-')) {
            let keys: Vec<&String> =
                words.as_object().map(|words| words.keys().collect()).unwrap_or_default();
            assert_eq!(keys, german, "{name}");
        }
    }
}
