//! Nodes and JSON as values of CEL.

use std::{collections::HashMap as StdMap, sync::Arc};

use cel::{Value as CelValue, objects::Key};
use serde_json::Value;

use crate::{
    budget,
    tree::{Node, Scalar},
};

pub(super) fn map_value(map: StdMap<Key, CelValue>) -> CelValue {
    CelValue::Map(cel::objects::Map { map: Arc::new(map) })
}

/// A node as a CEL value.
pub(super) fn to_cel(node: Node<'_>) -> CelValue {
    if !budget::charge(1) {
        return CelValue::Null;
    }
    match node.scalar() {
        Some(Scalar::Null) => CelValue::Null,
        Some(Scalar::Bool(value)) => CelValue::Bool(value),
        Some(Scalar::Integer(value)) => CelValue::Int(value),
        Some(Scalar::Unsigned(value)) => CelValue::UInt(value),
        Some(Scalar::Float(value)) => CelValue::Float(value),
        Some(Scalar::Text(text) | Scalar::Static(text)) => CelValue::String(Arc::new(text.to_owned())),
        Some(Scalar::Slice) => CelValue::String(Arc::new(node.raw().to_owned())),
        None if node.is_sequence() => CelValue::List(Arc::new(node.items().map(to_cel).collect())),
        None => map_value(
            node.entries().map(|entry| (Key::from(entry.key().to_owned()), to_cel(entry.value()))).collect(),
        ),
    }
}

/// JSON as a CEL value.
pub(super) fn json_to_cel(value: &Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(value) => CelValue::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => CelValue::Int(value),
            (None, Some(value)) => CelValue::UInt(value),
            _ => CelValue::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => CelValue::String(Arc::new(text.clone())),
        Value::Array(items) => CelValue::List(Arc::new(items.iter().map(json_to_cel).collect())),
        Value::Object(entries) => map_value(
            entries.iter().map(|(key, value)| (Key::from(key.clone()), json_to_cel(value))).collect(),
        ),
    }
}
