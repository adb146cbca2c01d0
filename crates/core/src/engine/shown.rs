//! What a report may show of an outcome.

use std::{borrow::Cow, sync::Arc};

use super::{secrets::Secrets, validator::Outcome};
use crate::{
    diagnostic::Diagnostic,
    kinds::Kinds,
    text::{Source, SourceId},
};

/// An outcome as a report may show it.
#[derive(Debug)]
pub struct Shown<'o> {
    /// The sources that locations refer to.
    pub sources: Cow<'o, [Arc<Source>]>,
    /// The findings.
    pub diagnostics: Cow<'o, [Diagnostic]>,
}

impl Outcome {
    /// The secrets of the document, for those who show its text themselves.
    #[doc(hidden)]
    pub fn secrets(&self, kinds: &Kinds) -> Secrets {
        Secrets::of(&self.document, kinds)
    }

    /// The sources and findings without the secrets of the document.
    #[doc(hidden)]
    pub fn shown(&self, kinds: &Kinds) -> Shown<'_> {
        let sources = self.document.tree.sources();
        let secrets = self.secrets(kinds);
        if secrets.is_empty() {
            return Shown { sources: sources.into(), diagnostics: self.diagnostics.as_slice().into() };
        }
        let number = |index: usize| SourceId(index as u16);
        let masked = sources.iter().enumerate().map(|(index, source)| secrets.masked(number(index), source));
        let mut diagnostics = self.diagnostics.clone();
        for diagnostic in &mut diagnostics {
            // A fix that is applied from a report must not write the placeholder of a secret.
            diagnostic.fixes.retain(|fix| !fix.edits.iter().any(|edit| secrets.are_in(&edit.new)));
            for edit in diagnostic.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
                secrets.hide_in(&mut edit.old);
            }
        }
        Shown { sources: masked.collect::<Vec<_>>().into(), diagnostics: diagnostics.into() }
    }
}
