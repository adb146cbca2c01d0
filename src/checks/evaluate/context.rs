use serde_json::Value;

use super::{NodeBindings, State};
use crate::tree::Node;

/// What a check may ask for besides the node.
pub(crate) struct Context<'s, 't> {
    /// Id of the rule.
    pub(crate) rule: &'s str,
    /// The document under the names of the rule's pack.
    pub(crate) state: &'s State<'t>,
    /// The rule's options as they are set.
    pub(crate) options: &'s Value,
}

impl<'s, 't> Context<'s, 't> {
    /// What a condition sees at a node.
    pub(crate) fn bindings(&self, node: Node<'t>) -> NodeBindings<'s, 't> {
        NodeBindings { state: self.state, node: Some(node), options: self.options, values: &[] }
    }
}
