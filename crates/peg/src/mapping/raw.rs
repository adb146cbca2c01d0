use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::ordered::Ordered;

/// What the tree of a document has: its keys, and which matches of the grammar their values are.
///
/// ```yaml
/// tree:
///   title: title                            # the text of the first match of the rule `title`
///   items:
///     list: item                            # a list with an item for each match of the rule `item`
///     fields:
///       code: code
///       price: {from: price, type: number}
///       tags: {list: tag}                   # a list of strings
///       sold: {has: sold_mark}              # whether the item has a match of the rule
/// ```
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RawTree(pub(super) RawFields);

/// Keys with their values, in the order in which the tree has them.
pub(super) type RawFields = Ordered<RawField>;

/// Where the value of a key comes from.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(untagged))]
pub(super) enum RawField {
    /// The text of the first match of this rule.
    Rule(String),
    /// The same with a type, or a list, an object or a boolean.
    Detailed(RawDetail),
}

// Written by hand so that an error is that of the form that is used, at its place.
impl<'de> Deserialize<'de> for RawField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Forms;
        impl<'de> Visitor<'de> for Forms {
            type Value = RawField;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a rule or a mapping")
            }

            fn visit_str<E: Error>(self, rule: &str) -> Result<RawField, E> {
                Ok(RawField::Rule(rule.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawField, A::Error> {
                RawDetail::deserialize(MapAccessDeserializer::new(map)).map(RawField::Detailed)
            }
        }
        deserializer.deserialize_any(Forms)
    }
}

/// Where the value of a key comes from: one of `from`, `list`, `has`, `rule` and `indent`.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RawDetail {
    /// The rule, or several, whose first match is the value. The key is left out where there is no match.
    pub(super) from: Option<OneOrMany<String>>,
    /// The rule, or several, whose matches are the items of a list: all matches inside the document or item,
    /// at any depth.
    pub(super) list: Option<OneOrMany<String>>,
    /// The rule, or several: the value is `true` where there is a match, else `false`.
    pub(super) has: Option<OneOrMany<String>>,
    /// `true`: the value is the name of the rule that the item or object is a match of.
    #[serde(default)]
    pub(super) rule: bool,
    /// `true`: the value is the number of spaces and tabs before the item or object in its line.
    #[serde(default)]
    pub(super) indent: bool,
    /// Type of the value or of the items (default: `string`). A value that is not of the type stays a
    /// string.
    #[serde(rename = "type")]
    pub(super) value_type: Option<RawType>,
    /// Keys of the value or of the items, from the matches inside.
    pub(super) fields: Option<RawFields>,
    /// What the value is, in one line, for the generated schema.
    pub(super) description: Option<String>,
}

/// Types of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum RawType {
    /// The text.
    #[default]
    String,
    /// A number.
    Number,
    /// An integer.
    Integer,
    /// `true` or `false`.
    Boolean,
}

/// One or several.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}
