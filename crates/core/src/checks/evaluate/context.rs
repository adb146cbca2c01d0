use serde_json::Value;

use super::{Finding, NodeBindings, State};
use crate::{budget, tree::Node};

/// What making a finding costs, in steps.
const FOUND: u64 = 32;

/// What a check may ask for besides the node.
pub struct Context<'s, 't> {
    /// Id of the rule.
    pub rule: &'s str,
    /// The document under the names of the rule's pack.
    pub state: &'s State<'t>,
    /// The rule's options as they are set.
    pub options: &'s Value,
    /// How many findings are kept. The others are only counted.
    pub most: usize,
}

impl<'s, 't> Context<'s, 't> {
    /// What a condition sees at a node.
    pub fn bindings(&self, node: Node<'t>) -> NodeBindings<'s, 't> {
        NodeBindings { state: self.state, node: Some(node), options: self.options, values: &[] }
    }

    /// The same for a check that decides about a node: all of its findings matter.
    #[must_use]
    pub fn deciding(&self) -> Self {
        Self { rule: self.rule, state: self.state, options: self.options, most: usize::MAX }
    }

    /// The first findings, as many as are kept. The others are counted.
    pub fn kept(&self, findings: impl IntoIterator<Item = Finding<'t>>) -> Vec<Finding<'t>> {
        let mut kept = Vec::new();
        self.keep(findings, &mut kept);
        kept
    }

    /// Adds findings to others, as many as are kept. The others are counted.
    pub fn keep(&self, findings: impl IntoIterator<Item = Finding<'t>>, kept: &mut Vec<Finding<'t>>) {
        let mut further = 0;
        for finding in findings {
            if kept.len() < self.most {
                kept.push(finding);
            } else {
                further += 1;
            }
            if !budget::charge(FOUND) {
                break;
            }
        }
        self.state.count(further);
    }
}
