//! A version of a document as it was read, with what the rules know about its names. It is made when a question first
//! needs it, and kept until the document changes.

use crate::{
    engine::{Occurrence, Survey},
    kinds::Document,
    text::{SourceId, Span},
};

/// A version of a document that was read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(super) document: Document,
    pub(super) survey: Survey,
}

impl Reading {
    /// The name at an offset: the shortest one, where one is a part of another.
    pub(super) fn name_at(&self, at: u32) -> Option<&Occurrence> {
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
