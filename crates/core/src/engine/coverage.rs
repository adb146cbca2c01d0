//! Which parts of rules their examples exercise.

use std::{collections::BTreeMap, sync::Arc};

use super::examples::record_examples;
use crate::{
    checks::{Check, Recorder},
    rules::{Rule, Ruleset, Status},
};

/// A result that a part of a rule can come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The rule's id; nothing for a fix that several rules of the pack share.
    pub rule: Option<String>,
    /// JSON Pointer to the part: in the rule, or in `pack.yaml`.
    pub at: String,
    /// The result.
    pub result: BranchResult,
    /// Whether an example leads to it.
    pub covered: bool,
}

/// What a part of a rule can come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchResult {
    /// A selector selects a node.
    Selects,
    /// A condition holds.
    Holds,
    /// A condition does not hold.
    Rejects,
    /// A check finds nothing wrong with a node.
    Passes,
    /// A check finds something wrong.
    Fails,
    /// A fix is offered.
    Offered,
}

impl BranchResult {
    /// In a few words, for reports.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Selects => "selects something",
            Self::Holds => "holds",
            Self::Rejects => "does not hold",
            Self::Passes => "passes",
            Self::Fails => "fails",
            Self::Offered => "is offered",
        }
    }
}

/// Validates the examples of rules of a pack and notes what each exercises of its own rule. A fix counts where it is
/// offered. The fixes of a group count once for the pack, and once for each rule that names the group.
pub fn coverage(ruleset: &Arc<Ruleset>, pack: &str, rules: &[&Rule]) -> Vec<Branch> {
    let mut branches = Vec::new();
    let mut shared: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    for rule in rules.iter().filter(|rule| rule.status != Status::Removed) {
        let recorder = record_examples(ruleset, rule, &ruleset.help(rule).examples);
        let own = Branches { rule, recorder: &recorder, found: Vec::new() };
        branches.append(&mut own.collect());
        for fix in rule.fixes.iter() {
            if let Some(group) = fix.origin.group {
                *shared.entry(group).or_default() |= recorder.has(fix, true);
            }
        }
    }
    let names: Vec<&String> = ruleset.pack(pack).iter().flat_map(|pack| pack.fix_groups.keys()).collect();
    branches.extend(shared.into_iter().map(|((group, fix), covered)| Branch {
        rule: None,
        at: format!("/fix_groups/{}/{fix}", names[group]),
        result: BranchResult::Offered,
        covered,
    }));
    branches
}

/// The branches of one rule.
struct Branches<'r> {
    rule: &'r Rule,
    recorder: &'r Recorder,
    found: Vec<Branch>,
}

impl Branches<'_> {
    fn collect(mut self) -> Vec<Branch> {
        let (rule, recorder) = (self.rule, self.recorder);
        for (index, path) in rule.given.iter().enumerate() {
            let at = if rule.given.len() == 1 { "/given".to_owned() } else { format!("/given/{index}") };
            self.add(at, BranchResult::Selects, recorder.has(path, true));
        }
        if let Some(when) = &rule.when {
            self.add("/when".to_owned(), BranchResult::Holds, recorder.has(when, true));
            self.add("/when".to_owned(), BranchResult::Rejects, recorder.has(when, false));
        }
        self.check(&rule.check, "/check");
        let mut offered: BTreeMap<Option<usize>, bool> = BTreeMap::new();
        for fix in rule.fixes.iter() {
            *offered.entry(fix.origin.entry).or_default() |= recorder.has(fix, true);
        }
        for (entry, covered) in offered {
            let at = entry.map_or("/fix".to_owned(), |index| format!("/fixes/{index}"));
            self.add(at, BranchResult::Offered, covered);
        }
        self.found
    }

    /// Adds a check and those that it consists of. Observations do not pass, and neither do nodes that are wrong to be
    /// there.
    fn check(&mut self, check: &Check, at: &str) {
        let at = format!("{at}/{}", check.kind().name);
        if check.observed().is_none() && check.can_pass() {
            self.add(at.clone(), BranchResult::Passes, self.recorder.has(check, true));
        }
        self.add(at.clone(), BranchResult::Fails, self.recorder.has(check, false));
        for (part, inner) in check.parts() {
            self.check(inner, &format!("{at}{part}"));
        }
    }

    fn add(&mut self, at: String, result: BranchResult, covered: bool) {
        self.found.push(Branch { rule: Some(self.rule.id.clone()), at, result, covered });
    }
}
