//! Validating a version of a document.

use std::{
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    sync::Arc,
};

use crate::{
    engine::Outcome,
    project::NotOpened,
    syntax::Observation,
    text::{Fingerprint, Source},
    uri::uri_of,
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
        let (mut outcome, linked) = outcome.unwrap_or_else(|_| {
            let crashed = self.project.crashed(&self.name(), "the validation of this document has panicked");
            (Some(crashed), Vec::new())
        });
        // The outcome is kept as long as the document is open.
        if let Some(outcome) = outcome.as_mut().filter(|outcome| outcome.document.tree.len() < COPIED) {
            outcome.document.shrink();
            outcome.diagnostics.shrink_to_fit();
        }
        let diagnostics = outcome.as_ref().map(|outcome| diagnostics::all(self, outcome)).unwrap_or_default();
        let diagnostics = serde_json::to_string(&diagnostics).unwrap_or_else(|_| "[]".to_owned());
        let sources = outcome.iter().flat_map(|outcome| outcome.document.tree.sources().iter().skip(1));
        let included = sources.map(|source| diagnostics::uri_of_name(self.owner(), source.name()));
        let reads = included.chain(linked.iter().map(|path| uri_of(path))).collect();
        let is_compared = self.path.is_some() && self.owner().compares_documents();
        let result_id = Fingerprint::new().add(&diagnostics).hex();
        Checked { outcome, diagnostics, reads, is_compared, result_id }
    }

    /// The result, with the files that the document refers to.
    fn outcome(&self) -> (Option<Outcome>, Vec<PathBuf>) {
        if let Some(file) = self.misconfigured.as_deref().filter(|_| !self.is_configuration()) {
            let fact = Observation::about_file("configuration-unusable").with("file", file);
            let detail = "open the file to see what is wrong with it";
            let source = Arc::new(Source::new(self.name(), self.text.as_str()));
            let outcome = self.project.base().run_fact(&source, fact.with("detail", detail));
            return (Some(outcome), Vec::new());
        }
        match self.project.subject(self.input()) {
            Ok(subject) => {
                let subject = subject.cancelled_by(Arc::clone(&self.cancelled));
                (Some(subject.validate()), subject.linked_files())
            }
            Err(NotOpened::Unreadable { outcome, .. }) => (Some(*outcome), Vec::new()),
            Err(NotOpened::UnknownKind) => (None, Vec::new()),
        }
    }

    /// Whether the document is what makes a configuration usable again.
    fn is_configuration(&self) -> bool {
        let subject = self.project.subject(self.input()).ok();
        subject.is_some_and(|subject| subject.kind().configures())
    }
}
