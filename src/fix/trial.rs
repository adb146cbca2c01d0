//! Single changes that somebody asks for: tried, judged, and told with what they would bring.

use super::{
    choose::{Chosen, edits_of},
    guard::{self, Judged},
    rounds::{Applied, Fixer},
};
use crate::{
    diagnostic::Diagnostic,
    engine::Outcome,
    text::{Edit, EditError, apply_edits},
};

/// What a change would make of a text.
#[derive(Debug)]
pub struct Trial {
    /// The text with the change.
    pub text: String,
    /// What is to say of it.
    pub outcome: Outcome,
    /// The fixes that the change consists of, in the order they were asked for.
    pub applied: Vec<Applied>,
    /// Ids of the errors that the change brings, sorted. A change that brings some should not be kept.
    pub new_errors: Vec<String>,
}

/// Why a change cannot be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No finding has this fingerprint.
    #[error("no finding of this text has the fingerprint `{0}`: validate it again")]
    UnknownFinding(String),
    /// The finding has no such fix.
    #[error("the finding `{fingerprint}` ({id}) has no fix that can be applied here")]
    NoFix {
        /// Key of the finding.
        fingerprint: String,
        /// Id of its rule.
        id: String,
    },
    /// The edits cannot be applied together.
    #[error(transparent)]
    Edits(#[from] EditError),
}

impl Fixer<'_> {
    /// Tries the first fix of each of these findings that is at least [`Self::least`] as safe.
    ///
    /// # Errors
    ///
    /// Every fingerprint that names no finding of the text or one without such a fix; or that the fixes
    /// do not go together.
    pub fn try_fixes(
        &self,
        text: &str,
        before: &[Diagnostic],
        fingerprints: &[String],
    ) -> Result<Trial, Vec<Refusal>> {
        let (mut chosen, mut faults) = (Vec::new(), Vec::new());
        for fingerprint in fingerprints {
            match self.first_fix(text, before, fingerprint) {
                Ok(fix) => chosen.push(fix),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() {
            self.attempt(text, before, &chosen).map_err(|error| vec![error.into()])
        } else {
            Err(faults)
        }
    }

    /// Tries edits that somebody else thought of.
    ///
    /// # Errors
    ///
    /// Edits that overlap or reach beyond the text.
    pub fn try_edits(&self, text: &str, before: &[Diagnostic], edits: &[Edit]) -> Result<Trial, EditError> {
        self.tried(text, before, edits, &[])
    }

    /// Tries fixes together. What several of them do alike is done once.
    pub(super) fn attempt(
        &self,
        text: &str,
        before: &[Diagnostic],
        chosen: &[Chosen<'_>],
    ) -> Result<Trial, EditError> {
        let mut edits: Vec<Edit> = chosen.iter().flat_map(|chosen| chosen.edits.iter().cloned()).collect();
        edits.sort();
        edits.dedup();
        self.tried(text, before, &edits, chosen)
    }

    fn tried(
        &self,
        text: &str,
        before: &[Diagnostic],
        edits: &[Edit],
        chosen: &[Chosen<'_>],
    ) -> Result<Trial, EditError> {
        let edited = apply_edits(text, edits)?;
        let outcome = (self.judge)(&edited);
        let before = Judged { text, diagnostics: before };
        let after = Judged { text: &edited, diagnostics: &outcome.diagnostics };
        let new_errors = guard::new_errors(before, after, edits, chosen, self.ruleset);
        let applied = chosen.iter().map(Applied::from).collect();
        Ok(Trial { text: edited, outcome, applied, new_errors })
    }

    fn first_fix<'d>(
        &self,
        text: &str,
        before: &'d [Diagnostic],
        fingerprint: &str,
    ) -> Result<Chosen<'d>, Refusal> {
        let found = before.iter().find(|diagnostic| diagnostic.fingerprint == fingerprint);
        let diagnostic = found.ok_or_else(|| Refusal::UnknownFinding(fingerprint.to_owned()))?;
        let fix = diagnostic.fixes.iter().find(|fix| fix.applicability >= self.least);
        let edits = fix.and_then(|fix| Some((fix, edits_of(text, fix)?)));
        let (fix, edits) = edits.ok_or_else(|| Refusal::NoFix {
            fingerprint: fingerprint.to_owned(),
            id: diagnostic.id.clone(),
        })?;
        Ok(Chosen { diagnostic, fix, edits })
    }
}
