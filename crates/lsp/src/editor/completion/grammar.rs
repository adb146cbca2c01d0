//! What a grammar would accept at the cursor.

use crate::{
    kinds::{Continuation, Document, EditorQuestions},
    project::Subject,
    text::{SourceId, Span},
};

use super::{Candidate, Sort, nearness};

/// Words of the language, names that the document declares, and arrows.
pub(super) fn candidates(subject: &Subject<'_>, text: &str, word: Span) -> Vec<Candidate> {
    let document = read(subject, text, word.start);
    let found = continuations(&document);
    if found.is_empty() {
        return Vec::new();
    }
    let names = subject.survey(&document, None).names;
    let mut all = Vec::new();
    for continuation in found {
        match continuation {
            Continuation::Word { word, form } => all.push(candidate(word, Sort::Keyword, form)),
            Continuation::Connector(mark) => all.push(candidate(mark, Sort::Operator, String::new())),
            Continuation::NameOf(of) => {
                let known = names.iter().filter(|one| one.declares && one.of.as_deref() == Some(&*of));
                // What is being written is not a name yet.
                let known = known.filter(|one| one.source != SourceId(0) || one.span.start != word.start);
                all.extend(known.map(|one| candidate(one.name.clone(), Sort::Variable, of.clone())));
            }
        }
    }
    // Names are more likely than words that may also be there.
    let near = nearness(&names, word);
    all.sort_by_key(|one| (one.sort != Sort::Variable, near(&one.text)));
    all
}

/// Arrows, where a part of one is written.
pub(super) fn connectors(subject: &Subject<'_>, text: &str, mark: Span) -> Vec<Candidate> {
    let document = read(subject, text, mark.start);
    let marks = continuations(&document).into_iter().filter_map(|found| match found {
        Continuation::Connector(mark) => Some(candidate(mark, Sort::Operator, String::new())),
        Continuation::Word { .. } | Continuation::NameOf(_) => None,
    });
    marks.collect()
}

fn candidate(text: String, sort: Sort, detail: String) -> Candidate {
    Candidate { text, sort, detail, description: None, required: false }
}

fn read(subject: &Subject<'_>, text: &str, cursor: u32) -> Document {
    subject.read_text(text, EditorQuestions { lexemes: true, cursor: Some(cursor), remarks: false })
}

/// What may come at the cursor, in the innermost document that knows it.
fn continuations(document: &Document) -> Vec<Continuation> {
    let inner = document.embedded.iter().map(continuations).find(|found| !found.is_empty());
    inner.unwrap_or_else(|| document.continuations.clone())
}
