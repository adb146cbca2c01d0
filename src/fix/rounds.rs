use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{
    choose::{Chosen, choose, edits_of},
    guard::{self, Judged},
};
use crate::{
    diagnostic::{Applicability, Diagnostic},
    engine::Outcome,
    rules::Ruleset,
    text::{Edit, EditError, apply_edits},
};

/// Most rounds: fixes that still find something to do after so many are chasing each other.
pub const ROUNDS: usize = 10;

/// Mends texts. What judges them, and with it kind, settings and files beside, is the caller's.
pub struct Fixer<'v> {
    /// Judges a text.
    pub judge: &'v dyn Fn(&str) -> Outcome,
    /// The rules that it is judged by.
    pub ruleset: &'v Ruleset,
    /// Least applicability of fixes that are applied.
    pub least: Applicability,
}

/// A text that was mended as far as that goes.
#[derive(Debug)]
pub struct Mended {
    /// The text.
    pub text: String,
    /// What is left to say of it.
    pub outcome: Outcome,
    /// The fixes that were applied, in the order of rounds and, within one, of the text.
    pub applied: Vec<Applied>,
    /// The fixes that were left out because they would have brought new errors.
    pub refused: Vec<Applied>,
    /// Whether another run would find nothing to do.
    pub settled: bool,
}

/// A fix that was applied or refused.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
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
}

/// Why a single change was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No finding has this fingerprint.
    #[error("there is no finding {0} in this text")]
    UnknownFinding(String),
    /// The finding has no such fix.
    #[error("finding {0} has no fix that can be applied to this text")]
    NoFix(String),
    /// The edits cannot be applied together.
    #[error(transparent)]
    Edits(#[from] EditError),
    /// The text would get errors it does not have.
    #[error("the change would bring new errors: {}", .0.join(", "))]
    NewErrors(Vec<String>),
}

impl Fixer<'_> {
    /// Applies fixes in rounds until none is left, at most [`ROUNDS`].
    pub fn mend(&self, text: &str) -> Mended {
        self.mend_judged(text, (self.judge)(text))
    }

    /// The same for a text that is already judged.
    pub fn mend_judged(&self, text: &str, outcome: Outcome) -> Mended {
        let mut mended = Mended {
            text: text.to_owned(),
            outcome,
            applied: Vec::new(),
            refused: Vec::new(),
            settled: false,
        };
        let mut seen = HashSet::from([hash(text)]);
        for _ in 0..ROUNDS {
            let Some((text, outcome)) = self.round(&mut mended) else {
                mended.settled = true;
                return mended;
            };
            (mended.text, mended.outcome) = (text, outcome);
            if !seen.insert(hash(&mended.text)) {
                return mended;
            }
        }
        mended.settled = self.candidates(&mended).is_empty();
        mended
    }

    /// Applies the first fix of one finding that is at least [`Self::least`] as safe.
    pub fn mend_one(&self, text: &str, fingerprint: &str) -> Result<Mended, Refusal> {
        let before = (self.judge)(text);
        let found = before.diagnostics.iter().find(|diagnostic| diagnostic.fingerprint == fingerprint);
        let diagnostic = found.ok_or_else(|| Refusal::UnknownFinding(fingerprint.to_owned()))?;
        let fix = diagnostic.fixes.iter().find(|fix| fix.applicability >= self.least);
        let edits = fix.and_then(|fix| Some((fix, edits_of(text, fix)?)));
        let (fix, edits) = edits.ok_or_else(|| Refusal::NoFix(fingerprint.to_owned()))?;
        let chosen = [Chosen { diagnostic, fix, edits }];
        let (text, outcome) = self.attempt(text, &before.diagnostics, &chosen)?;
        let applied = vec![Applied::from(&chosen[0])];
        Ok(Mended { text, outcome, applied, refused: Vec::new(), settled: true })
    }

    /// Applies edits that somebody else thought of, unless they bring new errors.
    pub fn patch(&self, text: &str, edits: &[Edit]) -> Result<Mended, Refusal> {
        let before = (self.judge)(text);
        let edited = apply_edits(text, edits)?;
        let outcome = (self.judge)(&edited);
        self.guard(text, &before.diagnostics, &edited, &outcome, &[])?;
        Ok(Mended { text: edited, outcome, applied: Vec::new(), refused: Vec::new(), settled: true })
    }

    fn candidates<'m>(&self, mended: &'m Mended) -> Vec<Chosen<'m>> {
        choose(&mended.text, &mended.outcome.diagnostics, self.least, |diagnostic, fix| {
            let same = |refused: &Applied| {
                refused.fingerprint == diagnostic.fingerprint && refused.title == fix.title
            };
            mended.refused.iter().any(same)
        })
    }

    /// One round: as many fixes as go together without new errors. Where all are refused, the next
    /// ones of their findings are tried. Nothing when there is none.
    fn round(&self, mended: &mut Mended) -> Option<(String, Outcome)> {
        loop {
            let chosen = self.candidates(mended);
            if chosen.is_empty() {
                return None;
            }
            let mut round = Round { accepted: Vec::new(), refused: Vec::new(), result: None };
            self.extend(mended, &chosen, &mut round);
            let Round { accepted, refused, result } = round;
            let applied: Vec<Applied> = accepted.iter().map(Applied::from).collect();
            mended.applied.extend(applied);
            mended.refused.extend(refused);
            if result.is_some() {
                return result;
            }
        }
    }

    /// Adds a group of fixes to those of the round, halving it where it brings new errors.
    fn extend<'m>(&self, mended: &'m Mended, group: &[Chosen<'m>], round: &mut Round<'m>) {
        let mut together: Vec<Chosen<'m>> = round.accepted.iter().chain(group).cloned().collect();
        together.sort_by_key(|chosen| chosen.edits.first().map(|edit| edit.span));
        match self.attempt(&mended.text, &mended.outcome.diagnostics, &together) {
            Ok(result) => {
                round.accepted = together;
                round.result = Some(result);
            }
            Err(_) if group.len() == 1 => round.refused.extend(group.iter().map(Applied::from)),
            Err(_) => {
                let (first, second) = group.split_at(group.len() / 2);
                self.extend(mended, first, round);
                self.extend(mended, second, round);
            }
        }
    }

    fn attempt(
        &self,
        text: &str,
        before: &[Diagnostic],
        chosen: &[Chosen<'_>],
    ) -> Result<(String, Outcome), Refusal> {
        let edits: Vec<Edit> = chosen.iter().flat_map(|chosen| chosen.edits.iter().cloned()).collect();
        let edited = apply_edits(text, &edits)?;
        let outcome = (self.judge)(&edited);
        self.guard(text, before, &edited, &outcome, chosen)?;
        Ok((edited, outcome))
    }

    fn guard(
        &self,
        text: &str,
        before: &[Diagnostic],
        edited: &str,
        after: &Outcome,
        chosen: &[Chosen<'_>],
    ) -> Result<(), Refusal> {
        let before = Judged { text, diagnostics: before };
        let after = Judged { text: edited, diagnostics: &after.diagnostics };
        let new = guard::new_errors(before, after, chosen, self.ruleset);
        if new.is_empty() { Ok(()) } else { Err(Refusal::NewErrors(new)) }
    }
}

/// What a round has come to so far.
struct Round<'m> {
    accepted: Vec<Chosen<'m>>,
    refused: Vec<Applied>,
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
        }
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
