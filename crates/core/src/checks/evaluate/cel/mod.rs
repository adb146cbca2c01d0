//! Nodes, JSON and symbols as values of CEL.
//!
//! A value is made when an expression asks for it: `root.type == 'pie'` reads one member of a tree, however
//! large the tree is. Strings are borrowed from the source.

mod items;
mod record;

use cel::common::{
    types::{CelBool, CelDouble, CelInt, CelList, CelNull, CelString, CelUInt},
    value::Val,
};
use serde_json::Value;

use self::items::Items;
pub(super) use self::record::{Lazy, Record};
use crate::{
    budget,
    tree::{Node, Scalar},
};

/// A value that may borrow from the document.
pub(super) type Boxed<'v> = Box<dyn Val + 'v>;

/// A node as a CEL value.
pub(super) fn node_value<'t>(node: Node<'t>) -> Boxed<'t> {
    if !budget::charge(1) {
        return Box::new(CelNull);
    }
    match node.scalar() {
        Some(Scalar::Null) => Box::new(CelNull),
        Some(Scalar::Bool(value)) => Box::new(CelBool::from(value)),
        Some(Scalar::Integer(value)) => Box::new(CelInt::from(value)),
        Some(Scalar::Unsigned(value)) => Box::new(CelUInt::from(value)),
        Some(Scalar::Float(value)) => Box::new(CelDouble::from(value)),
        Some(Scalar::Text(text) | Scalar::Static(text)) => text_value(text),
        Some(Scalar::Slice) => text_value(node.raw()),
        None if node.is_sequence() => Box::new(Items::new(node)),
        None => Box::new(Lazy::new(node)),
    }
}

/// A string as a CEL value.
pub(super) fn text_value(text: &str) -> Boxed<'_> {
    Box::new(CelString::from(text))
}

/// JSON as a CEL value.
pub(super) fn json_value(value: &Value) -> Boxed<'_> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Box::new(CelInt::from(value)),
            (None, Some(value)) => Box::new(CelUInt::from(value)),
            _ => Box::new(CelDouble::from(number.as_f64().unwrap_or_default())),
        },
        Value::String(text) => text_value(text),
        Value::Array(items) => Box::new(CelList::from(items.iter().map(json_value).collect::<Vec<_>>())),
        Value::Object(entries) => Box::new(Lazy::new(entries)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cel::common::value::CowVal;

    use super::*;
    use crate::{
        expressions::{Bindings, Condition},
        text::{Source, Span},
        tree::{KeyType, Tree, TreeBuilder},
    };

    struct Root(Tree);

    impl Bindings for Root {
        fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
            (name == "self").then(|| CowVal::Owned(node_value(self.0.root())))
        }
    }

    fn root(json: &str) -> Root {
        fn push(builder: &mut TreeBuilder, value: &Value) {
            let span = Span::new(0, 0);
            match value {
                Value::Array(items) => {
                    builder.open_sequence(span);
                    for item in items {
                        push(builder, item);
                    }
                    builder.close(None);
                }
                Value::Object(entries) => {
                    builder.open_mapping(span);
                    for (key, value) in entries {
                        builder.key(key, span, KeyType::String);
                        push(builder, value);
                    }
                    builder.close(None);
                }
                scalar => {
                    let scalar = match scalar {
                        Value::Bool(value) => Scalar::Bool(*value),
                        Value::String(text) => Scalar::Text(text),
                        Value::Number(number) => match number.as_i64() {
                            Some(value) => Scalar::Integer(value),
                            None => Scalar::Float(number.as_f64().unwrap_or_default()),
                        },
                        _ => Scalar::Null,
                    };
                    builder.scalar(scalar, span);
                }
            }
        }
        let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
        push(&mut builder, &serde_json::from_str(json).unwrap());
        Root(builder.finish())
    }

    #[test]
    fn collections_behave_like_those_of_cel() {
        let document = root(
            r#"{"type": "pie", "nodes": [{"id": "a", "n": 1}, {"id": "b", "n": 2.5}], "names": ["x", "y"], "none": null}"#,
        );
        for holds in [
            "self.type == 'pie'",
            "self['type'].startsWith('p')",
            "has(self.type) && !has(self.title)",
            "size(self) == 4 && self.size() == 4",
            "size(self.nodes) == 2 && self.nodes.size() == 2",
            "'type' in self && !('title' in self)",
            "'x' in self.names && !('z' in self.names)",
            "self.names[0] == 'x' && self.names[1.0] == 'y'",
            "self.names == ['x', 'y'] && ['x', 'y'] == self.names && self.names != ['x']",
            "self.names + ['z'] == ['x', 'y', 'z'] && ['z'] + self.names == ['z', 'x', 'y']",
            "self.nodes[0] == {'id': 'a', 'n': 1} && {'id': 'a', 'n': 1} == self.nodes[0]",
            "self.nodes[0] != self.nodes[1] && self.nodes[0] == self.nodes[0]",
            "self.nodes == [{'id': 'a', 'n': 1}, {'id': 'b', 'n': 2.5}] && self.nodes == self.nodes",
            "[{'id': 'a', 'n': 1}, {'id': 'b', 'n': 2.5}] == self.nodes && [{'id': 'a'}] != self.nodes",
            "{'id': 'a', 'n': 1} in self.nodes && !({'id': 'a'} in self.nodes) && self.nodes[1] in self.nodes",
            "[self.nodes[0]] == [self.nodes[0]] && {'x': self.nodes[1]} == {'x': self.nodes[1]}",
            "self.nodes[0] in [{'id': 'a', 'n': 1}] && nearest('b', self.nodes) == null",
            "self == self && size(self.nodes.filter(node, node == {'id': 'b', 'n': 2.5})) == 1",
            "self.nodes.exists(node, node.id == 'b' && node.n > 2)",
            "self.nodes.map(node, node.id) == ['a', 'b']",
            "self.nodes.filter(node, node.n == 1)[0].id == 'a'",
            "self.exists(key, key == 'none') && self.all(key, size(key) > 3)",
            "self.none == null",
            "[self.nodes[0]][0].id == 'a'",
            "type(self) == map && type(self.names) == list",
            "nearest('tipe', self.map(key, key)) == 'type'",
        ] {
            assert_eq!(Condition::new(holds).explain(&document), Ok(true.into()), "{holds}");
        }
    }

    #[test]
    fn what_is_missing_is_an_error_of_the_expression() {
        let document = root(r#"{"names": ["x"]}"#);
        for fails in ["self.title == 'x'", "self.names[1] == 'x'", "self.names[-1] == 'x'", "self[1] == 2"] {
            assert!(Condition::new(fails).explain(&document).is_err(), "{fails}");
        }
    }
}
