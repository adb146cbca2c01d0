//! Fixes that are tried together, so that a document with many findings is not validated again for each of them.

use std::collections::HashMap;

use super::{
    choose::{Chosen, edits_of},
    fixer::Fixer,
    guard::{self, Origin},
    removal::{Removal, lines_of},
    trial::edits_together,
};
use crate::{
    budget,
    diagnostic::{Applicability, Diagnostic, Fix, Severity},
    engine::Outcome,
    text::{Span, apply_edits},
};

/// Most groups that the fixes of a document are tried in. What is in none of them is tried alone.
const GROUPS: usize = 16;

/// Fixes that passed as members of a group: whether they change the page.
pub(super) type Passed = HashMap<*const Fix, bool>;

impl Fixer<'_> {
    /// The fixes that pass the guard, as far as that is seen by trying several at once. Groups are halved where the guard
    /// refuses them.
    ///
    /// Between fixes of one group there is a blank line, as the items of a list depend on each other, unless they are the same
    /// change. Those for errors
    /// are left out, as an error that one of them adds could be taken for one that another removes. Alternatives are in
    /// different groups.
    pub(super) fn pass_together(
        &self,
        text: &str,
        outcome: &Outcome,
        may_try: &mut dyn FnMut() -> bool,
    ) -> Passed {
        let found: Vec<&Diagnostic> = outcome
            .diagnostics
            .iter()
            .filter(|found| found.suppressed.is_none() && found.caused_by.is_none())
            .filter(|found| found.severity != Severity::Error)
            .collect();
        let alternatives = found.iter().map(|found| found.fixes.len()).max().unwrap_or_default();
        let mut passed = Passed::new();
        for origin in [Origin::Rule, Origin::Chosen] {
            for number in 0..alternatives {
                let chosen = found.iter().filter_map(|found| self.alternative(text, found, number, origin));
                let mut waiting: Vec<Chosen<'_>> = chosen.collect();
                waiting.sort_by_key(|chosen| chosen.edits.first().map(|edit| edit.span));
                for _ in 0..GROUPS {
                    let group = take_apart(text, &mut waiting);
                    self.pass_group(text, outcome, &group, origin, may_try, &mut passed);
                }
            }
        }
        passed
    }

    /// The fix of a finding with this number, if it is tried and of this origin.
    fn alternative<'d>(
        &self,
        text: &str,
        diagnostic: &'d Diagnostic,
        number: usize,
        origin: Origin,
    ) -> Option<Chosen<'d>> {
        let fix = diagnostic.fixes.get(number).filter(|fix| fix.applicability >= self.least)?;
        let is_manual = fix.applicability == Applicability::Manual;
        let edits = edits_of(text, fix).filter(|_| is_manual == (origin == Origin::Chosen))?;
        Some(Chosen { diagnostic, fix, edits })
    }

    fn pass_group(
        &self,
        text: &str,
        outcome: &Outcome,
        group: &[Chosen<'_>],
        origin: Origin,
        may_try: &mut dyn FnMut() -> bool,
        passed: &mut Passed,
    ) {
        if group.len() < 2 || !may_try() {
            return;
        }
        let trial = self.probe(text, outcome, group, origin).ok();
        if !budget::is_left() {
            return;
        }
        let Some(trial) = trial.filter(|trial| trial.harm.is_none()) else {
            let (first, second) = group.split_at(group.len() / 2);
            self.pass_group(text, outcome, first, origin, may_try, passed);
            self.pass_group(text, outcome, second, origin, may_try, passed);
            return;
        };
        let mut of_rule: HashMap<&str, usize> = HashMap::new();
        for chosen in group {
            *of_rule.entry(chosen.diagnostic.id.as_str()).or_default() += 1;
        }
        let errors = |outcome: &Outcome| guard::errors(&outcome.diagnostics).count();
        let is_even = errors(&trial.outcome) == errors(outcome);
        let removal = Removal::new(text, outcome, &edits_together(group), &trial);
        let mut last: Option<(&Chosen<'_>, bool)> = None;
        for chosen in group {
            let diagnostic = chosen.diagnostic;
            // Where fixes are alternatives, the one that leaves the fewest errors comes first.
            let is_ranked = is_even || diagnostic.fixes.len() == 1;
            if is_ranked && removal.removes(chosen, of_rule[diagnostic.id.as_str()]) {
                let known = last.filter(|(last, _)| does_the_same(last, chosen)).map(|(_, changes)| changes);
                let changes_page = known.unwrap_or_else(|| {
                    let one = std::slice::from_ref(chosen);
                    let alone = apply_edits(text, &chosen.edits);
                    alone.is_ok_and(|edited| self.changes_page(text, outcome, one, &edited))
                });
                last = Some((chosen, changes_page));
                passed.insert(std::ptr::from_ref(chosen.fix), changes_page);
            }
        }
    }
}

/// Takes those fixes out of a list, sorted by place, that have a blank line between them. Fixes of one rule that do the same
/// stay together.
fn take_apart<'d>(text: &str, waiting: &mut Vec<Chosen<'d>>) -> Vec<Chosen<'d>> {
    let mut group: Vec<Chosen<'d>> = Vec::new();
    // Where the next one may begin. It is found once for each that is taken, however many wait before it.
    let mut free = Some(0);
    waiting.retain(|chosen| {
        if group.last().is_some_and(|last| does_the_same(last, chosen)) {
            group.push(chosen.clone());
            return false;
        }
        let edits = chosen.edits.iter().map(|edit| edit.span);
        let place = lines_of(text, chosen).iter().chain(edits).reduce(Span::cover);
        let Some(place) = place else { return true };
        let is_apart = free.is_some_and(|free| free <= place.start as usize);
        if is_apart {
            free = after_blank_line(text, place.end as usize);
            group.push(chosen.clone());
        }
        !is_apart
    });
    group
}

/// Whether two fixes of the same rule are the same change.
fn does_the_same(one: &Chosen<'_>, other: &Chosen<'_>) -> bool {
    let is_as_safe = one.fix.applicability == other.fix.applicability;
    is_as_safe && one.diagnostic.id == other.diagnostic.id && one.edits == other.edits
}

/// Where the first blank line below the line of a position ends.
fn after_blank_line(text: &str, position: usize) -> Option<usize> {
    let mut at = position + text.get(position..)?.find('\n')? + 1;
    for line in text.get(at..)?.split_inclusive('\n') {
        at += line.len();
        if line.ends_with('\n') && line.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty() {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_fix_begins_below_a_blank_line() {
        assert_eq!(after_blank_line("a\n\nb\n", 0), Some(3));
        assert_eq!(after_blank_line("a\nb\n> \r\nc", 1), Some(8));
        // The rest of the line itself is not a blank line.
        assert_eq!(after_blank_line("a  \nb\n", 1), None);
        assert_eq!(after_blank_line("a\n  ", 0), None);
        assert_eq!(after_blank_line("a", 1), None);
    }
}
