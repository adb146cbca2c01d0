//! What a grammar would accept at the cursor.

use crate::{
    engine::Occurrence,
    kinds::{Continuation, Document, EditorQuestions},
    project::Subject,
    text::{SourceId, Span},
};

use super::{Candidate, Sort, nearness, place::CURSOR};

/// Words of the language, names that the document declares, and arrows.
pub(super) fn candidates(subject: &Subject<'_>, text: &str, word: Span) -> Vec<Candidate> {
    let document = read(subject, text, word.start);
    let found = continuations(&document);
    if found.is_empty() {
        return Vec::new();
    }
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
                all.push(Candidate { unread, ..candidate(word, Sort::Keyword, form) });
            }
            Continuation::Connector(_) if is_in_arrow => {}
            Continuation::Connector(mark) => all.push(candidate(mark, Sort::Operator, String::new())),
            Continuation::NameOf { of, unread } => {
                let known = names.iter().filter(|one| one.declares && one.of.as_deref() == Some(&*of));
                let name = |one: &Occurrence| Candidate {
                    unread,
                    ..candidate(one.name.clone(), Sort::Variable, of.clone())
                };
                all.extend(known.map(name));
            }
        }
    }
    // Names are more likely than words that may also be there.
    let near = nearness(&names, word);
    all.sort_by_key(|one| (one.sort != Sort::Variable, near(&one.text)));
    all
}

/// The names that the document has without what is being written. What is not complete can hide the names around it, so
/// the document is also read with a name at the cursor, and without the line; what shows most names counts.
fn names(subject: &Subject<'_>, text: &str, word: Span, document: &Document) -> Vec<Occurrence> {
    let of = |document: &Document| -> Vec<Occurrence> {
        let mut names = subject.survey(document, None).names;
        names.retain(|one| one.name != CURSOR && (one.source != SourceId(0) || one.span.start != word.start));
        names
    };
    let own = of(document);
    let (start, end) = (word.start as usize, word.end as usize);
    let named = format!("{}{CURSOR}{}", &text[..start], &text[end..]);
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find('\n').map_or("", |at| &text[end + at..]);
    let others = [named, format!("{}{rest}", &text[..line])];
    let others = others.map(|text| of(&read(subject, &text, word.start)));
    others.into_iter().fold(own, |best, other| if other.len() > best.len() { other } else { best })
}

/// Arrows, where a part of one is written.
pub(super) fn connectors(subject: &Subject<'_>, text: &str, mark: Span) -> Vec<Candidate> {
    let document = read(subject, text, mark.start);
    let begun = mark.of(text);
    let marks = continuations(&document).into_iter().filter_map(|found| match found {
        Continuation::Connector(mark) if mark.starts_with(begun) && mark != begun => {
            Some(candidate(mark, Sort::Operator, String::new()))
        }
        _ => None,
    });
    marks.collect()
}

fn candidate(text: String, sort: Sort, detail: String) -> Candidate {
    Candidate { text, sort, detail, description: None, required: false, unread: 0 }
}

fn read(subject: &Subject<'_>, text: &str, cursor: u32) -> Document {
    subject.read_text(text, EditorQuestions { lexemes: true, cursor: Some(cursor), remarks: false })
}

/// What may come at the cursor, in the innermost document that knows it.
fn continuations(document: &Document) -> Vec<Continuation> {
    let inner = document.embedded.iter().map(continuations).find(|found| !found.is_empty());
    inner.unwrap_or_else(|| document.continuations.clone())
}
