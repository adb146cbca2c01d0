//! What may be written in the metadata blocks of a Markdown document.

use crate::Continuation;

/// The keys that say what a block is: the first block of a document, and the others.
const KEYS: [&str; 2] = ["QUILL", "SCOPE"];

/// What may come after `text[..at]`.
pub(super) fn continuations(text: &str, at: usize) -> Vec<Continuation> {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let (above, line) = before.split_at(start);
    if !line.is_empty() {
        return Vec::new();
    }
    let marks = above.lines().filter(|line| line.trim_end() == "---").count();
    let is_marked = |word: &str| {
        above.lines().rev().take_while(|line| line.trim_end() != "---").any(|line| line.starts_with(word))
    };
    // Every other line of dashes closes a block.
    if marks % 2 == 0 || KEYS.iter().any(|key| is_marked(key)) {
        return Vec::new();
    }
    let words = if marks == 1 { &KEYS[..] } else { &KEYS[1..] };
    words.iter().map(|word| Continuation::word(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_key_that_says_what_it_is() {
        let count = |text: &str| continuations(text, text.len()).len();
        assert_eq!([count("---\n"), count("---\na: 1\n---\n\n---\n")], [2, 1]);
        assert_eq!(
            [count("---\nQUILL: a\n"), count("---\na: 1\n---\n"), count("---\na"), count("")],
            [0, 0, 0, 0]
        );
    }
}
