use serde_json::{Map, Value};

use crate::{
    text::nearest,
    tree::{Node, NodeType},
};

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// Text.
    String,
    /// Plain text of the current generation of quills; like [`Self::String`].
    Text,
    /// Markdown.
    Richtext,
    /// A number.
    Number,
    /// An integer.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A mapping.
    Object,
    /// `2026-01-31`.
    Date,
    /// `2026-01-31T12:00:00Z`.
    Datetime,
    /// One of the strings that the field lists.
    Enum,
    /// A table that the current generation of quills has; any mapping or list.
    Matrix,
}

impl FieldType {
    /// All types.
    pub const ALL: [Self; 12] = [
        Self::String,
        Self::Text,
        Self::Richtext,
        Self::Number,
        Self::Integer,
        Self::Boolean,
        Self::Array,
        Self::Object,
        Self::Date,
        Self::Datetime,
        Self::Enum,
        Self::Matrix,
    ];

    /// The name in quills.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Text => "text",
            Self::Richtext => "richtext",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Date => "date",
            Self::Datetime => "datetime",
            Self::Enum => "enum",
            Self::Matrix => "matrix",
        }
    }

    /// The type of a name, with the other words that quills in the wild use for it.
    pub fn named(name: &str) -> Option<Self> {
        let name = match name {
            "str" => "string",
            "markdown" | "content" => "richtext",
            "float" => "number",
            "int" => "integer",
            "bool" => "boolean",
            "list" | "sequence" => "array",
            "dict" | "map" | "mapping" => "object",
            "date-time" | "timestamp" => "datetime",
            other => other,
        };
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The name most like a word that names no type.
    pub fn nearest(word: &str) -> Option<&'static str> {
        nearest(word, Self::ALL.map(Self::name))
    }

    /// The JSON type of its values, for clients.
    pub fn json_type(self) -> &'static str {
        match self {
            Self::Number | Self::Integer => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object | Self::Matrix => "object",
            _ => "string",
        }
    }

    /// A value of the type.
    pub fn any(self) -> Value {
        match self {
            Self::Number | Self::Integer => 1.into(),
            Self::Boolean => true.into(),
            Self::Array => Value::Array(Vec::new()),
            Self::Object | Self::Matrix => Value::Object(Map::new()),
            Self::Date => "2026-01-31".into(),
            Self::Datetime => "2026-01-31T12:00:00Z".into(),
            Self::String | Self::Text | Self::Richtext | Self::Enum => "Text".into(),
        }
    }

    /// Whether its values are strings.
    pub fn is_text(self) -> bool {
        self.json_type() == "string"
    }

    /// Whether a value of this JSON type can be one of the field.
    pub fn takes(self, value: NodeType) -> bool {
        match self {
            Self::Number => matches!(value, NodeType::Integer | NodeType::Number),
            Self::Integer => value == NodeType::Integer,
            Self::Boolean => value == NodeType::Boolean,
            Self::Array => value == NodeType::Array,
            Self::Object => value == NodeType::Object,
            Self::Matrix => matches!(value, NodeType::Object | NodeType::Array),
            _ => value == NodeType::String,
        }
    }
}

/// A field of a quill: what a document may or must say under its name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldSchema {
    /// What it may hold (default: anything).
    pub field_type: Option<FieldType>,
    /// Whether a document must have it.
    pub required: bool,
    /// What it is for.
    pub description: Option<String>,
    /// A made-up value.
    pub example: Option<Value>,
    /// The value of a document that does not have it.
    pub default: Option<Value>,
    /// Topics.
    pub tags: Vec<String>,
    /// The values of an enum; empty for other types.
    pub values: Vec<String>,
    /// Schema of the items of an array.
    pub items: Option<Box<FieldSchema>>,
    /// Fields of an object.
    pub properties: Vec<(String, FieldSchema)>,
    /// Why it is not to be used any more.
    pub deprecated: Option<String>,
    /// The field that takes its place.
    pub replaced_by: Option<String>,
    /// Further keys, as they are written.
    pub custom: Map<String, Value>,
}

/// The keys of a field that have a meaning; others are kept.
pub(super) const KEYS: [&str; 13] = [
    "type",
    "required",
    "description",
    "example",
    "examples",
    "default",
    "tags",
    "values",
    "enum",
    "items",
    "properties",
    "deprecated",
    "replaced_by",
];

impl FieldSchema {
    /// Reads a field of a manifest; what cannot be read is left out, and observed elsewhere.
    pub(super) fn read(node: Node<'_>) -> Self {
        let text = |key: &str| node.get(key).and_then(|value| value.as_str().map(str::to_owned));
        let texts = |key: &str| -> Vec<String> {
            node.get(key)
                .into_iter()
                .flat_map(Node::items)
                .filter_map(Node::scalar_text)
                .map(Into::into)
                .collect()
        };
        if let Some(short) = node.as_str() {
            // `title = "string"`, as some quills write it.
            return Self { field_type: FieldType::named(short), ..Self::default() };
        }
        let mut values = texts("values");
        values.append(&mut texts("enum"));
        let word = text("type").unwrap_or_default();
        let named = FieldType::named(word.trim_end_matches('?'));
        let deprecated = node.get("deprecated").and_then(|value| match value.as_bool() {
            Some(true) => Some(String::new()),
            Some(false) => None,
            None => value.as_str().map(str::to_owned),
        });
        let custom = node.entries().filter(|entry| !KEYS.contains(&entry.key()));
        let example = node.get("example").or_else(|| node.get("examples").and_then(|list| list.item(0)));
        Self {
            field_type: if values.is_empty() { named } else { Some(FieldType::Enum) },
            required: node.get("required").and_then(Node::as_bool).unwrap_or(false),
            description: text("description"),
            example: example.map(Node::to_json),
            default: node.get("default").map(Node::to_json),
            tags: texts("tags"),
            values,
            items: node.get("items").map(|items| Box::new(Self::read(items))),
            properties: read_fields(node.get("properties")),
            deprecated,
            replaced_by: text("replaced_by"),
            custom: custom.map(|entry| (entry.key().to_owned(), entry.value().to_json())).collect(),
        }
    }

    /// A value to start from: the example, the default, or the first of an enum.
    pub fn sample(&self) -> Option<Value> {
        let first = self.values.first().map(|value| Value::String(value.clone()));
        self.example.clone().or_else(|| self.default.clone()).or(first)
    }
}

/// The fields of a mapping of fields, in the order they are written.
pub(super) fn read_fields(node: Option<Node<'_>>) -> Vec<(String, FieldSchema)> {
    let entries = node.into_iter().flat_map(Node::entries);
    entries.map(|entry| (entry.key().to_owned(), FieldSchema::read(entry.value()))).collect()
}
