//! What a syntax error hides: the parts of a document that could not be read before a change.

use crate::{
    diagnostic::Diagnostic,
    engine::Outcome,
    kinds::Document,
    text::{Edit, Span},
};

/// The text of a document with its findings.
#[derive(Clone, Copy)]
pub(super) struct Checked<'a> {
    pub(super) text: &'a str,
    pub(super) outcome: &'a Outcome,
}

/// Fewest lines of hidden text for which it counts how many of them are in error after a change.
const FEW_LINES: usize = 3;

/// The documents of a file (itself and those embedded in it) that have a syntax error.
pub(super) struct Hidden {
    documents: Vec<HiddenIn>,
}

struct HiddenIn {
    /// Where the document is.
    document: Span,
    /// The parts of it that could not be read.
    parts: Vec<Span>,
}

impl Hidden {
    /// The parts of documents that syntax errors hide.
    pub(super) fn new(before: Checked<'_>, is_syntax: &dyn Fn(&Diagnostic) -> bool) -> Self {
        let all = documents(&before.outcome.document, Span::new(0, before.text.len()));
        let mut first: Vec<Option<u32>> = vec![None; all.len()];
        for error in before.outcome.diagnostics.iter().filter(|error| is_syntax(error)) {
            let at = error.location.byte_start;
            let inner = all.iter().rposition(|(_, span)| span.start <= at && at <= span.end);
            if let Some(first) = inner.and_then(|inner| first.get_mut(inner)) {
                *first = Some(first.map_or(at, |known| known.min(at)));
            }
        }
        let documents = all.into_iter().zip(first).filter_map(|((document, span), first)| {
            let line = before.text[..first? as usize].rfind('\n').map_or(0, |end| end + 1);
            let rest = Span { start: (line as u32).max(span.start), end: span.end };
            Some(HiddenIn { document: span, parts: document.unread.clone().unwrap_or_else(|| vec![rest]) })
        });
        Self { documents: documents.collect() }
    }

    /// Whether an error at an offset of the text before the change was hidden there. A syntax error
    /// hides those of the same part, and the meaning of its whole document.
    pub(super) fn holds(&self, at: u32, is_syntax: bool) -> bool {
        let touches = |span: &Span| span.start <= at && at <= span.end;
        let inner = self.documents.iter().rev().find(|hidden| touches(&hidden.document));
        inner.is_some_and(|hidden| !is_syntax || hidden.parts.iter().any(touches))
    }

    /// Whether the hidden parts can be read after a change: not where most of their lines are syntax
    /// errors then, as in a diagram whose header was replaced by that of another diagram type.
    pub(super) fn is_read(&self, errors: &[u32], before: &str) -> bool {
        let parts = || self.documents.iter().flat_map(|hidden| &hidden.parts);
        let lines = |part: &Span| part.of(before).lines().filter(|line| !line.trim().is_empty()).count();
        let mut errors = errors.to_vec();
        errors.sort_unstable();
        let up_to = |is_before: &dyn Fn(u32) -> bool| errors.partition_point(|at| is_before(*at));
        let wrong = |part: &Span| up_to(&|at| at <= part.end) - up_to(&|at| at < part.start);
        parts().all(|part| {
            let wrong = wrong(part);
            wrong == 0 || {
                let lines = lines(part);
                lines < FEW_LINES || wrong * 2 <= lines
            }
        })
    }
}

/// A document that fills a file and those inside it, each with its place, outer ones before inner ones.
pub(super) fn documents(document: &Document, whole: Span) -> Vec<(&Document, Span)> {
    let mut all = vec![(document, whole)];
    embedded(document, &mut all);
    all
}

/// The documents inside a document, outer ones before inner ones.
fn embedded<'d>(document: &'d Document, all: &mut Vec<(&'d Document, Span)>) {
    for inner in &document.embedded {
        all.push((inner, inner.tree.root().span()));
        embedded(inner, all);
    }
}

/// Where the bytes of a changed text come from.
pub(super) struct Moved<'e> {
    edits: Vec<&'e Edit>,
}

impl<'e> Moved<'e> {
    pub(super) fn new(edits: &'e [Edit]) -> Self {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort();
        Self { edits }
    }

    /// The offset in the old text of an offset in the new one; that of the edit inside written text.
    /// The second value says whether it is inside.
    pub(super) fn origin(&self, at: u32) -> (u32, bool) {
        let (mut gone, mut come) = (0u32, 0u32);
        for edit in &self.edits {
            let start = edit.span.start - gone + come;
            if at < start {
                break;
            }
            if at < start + edit.new.len() as u32 {
                return (edit.span.start, true);
            }
            gone += edit.span.len() as u32;
            come += edit.new.len() as u32;
        }
        (at + gone - come, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_over_edits() {
        let edit = |start, end, new: &str| Edit { span: Span::new(start, end), new: new.into() };
        let edits = [edit(2, 4, "xyz"), edit(6, 6, "+")];
        let moved = Moved::new(&edits);
        // "abcdefgh" becomes "abxyzef+gh".
        let origins: Vec<(u32, bool)> = [0, 2, 4, 5, 7, 8].map(|at| moved.origin(at)).to_vec();
        assert_eq!(origins, [(0, false), (2, true), (2, true), (4, false), (6, true), (6, false)]);
    }
}
