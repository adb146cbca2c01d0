//! A version of a document as it was read, with what the rules know about its names. It is made when a question first
//! needs it, and kept until the document changes.

use crate::{
    engine::{Occurrence, Survey},
    kinds::{Document, EditorQuestions},
    protocol::Position,
    text::{SourceId, Span},
};

use super::snapshot::Snapshot;

/// A version of a document that was read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(super) document: Document,
    pub(super) survey: Survey,
}

impl Snapshot {
    /// The document as it was read; nothing for one of no known kind.
    pub(super) fn reading(&self) -> Option<&Reading> {
        self.read.get_or_init(|| self.read_now()).as_ref()
    }

    fn read_now(&self) -> Option<Reading> {
        let subject = self.subject()?;
        let editor = EditorQuestions { lexemes: true, ..EditorQuestions::default() };
        let document = subject.read_text(&self.text, editor);
        let survey = subject.survey(&document, None);
        Some(Reading { document, survey })
    }
}

impl Reading {
    /// The name at a position: the shortest one, where one is a part of another.
    pub(super) fn name_at(&self, snapshot: &Snapshot, position: Position) -> Option<&Occurrence> {
        let at = snapshot.offset(position);
        let here = self.own_names().filter(|one| one.span.start <= at && at <= one.span.end);
        here.min_by_key(|one| one.span.len())
    }

    /// The names in the document itself, and not in files that it includes.
    pub(super) fn own_names(&self) -> impl Iterator<Item = &Occurrence> {
        self.survey.names.iter().filter(|one| one.source == SourceId(0))
    }

    /// All names that mean the same.
    pub(super) fn same(&self, name: &Occurrence) -> impl Iterator<Item = &Occurrence> {
        let symbol = name.symbol;
        self.survey.names.iter().filter(move |one| one.symbol == symbol)
    }

    /// The document and those inside it.
    pub(super) fn documents(&self) -> Vec<&Document> {
        let (mut all, mut next) = (vec![&self.document], 0);
        while next < all.len() {
            let document: &Document = all[next];
            all.extend(&document.embedded);
            next += 1;
        }
        all
    }
}

/// The part of a span that is the name itself, without quotes around it; nothing where the text writes the name in
/// another way.
pub(super) fn written(text: &str, one: &Occurrence) -> Option<Span> {
    let whole = text.get(one.span.range())?;
    let at = if whole == one.name { 0 } else { whole.find(&one.name)? };
    let start = one.span.start as usize + at;
    Some(Span::new(start, start + one.name.len()))
}
