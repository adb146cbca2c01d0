//! Which fixes of a result are offered: those that were tried on the document and keep the laws of fixes.

use std::{cmp::Reverse, collections::HashSet, hash::BuildHasher};

use foldhash::quality::FixedState;

use super::{
    choose::{Chosen, Effect, edits_of},
    fixer::{Fixer, TRIED_STEPS, trials},
    group::Passed,
    guard::{self, Origin},
    hidden::Moved,
    removal::Removal,
    trial::Trial,
    waiting::Waiting,
};
use crate::{
    budget,
    diagnostic::{Applicability, Diagnostic, Fix, Severity},
    engine::Outcome,
};

impl Fixer<'_> {
    /// Keeps the fixes of a result that can be applied to its text: those that remove their finding, add no
    /// error and drop no word that they must keep. The first fix for a finding leaves the fewest errors; of
    /// equal ones it is the first of its rule, and the other unsafe ones must be chosen. A finding that follows from another
    /// one has no fix of its own; an error that the fix of another one removes has no unsafe fix, and unsafe fixes wait for
    /// that of a syntax error in the same document.
    ///
    /// Where trying them all would take too long, the rest are offered as they are. Fixes less safe than
    /// [`Self::least`] are not tried either.
    pub fn offer(&self, text: &str, outcome: &mut Outcome) {
        let left = std::cell::Cell::new(trials(text));
        let begun = budget::spent().steps;
        let may_try = |fixes: usize| {
            let may = fixes <= left.get()
                && budget::spent().steps.saturating_sub(begun) <= TRIED_STEPS
                && budget::is_left();
            if may {
                left.set(left.get() - fixes);
            }
            may
        };
        let passed = self.pass_together(text, outcome, &mut || may_try(1));
        let offered: Vec<Option<Offered>> = outcome
            .diagnostics
            .iter()
            .map(|found| {
                if found.fixes.is_empty() || found.suppressed.is_some() {
                    None
                } else if found.caused_by.is_some() {
                    Some(Offered::default())
                } else if let Some(offered) = together(&passed, found) {
                    Some(Offered { fixes: offered, removes: None })
                } else if !may_try(found.fixes.len()) {
                    None
                } else {
                    self.offered(text, outcome, found)
                }
            })
            .collect();
        let removed = removed_by_others(outcome, &offered);
        for (found, offered) in outcome.diagnostics.iter_mut().zip(offered) {
            if let Some(offered) = offered {
                found.fixes = offered.fixes;
            }
        }
        let waiting = Waiting::new(self.ruleset, outcome, |fix| fix.applicability > Applicability::Manual);
        for found in &mut outcome.diagnostics {
            if waiting.holds(found) || removed.contains(&found.fingerprint) {
                found.fixes.retain(|fix| fix.applicability != Applicability::Unsafe);
            }
            only_one_unsafe(&mut found.fixes);
        }
    }

    /// The fixes of a finding that may be offered; nothing where the budget ran out before that was known.
    fn offered(&self, text: &str, outcome: &Outcome, found: &Diagnostic) -> Option<Offered> {
        let mut kept: Vec<((bool, usize), Fix)> = Vec::new();
        let mut removes: Option<Removes> = None;
        let mut results: HashSet<u64> = HashSet::new();
        for fix in &found.fixes {
            let is_manual = fix.applicability == Applicability::Manual;
            let Some(edits) = edits_of(text, fix).filter(|_| fix.applicability >= self.least) else {
                kept.push(((is_manual, usize::MAX), fix.clone()));
                continue;
            };
            let chosen = Chosen { diagnostic: found, fix, edits };
            let origin = if is_manual { Origin::Chosen } else { Origin::Rule };
            let one = std::slice::from_ref(&chosen);
            let trial = self.probe(text, outcome, one, origin).ok();
            if !budget::is_left() {
                return None;
            }
            if let Some(trial) =
                trial.filter(|trial| trial.harm.is_none() && removes_own(text, outcome, &chosen, trial))
            {
                let errors = guard::errors(&trial.outcome.diagnostics).count();
                if !is_manual && removes.as_ref().is_none_or(|best| errors < best.errors) {
                    let others = removed(outcome, &chosen, &trial).into_iter().map(str::to_owned);
                    removes = Some(Removes { errors, others: others.collect() });
                }
                // What an earlier one does as well is not another choice.
                if !results.insert(FixedState::default().hash_one(&trial.text)) {
                    continue;
                }
                let changes_page = self.changes_page(text, outcome, one, &trial.text);
                let offered = if changes_page { unsafely(fix) } else { fix.clone() };
                kept.push(((is_manual, errors), offered));
            }
        }
        kept.sort_by_key(|(rank, _)| *rank);
        Some(Offered { fixes: kept.into_iter().map(|(_, fix)| fix).collect(), removes })
    }

    /// The best of several fixes of a finding, and what it does: the one that leaves the fewest errors when it alone is
    /// applied to a copy, and of equal ones the safer, then the earlier one. Fixes that would harm come last; those
    /// that do not remove the finding are left out.
    pub(super) fn best<'m>(
        &self,
        text: &str,
        outcome: &'m Outcome,
        chosen: Vec<Chosen<'m>>,
    ) -> Option<(Chosen<'m>, Effect<'m>)> {
        let unknown = || Effect { errors: usize::MAX, removes: Vec::new() };
        let effect =
            |chosen: &Chosen<'m>| match self.probe(text, outcome, std::slice::from_ref(chosen), Origin::Rule)
            {
                Ok(trial) if !trial.harm.is_none() => Some(unknown()),
                Ok(trial) => removes_own(text, outcome, chosen, &trial).then(|| Effect {
                    errors: guard::errors(&trial.outcome.diagnostics).count(),
                    removes: removed(outcome, chosen, &trial),
                }),
                Err(_) => Some(unknown()),
            };
        let tried = chosen.into_iter().filter_map(|chosen| effect(&chosen).map(|effect| (chosen, effect)));
        tried.min_by_key(|(chosen, effect)| (effect.errors, Reverse(chosen.fix.applicability)))
    }
}

/// What is offered for a finding.
#[derive(Default)]
struct Offered {
    fixes: Vec<Fix>,
    /// What the first of the fixes does that need not be chosen, if it was tried alone.
    removes: Option<Removes>,
}

struct Removes {
    /// How many errors it leaves.
    errors: usize,
    /// Fingerprints of the other errors that it removes.
    others: Vec<String>,
}

/// Fingerprints of the errors that go away with the fix of another one, as they follow from it: `end` without a block is
/// right again where the beginning of the block is. The fixes that leave the fewest errors come first.
fn removed_by_others(outcome: &Outcome, offered: &[Option<Offered>]) -> HashSet<String> {
    let mut effects: Vec<(&Diagnostic, &Removes)> = outcome
        .diagnostics
        .iter()
        .zip(offered)
        .filter(|(found, _)| found.severity == Severity::Error)
        .filter_map(|(found, offered)| Some((found, offered.as_ref()?.removes.as_ref()?)))
        .collect();
    effects.sort_by_key(|(_, effect)| effect.errors);
    let mut removed = HashSet::new();
    for (found, effect) in effects {
        if !removed.contains(&found.fingerprint) {
            removed.extend(effect.others.iter().cloned());
        }
    }
    removed
}

/// Leaves the first unsafe fix of a finding as it is: of alternatives, only one is what the author meant in most cases. The
/// others must be chosen.
fn only_one_unsafe(fixes: &mut [Fix]) {
    let first = fixes.iter().position(|fix| fix.applicability > Applicability::Manual);
    for fix in fixes.iter_mut().skip(first.map_or(usize::MAX, |first| first + 1)) {
        if fix.applicability == Applicability::Unsafe {
            fix.applicability = Applicability::Manual;
        }
    }
}

/// The fixes of a finding if all of them passed in groups, those that must be chosen last.
fn together(passed: &Passed, found: &Diagnostic) -> Option<Vec<Fix>> {
    let fixes = found.fixes.iter().map(|fix| {
        let changes_page = *passed.get(&std::ptr::from_ref(fix))?;
        Some(if changes_page { unsafely(fix) } else { fix.clone() })
    });
    let mut fixes: Vec<Fix> = fixes.collect::<Option<_>>()?;
    fixes.sort_by_key(|fix| fix.applicability == Applicability::Manual);
    Some(fixes)
}

/// A fix that is safe only where it leaves the page as it is, where it does not.
fn unsafely(fix: &Fix) -> Fix {
    let mut offered = fix.clone();
    offered.applicability = Applicability::Unsafe;
    offered
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

/// Whether a trial of a fix removes its finding: see [`Removal::removes`].
fn removes_own(text: &str, before: &Outcome, chosen: &Chosen<'_>, trial: &Trial) -> bool {
    Removal::new(text, before, &chosen.edits, trial).removes(chosen, 1)
}
