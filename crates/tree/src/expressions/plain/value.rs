//! Values that borrow from the document and from options.

use std::borrow::Cow;

use serde_json::Value;

use super::form::Name;
use crate::tree::{Node, Scalar};

/// A value of a condition.
#[derive(Debug, Clone)]
pub enum Plain<'b> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number without a fraction.
    Int(i64),
    /// A string.
    Text(Cow<'b, str>),
    /// A sequence or a mapping of the document.
    Node(Node<'b>),
    /// An array or an object of the options.
    Json(&'b Value),
    /// A list that the condition has made.
    List(Vec<Plain<'b>>),
    /// What has members only, which [`super::Bindings::plain_member`] gives.
    Members(Name),
    /// A value that only the interpreter works with.
    Other,
}

impl<'b> From<Node<'b>> for Plain<'b> {
    fn from(node: Node<'b>) -> Self {
        match node.scalar() {
            Some(Scalar::Null) => Self::Null,
            Some(Scalar::Bool(value)) => Self::Bool(value),
            Some(Scalar::Integer(value)) => Self::Int(value),
            Some(Scalar::Unsigned(_) | Scalar::Float(_)) => Self::Other,
            Some(Scalar::Text(text) | Scalar::Static(text)) => Self::Text(Cow::Borrowed(text)),
            Some(Scalar::Slice) => Self::Text(Cow::Borrowed(node.raw())),
            None => Self::Node(node),
        }
    }
}

impl<'b> From<&'b Value> for Plain<'b> {
    fn from(value: &'b Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => number.as_i64().map_or(Self::Other, Self::Int),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(_) | Value::Object(_) => Self::Json(value),
        }
    }
}

impl<'b> Plain<'b> {
    /// What CEL calls its type; nothing where that is not certain.
    pub(super) fn type_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Text(_) => "string",
            Self::Node(node) if node.is_sequence() => "list",
            Self::Json(Value::Array(_)) | Self::List(_) => "list",
            Self::Node(_) | Self::Json(_) | Self::Members(_) => "map",
            Self::Other => return None,
        })
    }

    /// The number of its items; nothing where it is not a list.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::Node(node) => node.is_sequence().then(|| node.len()),
            Self::Json(Value::Array(items)) => Some(items.len()),
            Self::List(items) => Some(items.len()),
            _ => None,
        }
    }

    /// The item at a position, from zero: what it stands for.
    pub(super) fn item(&self, position: usize) -> Option<Plain<'b>> {
        match self {
            Self::Node(node) => Some(node.item(i64::try_from(position).ok()?)?.target().into()),
            Self::Json(Value::Array(items)) => items.get(position).map(Plain::from),
            Self::List(items) => items.get(position).cloned(),
            _ => None,
        }
    }

    /// The item at a position as it is written.
    pub(super) fn written(&self, position: usize) -> Option<Plain<'b>> {
        match self {
            Self::Node(node) => Some(node.item(i64::try_from(position).ok()?)?.into()),
            _ => self.item(position),
        }
    }

    /// Whether two values are equal; nothing where only the interpreter can say.
    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        let is_plain =
            |value: &Self| matches!(value, Self::Null | Self::Bool(_) | Self::Int(_) | Self::Text(_));
        match (self, other) {
            (Self::Bool(one), Self::Bool(other)) => Some(one == other),
            (Self::Int(one), Self::Int(other)) => Some(one == other),
            (Self::Text(one), Self::Text(other)) => Some(one == other),
            (Self::Null, Self::Null) => Some(true),
            // Values of these types are equal to none of another one.
            _ => (is_plain(self) && is_plain(other)).then_some(false),
        }
    }
}
