//! Changes to a document: what is requested, the result, and whether it adds errors.

use super::{
    super::{
        core::{Core, Subject},
        finding::{Detail, Listing, View, unsuppressed},
        patch::{self, AnchoredEdit},
        tool::Refusal,
    },
    validate::{Delta, next_step},
};
use crate::{
    diagnostic::{Applicability, Diagnostic},
    engine::Outcome,
    fix::{Applied, Fixer, Harm, Trial},
    service::results::{self, Known},
    text::{clip, visible},
};

/// A requested change to a document.
pub(super) enum Change {
    /// All fixes that may be applied automatically.
    Safe,
    /// The fixes of these findings.
    Fixes(Vec<String>),
    Edits(Vec<AnchoredEdit>),
    Patch(String),
}

/// A document after a change.
pub(super) struct Changed {
    /// The findings before the change.
    pub(super) before: Vec<Diagnostic>,
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
            (Some(fixes), None, None) => Ok(Self::Fixes(fixes)),
            (None, Some(edits), None) => Ok(Self::Edits(edits)),
            (None, None, Some(patch)) => Ok(Self::Patch(patch)),
            _ => Err(Refusal::arguments(vec!["give only one of `fixes`, `edits` and `patch`".into()])),
        }
    }

    pub(super) fn apply(
        self,
        core: &Core,
        subject: &Subject<'_>,
        least: Applicability,
        force: bool,
    ) -> Result<Changed, Refusal> {
        let text = subject.text.as_str();
        let before = subject.judge(text);
        let validate = |text: &str| subject.judge(text);
        let fixer = Fixer { judge: &validate, ruleset: core.validator.ruleset(), least };
        let found = &before;
        let trial = match self {
            Self::Safe => return Ok(apply_safe_fixes(&fixer, text, before)),
            Self::Fixes(fingerprints) => {
                let any = Fixer { least: Applicability::Unsafe, ..fixer };
                any.try_fixes(text, found, &fingerprints).map_err(|errors| refusal(&errors))?
            }
            Self::Edits(edits) => {
                let edits = patch::anchored(text, &edits).map_err(Refusal::arguments)?;
                fixer.try_edits(text, found, &edits).map_err(|error| refusal(&[error]))?
            }
            Self::Patch(patch) => {
                let edits = patch::unified(text, &patch).map_err(Refusal::arguments)?;
                fixer.try_edits(text, found, &edits).map_err(|error| refusal(&[error]))?
            }
        };
        let Trial { text, outcome, applied, harm } = trial;
        let harm = if force { Harm::default() } else { harm };
        Ok(Changed { before: before.diagnostics, after: outcome, text, applied, refused: Vec::new(), harm })
    }
}

/// Applies all fixes that may be applied automatically, in rounds.
fn apply_safe_fixes(fixer: &Fixer<'_>, text: &str, before: Outcome) -> Changed {
    let found = before.diagnostics.clone();
    let fixed = fixer.mend_judged(text, before);
    Changed {
        before: found,
        after: fixed.outcome,
        text: fixed.text,
        applied: fixed.applied,
        refused: fixed.refused,
        harm: Harm::default(),
    }
}

/// All errors of a change that cannot be tried. They may quote what the client sent.
fn refusal(errors: &[impl ToString]) -> Refusal {
    Refusal::arguments(
        errors.iter().map(|error| visible(&clip(&error.to_string(), 200)).into_owned()).collect(),
    )
}

impl Changed {
    pub(super) fn report(&self, core: &Core, subject: &Subject<'_>) -> ChangeReport {
        let ok = self.harm.is_none();
        let found = unsuppressed(&self.after.diagnostics);
        let before: Vec<Known> = unsuppressed(&self.before).into_iter().map(Known::of).collect();
        let delta = Delta::from(results::Delta::between(&before, &found));
        let reported: Vec<&Diagnostic> = if ok {
            found
        } else {
            found.into_iter().filter(|diagnostic| self.harm.new_errors.contains(&diagnostic.id)).collect()
        };
        let kept: (&str, &[Diagnostic]) =
            if ok { (&self.text, &self.after.diagnostics) } else { (&subject.text, &self.before) };
        let result = core.results.keep(&subject.name, subject.kind.name(), kept.0, &unsuppressed(kept.1));
        let view = View {
            detail: Detail::Concise,
            cursor: 0,
            limits: &core.limits,
            ruleset: core.validator.ruleset(),
        };
        let next = if ok {
            next_step(&reported, &result, subject.is_file())
        } else {
            format!("the change was refused, {}: correct it and try again", self.harm)
        };
        ChangeReport { ok, listing: Listing::new(&self.text, &reported, &view), delta, result, next }
    }
}
