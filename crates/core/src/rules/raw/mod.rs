//! What rule files and packs say, as they say it. The doc comments become `schemas/rule-file.schema.json`
//! and so the help that editors show.

mod example;
mod fix;
mod kind;
mod pack;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub use self::{
    example::{RawExample, RawRunFact, RawSample},
    fix::{RawFix, RawPick, Which},
    kind::RawKind,
    pack::{RawGrammar, RawPack, RawSymbol},
};
use crate::{
    checks::{OneOrMany, RawCheck},
    diagnostic::Severity,
};

/// A file of rules.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRuleFile {
    /// Version of the rule language: `1`.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The rules.
    pub rules: Vec<RawRule>,
}

/// A rule: what it looks at, what must hold there, what it says when that fails and how to fix it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "if" = {"required": ["check"], "properties": {"check": {"anyOf": [{"required": ["syntax"]}, {"required": ["fact"]}]}}},
    "then" = {"properties": {"given": {"not": {}, "x-fault": {"not": "surplus-given"}}}},
    // Without a check, nothing says whether `given` is needed.
    "else" = {"if": {"required": ["check"]}, "then": {"required": ["given"], "x-fault": {"required": "missing-given"}}}
))]
#[schemars(rename = "Rule")]
pub struct RawRule {
    /// Stable id: the pack's prefix and at least three digits. Never changed, never used again.
    #[schemars(regex(pattern = "^[A-Z]{2,4}[0-9]{3,5}$"))]
    pub id: String,
    /// Name in kebab-case, usable wherever an id is. A name that users know from another program may also have uppercase
    /// letters, `.`, `_` and `$`.
    #[schemars(regex(pattern = "^[a-z][A-Za-z0-9]*([-._$]+[A-Za-z0-9]+)*$"))]
    pub name: String,
    /// The kind of document it is for, or several (default: all kinds of the pack).
    pub kind: Option<OneOrMany<String>>,
    /// Globs of the files that it is for, relative to the folder of the configuration (default: all files, and text
    /// that is not in a file).
    pub files: Option<OneOrMany<String>>,
    /// Globs of files and folders that it is not for.
    pub exclude: Option<OneOrMany<String>>,
    /// What `$` means in a YAML file with several documents: the list of them (`together`), or each of them (`each`),
    /// so that a rule for one document holds for all. Default: what the pack says.
    pub documents: Option<RawDocuments>,
    /// How bad a finding is.
    pub severity: Severity,
    /// Version of the pack or program that has it first.
    pub since: String,
    /// Where it is in its life (default: `stable`).
    #[serde(default)]
    pub status: RawStatus,
    /// Whether it is on unless configured (default: `true`).
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Whether its safe fixes must leave the page as it is, for kinds that know what a page shows (Markdown). A safe fix
    /// that would change it counts as unsafe (default: `false`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_page: bool,
    /// Words to select rules by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// JSONPath (RFC 9535) to the nodes it looks at, or a list of them; absent for `syntax` and `fact`.
    pub given: Option<OneOrMany<String>>,
    /// CEL condition: nodes for which it is false are left alone, or, where it uses `values`, findings.
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    pub when: Option<String>,
    /// What must hold: exactly one check kind.
    pub check: RawCheck,
    /// Place of the diagnostic (default: what the check finds wrong).
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    pub at: Option<String>,
    /// Rules (ids, names or tags) whose findings cause findings of this one: one at the same place or inside theirs is
    /// folded into them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<String>,
    /// Rules whose findings, wherever they are, explain those of this one.
    pub yields_to: Option<RawYields>,
    /// What is wrong, with the actual value (a template).
    #[schemars(length(min = 1), extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    pub message: String,
    /// What to do about it (a template).
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    pub hint: Option<String>,
    /// Further places that explain the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RawRelated>,
    /// How to fix it.
    pub fix: Option<RawFix>,
    /// Several ways to fix it, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<RawFix>,
    /// What users may set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, RawOption>,
    /// What it checks, why, and how to fix it (Markdown).
    #[schemars(length(min = 20))]
    pub explain: String,
    /// Documents that show it; run as tests. At least one invalid and one valid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RawExample>,
}

/// What a field is when absent that says whether something is so.
pub(super) fn yes() -> bool {
    true
}

/// What a rule takes for the document where a file has several.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Documents")]
pub enum RawDocuments {
    /// The list of all documents.
    #[default]
    Together,
    /// Each document.
    Each,
}

/// Rules before which another one steps back.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Yields")]
pub struct RawYields {
    /// Their ids, names or tags.
    pub rules: Vec<String>,
    /// Ancestor of the pack: only findings in the same one count (default: all of the document).
    pub within: Option<String>,
}

/// Where a rule is in its life.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Status")]
pub enum RawStatus {
    /// May still change or go.
    Preview,
    /// Here to stay.
    #[default]
    Stable,
    /// On its way out.
    Deprecated(RawDeprecation),
    /// Gone; the id stays taken.
    Removed,
}

/// What takes a deprecated rule's place.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Deprecation")]
pub struct RawDeprecation {
    /// Id of the rule that replaces it.
    pub replaced_by: String,
}

/// A further place with what it has to do with the finding.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Related")]
pub struct RawRelated {
    /// The place.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    pub at: String,
    /// What it has to do with the finding (a template).
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    pub label: String,
}

/// What users may set on a rule.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("allOf" = [
    {"if": {"properties": {"type": {"const": "string"}}}, "then": {"properties": {"default": {"type": "string", "x-fault": {"type": "option-default-type"}}}}},
    {"if": {"properties": {"type": {"const": "integer"}}}, "then": {"properties": {"default": {"type": "integer", "x-fault": {"type": "option-default-type"}}}}},
    {"if": {"properties": {"type": {"const": "number"}}}, "then": {"properties": {"default": {"type": "number", "x-fault": {"type": "option-default-type"}}}}},
    {"if": {"properties": {"type": {"const": "boolean"}}}, "then": {"properties": {"default": {"type": "boolean", "x-fault": {"type": "option-default-type"}}}}},
    {"if": {"properties": {"type": {"const": "list"}}}, "then": {"properties": {"default": {"type": "array", "items": {"type": "string"}, "x-fault": {"type": "option-default-type"}}}}}
]))]
#[schemars(rename = "RuleOption")]
pub struct RawOption {
    /// JSON type of its value.
    #[serde(rename = "type")]
    pub value_type: OptionType,
    /// Value when nothing is set.
    pub default: Value,
    /// What it does.
    pub description: String,
    /// The strings that are allowed, as its value or in its list (default: any).
    #[serde(default)]
    pub values: Vec<String>,
}

impl RawOption {
    /// Whether a value is of its type and one of those that are allowed.
    pub fn takes(&self, value: &Value) -> bool {
        let is_allowed = |value: &Value| {
            value.as_str().is_none_or(|text| self.values.iter().any(|allowed| allowed == text))
        };
        let all = || value.as_array().map_or_else(|| is_allowed(value), |items| items.iter().all(is_allowed));
        self.value_type.takes(value) && (self.values.is_empty() || all())
    }
}

/// JSON type of an option's value.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OptionType {
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// A list of strings.
    List,
    /// A value of any type, which the expressions of the rule read.
    Any,
}

impl OptionType {
    /// The name in rule files.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
            Self::Any => "any",
        }
    }

    /// Whether a value is of this type.
    pub fn takes(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Any => true,
        }
    }
}
