//! What is left over around a diagram, by the grammar `grammars/surroundings.pest`.
#![allow(clippy::unreadable_literal, reason = "the tables are generated")]

use std::borrow::Cow::Borrowed;

use crate::peg::{CharSet, Form, Grammar, Op, Program, Reading, Slice, Step, Symbols};

include!(concat!(env!("OUT_DIR"), "/surroundings_grammar.rs"));

/// Whether a line is the fence of a code block.
pub(super) fn is_fence(line: &str) -> bool {
    Reading::fitting(&SURROUNDINGS, "fence_line", line).is_some()
}

/// Whether a line begins with the language of the code blocks of diagrams.
pub(super) fn is_language(line: &str) -> bool {
    Reading::fitting(&SURROUNDINGS, "language_line", line).is_some()
}

/// The HTML entity at the start of `text`, and its character.
pub(super) fn entity(text: &str) -> Option<(&str, &'static str)> {
    let reading = Reading::fitting(&SURROUNDINGS, "entity", text)?;
    let characters = [
        ("less", "<"),
        ("greater", ">"),
        ("ampersand", "&"),
        ("quote", "\""),
        ("apostrophe", "'"),
        ("space", " "),
    ];
    reading.all().find_map(|part| {
        let (_, plain) = characters.iter().find(|(name, _)| part.is(*name))?;
        Some((&text[part.span().range()], *plain))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_languages_and_entities_are_recognized() {
        assert!(is_fence("```mermaid") && is_fence("~~~~") && !is_fence("``"));
        assert!(
            is_language("mermaid") && is_language("Mermaid flowchart TD") && !is_language("Mermaid[Text]")
        );
        assert_eq!(entity("&gt; B"), Some(("&gt;", ">")));
        assert_eq!(entity("&x;"), None);
    }
}
