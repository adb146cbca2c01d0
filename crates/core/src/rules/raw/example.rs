//! Documents that show a rule.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::kinds::{KindOptions, Limits, org::INLINE_TASKS, qtype::STRICT_ENVIRONMENT};

/// A document that shows a rule.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["invalid"]}, {"required": ["valid"]}], "x-fault" = {"oneOf": "bad-example"}))]
#[schemars(rename = "Example")]
pub struct RawExample {
    /// A document that is wrong.
    pub invalid: Option<RawSample>,
    /// A document that is right.
    pub valid: Option<RawSample>,
    /// The findings of this rule in the invalid document, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<RawExpectation>,
    /// What the first fix makes of the invalid document.
    pub fixed: Option<RawSample>,
}

/// A document in a rule file or beside it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["source"]}, {"required": ["file"]}], "x-fault" = {"oneOf": "bad-example"}))]
#[schemars(rename = "Sample")]
pub struct RawSample {
    /// Its text.
    pub source: Option<String>,
    /// Path of its file, relative to the rule file.
    pub file: Option<String>,
    /// Its kind (default: the rule's first).
    pub kind: Option<String>,
    /// Its dialect, where the kind has several.
    pub dialect: Option<String>,
    /// Name it has as a file.
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
    /// Whether no file beside it can be read.
    #[serde(default)]
    pub alone: bool,
    /// Files beside it that are not text: their bytes, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub binary: BTreeMap<String, Vec<u8>>,
    /// Whether environment variables must be set.
    #[serde(default)]
    pub strict_environment: bool,
    /// Fewest stars of an inline task in an Org file, as in `[org]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline_tasks: Option<usize>,
    /// What the run observes of the file, for rules of kind `engine`.
    pub run: Option<RawRunFact>,
}

impl RawSample {
    /// The options of single kinds that it is read with.
    pub fn kind_options(&self) -> KindOptions {
        let strict = KindOptions::default().with(&STRICT_ENVIRONMENT, self.strict_environment);
        strict.with(&INLINE_TASKS, self.inline_tasks)
    }
}

/// Something that the run has to say of a file, such as that it cannot be read.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RunFact")]
pub struct RawRunFact {
    /// Name of the fact.
    pub fact: String,
    /// Its values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
}

/// A finding that an invalid example must yield.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Expectation")]
pub struct RawExpectation {
    /// JSON Pointer to its node.
    pub at: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// Its column, counted from 1 in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// A part of its message.
    pub message: Option<String>,
}
