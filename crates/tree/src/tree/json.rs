use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::{
    build::TreeBuilder,
    node::{Entry, KeyType, Node, Scalar, Tree},
};
use crate::text::{Source, Span};

impl Tree {
    /// A value that no source contains: its nodes are at the start of an empty source.
    pub fn from_json(value: &Value) -> Self {
        let mut builder = TreeBuilder::new(Arc::new(Source::new("", "")));
        add(&mut builder, value);
        builder.finish()
    }
}

fn add(builder: &mut TreeBuilder, value: &Value) {
    let nowhere = Span::default();
    match value {
        Value::Array(items) => {
            builder.open_sequence(nowhere);
            for item in items {
                add(builder, item);
            }
            builder.close(None);
        }
        Value::Object(members) => {
            builder.open_mapping(nowhere);
            for (key, value) in members {
                builder.key(key, nowhere, KeyType::String);
                add(builder, value);
            }
            builder.close(None);
        }
        scalar => {
            builder.scalar(as_scalar(scalar), nowhere);
        }
    }
}

fn as_scalar(value: &Value) -> Scalar<'_> {
    match value {
        Value::Bool(value) => Scalar::Bool(*value),
        Value::String(text) => Scalar::Text(text),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Scalar::Integer(value),
            (None, Some(value)) => Scalar::Unsigned(value),
            (None, None) => Scalar::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        _ => Scalar::Null,
    }
}

impl Node<'_> {
    /// The value as JSON. Infinities and NaN become null; the last value of a duplicate key is used.
    pub fn to_json(self) -> Value {
        match self.scalar() {
            Some(Scalar::Null) => Value::Null,
            Some(Scalar::Bool(value)) => Value::Bool(value),
            Some(Scalar::Integer(value)) => Value::Number(value.into()),
            Some(Scalar::Unsigned(value)) => Value::Number(value.into()),
            Some(Scalar::Float(value)) => Number::from_f64(value).map_or(Value::Null, Value::Number),
            Some(Scalar::Text(text) | Scalar::Static(text)) => Value::String(text.to_owned()),
            Some(Scalar::Slice) => Value::String(self.raw().to_owned()),
            None if self.is_sequence() => Value::Array(self.items().map(Node::to_json).collect()),
            None => Value::Object(
                self.entries()
                    .map(|entry: Entry<'_>| (entry.key().to_owned(), entry.value().to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Whether [`Self::to_json`] gives the same for another node.
    pub fn has_same_json(self, other: Self) -> bool {
        match (self.scalar(), other.scalar()) {
            (Some(Scalar::Text(one)), Some(Scalar::Text(other))) => one == other,
            (Some(_), Some(_)) => self.to_json() == other.to_json(),
            (None, None) if self.is_sequence() != other.is_sequence() => false,
            (None, None) if self.is_sequence() => {
                self.len() == other.len() && self.items().zip(other.items()).all(|(a, b)| a.has_same_json(b))
            }
            (None, None) if self.has_repeated_key() || other.has_repeated_key() => {
                self.to_json() == other.to_json()
            }
            (None, None) => {
                let same = |entry: Entry<'_>| {
                    other.get(entry.key()).is_some_and(|value| entry.value().has_same_json(value))
                };
                self.len() == other.len() && self.entries().all(same)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nodes_have_the_same_json_where_it_is_equal() {
        let values = [
            json!(null),
            json!(false),
            json!(1),
            json!(1.0),
            json!(1.5),
            json!("1"),
            json!(""),
            json!([]),
            json!({}),
            json!([1]),
            json!([1, 2]),
            json!({"a": 1}),
            json!({"a": 2}),
            json!({"b": 1}),
            json!({"a": 1, "b": [2]}),
            json!({"b": [2], "a": 1}),
            json!({"a": {"a": 1}}),
            json!({"a": null}),
            json!(u64::MAX),
        ];
        for one in &values {
            for other in &values {
                let (left, right) = (Tree::from_json(one), Tree::from_json(other));
                assert_eq!(left.root().has_same_json(right.root()), one == other, "{one} {other}");
            }
        }
    }

    #[test]
    fn values_without_a_source_become_trees() {
        let value = json!({"a/b": [1, -2.5, u64::MAX, "x", null, true], "c": {}});
        let tree = Tree::from_json(&value);
        assert_eq!(tree.root().to_json(), value);
        assert_eq!(tree.at_pointer("/a~1b/3").and_then(Node::as_str), Some("x"));
    }
}
