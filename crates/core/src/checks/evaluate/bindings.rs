use std::{borrow::Cow, fmt};

use cel::common::{
    types::{CelNull, CelString},
    value::CowVal,
};
use serde_json::Value;

use super::{
    cel::{Boxed, Lazy, Record, json_value, node_value, text_value},
    recorder::Recorder,
    state::State,
    symbols::Tables,
};
use crate::{
    budget,
    expressions::{Bindings, Condition, Gap, Member, Verdict},
    tree::Node,
};

/// What an expression of a rule sees at a node.
pub struct NodeBindings<'s, 't> {
    pub state: &'s State<'t>,
    pub node: Option<Node<'t>>,
    pub options: &'s Value,
    /// Values of an observation.
    pub values: &'s [(&'s str, Value)],
}

impl NodeBindings<'_, '_> {
    /// Whether a condition holds here; `otherwise` where the node lacks what it asks for or it cannot be
    /// evaluated, which the state remembers.
    pub fn hold(&self, condition: &Condition, otherwise: bool) -> bool {
        if let Some(recorder) = self.state.recorder {
            self.follow(condition, recorder);
        }
        match condition.verdict(self) {
            Verdict::Holds(value) => value,
            Verdict::Absent => otherwise,
            Verdict::Failed(detail) => {
                self.state.fail(self.node, "expression", detail);
                otherwise
            }
        }
    }

    /// Notes where the paths of a condition lead.
    fn follow(&self, condition: &Condition, recorder: &Recorder) {
        for path in condition.members() {
            let names = path.get(1..).unwrap_or_default();
            let start = match path.first().map(String::as_str) {
                Some("self") => self.node,
                Some("parent") => self.node.and_then(Node::parent),
                Some("root") => Some(self.state.tree().root()),
                _ => None,
            };
            let Some(mut node) = start else { continue };
            let mut gap = None;
            for (index, name) in names.iter().enumerate() {
                match node.get(name) {
                    Some(member) => node = member,
                    None => {
                        let known = node.entries().map(|entry| entry.key().to_owned()).collect();
                        gap = Some(Gap { path: path.join("."), missing: index + 1, known });
                        break;
                    }
                }
            }
            recorder.follow(false, condition.source(), &path.join("."), gap);
        }
    }
}

impl Bindings for NodeBindings<'_, '_> {
    fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if !budget::charge(1) {
            return None;
        }
        let null = || Box::new(CelNull) as Boxed<'b>;
        let value: Boxed<'b> = match name {
            "self" => self.node.map_or_else(null, node_value),
            "key" => self.node.and_then(Node::key).map_or_else(null, text_value),
            "path" => self.node.map_or_else(null, |node| Box::new(CelString::from(node.pointer()))),
            "parent" => self.node.and_then(Node::parent).map_or_else(null, node_value),
            "root" => node_value(self.state.tree().root()),
            "file" => json_value(self.state.file()?),
            "options" => json_value(self.options),
            "values" => Box::new(Lazy::new(self.values)),
            "ancestor" => Box::new(Lazy::new(Ancestors { state: self.state, node: self.node? })),
            "symbols" => {
                let from = self.node.unwrap_or_else(|| self.state.tree().root());
                Box::new(Lazy::new(Tables { symbols: self.state.symbols(), from }))
            }
            _ => return None,
        };
        Some(CowVal::Owned(value))
    }

    fn member(&self, path: &[String]) -> Member<'_> {
        let Some((root, names)) = path.split_first().filter(|_| budget::charge(1)) else {
            return Member::Unknown;
        };
        let node = match root.as_str() {
            "self" => self.node,
            "parent" => self.node.and_then(Node::parent),
            "root" => Some(self.state.tree().root()),
            "key" if names.is_empty() => {
                return self.node.and_then(Node::key).map_or(Member::Unknown, Member::Text);
            }
            "values" => return observed(self.values, names),
            _ => None,
        };
        node.map_or(Member::Unknown, |node| below(node, names))
    }
}

/// The member of a node that names lead to.
fn below<'t>(mut node: Node<'t>, names: &[String]) -> Member<'t> {
    for (index, name) in names.iter().enumerate() {
        match node.get(name) {
            Some(member) => node = member,
            None if node.is_mapping() && index + 1 == names.len() => return Member::Missing,
            None => return Member::Unknown,
        }
    }
    node.as_str().map_or(Member::Other, Member::Text)
}

/// The value of an observation that a name leads to.
fn observed<'v>(values: &'v [(&str, Value)], names: &[String]) -> Member<'v> {
    let [name] = names else { return Member::Unknown };
    match values.iter().rfind(|(known, _)| known == name) {
        Some((_, Value::String(text))) => Member::Text(text),
        Some(_) => Member::Other,
        None => Member::Missing,
    }
}

/// The ancestors of a node that the rule's pack has names for.
#[derive(Clone, Copy)]
struct Ancestors<'s, 't> {
    state: &'s State<'t>,
    node: Node<'t>,
}

impl fmt::Debug for Ancestors<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ancestors").field(&self.node).finish()
    }
}

impl<'s, 't: 's> Record<'s> for Ancestors<'s, 't> {
    fn member(&self, name: &str) -> Option<Boxed<'s>> {
        self.state.ancestor(self.node, name).map(|node| node_value(node) as Boxed<'s>)
    }

    fn names(&self) -> Vec<Cow<'s, str>> {
        self.state.vocabulary.ancestors.keys().map(|name| Cow::Borrowed(name.as_str())).collect()
    }
}
