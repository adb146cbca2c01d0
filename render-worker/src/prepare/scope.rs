//! What one text of a document defines for all of its parts: footnotes, and targets of links.

use std::{collections::HashMap, ops::Range};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::OPTIONS;

/// Longest label of a link, in bytes (CommonMark).
const LONGEST_LABEL: usize = 999;

/// The definitions in the Markdown that is read. Parts of it that are read alone, such as the content of a footnote, need them.
#[derive(Debug, Default)]
pub(super) struct Scope {
    notes: HashMap<String, Note>,
    /// Definitions of links, as they are written, by label.
    links: HashMap<String, String>,
}

#[derive(Debug)]
struct Note {
    text: String,
    /// How many marks refer to it.
    marks: usize,
    /// The number of the piece that it became.
    piece: Option<usize>,
}

/// A note that a mark refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Referred<'s> {
    /// The first mark: the content of the note, and whether there are other marks.
    First { text: &'s str, named: bool },
    /// Another mark of the piece of this number.
    Again(usize),
}

impl Scope {
    pub(super) fn of(text: &str) -> Self {
        let mut scope = Self::default();
        if !text.contains("]:") {
            return scope;
        }
        let mut marks: HashMap<String, usize> = HashMap::new();
        let parser = Parser::new_ext(text, OPTIONS);
        for (label, definition) in parser.reference_definitions().iter() {
            scope.links.entry(key(label)).or_insert_with(|| text[definition.span.clone()].to_owned());
        }
        let mut images = 0;
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(Tag::Image { .. }) => images += 1,
                Event::End(TagEnd::Image) => images -= 1,
                // The words for a picture have no notes.
                Event::FootnoteReference(label) if images == 0 => {
                    *marks.entry(key(&label)).or_default() += 1;
                }
                Event::Html(html) => {
                    for label in marks_in_html(&html) {
                        *marks.entry(key(label)).or_default() += 1;
                    }
                }
                Event::Start(Tag::FootnoteDefinition(label)) => {
                    let text = note_text(text, &range);
                    let note = Note { text, marks: 0, piece: None };
                    scope.notes.entry(key(&label)).or_insert(note);
                }
                _ => {}
            }
        }
        for (label, count) in marks {
            if let Some(note) = scope.notes.get_mut(&label) {
                note.marks = count;
            }
        }
        scope
    }

    /// Whether marks refer to the note.
    pub(super) fn is_used(&self, label: &str) -> bool {
        self.notes.get(&key(label)).is_some_and(|note| note.marks > 0)
    }

    /// The note that a mark refers to, whose content is the next piece, of this number, where the mark is the first one.
    /// Nothing where there is no such note.
    pub(super) fn note(&mut self, label: &str, next: usize) -> Option<Referred<'_>> {
        let note = self.notes.get_mut(&key(label))?;
        Some(match note.piece.replace(note.piece.unwrap_or(next)) {
            None => Referred::First { text: &note.text, named: note.marks > 1 },
            Some(piece) => Referred::Again(piece),
        })
    }

    /// A part of the text with the definitions of the links and the notes in it.
    pub(super) fn complete(&self, text: &str) -> String {
        let mut result = text.trim_end().to_owned();
        let mut added: Vec<String> = Vec::new();
        for (open, _) in text.match_indices('[') {
            let rest = &text.as_bytes()[open + 1..];
            let Some(length) = rest.iter().take(LONGEST_LABEL).position(|b| *b == b']') else { continue };
            let label = key(&text[open + 1..open + 1 + length]);
            if added.contains(&label) {
                continue;
            }
            // A mark of a note is one only where the note is; the reader takes it out again.
            let note = label.strip_prefix('^').filter(|label| self.notes.contains_key(*label));
            let note = note.map(|label| format!("[^{label}]: {label}"));
            if let Some(definition) = self.links.get(&label).or(note.as_ref()) {
                result.push_str("\n\n");
                result.push_str(definition);
                added.push(label);
            }
        }
        result
    }
}

/// The name under which a label is known: labels are the same whatever their case and their spaces.
fn key(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The labels of footnotes that cells of HTML tables refer to.
fn marks_in_html(html: &str) -> impl Iterator<Item = &str> {
    html.split("[^").skip(1).filter_map(|rest| rest.split_once(']')).map(|(label, _)| label)
}

/// The content of a footnote, whose lines are as they are in the text.
fn note_text(text: &str, range: &Range<usize>) -> String {
    let whole = &text[range.clone()];
    let head = whole.find("]:").map_or(0, |at| at + 2);
    part(text, range.start + head..range.end, range.start)
}

/// A part of the text that begins at `range.start`, in a block that begins at `block`: its further lines without the
/// indentation of the block and of what belongs to it.
pub(super) fn part(text: &str, range: Range<usize>, block: usize) -> String {
    let line = text[..block].rfind('\n').map_or(0, |at| at + 1);
    let outer = text[line..block].chars().count();
    let mut result = String::with_capacity(range.len());
    for (index, line) in text[range].split_inclusive('\n').enumerate() {
        if index == 0 {
            result.push_str(line.trim_start_matches([' ', '\t']));
            continue;
        }
        let inner = without(line, outer, |c| matches!(c, ' ' | '\t' | '>'));
        result.push_str(inner.strip_prefix('\t').unwrap_or_else(|| without(inner, 4, |c| c == ' ')));
    }
    result
}

/// A line without up to `most` of these characters at its start.
fn without(line: &str, most: usize, skipped: impl Fn(char) -> bool) -> &str {
    let mut rest = line;
    for _ in 0..most {
        let Some(next) = rest.strip_prefix(&skipped) else { break };
        rest = next;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_a_note_has_no_indentation() {
        let text = "A[^1] and B[^1].\n\n[^1]: One\n    two.\n\n    - list\n\nMore.\n";
        let mut scope = Scope::of(text);
        let expected = "One\ntwo.\n\n- list\n";
        let Some(Referred::First { text, named }) = scope.note("1", 7) else { panic!("{scope:?}") };
        assert_eq!((text.trim_end(), named), (expected.trim_end(), true));
        assert_eq!(scope.note("1", 8), Some(Referred::Again(7)));
        assert_eq!(scope.note("2", 8), None);
    }

    #[test]
    fn a_part_keeps_the_definitions_of_its_links() {
        let scope = Scope::of("[Site] and [x][other]\n\n[site]: https://a.example\n[other]: <b> \"T\"\n");
        assert_eq!(scope.complete("see [SITE]"), "see [SITE]\n\n[site]: https://a.example");
        assert_eq!(scope.complete("none [here]"), "none [here]");
    }
}
