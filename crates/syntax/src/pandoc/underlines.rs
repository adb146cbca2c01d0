//! Headings whose marks are below them. Rules and conversions read them with these.

use super::{
    lines::{is_rule, list_mark, run},
    tags,
};

/// The level of the heading that a line of equals signs or dashes makes of the line above it.
pub fn underline(line: &str) -> Option<u8> {
    let words = line.trim_end();
    let mark = words.bytes().next().filter(|byte| matches!(byte, b'=' | b'-'))?;
    (run(words, mark) == words.len()).then_some(if mark == b'=' { 1 } else { 2 })
}

/// Whether a line, without its indentation, becomes a heading where the one below it is an underline. Pandoc looks for these
/// before most other blocks, so `> a`, `1. a` and `[a]: b` do.
pub fn can_be_underlined(words: &str) -> bool {
    let is_bullet = words.starts_with(['-', '+', '*']) && list_mark(words).is_some() && !is_rule(words);
    let is_open = |comment: usize| !words[comment..].contains("-->");
    !is_bullet
        && words.trim_end() != "---"
        && !words.starts_with("\\begin{")
        && !words.rfind("<!--").is_some_and(is_open)
        && tags::block_tag(words, 0, None).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_every_line_can_be_underlined() {
        assert_eq!((underline("--- "), underline("="), underline("-=")), (Some(2), Some(1), None));
        for line in ["a", "> a", "1. a", "[a]: b", "* * *", "<b>a</b>"] {
            assert!(can_be_underlined(line), "{line}");
        }
        for line in ["- a", "---", "a <div>", "</p>"] {
            assert!(!can_be_underlined(line), "{line}");
        }
    }
}
