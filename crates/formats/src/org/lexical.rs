//! What may be written at a position of an Org file: states and tags of headlines, dates of tasks, keywords, and drawers.

use std::collections::BTreeSet;

use super::outline::Outline;
use crate::Continuation;

/// Keywords of a file, as `#+NAME:` has them.
const KEYWORDS: [&str; 24] = [
    "title",
    "author",
    "date",
    "filetags",
    "todo",
    "tags",
    "options",
    "property",
    "startup",
    "name",
    "caption",
    "results",
    "header",
    "language",
    "description",
    "keywords",
    "setupfile",
    "include",
    "bibliography",
    "export_file_name",
    "select_tags",
    "exclude_tags",
    "category",
    "archive",
];

/// Blocks, as `#+begin_NAME` and `#+end_NAME` have them.
const BLOCKS: [&str; 8] = ["src", "example", "quote", "verse", "center", "comment", "export", "abstract"];

/// Drawers and the line that ends one.
const DRAWERS: [&str; 3] = ["PROPERTIES", "LOGBOOK", "END"];

/// Dates of a task.
const PLANNING: [&str; 3] = ["SCHEDULED", "DEADLINE", "CLOSED"];

/// Properties that Org itself reads.
const PROPERTIES: [&str; 8] =
    ["ID", "CUSTOM_ID", "CATEGORY", "EFFORT", "STYLE", "ORDERED", "COLUMNS", "ARCHIVE"];

/// What may come after `text[..at]`.
pub(super) fn continuations(text: &str, at: usize, outline: &Outline<'_>) -> Vec<Continuation> {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let (above, line) = before.split_at(start);
    if let Some(rest) = headline(line) {
        return of_headline(rest, outline);
    }
    let begun = line.trim_start();
    if begun == "#+" {
        let blocks = BLOCKS.iter().flat_map(|name| [format!("begin_{name}"), format!("end_{name}")]);
        return words(KEYWORDS.iter().map(|name| (*name).to_owned()).chain(blocks));
    }
    let mut lines = above.lines().rev();
    let last = lines.next().unwrap_or_default();
    if begun == ":" {
        let properties = if is_in_drawer(above) { PROPERTIES.as_slice() } else { &[] };
        let used = outline.headlines.iter().filter_map(|headline| headline.properties.as_ref());
        let used = used.flat_map(|drawer| drawer.entries.iter().map(|(key, _)| *key));
        let used: BTreeSet<&str> = if properties.is_empty() { BTreeSet::new() } else { used.collect() };
        let all = used.into_iter().chain(properties.iter().copied()).chain(DRAWERS);
        return words(all.map(str::to_owned));
    }
    let is_planning = PLANNING.iter().any(|word| begun.starts_with(word)) && begun.ends_with([' ', '>', ']']);
    if headline(last).is_some() && (begun.is_empty() || is_planning) {
        return words(PLANNING.iter().filter(|word| !begun.contains(**word)).map(|word| (*word).to_owned()));
    }
    Vec::new()
}

/// What is after the stars of a headline.
fn headline(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('*');
    rest.strip_prefix(' ').filter(|_| rest.len() < line.len())
}

/// Whether a drawer with properties is open at the end of the text above.
fn is_in_drawer(above: &str) -> bool {
    let marks = above.lines().rev().map(str::trim);
    marks.take_while(|line| line.starts_with(':')).any(|line| line.eq_ignore_ascii_case(":PROPERTIES:"))
}

fn of_headline(rest: &str, outline: &Outline<'_>) -> Vec<Continuation> {
    if rest.trim().is_empty() {
        let states = outline.settings.sequences.iter().flat_map(|sequence| sequence.keywords.iter());
        return words(states.cloned().chain(["COMMENT".to_owned()]));
    }
    // Tags follow a space and a colon at the end of the line.
    let tags = rest.rsplit(' ').next().filter(|last| last.starts_with(':') && last.ends_with(':'));
    match tags {
        Some(written) => {
            let used = outline.headlines.iter().flat_map(|headline| headline.tags.iter().copied());
            let known = outline.settings.tags.iter().chain(&outline.settings.filetags).copied();
            let all: BTreeSet<&str> = used.chain(known).collect();
            let is_new = |tag: &&str| !written.split(':').any(|other| other == *tag);
            words(all.into_iter().filter(is_new).map(str::to_owned))
        }
        None => Vec::new(),
    }
}

fn words(all: impl Iterator<Item = String>) -> Vec<Continuation> {
    let mut found: Vec<Continuation> = Vec::new();
    for word in all {
        let word = Continuation::word(word);
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(text: &str) -> Vec<String> {
        let outline = Outline::read(text);
        let word = |found| match found {
            Continuation::Word { word, .. } => word,
            other => panic!("{other:?}"),
        };
        continuations(text, text.len(), &outline).into_iter().map(word).collect()
    }

    #[test]
    fn a_headline_has_the_states_and_tags_of_the_file() {
        assert_eq!(next("#+TODO: OPEN | SHUT\n* "), ["OPEN", "SHUT", "COMMENT"]);
        assert_eq!(next("* a :work:\n** b :x:y:\n** c :x:"), ["work", "y"]);
        assert_eq!(next("* a "), [""; 0]);
    }

    #[test]
    fn lines_below_a_headline_have_dates_drawers_and_keywords() {
        assert_eq!(next("* a\n"), ["SCHEDULED", "DEADLINE", "CLOSED"]);
        assert_eq!(next("* a\nSCHEDULED: <2026-01-30 Fri> "), ["DEADLINE", "CLOSED"]);
        assert!(
            next("* a\n:PROPERTIES:\n:Mine: 1\n:END:\n* b\n:PROPERTIES:\n:").contains(&"Mine".to_owned())
        );
        assert!(next("#+").contains(&"filetags".to_owned()) && next("#+").contains(&"begin_src".to_owned()));
        assert_eq!(next("a "), [""; 0]);
    }
}
