use serde_json::{Map, Number, Value};

use super::node::{Entry, Node, Scalar};

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
}
