//! Which changes of a rule its examples notice.

use std::sync::Arc;

use super::examples::try_examples;
use crate::rules::{Example, Rule, Ruleset, mutants};

/// A change of a rule, and whether its examples notice it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutation {
    /// The rule's id.
    pub rule: String,
    /// JSON Pointer to the changed part, in the rule.
    pub at: String,
    /// The change, in the imperative.
    pub change: String,
    /// Whether an example of the rule is no longer as it should be.
    pub noticed: bool,
}

/// Runs the examples of a rule of the ruleset with each of its mutants. Mutants that cannot be loaded do not count.
pub fn try_mutants(ruleset: &Arc<Ruleset>, rule: &Rule) -> Vec<Mutation> {
    let Some(written) = ruleset.written(rule) else { return Vec::new() };
    let examples = ruleset.help(rule).examples;
    let mut mutations = Vec::new();
    for mutant in mutants(&written) {
        let Some((changed, mutated)) = ruleset.with_rule(&rule.pack, &mutant.rule) else { continue };
        let noticed = notices(&Arc::new(changed), &mutated, &examples);
        mutations.push(Mutation { rule: rule.id.clone(), at: mutant.at, change: mutant.change, noticed });
    }
    mutations
}

/// Whether one of the examples is not as it should be. They are tried one by one, since the first one decides; that
/// a rule selects nothing concerns all of them, and an invalid one is silent then.
fn notices(ruleset: &Arc<Ruleset>, rule: &Rule, examples: &[Example]) -> bool {
    examples.iter().any(|example| {
        let failures = try_examples(ruleset, rule, std::slice::from_ref(example));
        failures.iter().any(|failure| failure.fact != "selects-nothing")
    })
}
