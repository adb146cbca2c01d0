//! Single changes that a client asks for: tried on a copy, and reported with what they would harm.

use super::{
    choose::{Chosen, edits_of},
    fixer::Fixer,
    guard::{self, Harm, Origin},
    hidden::Checked,
    rounds::{Applied, Round},
};
use crate::{
    budget,
    diagnostic::{Applicability, Diagnostic, Fix},
    engine::Outcome,
    text::{Edit, EditError, apply_edits},
};

/// Steps that comparing a finding with those before or after a change costs.
const COMPARED: u64 = 100;

/// The result of a change.
#[derive(Debug)]
pub struct Trial {
    /// The text with the change.
    pub text: String,
    /// What validation finds in it.
    pub outcome: Outcome,
    /// The fixes that the change consists of, in the order they were asked for.
    pub applied: Vec<Applied>,
    /// What the change would harm. One that harms anything should not be kept.
    pub harm: Harm,
}

/// Why a change cannot be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No finding and no fix has this key.
    #[error("no finding and no fix of this text has the id `{0}`: validate it again")]
    UnknownFinding(String),
    /// The finding has no such fix.
    #[error("the finding `{fingerprint}` ({id}) has no fix that can be applied here")]
    NoFix {
        /// Key of the finding.
        fingerprint: String,
        /// Id of its rule.
        id: String,
    },
    /// Its fixes are only applied by their own ids.
    #[error(
        "the finding `{fingerprint}` ({id}) has only fixes that must be chosen: name one of them, such as `{fix}`"
    )]
    OnlyManual {
        /// Key of the finding.
        fingerprint: String,
        /// Id of its rule.
        id: String,
        /// Id of the first of its fixes.
        fix: String,
    },
    /// Two of the fixes are alternatives.
    #[error("`{0}` and `{1}` are fixes of the same finding: name one of them")]
    Alternatives(String, String),
    /// The edits cannot be applied together.
    #[error(transparent)]
    Edits(#[from] EditError),
}

impl Fixer<'_> {
    /// Tries fixes, named by their own ids or by the fingerprints of their findings. A fingerprint
    /// means the finding's first fix that is at least as safe as [`Self::least`]; an id means
    /// just that fix, also one that is marked manual.
    ///
    /// # Errors
    ///
    /// Every name that is that of no finding and no fix of the text, or of a finding without such a fix;
    /// or that the fixes do not go together.
    pub fn try_fixes(&self, text: &str, before: &Outcome, names: &[String]) -> Result<Trial, Vec<Refusal>> {
        self.try_changes(text, before, names, &[])
    }

    /// Tries edits that the caller thought of.
    ///
    /// # Errors
    ///
    /// Edits that overlap or reach beyond the text.
    pub fn try_edits(&self, text: &str, before: &Outcome, edits: &[Edit]) -> Result<Trial, EditError> {
        self.tried(text, before, edits, &[], Origin::Chosen)
    }

    /// Tries fixes, named as for [`Self::try_fixes`], together with edits that the caller thought of.
    ///
    /// # Errors
    ///
    /// The refusals of [`Self::try_fixes`], and edits that overlap or reach beyond the text.
    pub fn try_changes(
        &self,
        text: &str,
        before: &Outcome,
        names: &[String],
        edits: &[Edit],
    ) -> Result<Trial, Vec<Refusal>> {
        let (mut chosen, mut refusals): (Vec<Chosen<'_>>, Vec<Refusal>) = (Vec::new(), Vec::new());
        for name in names {
            match self.named(text, &before.diagnostics, name) {
                Ok(fix) => match chosen.iter().find(|other| other.is_of(fix.diagnostic)) {
                    None => chosen.push(fix),
                    Some(other) if other.fix.id == fix.fix.id => {}
                    Some(other) => {
                        refusals.push(Refusal::Alternatives(other.fix.id.clone(), fix.fix.id.clone()));
                    }
                },
                Err(refusal) => refusals.push(refusal),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let is_manual = |chosen: &Chosen<'_>| chosen.fix.applicability == Applicability::Manual;
        let by_author = !edits.is_empty() || chosen.iter().any(is_manual);
        let origin = if by_author { Origin::Chosen } else { Origin::Rule };
        let mut all = edits_together(&chosen);
        all.extend(edits.iter().cloned());
        all.sort();
        self.tried(text, before, &all, &chosen, origin).map_err(|error| vec![error.into()])
    }

    /// Finds which of several fixes that harm together harm beside the others, each with the reason. The names are
    /// those of [`Self::try_fixes`].
    pub fn harmful(&self, text: &str, before: &Outcome, names: &[String]) -> Vec<Applied> {
        let named = names.iter().filter_map(|name| self.named(text, &before.diagnostics, name).ok());
        let chosen: Vec<Chosen<'_>> = named.collect();
        let mut round = Round::default();
        if !chosen.is_empty() {
            self.extend(text, before, &chosen, &mut round);
        }
        round.refused
    }

    /// Tries fixes together. What several of them do alike is done once.
    pub(super) fn attempt(
        &self,
        text: &str,
        before: &Outcome,
        chosen: &[Chosen<'_>],
        origin: Origin,
    ) -> Result<Trial, EditError> {
        self.tried(text, before, &edits_together(chosen), chosen, origin)
    }

    /// Tries fixes to see what they do. What is found after them has no fixes.
    pub(super) fn probe(
        &self,
        text: &str,
        before: &Outcome,
        chosen: &[Chosen<'_>],
        origin: Origin,
    ) -> Result<Trial, EditError> {
        let edits = edits_together(chosen);
        let edited = apply_edits(text, &edits)?;
        let ids: Vec<&str> = chosen.iter().map(|one| one.diagnostic.id.as_str()).collect();
        let outcome = self.check(&edited, &ids);
        let changes_page =
            self.least == Applicability::Safe && self.changes_page(text, before, chosen, &edited);
        let mut trial = self.compared(text, before, &edits, (edited, outcome), origin);
        trial.harm.changes_page = changes_page;
        Ok(trial)
    }

    fn tried(
        &self,
        text: &str,
        before: &Outcome,
        edits: &[Edit],
        chosen: &[Chosen<'_>],
        origin: Origin,
    ) -> Result<Trial, EditError> {
        let edited = apply_edits(text, edits)?;
        let outcome = (self.validate)(&edited);
        let applied = chosen.iter().map(Applied::from).collect();
        let changes_page = origin == Origin::Rule
            && self.least == Applicability::Safe
            && self.changes_page(text, before, chosen, &edited);
        let mut trial = self.compared(text, before, edits, (edited, outcome), origin);
        trial.harm.changes_page = changes_page;
        Ok(Trial { applied, ..trial })
    }

    /// Whether those safe fixes of a change that must leave the page as it is change it: whether it shows something else with
    /// them than with the others alone.
    pub(super) fn changes_page(
        &self,
        text: &str,
        before: &Outcome,
        chosen: &[Chosen<'_>],
        edited: &str,
    ) -> bool {
        let keeps = |one: &&Chosen<'_>| {
            one.fix.applicability == Applicability::Safe
                && self.ruleset.find(&one.diagnostic.id).is_some_and(|found| found.rule.keeps_page)
        };
        let Some(kind) =
            self.ruleset.kind(&before.document.kind).filter(|_| chosen.iter().any(|one| keeps(&one)))
        else {
            return false;
        };
        let others: Vec<Chosen<'_>> = chosen.iter().filter(|one| !keeps(one)).cloned().collect();
        budget::charge((text.len() + edited.len()) as u64);
        apply_edits(text, &edits_together(&others))
            .is_ok_and(|base| !self.pages.are_same(kind.as_ref(), &base, edited))
    }

    /// A changed text and its findings, with what the change harms.
    fn compared(
        &self,
        text: &str,
        before: &Outcome,
        edits: &[Edit],
        (edited, outcome): (String, Outcome),
        origin: Origin,
    ) -> Trial {
        let findings = before.diagnostics.len() + outcome.diagnostics.len();
        budget::charge(findings as u64 * COMPARED + (text.len() + edited.len()) as u64);
        let before = Checked { text, outcome: before };
        let after = Checked { text: &edited, outcome: &outcome };
        let harm = guard::harm(before, after, edits, origin, self.ruleset);
        Trial { text: edited, outcome, applied: Vec::new(), harm }
    }

    fn named<'d>(&self, text: &str, before: &'d [Diagnostic], name: &str) -> Result<Chosen<'d>, Refusal> {
        let of_fix =
            before.iter().find_map(|found| Some((found, found.fixes.iter().find(|f| f.id == name)?)));
        let (diagnostic, fix) = match of_fix {
            Some((diagnostic, fix)) => (diagnostic, Some(fix)),
            None => {
                let found = before.iter().find(|found| found.fingerprint == name);
                let diagnostic = found.ok_or_else(|| Refusal::UnknownFinding(name.to_owned()))?;
                (diagnostic, diagnostic.fixes.iter().find(|fix| fix.applicability >= self.least))
            }
        };
        let with_edits = |fix: &'d Fix| Some(Chosen { diagnostic, fix, edits: edits_of(text, fix)? });
        fix.and_then(with_edits).ok_or_else(|| {
            let (fingerprint, id) = (diagnostic.fingerprint.clone(), diagnostic.id.clone());
            match diagnostic.fixes.first().filter(|_| fix.is_none()) {
                Some(first) => Refusal::OnlyManual { fingerprint, id, fix: first.id.clone() },
                None => Refusal::NoFix { fingerprint, id },
            }
        })
    }
}

/// The edits of several fixes; what several of them do alike is done once.
pub(super) fn edits_together(chosen: &[Chosen<'_>]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = chosen.iter().flat_map(|chosen| chosen.edits.iter().cloned()).collect();
    edits.sort();
    edits.dedup();
    edits
}
