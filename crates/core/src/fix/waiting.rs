//! Fixes that wait for others: while a syntax error is in a document of which it is not known what that error hides, what
//! seems to be missing may be there.

use super::hidden::documents;
use crate::{
    diagnostic::{Diagnostic, Fix, Severity},
    engine::Outcome,
    kinds::Layer,
    rules::Ruleset,
    text::{SourceId, Span},
};

/// The documents of a file, itself and those embedded in it, in which unsafe fixes wait for that of a syntax error.
pub(super) struct Waiting<'r> {
    ruleset: &'r Ruleset,
    /// Where each document is, outer ones before inner ones, and whether fixes wait in it.
    documents: Vec<(Span, bool)>,
}

impl<'r> Waiting<'r> {
    /// Looks for syntax errors that have a fix which `may_apply`.
    pub(super) fn new(ruleset: &'r Ruleset, outcome: &Outcome, may_apply: impl Fn(&Fix) -> bool) -> Self {
        let whole = Span::new(0, outcome.document.source().text().len());
        let documents = documents(&outcome.document, whole);
        let hides: Vec<bool> = documents.iter().map(|(document, _)| document.unread.is_none()).collect();
        let documents = documents.into_iter().map(|(_, span)| (span, false)).collect();
        let mut waiting = Self { ruleset, documents };
        let errors = outcome.diagnostics.iter().filter(|found| {
            let counts = found.severity == Severity::Error && found.suppressed.is_none();
            counts && found.caused_by.is_none()
        });
        for error in errors.filter(|error| error.fixes.iter().any(&may_apply)) {
            if is_syntax(ruleset, error)
                && let Some(at) = waiting.document_of(error).filter(|at| hides[*at])
            {
                waiting.documents[at].1 = true;
            }
        }
        waiting
    }

    /// Whether the unsafe fixes of a finding wait: those of errors.
    pub(super) fn holds(&self, found: &Diagnostic) -> bool {
        let waits = self.document_of(found).is_some_and(|at| self.documents[at].1);
        waits && found.severity == Severity::Error && !is_syntax(self.ruleset, found)
    }

    fn document_of(&self, found: &Diagnostic) -> Option<usize> {
        let at = found.location.byte_start;
        let is_around = |(span, _): &(Span, bool)| span.start <= at && at <= span.end;
        let own = found.location.source == SourceId(0);
        own.then(|| self.documents.iter().rposition(is_around)).flatten()
    }
}

/// Whether a finding is of a rule about syntax errors.
pub(super) fn is_syntax(ruleset: &Ruleset, found: &Diagnostic) -> bool {
    let observed = ruleset.find(&found.id).and_then(|found| found.rule.observed());
    observed.is_some_and(|(layer, _)| layer == Layer::Syntax)
}
