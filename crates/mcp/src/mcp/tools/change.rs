//! Changes to a document: what is requested, the result, and whether it adds errors.

use super::{
    super::{
        core::Core,
        finding::{Detail, Listing, Summary, View, unsuppressed},
        patch::{self, AnchoredEdit},
        refusal::Refusal,
    },
    validate::{Delta, next_step},
};
use crate::{
    diagnostic::{Applicability, Diagnostic},
    engine::Outcome,
    fix::{Applied, Fixed, Harm, Trial},
    project::Subject,
    results::{self, Identity, Known},
    text::{clip, visible},
};

/// A requested change to a document.
pub(super) enum Change {
    /// All fixes that may be applied automatically.
    Safe,
    /// Fixes, named by their ids or by the fingerprints of their findings, together with edits.
    Chosen {
        fixes: Vec<String>,
        edits: Vec<AnchoredEdit>,
    },
    Patch(String),
}

/// What was found before a change.
struct Before {
    handle: String,
    diagnostics: Vec<Diagnostic>,
}

/// A document after a change.
pub(super) struct Changed {
    before: Before,
    pub(super) after: Outcome,
    pub(super) text: String,
    pub(super) applied: Vec<Applied>,
    pub(super) refused: Vec<Applied>,
    /// Why the change is refused.
    pub(super) harm: Harm,
}

/// What an answer reports about a change.
pub(super) struct ChangeReport {
    pub(super) ok: bool,
    pub(super) listing: Listing,
    pub(super) delta: Delta,
    pub(super) result: String,
    pub(super) next: String,
}

impl Change {
    pub(super) fn read(
        fixes: Option<Vec<String>>,
        edits: Option<Vec<AnchoredEdit>>,
        patch: Option<String>,
    ) -> Result<Self, Refusal> {
        match (fixes, edits, patch) {
            (None, None, None) => Ok(Self::Safe),
            (None, None, Some(patch)) => Ok(Self::Patch(patch)),
            (fixes, edits, None) => {
                let (fixes, edits) = (fixes.unwrap_or_default(), edits.unwrap_or_default());
                if fixes.is_empty() && edits.is_empty() {
                    let reason = "`fixes` and `edits` are empty: name at least one fix, or give an edit";
                    return Err(Refusal::arguments(vec![reason.into()]));
                }
                Ok(Self::Chosen { fixes, edits })
            }
            _ => Err(Refusal::arguments(vec![
                "give either `patch`, or `fixes` and `edits`, which can be combined".into(),
            ])),
        }
    }

    pub(super) fn apply(
        self,
        subject: &Subject<'_>,
        least: Applicability,
        force: bool,
    ) -> Result<Changed, Refusal> {
        let outcome = subject.validate();
        let before = Before { handle: subject.handle(&outcome), diagnostics: outcome.diagnostics.clone() };
        let text = subject.text();
        let mut refused = Vec::new();
        let trial = match self {
            Self::Safe => return Ok(fixed(subject, subject.fix_validated(least, outcome), before)),
            Self::Chosen { fixes, edits } => {
                let edits = patch::anchored(text, &edits).map_err(Refusal::arguments)?;
                subject.with_fixer(Applicability::Unsafe, outcome, |fixer, outcome| {
                    let tried = fixer.try_changes(text, &outcome, &fixes, &edits);
                    let trial = tried.map_err(|refusals| refusal(&refusals))?;
                    if !trial.harm.is_none() && !force && fixes.len() > 1 {
                        refused = fixer.harmful(text, &outcome, &fixes);
                    }
                    Ok::<Trial, Refusal>(trial)
                })?
            }
            Self::Patch(patch) => {
                let edits = patch::unified(text, subject.name(), &patch).map_err(Refusal::arguments)?;
                subject.with_fixer(least, outcome, |fixer, outcome| {
                    let tried = fixer.try_edits(text, &outcome, &edits);
                    tried.map_err(|error| refusal(&[error]))
                })?
            }
        };
        let Trial { text, outcome, applied, harm } = trial;
        let harm = if force { Harm::default() } else { harm };
        let applied = if harm.is_none() { applied } else { Vec::new() };
        Ok(Changed { before, after: subject.offered(outcome), text, applied, refused, harm })
    }
}

/// What all fixes have come to that may be applied.
fn fixed(subject: &Subject<'_>, fixed: Fixed, before: Before) -> Changed {
    let Fixed { text, outcome, applied, refused, .. } = fixed;
    Changed { before, after: subject.offered(outcome), text, applied, refused, harm: Harm::default() }
}

/// All errors of a change that cannot be tried. They may quote what the client sent.
fn refusal(errors: &[impl ToString]) -> Refusal {
    Refusal::arguments(
        errors.iter().map(|error| visible(&clip(&error.to_string(), 200)).into_owned()).collect(),
    )
}

impl Changed {
    pub(super) fn report(&self, core: &Core, subject: &Subject<'_>) -> ChangeReport {
        core.metrics.findings(&self.before.diagnostics);
        let ok = self.harm.is_none();
        let found = unsuppressed(&self.after.diagnostics);
        let before: Vec<Known> = unsuppressed(&self.before.diagnostics).into_iter().map(Known::of).collect();
        let delta = Delta::from(results::Delta::between(&before, &found));
        let reported: Vec<&Diagnostic> = if ok {
            found
        } else {
            found.into_iter().filter(|diagnostic| self.harm.new_errors.contains(&diagnostic.id)).collect()
        };
        let (handle, kept) = if ok {
            (subject.handle(&self.after), &self.after.diagnostics)
        } else {
            (self.before.handle.clone(), &self.before.diagnostics)
        };
        let current = if ok { &self.text } else { subject.text() };
        let document = Identity::of(subject.name(), subject.kind().name(), current);
        let result = core.results.keep(handle, document, &unsuppressed(kept));
        let view = View {
            detail: Detail::Concise,
            cursor: 0,
            result: &result,
            limits: &core.limits,
            ruleset: core.validator.ruleset(),
        };
        let next = if ok {
            next_step(&reported, &result, subject.is_file())
        } else {
            let others = if self.refused.is_empty() { "" } else { ", or apply the other fixes" };
            format!("the change was refused, {}: correct it and try again{others}", self.harm)
        };
        let mut listing = Listing::new(&self.after, &reported, &view);
        if !ok {
            // The document is as it was.
            let found = unsuppressed(&self.before.diagnostics);
            listing.summary = Summary::of(&found);
            listing.valid = listing.summary.errors == 0;
        }
        ChangeReport { ok, listing, delta, result, next }
    }
}
