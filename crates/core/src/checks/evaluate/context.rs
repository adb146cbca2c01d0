use std::cell::OnceCell;

use serde_json::Value;

use super::{Finding, NodeBindings, State};
use crate::{budget, expressions::Condition, tree::Node};

/// What making a finding costs, in steps.
const FOUND: u64 = 32;

/// Nodes from which on it pays to fill the options of a rule into a condition.
const MANY: usize = 4;

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

/// What conditions may use that differs between the nodes of a document.
const OF_NODES: [&str; 8] = ["self", "key", "path", "parent", "ancestor", "values", "symbols", "lookup"];

/// Whether a condition may hold at one node and not at another one.
pub fn differs_between_nodes(condition: &Condition) -> bool {
    OF_NODES.iter().any(|name| condition.uses(name))
}

impl<'s, 't> Context<'s, 't> {
    /// What a condition sees at a node.
    pub fn bindings(&self, node: Node<'t>) -> NodeBindings<'s, 't> {
        NodeBindings { state: self.state, node: Some(node), options: self.options, values: &[], other: None }
    }

    /// Whether a condition holds at a node, for a condition that is asked about this many; see [`NodeBindings::hold`].
    pub fn holding<'c>(
        &'c self,
        condition: &'c Condition,
        nodes: usize,
    ) -> impl Fn(Node<'t>, bool) -> bool + 'c {
        let is_many = nodes >= MANY;
        let fitted = is_many.then(|| condition.with_options(self.options));
        // What it says of all nodes, by what it says where something is missing.
        let of_all = [OnceCell::new(), OnceCell::new()];
        let of_all = (is_many && !differs_between_nodes(condition)).then_some(of_all);
        move |node, otherwise| {
            let holds = || match &fitted {
                Some(fitted) => self.bindings(node).hold_fitted(fitted, otherwise),
                None => self.bindings(node).hold(condition, otherwise),
            };
            of_all.as_ref().map_or_else(holds, |of_all| *of_all[usize::from(otherwise)].get_or_init(holds))
        }
    }

    /// A copy for a check that decides about a node: all of its findings matter.
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
        if further > 0 {
            self.state.count(further);
        }
    }
}
