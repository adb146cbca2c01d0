//! Documents that show a rule.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kinds::Limits;

/// A document that shows a rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawExample {
    /// A document that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<RawSample>,
    /// A document that is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid: Option<RawSample>,
    /// The findings of this rule in the invalid document, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<RawExpectation>,
    /// What the first fix makes of the invalid document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<RawSample>,
}

/// A document in a rule file or beside it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSample {
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Path of its file, relative to the rule file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its kind; the rule's first when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its dialect, where the kind has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Name it has as a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Files beside it, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Options of the rule that are set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// Limits that differ from the defaults, as in `[limits]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Files beside it that are not text: their bytes, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub binary: BTreeMap<String, Vec<u8>>,
    /// Whether environment variables must be set.
    #[serde(default)]
    pub strict_environment: bool,
    /// What the run observes of the file, for rules of kind `engine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RawRunFact>,
}

/// Something that the run has to say of a file, such as that it cannot be read.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRunFact {
    /// Name of the fact.
    pub fact: String,
    /// Its values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
}

/// A finding that an invalid example must yield.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawExpectation {
    /// JSON Pointer to its node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// A part of its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
