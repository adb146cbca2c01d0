//! Which fixes of a result are offered: those that were tried on the document and keep the laws of fixes.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    choose::{Chosen, Effect, edits_of},
    fixer::{Fixer, TRIED_STEPS, trials},
    guard::{self, Origin},
    hidden::Moved,
    lines::Lines,
    trial::Trial,
};
use crate::{
    budget,
    diagnostic::{Applicability, Diagnostic, Fix, Severity},
    engine::Outcome,
    text::{Edit, Span},
};

impl Fixer<'_> {
    /// Keeps the fixes of a result that can be applied to its text: those that remove their finding, add no
    /// error and drop no word that they must keep. The first fix for a finding leaves the fewest errors; of
    /// equal ones it is the first of its rule. A finding that follows from another one has no fix of its own.
    ///
    /// Where trying them all would take too long, the rest are offered as they are. Fixes less safe than
    /// [`Self::least`] are not tried either.
    pub fn offer(&self, text: &str, outcome: &mut Outcome) {
        let mut trials = trials(text);
        let begun = budget::spent().steps;
        let offered: Vec<Option<Vec<Fix>>> = outcome
            .diagnostics
            .iter()
            .map(|found| {
                if found.fixes.is_empty() || found.suppressed.is_some() {
                    None
                } else if found.caused_by.is_some() {
                    Some(Vec::new())
                } else if trials < found.fixes.len()
                    || budget::spent().steps.saturating_sub(begun) > TRIED_STEPS
                    || !budget::is_left()
                {
                    None
                } else {
                    trials -= found.fixes.len();
                    self.offered(text, outcome, found)
                }
            })
            .collect();
        for (found, offered) in outcome.diagnostics.iter_mut().zip(offered) {
            if let Some(offered) = offered {
                found.fixes = offered;
            }
        }
    }

    /// The fixes of a finding that may be offered; nothing where the budget ran out before that was known.
    fn offered(&self, text: &str, outcome: &Outcome, found: &Diagnostic) -> Option<Vec<Fix>> {
        let mut kept: Vec<((bool, usize), Fix)> = Vec::new();
        for fix in &found.fixes {
            let is_manual = fix.applicability == Applicability::Manual;
            let Some(edits) = edits_of(text, fix).filter(|_| fix.applicability >= self.least) else {
                kept.push(((is_manual, usize::MAX), fix.clone()));
                continue;
            };
            let chosen = Chosen { diagnostic: found, fix, edits };
            let origin = if is_manual { Origin::Chosen } else { Origin::Rule };
            let trial = self.probe(text, outcome, &chosen, origin).ok();
            if !budget::is_left() {
                return None;
            }
            if let Some(trial) =
                trial.filter(|trial| trial.harm.is_none() && fixes(text, outcome, &chosen, trial))
            {
                let mut offered = fix.clone();
                // A fix that is safe only where it leaves the page as it is.
                if self.changes_page(text, outcome, std::slice::from_ref(&chosen), &trial.text) {
                    offered.applicability = Applicability::Unsafe;
                }
                kept.push(((is_manual, guard::errors(&trial.outcome.diagnostics).count()), offered));
            }
        }
        kept.sort_by_key(|(rank, _)| *rank);
        Some(kept.into_iter().map(|(_, fix)| fix).collect())
    }

    /// Of several fixes of a finding, the one that leaves the fewest errors when it alone is applied to a
    /// copy, and of equal ones the safer, then the earlier one; and what it does. Those that would harm come
    /// last; those that do not remove the finding are left out.
    pub(super) fn best<'m>(
        &self,
        text: &str,
        outcome: &'m Outcome,
        chosen: Vec<Chosen<'m>>,
    ) -> Option<(Chosen<'m>, Effect<'m>)> {
        let unknown = || Effect { errors: usize::MAX, removes: Vec::new() };
        let effect = |chosen: &Chosen<'m>| match self.probe(text, outcome, chosen, Origin::Rule) {
            Ok(trial) if !trial.harm.is_none() => Some(unknown()),
            Ok(trial) => fixes(text, outcome, chosen, &trial).then(|| Effect {
                errors: guard::errors(&trial.outcome.diagnostics).count(),
                removes: removed(outcome, chosen, &trial),
            }),
            Err(_) => Some(unknown()),
        };
        let tried = chosen.into_iter().filter_map(|chosen| effect(&chosen).map(|effect| (chosen, effect)));
        tried.min_by_key(|(chosen, effect)| (effect.errors, Reverse(chosen.fix.applicability)))
    }
}

/// The errors besides that of the fix which a trial no longer has.
fn removed<'m>(before: &'m Outcome, chosen: &Chosen<'_>, trial: &Trial) -> Vec<&'m str> {
    let moved = Moved::new(&chosen.edits);
    let left: HashSet<(&str, u32)> = guard::errors(&trial.outcome.diagnostics)
        .map(|error| (error.id.as_str(), moved.origin(error.location.byte_start).0))
        .collect();
    guard::errors(&before.diagnostics)
        .filter(|error| error.fingerprint != chosen.diagnostic.fingerprint)
        .filter(|error| !left.contains(&(error.id.as_str(), error.location.byte_start)))
        .map(|error| error.fingerprint.as_str())
        .collect()
}

/// Whether a trial of a fix removes its finding and leaves no other error in its place: one of the same rule
/// in a line that was changed or had the finding, or one of any rule there that was not known.
fn fixes(text: &str, before: &Outcome, chosen: &Chosen<'_>, trial: &Trial) -> bool {
    let found = chosen.diagnostic;
    let count = |list: &[Diagnostic]| list.iter().filter(|other| other.id == found.id).count();
    let fewer = count(&trial.outcome.diagnostics) < count(&before.diagnostics);
    let moved = Moved::new(&chosen.edits);
    let lines = lines_of(text, found, &chosen.edits);
    let known = |id: &str, at: u32| {
        before.diagnostics.iter().any(|other| other.id == id && other.location.byte_start == at)
    };
    trial.outcome.diagnostics.iter().all(|after| {
        let is_own = after.id == found.id;
        let counts = is_own || after.severity == Severity::Error;
        if !counts || after.suppressed.is_some() || after.location.source != found.location.source {
            return true;
        }
        let (at, written) = moved.origin(after.location.byte_start);
        let here = written || lines.contains(at);
        !here || (known(&after.id, at) && !written && (!is_own || fewer))
    })
}

/// The lines that a finding and the edits of its fix are in.
fn lines_of(text: &str, found: &Diagnostic, edits: &[Edit]) -> Lines {
    let own = Span { start: found.location.byte_start, end: found.location.byte_start };
    let spans = edits.iter().map(|edit| edit.span).filter(|span| !span.is_empty());
    Lines::touched(text, std::iter::once(own).chain(spans))
}
