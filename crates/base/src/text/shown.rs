//! Where words that a page shows are in the source that the page was made of.

use std::ops::Range;

/// The places of words, in any case, in their order.
pub fn places<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = Range<usize>> + Clone + 't {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.filter_map(move |at| Some(at..at + length(&text[at..], words)?))
}

/// The place of words of a table: where they are all of the first cell of a row, else in any row.
pub fn in_table(text: &str, words: &str) -> Option<Range<usize>> {
    let mut rows = places(text, words).filter(|place| is_row(text, place.start));
    let cell = rows.clone().find(|place| is_first_cell(text, place));
    cell.or_else(|| rows.next())
}

/// The longest beginning of words that the text has; all of them where it has none.
pub fn beginning<'w>(text: &str, words: &'w str) -> &'w str {
    let ends: Vec<usize> = words.match_indices(' ').map(|(at, _)| at).chain([words.len()]).collect();
    // Where some words are, fewer of them are, too.
    let count = ends.partition_point(|end| places(text, &words[..*end]).next().is_some());
    count.checked_sub(1).map_or(words, |last| &words[..ends[last]])
}

/// How many bytes these words take where text begins with them.
fn length(text: &str, words: &str) -> Option<usize> {
    let mut wanted = words.chars().flat_map(char::to_lowercase).peekable();
    let mut length = 0;
    let mut rest = text.chars();
    while wanted.peek().is_some() {
        let c = rest.next()?;
        if !c.to_lowercase().all(|lower| wanted.next() == Some(lower)) {
            return None;
        }
        length += c.len_utf8();
    }
    (length > 0).then_some(length)
}

/// What is before a byte on its line, without the marks of quotes.
fn before(text: &str, at: usize) -> &str {
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[begin..at].trim_start_matches([' ', '>'])
}

/// Whether a byte is in a row of a table.
fn is_row(text: &str, at: usize) -> bool {
    before(text, at).starts_with('|')
}

/// Whether a place is all of the first cell of a row.
fn is_first_cell(text: &str, place: &Range<usize>) -> bool {
    before(text, place.start).trim_end() == "|" && text[place.end..].trim_start_matches(' ').starts_with('|')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_in_cells_first() {
        let text = "Über uns\n\n> | A | Über |\n> | ÜBER | b |\n> | Über uns | c |\n";
        let at = |place: Option<Range<usize>>| place.map(|place| &text[place]);
        assert_eq!(at(places(text, "über UNS").next()), Some("Über uns"));
        assert_eq!(places(text, "über").count(), 4);
        assert_eq!(at(in_table(text, "über")), Some("ÜBER"));
        assert_eq!(in_table(text, "uns").map(|place| place.start), text.rfind("uns"));
        assert_eq!(at(in_table(text, "d").or_else(|| places(text, "").next())), None);
    }

    #[test]
    fn the_longest_beginning_is_what_the_text_has() {
        assert_eq!(beginning("See the first\nline.", "see the first line"), "see the first");
        assert_eq!(beginning("See.", "other words"), "other words");
        assert_eq!(beginning("all of it", "all of it"), "all of it");
    }
}
