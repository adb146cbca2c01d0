use std::sync::Arc;

use cel::{Value as CelValue, objects::Key};
use serde_json::Value;

use super::{
    cel::{json_to_cel, map_value},
    state::State,
};
use crate::{budget, expressions::Bindings, tree::Node};

/// What an expression of a rule sees at a node.
pub(crate) struct NodeBindings<'s, 't> {
    pub(crate) state: &'s State<'t>,
    pub(crate) node: Option<Node<'t>>,
    pub(crate) options: &'s Value,
    /// Values of an observation.
    pub(crate) values: &'s [(&'s str, Value)],
}

impl<'t> Bindings for NodeBindings<'_, 't> {
    fn value(&self, name: &str) -> Option<CelValue> {
        if !budget::charge(1) {
            return None;
        }
        let data = |node: Node<'t>| self.state.value(node);
        let text = |text: &str| CelValue::String(Arc::new(text.to_owned()));
        match name {
            "self" => Some(self.node.map_or(CelValue::Null, data)),
            "key" => Some(self.node.and_then(Node::key).map_or(CelValue::Null, text)),
            "path" => Some(self.node.map_or(CelValue::Null, |node| text(&node.pointer()))),
            "parent" => Some(self.node.and_then(Node::parent).map_or(CelValue::Null, data)),
            "root" => Some(data(self.state.tree().root())),
            "options" => Some(json_to_cel(self.options)),
            "values" => Some(map_value(
                self.values
                    .iter()
                    .map(|(name, value)| (Key::from((*name).to_owned()), json_to_cel(value)))
                    .collect(),
            )),
            "ancestor" => {
                let node = self.node?;
                let names = self.state.vocabulary.ancestors.keys();
                let found = names.filter_map(|name| Some((name, self.state.ancestor(node, name)?)));
                Some(map_value(found.map(|(name, node)| (Key::from(name.clone()), data(node))).collect()))
            }
            "symbols" => {
                let from = self.node.unwrap_or_else(|| self.state.tree().root());
                Some(self.state.symbols().to_cel(from))
            }
            _ => None,
        }
    }
}
