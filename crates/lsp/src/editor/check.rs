//! Validating a version of a document.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

use crate::{
    engine::Outcome,
    project::NotOpened,
    syntax::Observation,
    text::{Fingerprint, Source},
};

use super::{
    diagnostics,
    snapshot::{Checked, Snapshot},
};

/// Nodes of a tree that is not copied to save memory: it takes too long.
const COPIED: usize = 1 << 16;

impl Snapshot {
    /// Validates the document. A panic becomes a finding.
    pub(crate) fn check(&self) -> Checked {
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.outcome()));
        let mut outcome = outcome.unwrap_or_else(|_| {
            Some(self.project.crashed(&self.name(), "the validation of this document has panicked"))
        });
        // It is kept as long as the document is open.
        if let Some(outcome) = outcome.as_mut().filter(|outcome| outcome.document.tree.len() < COPIED) {
            outcome.document.shrink();
            outcome.diagnostics.shrink_to_fit();
        }
        let diagnostics = outcome.as_ref().map(|outcome| diagnostics::all(self, outcome)).unwrap_or_default();
        let diagnostics = serde_json::to_string(&diagnostics).unwrap_or_else(|_| "[]".to_owned());
        let sources = outcome.iter().flat_map(|outcome| outcome.document.tree.sources().iter().skip(1));
        let includes = sources.map(|source| diagnostics::uri_of_name(self.owner(), source.name())).collect();
        let result_id = Fingerprint::new().add(&diagnostics).hex();
        Checked { outcome, diagnostics, includes, result_id }
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(file) = self.misconfigured.as_deref().filter(|_| !self.is_configuration()) {
            let fact = Observation::about_file("configuration-unusable").with("file", file);
            let detail = "open the file to see what is wrong with it";
            let source = Arc::new(Source::new(self.name(), self.text.as_str()));
            return Some(self.project.base().run_fact(&source, fact.with("detail", detail)));
        }
        match self.project.subject(self.input()) {
            Ok(subject) => Some(subject.cancelled_by(Arc::clone(&self.cancelled)).validate()),
            Err(NotOpened::Unreadable { outcome, .. }) => Some(*outcome),
            Err(NotOpened::UnknownKind) => None,
        }
    }

    /// Whether the document is what makes a configuration usable again.
    fn is_configuration(&self) -> bool {
        let subject = self.project.subject(self.input()).ok();
        subject.is_some_and(|subject| subject.kind().configures())
    }
}
