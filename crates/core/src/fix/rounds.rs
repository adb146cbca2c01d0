use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    mem,
};

use super::{
    choose::{Chosen, Effect, choose},
    fixer::{Fixer, trials},
    guard::{self, Origin},
    waiting::Waiting,
};
use crate::{
    budget,
    diagnostic::{Applicability, Diagnostic, Fix},
    engine::Outcome,
};

/// Maximum number of rounds: fixes that are still found after them undo each other.
pub const ROUNDS: usize = 10;

/// Most ways in which a document is fixed to find the one that leaves the fewest errors.
const WAYS: usize = 8;

/// Why a fix is not part of the best way.
const WORSE: &str = "with it, more errors are left";

/// A document with all fixes that could be applied.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// The remaining findings.
    pub outcome: Outcome,
    /// The fixes that were applied, in the order of rounds and, within one, of the text.
    pub applied: Vec<Applied>,
    /// The fixes that were left out because of what they would have harmed.
    pub refused: Vec<Applied>,
    /// Whether another run would find nothing to do.
    pub settled: bool,
}

/// A fix that was applied or refused.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Applied {
    /// Id of the rule.
    pub id: String,
    /// Name of the rule.
    pub name: String,
    /// What the fix does.
    pub title: String,
    /// Whether it could be applied unseen.
    pub applicability: Applicability,
    /// Line of the finding in the text as it was in that round.
    pub line: u32,
    /// Key of the finding.
    pub fingerprint: String,
    /// Id of the fix.
    pub fix: String,
    /// Why it was left out, where it was: `it would add MM001`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_because: Option<String>,
}

impl Fixer<'_> {
    /// Applies fixes in rounds until none is left, at most [`ROUNDS`]. Where errors are left, the document is also fixed
    /// without one of the fixes that were applied, as their findings may have others: of at most [`WAYS`] ways, the one
    /// that leaves the fewest errors is kept.
    pub fn fix(&self, text: &str) -> Fixed {
        self.fix_validated(text, (self.validate)(text))
    }

    /// Like [`Self::fix`], where the outcome of the validation is known.
    pub fn fix_validated(&self, text: &str, outcome: Outcome) -> Fixed {
        let mut best = self.fix_in_rounds(text, outcome, Vec::new());
        let (mut avoided, mut next) = (Vec::new(), 0);
        for _ in 1..WAYS {
            let is_safe = |fix: &Applied| fix.applicability == Applicability::Safe;
            let doubtful = best.applied.iter().filter(|fix| !is_safe(fix)).nth(next);
            let Some(fix) = doubtful.filter(|_| errors(&best.outcome) > 0 && budget::is_left()) else {
                break;
            };
            let mut without = avoided.clone();
            without.push(Applied { refused_because: Some(WORSE.to_owned()), ..fix.clone() });
            let other = self.fix_in_rounds(text, (self.validate)(text), without.clone());
            next += 1;
            if budget::is_left() && errors(&other.outcome) < errors(&best.outcome) {
                (best, avoided, next) = (other, without, 0);
            }
        }
        best
    }

    /// Applies fixes in rounds until none is left, without those that were `refused` before.
    fn fix_in_rounds(&self, text: &str, outcome: Outcome, refused: Vec<Applied>) -> Fixed {
        let mut fixed =
            Fixed { text: text.to_owned(), outcome, applied: Vec::new(), refused, settled: false };
        let limit = errors(&fixed.outcome);
        // The last text that has no more errors than the first one, and how many fixes led to it.
        let mut kept: Option<(String, Outcome, usize)> = None;
        let mut seen = HashSet::from([hash(text)]);
        for _ in 0..ROUNDS {
            // What is left of a validation that ended early is not the whole truth.
            if !budget::is_left() {
                break;
            }
            let fixes = fixed.applied.len();
            let Some((next, outcome)) = self.round(&mut fixed) else {
                fixed.settled = true;
                break;
            };
            let old = mem::replace(&mut fixed.text, next);
            let outcome = mem::replace(&mut fixed.outcome, outcome);
            if errors(&outcome) <= limit {
                kept = Some((old, outcome, fixes));
            }
            if !seen.insert(hash(&fixed.text)) {
                break;
            }
        }
        if errors(&fixed.outcome) > limit
            && let Some(kept) = kept
        {
            fixed.go_back(kept);
        } else if !fixed.settled {
            fixed.settled = self.candidates(&fixed).is_empty();
        }
        fixed.mark_unsafe();
        fixed
    }

    fn candidates<'m>(&self, fixed: &'m Fixed) -> Vec<Chosen<'m>> {
        let refused = |fix: &Fix| {
            fixed.refused.iter().any(|refused| refused.fix == fix.id && refused.title == fix.title)
        };
        let mut left = trials(&fixed.text);
        let may_apply = |fix: &Fix| fix.applicability >= self.least && !refused(fix);
        let waiting = Waiting::new(self.ruleset, &fixed.outcome, may_apply);
        let waits = |found: &Diagnostic| waiting.holds(found);
        choose(&fixed.text, &fixed.outcome.diagnostics, self.least, refused, waits, |fixes| {
            let only_safe =
                |fixes: &[Chosen<'_>]| matches!(fixes, [one] if one.fix.applicability == Applicability::Safe);
            if fixes.is_empty() || only_safe(&fixes) || left < fixes.len() || !budget::is_left() {
                return Some((fixes.into_iter().next()?, Effect::default()));
            }
            left -= fixes.len();
            self.best(&fixed.text, &fixed.outcome, fixes)
        })
    }

    /// One round: as many fixes as go together without new errors. Where all are refused, the next
    /// ones of their findings are tried. Nothing when there is none.
    fn round(&self, fixed: &mut Fixed) -> Option<(String, Outcome)> {
        loop {
            let chosen = self.candidates(fixed);
            if chosen.is_empty() {
                return None;
            }
            let mut round = Round::default();
            self.extend(&fixed.text, &fixed.outcome, &chosen, &mut round);
            let Round { accepted, refused, result } = round;
            let applied: Vec<Applied> = accepted.iter().map(Applied::from).collect();
            fixed.applied.extend(applied);
            fixed.refused.extend(refused);
            if result.is_some() || !budget::is_left() {
                return result;
            }
        }
    }

    /// Adds a group of fixes to those of the round, halving it where it introduces errors.
    pub(super) fn extend<'m>(
        &self,
        text: &str,
        outcome: &Outcome,
        group: &[Chosen<'m>],
        round: &mut Round<'m>,
    ) {
        let mut together: Vec<Chosen<'m>> = round.accepted.iter().chain(group).cloned().collect();
        together.sort_by_key(|chosen| chosen.edits.first().map(|edit| edit.span));
        let attempt = self.attempt(text, outcome, &together, Origin::Rule);
        if !budget::is_left() {
            return;
        }
        let reason = match attempt {
            Ok(trial) if trial.harm.is_none() => {
                round.accepted = together;
                round.result = Some((trial.text, trial.outcome));
                return;
            }
            Ok(trial) => trial.harm.to_string(),
            Err(error) => error.to_string(),
        };
        match group {
            [one] => {
                round.refused.push(Applied { refused_because: Some(reason), ..Applied::from(one) });
            }
            _ => {
                let (first, second) = group.split_at(group.len() / 2);
                self.extend(text, outcome, first, round);
                self.extend(text, outcome, second, round);
            }
        }
    }
}

impl Fixed {
    /// Marks the fixes that are left and would change the page as unsafe.
    fn mark_unsafe(&mut self) {
        let changes_page = |fix: &Fix| {
            self.refused.iter().any(|refused| {
                refused.fix == fix.id && refused.refused_because.as_deref() == Some(guard::CHANGES_PAGE)
            })
        };
        for fix in self.outcome.diagnostics.iter_mut().flat_map(|found| &mut found.fixes) {
            if fix.applicability == Applicability::Safe && changes_page(fix) {
                fix.applicability = Applicability::Unsafe;
            }
        }
    }

    /// Takes an earlier text, outcome and number of fixes back, and leaves out the fixes after them.
    fn go_back(&mut self, (text, outcome, fixes): (String, Outcome, usize)) {
        let reason = "it would increase the number of errors";
        for fix in self.applied.split_off(fixes) {
            self.refused.push(Applied { refused_because: Some(reason.to_owned()), ..fix });
        }
        (self.text, self.outcome, self.settled) = (text, outcome, true);
    }
}

/// How many errors there are.
fn errors(outcome: &Outcome) -> usize {
    guard::errors(&outcome.diagnostics).count()
}

/// What a round has come to so far.
#[derive(Default)]
pub(super) struct Round<'m> {
    accepted: Vec<Chosen<'m>>,
    /// Fixes that harm together with those that were accepted before.
    pub(super) refused: Vec<Applied>,
    result: Option<(String, Outcome)>,
}

impl From<&Chosen<'_>> for Applied {
    fn from(chosen: &Chosen<'_>) -> Self {
        let Chosen { diagnostic, fix, .. } = chosen;
        Self {
            id: diagnostic.id.clone(),
            name: diagnostic.name.clone(),
            title: fix.title.clone(),
            applicability: fix.applicability,
            line: diagnostic.location.line,
            fingerprint: diagnostic.fingerprint.clone(),
            fix: fix.id.clone(),
            refused_because: None,
        }
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
