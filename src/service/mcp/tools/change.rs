//! Changes of a document: what is asked for, what it leads to, and whether that is for the worse.

use super::{
    super::{
        core::{Core, Subject},
        finding::{Detail, Listing, View, standing},
        patch::{self, AnchoredEdit},
        tool::Refusal,
    },
    validate::{Delta, next_step},
};
use crate::{
    diagnostic::{Applicability, Diagnostic},
    engine::Outcome,
    fix::{Applied, Fixer, Trial},
    service::results::{self, Known},
    text::{clip, visible},
};

/// What is to be done to a text.
pub(super) enum Change {
    /// All fixes that may be applied.
    Safe,
    /// The fixes of these findings.
    Fixes(Vec<String>),
    Edits(Vec<AnchoredEdit>),
    Patch(String),
}

/// A text after a change.
pub(super) struct Changed {
    /// What was found before.
    pub(super) before: Vec<Diagnostic>,
    pub(super) after: Outcome,
    pub(super) text: String,
    pub(super) applied: Vec<Applied>,
    pub(super) refused: Vec<Applied>,
    /// Ids of the errors for which the change is refused.
    pub(super) added: Vec<String>,
}

/// What is told of a change.
pub(super) struct Told {
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
        let judge = |text: &str| subject.judge(text);
        let fixer = Fixer { judge: &judge, ruleset: core.validator.ruleset(), least };
        let found = &before.diagnostics;
        let trial = match self {
            Self::Safe => return Ok(mend(&fixer, text, before)),
            Self::Fixes(fingerprints) => {
                let any = Fixer { least: Applicability::Unsafe, ..fixer };
                any.try_fixes(text, found, &fingerprints).map_err(|faults| refusal(&faults))?
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
        let Trial { text, outcome, applied, new_errors } = trial;
        let added = if force { Vec::new() } else { new_errors };
        Ok(Changed { before: before.diagnostics, after: outcome, text, applied, refused: Vec::new(), added })
    }
}

/// Applies all fixes that may be applied, in rounds.
fn mend(fixer: &Fixer<'_>, text: &str, before: Outcome) -> Changed {
    let found = before.diagnostics.clone();
    let mended = fixer.mend_judged(text, before);
    Changed {
        before: found,
        after: mended.outcome,
        text: mended.text,
        applied: mended.applied,
        refused: mended.refused,
        added: Vec::new(),
    }
}

/// All faults of a change that cannot be tried. They may name what the client has sent.
fn refusal(faults: &[impl ToString]) -> Refusal {
    Refusal::arguments(
        faults.iter().map(|fault| visible(&clip(&fault.to_string(), 200)).into_owned()).collect(),
    )
}

impl Changed {
    pub(super) fn tell(&self, core: &Core, subject: &Subject<'_>) -> Told {
        let ok = self.added.is_empty();
        let found = standing(&self.after.diagnostics);
        let before: Vec<Known> = standing(&self.before).into_iter().map(Known::of).collect();
        let delta = Delta::from(results::Delta::between(&before, &found));
        let told: Vec<&Diagnostic> = if ok {
            found
        } else {
            found.into_iter().filter(|diagnostic| self.added.contains(&diagnostic.id)).collect()
        };
        let kept: (&str, &[Diagnostic]) =
            if ok { (&self.text, &self.after.diagnostics) } else { (&subject.text, &self.before) };
        let result = core.results.keep(&subject.name, subject.kind.name(), kept.0, &standing(kept.1));
        let view = View {
            detail: Detail::Concise,
            cursor: 0,
            limits: &core.limits,
            ruleset: core.validator.ruleset(),
        };
        let next = if ok {
            next_step(&told, &result, subject.is_file())
        } else {
            format!("the change would add {}: mend it and try again", self.added.join(", "))
        };
        Told { ok, listing: Listing::new(&self.text, &told, &view), delta, result, next }
    }
}
