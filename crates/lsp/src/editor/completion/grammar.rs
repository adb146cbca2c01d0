//! What a grammar would accept at the cursor.

use crate::{
    engine::Occurrence,
    kinds::{Continuation, Document, EditorQuestions},
    project::Subject,
    text::{SourceId, Span},
};

use super::{
    Candidate, Sort, nearness,
    place::{CURSOR, syntax_errors},
};

/// What a grammar would accept.
#[derive(Default)]
pub(super) struct Accepted {
    /// Words of the language, names that the document declares, and arrows.
    pub(super) candidates: Vec<Candidate>,
    /// Whether the document at the cursor is one that a grammar reads, and not only some of its words are known.
    pub(super) is_read: bool,
}

/// What a grammar would accept instead of a word.
pub(super) fn accepted(subject: &Subject<'_>, text: &str, word: Span) -> Accepted {
    let document = subject.read_text(text, EditorQuestions { cursor: Some(word.start), ..NAMES });
    let Some(inner) = innermost(&document) else { return Accepted::default() };
    let found = inner.continuations.as_slice();
    let names = names(subject, text, word, &document);
    // An arrow that has begun is to be completed, and not followed by another one.
    let last = text[..word.start as usize].chars().next_back();
    let is_in_arrow = found.iter().any(|one| match one {
        Continuation::Connector(mark) => {
            last.is_some_and(|last| last.is_ascii_punctuation() && mark.contains(last))
        }
        Continuation::Word { .. } | Continuation::NameOf { .. } => false,
    });
    let mut all = Vec::new();
    for continuation in found {
        match continuation {
            Continuation::Word { word, form, unread } => {
                let known = candidate(word.clone(), Sort::Keyword, form.clone());
                all.push(Candidate { unread: *unread, ..known });
            }
            Continuation::Connector(_) if is_in_arrow => {}
            Continuation::Connector(mark) => {
                all.push(candidate(mark.clone(), Sort::Operator, String::new()));
            }
            Continuation::NameOf { of, unread } => {
                let known = names.iter().filter(|one| one.declares && one.of.as_ref() == Some(of));
                let name = |one: &Occurrence| Candidate {
                    unread: *unread,
                    ..candidate(one.name.clone(), Sort::Variable, of.clone())
                };
                all.extend(known.map(name));
            }
        }
    }
    // Names are more likely than words that may also be there.
    let near = nearness(&names, word);
    all.sort_by_key(|one| (one.sort != Sort::Variable, near(&one.text)));
    let kind = subject.project().kinds().get(&inner.kind);
    Accepted { candidates: all, is_read: kind.is_some_and(|kind| !kind.productions().is_empty()) }
}

/// The names that the document has without what is being written. What is not complete can hide the names around it, so
/// a document with errors is also read with a name at the cursor, and without the line; what shows most names counts.
fn names(subject: &Subject<'_>, text: &str, word: Span, document: &Document) -> Vec<Occurrence> {
    let of = |document: &Document| -> Vec<Occurrence> {
        let mut names = subject.survey(document, None).names;
        names.retain(|one| one.name != CURSOR && (one.source != SourceId(0) || one.span.start != word.start));
        names
    };
    let kinds = subject.project().kinds();
    let mut best = of(document);
    if syntax_errors(document, kinds) == 0 {
        return best;
    }
    let (start, end) = (word.start as usize, word.end as usize);
    let named = format!("{}{CURSOR}{}", &text[..start], &text[end..]);
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find('\n').map_or("", |at| &text[end + at..]);
    for text in [named, format!("{}{rest}", &text[..line])] {
        let read = subject.read_text(&text, NAMES);
        let names = of(&read);
        if names.len() > best.len() {
            best = names;
        }
    }
    best
}

/// Arrows, where a part of one is written.
pub(super) fn connectors(subject: &Subject<'_>, text: &str, mark: Span) -> Vec<Candidate> {
    let cursor = Some(mark.start);
    let document = subject.read_text(text, EditorQuestions { cursor, ..EditorQuestions::default() });
    let begun = mark.of(text);
    let found = innermost(&document).into_iter().flat_map(|inner| &inner.continuations);
    let marks = found.filter_map(|found| match found {
        Continuation::Connector(mark) if mark.starts_with(begun) && mark != begun => {
            Some(candidate(mark.clone(), Sort::Operator, String::new()))
        }
        _ => None,
    });
    marks.collect()
}

fn candidate(text: String, sort: Sort, detail: String) -> Candidate {
    Candidate { text, sort, detail, description: None, required: false, unread: 0 }
}

/// What is asked of documents whose names are needed.
const NAMES: EditorQuestions = EditorQuestions { names: true, lexemes: false, cursor: None, remarks: false };

/// The innermost document that knows what may come at the cursor.
fn innermost(document: &Document) -> Option<&Document> {
    let inner = document.embedded.iter().find_map(innermost);
    inner.or_else(|| Some(document).filter(|document| !document.continuations.is_empty()))
}
