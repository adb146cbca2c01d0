use std::borrow::Cow;

use super::{
    Dialect, Schema, Tags, YamlOptions,
    event::{Style, Tag},
    scalar::{self, Resolved},
};
use crate::tree::Scalar;

/// A scalar with its type.
#[derive(Debug, Clone)]
pub(super) struct Value<'t> {
    pub(super) resolved: Resolved,
    pub(super) text: Cow<'t, str>,
    /// Whether the tag requires a type that the text does not have.
    pub(super) mismatch: bool,
}

const CORE: &str = "tag:yaml.org,2002:";

/// The type of a tag that YAML defines: `int` for `!!int`.
pub(super) fn core_type(tag: &str) -> Option<&str> {
    tag.strip_prefix(CORE)
}

/// Whether a node with this tag becomes a mapping with the tag as its key.
pub(super) fn wraps(options: &YamlOptions, tag: &Tag) -> bool {
    let implicit = tag.name == "!" && options.dialect == Dialect::PyYaml;
    options.tags == Tags::Wrap && tag.name.starts_with('!') && !implicit
}

/// Whether `PyYAML`'s `SafeLoader` supports a tag.
pub(super) fn is_python_tag(tag: &str) -> bool {
    const KNOWN: [&str; 13] = [
        "null",
        "bool",
        "int",
        "float",
        "binary",
        "timestamp",
        "omap",
        "pairs",
        "set",
        "str",
        "seq",
        "map",
        "merge",
    ];
    tag == "!" || core_type(tag).is_some_and(|name| KNOWN.contains(&name))
}

/// Whether the tag of a collection names a type of another form; `serde_yaml` ignores it.
pub(super) fn mismatches_collection(options: &YamlOptions, tag: &str, mapping: bool) -> bool {
    let fitting: &[&str] = if mapping { &["map", "set"] } else { &["seq", "omap", "pairs"] };
    options.dialect == Dialect::PyYaml
        && is_python_tag(tag)
        && core_type(tag).is_some_and(|name| !fitting.contains(&name))
}

impl<'t> Value<'t> {
    /// The value of an event.
    pub(super) fn new(options: &YamlOptions, text: Cow<'t, str>, style: Style, tag: Option<&Tag>) -> Self {
        let plain = style == Style::Plain;
        let (resolved, mismatch) = match tag.map(|tag| tag.name.as_str()) {
            // In `PyYAML`, the non-specific tag makes the style irrelevant.
            Some("!") if options.dialect == Dialect::PyYaml => {
                (scalar::resolve(options.schema, &text), false)
            }
            Some(tag) if !tag.starts_with('!') => tagged(options.schema, tag, &text),
            _ if plain => (scalar::resolve(options.schema, &text), false),
            _ => (Resolved::String, false),
        };
        Self { resolved, text, mismatch }
    }

    /// The null value.
    pub(super) fn null() -> Self {
        Self { resolved: Resolved::Null, text: Cow::Borrowed(""), mismatch: false }
    }

    pub(super) fn is_string(&self) -> bool {
        self.resolved == Resolved::String
    }

    /// The scalar for the tree; with `slice`, a string is the text of its node's span.
    pub(super) fn scalar(&self, slice: bool) -> Scalar<'_> {
        match self.resolved {
            Resolved::Null => Scalar::Null,
            Resolved::Bool(value) => Scalar::Bool(value),
            Resolved::Integer(value) => Scalar::Integer(value),
            Resolved::Unsigned(value) => Scalar::Unsigned(value),
            Resolved::Float(value) | Resolved::OutOfRange(value) => Scalar::Float(value),
            Resolved::String if slice => Scalar::Slice,
            Resolved::String => Scalar::Text(&self.text),
        }
    }

    /// The value as the text of a key, formatted as in JSON.
    pub(super) fn key_text(&self) -> Cow<'t, str> {
        match self.resolved {
            Resolved::Null => Cow::Borrowed("null"),
            Resolved::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
            Resolved::Integer(value) => self.written(value.to_string()),
            Resolved::Unsigned(value) => self.written(value.to_string()),
            Resolved::Float(value) if value.is_finite() => self.written(format!("{value:?}")),
            Resolved::String | Resolved::Float(_) | Resolved::OutOfRange(_) => self.text.clone(),
        }
    }

    fn written(&self, canonical: String) -> Cow<'t, str> {
        if canonical == self.text { self.text.clone() } else { Cow::Owned(canonical) }
    }
}

/// The value of a scalar with a global tag, and whether its text does not match the type.
fn tagged(schema: Schema, tag: &str, text: &str) -> (Resolved, bool) {
    let value = match (core_type(tag), schema) {
        (Some("bool"), _) => match scalar::resolve(schema, text) {
            value @ Resolved::Bool(_) => Some(value),
            _ => None,
        },
        (Some("int"), Schema::Core12) => scalar::core_integer(text),
        (Some("int"), Schema::Yaml11) => scalar::yaml11_integer(text),
        (Some("float"), Schema::Core12) => scalar::core_float(text).map(Resolved::Float),
        (Some("float"), Schema::Yaml11) => {
            scalar::yaml11_float(text).or_else(|| scalar::core_float(text)).map(Resolved::Float)
        }
        (Some("null"), Schema::Yaml11) => Some(Resolved::Null),
        (Some("null"), Schema::Core12) => {
            (!text.is_empty() && scalar::resolve(schema, text) == Resolved::Null).then_some(Resolved::Null)
        }
        _ => return (Resolved::String, false),
    };
    value.map_or((Resolved::String, true), |value| (value, false))
}
