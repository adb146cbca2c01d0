//! Lines `#+KEY: value`.

use super::lines::Lines;

/// The keywords of a document, `#+KEY: value`. Those inside a block (`#+begin_src` to `#+end_src`, without a
/// headline between) are its content.
pub fn keywords(text: &str) -> Vec<(&str, &str)> {
    keywords_in(Lines::new(text))
}

/// The keywords in lines of a document that begin at its begin or at a headline.
pub(super) fn keywords_in(lines: Lines<'_>) -> Vec<(&str, &str)> {
    let mut keywords = Vec::new();
    // The block that is open, and the number of keywords before it.
    let mut open: Option<(&str, usize)> = None;
    for line in lines.filter(|line| line.text.contains("#+") || line.text.starts_with('*')) {
        if line.stars().is_some() {
            open = None;
        } else if let Some(name) = line.block_end() {
            if let Some((_, before)) = open.filter(|(begun, _)| begun.eq_ignore_ascii_case(name)) {
                keywords.truncate(before);
                open = None;
            }
        } else if let Some((name, _)) = line.block_begin() {
            if open.is_none() && is_verbatim(name) {
                open = Some((name, keywords.len()));
            }
        } else {
            keywords.extend(line.keyword());
        }
    }
    keywords
}

/// The value of the last keyword of this name.
pub fn keyword<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let named = |(key, _): &(&str, &str)| key.eq_ignore_ascii_case(name);
    keywords(text).into_iter().rev().find(named).map(|(_, value)| value)
}

/// Whether what is inside a block of this name is not read as Org.
pub(super) fn is_verbatim(name: &str) -> bool {
    ["src", "example", "export", "comment"].iter().any(|known| name.eq_ignore_ascii_case(known))
}
