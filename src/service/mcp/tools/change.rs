//! Changes of a document: what is asked for, what it leads to, and whether that is for the worse.

use std::collections::BTreeMap;

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
    diagnostic::{Applicability, Diagnostic, Severity},
    engine::Outcome,
    fix::{Applied, Fixer},
    kinds::Layer,
    rules::Ruleset,
    service::results::{self, Known},
    text::{Edit, Span, apply_edits, clip, visible},
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
    pub(super) before: Outcome,
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
        let (edits, applied) = match self {
            Self::Safe => return Ok(mend(core, subject, before, least)),
            Self::Fixes(fingerprints) => chosen(text, &before.diagnostics, &fingerprints)?,
            Self::Edits(edits) => (patch::anchored(text, &edits).map_err(Refusal::arguments)?, Vec::new()),
            Self::Patch(patch) => (patch::unified(text, &patch).map_err(Refusal::arguments)?, Vec::new()),
        };
        let edited =
            apply_edits(text, &edits).map_err(|error| Refusal::arguments(vec![error.to_string()]))?;
        let after = subject.judge(&edited);
        let added = if force { Vec::new() } else { added(&before, &after, core.validator.ruleset()) };
        Ok(Changed { before, after, text: edited, applied, refused: Vec::new(), added })
    }
}

/// Applies all fixes that may be applied, in rounds.
fn mend(core: &Core, subject: &Subject<'_>, before: Outcome, least: Applicability) -> Changed {
    let fixer = Fixer { judge: &|text| subject.judge(text), ruleset: core.validator.ruleset(), least };
    let mended = fixer.mend(&subject.text);
    Changed {
        before,
        after: mended.outcome,
        text: mended.text,
        applied: mended.applied,
        refused: mended.refused,
        added: Vec::new(),
    }
}

/// The edits of the first fix of each of these findings, or every fault.
fn chosen(
    text: &str,
    diagnostics: &[Diagnostic],
    fingerprints: &[String],
) -> Result<(Vec<Edit>, Vec<Applied>), Refusal> {
    let (mut edits, mut applied, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for fingerprint in fingerprints {
        let shown = visible(&clip(fingerprint, 40)).into_owned();
        let Some(diagnostic) = diagnostics.iter().find(|d| d.fingerprint == *fingerprint) else {
            faults.push(format!("no finding of this text has the fingerprint `{shown}`: validate it again"));
            continue;
        };
        let fix = diagnostic.fixes.iter().find(|fix| fix.applicability > Applicability::Display);
        let fitting = fix.filter(|fix| fix.edits.iter().all(|edit| fits(text, edit)));
        let Some(fix) = fitting else {
            faults.push(format!(
                "the finding `{shown}` ({}) has no fix that can be applied here",
                diagnostic.id
            ));
            continue;
        };
        edits.extend(fix.edits.iter().map(|edit| Edit { span: span(edit), new: edit.new.clone() }));
        applied.push(Applied {
            id: diagnostic.id.clone(),
            name: diagnostic.name.clone(),
            title: fix.title.clone(),
            applicability: fix.applicability,
            line: diagnostic.location.line,
            fingerprint: diagnostic.fingerprint.clone(),
        });
    }
    edits.sort();
    edits.dedup();
    if faults.is_empty() { Ok((edits, applied)) } else { Err(Refusal::arguments(faults)) }
}

fn span(edit: &crate::diagnostic::FixEdit) -> Span {
    Span { start: edit.byte_start, end: edit.byte_end }
}

fn fits(text: &str, edit: &crate::diagnostic::FixEdit) -> bool {
    edit.file.is_none() && text.get(span(edit).range()) == Some(edit.old.as_str())
}

/// Ids of errors that there are more of than before. A mended fault of the syntax uncovers what stood
/// behind it; then only further faults of the syntax count as added.
fn added(before: &Outcome, after: &Outcome, ruleset: &Ruleset) -> Vec<String> {
    let syntax = |id: &str| {
        let observed = ruleset.find(id).and_then(|found| found.rule.check.observed());
        observed.is_some_and(|(layer, _)| layer == Layer::Syntax)
    };
    let (known, now) = (errors(before), errors(after));
    let faults = |counts: &BTreeMap<&str, usize>| -> usize {
        counts.iter().filter(|(id, _)| syntax(id)).map(|(_, count)| *count).sum()
    };
    let uncovered = faults(&now) < faults(&known);
    let more = |id: &&str| now[id] > known.get(id).copied().unwrap_or_default();
    now.keys().copied().filter(more).filter(|id| !uncovered || syntax(id)).map(str::to_owned).collect()
}

/// Errors that stand, by id.
fn errors(outcome: &Outcome) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for diagnostic in standing(&outcome.diagnostics) {
        if diagnostic.severity == Severity::Error {
            *counts.entry(diagnostic.id.as_str()).or_default() += 1;
        }
    }
    counts
}

impl Changed {
    pub(super) fn tell(&self, core: &Core, subject: &Subject<'_>) -> Told {
        let ok = self.added.is_empty();
        let found = standing(&self.after.diagnostics);
        let before: Vec<Known> = standing(&self.before.diagnostics).into_iter().map(Known::of).collect();
        let delta = Delta::from(results::Delta::between(&before, &found));
        let told: Vec<&Diagnostic> = if ok {
            found
        } else {
            found.into_iter().filter(|diagnostic| self.added.contains(&diagnostic.id)).collect()
        };
        let kept: (&str, &Outcome) =
            if ok { (&self.text, &self.after) } else { (&subject.text, &self.before) };
        let result =
            core.results.keep(&subject.name, subject.kind.name(), kept.0, &standing(&kept.1.diagnostics));
        let view = View {
            detail: Detail::Concise,
            cursor: 0,
            limits: &core.limits,
            ruleset: core.validator.ruleset(),
        };
        let next = if ok {
            next_step(&told, &result)
        } else {
            format!("the change would add {}: mend it and try again", self.added.join(", "))
        };
        Told { ok, listing: Listing::new(&self.text, &told, &view), delta, result, next }
    }
}
