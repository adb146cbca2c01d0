//! What rule files and packs say, as they say it. The doc comments become `schemas/rule-file.schema.json`
//! and so the help that editors show.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostic::{Applicability, Severity};

/// One value or a list of them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// A single one.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T: Clone> OneOrMany<T> {
    /// As a list.
    pub fn to_vec(&self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::Many(many) => many.clone(),
        }
    }
}

/// A file of rules.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRuleFile {
    /// Version of the rule language: `1`.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The rules.
    pub rules: Vec<RawRule>,
}

/// A rule: what it looks at, what must hold there, what it says when that fails and how to mend it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRule {
    /// Stable id: the pack's prefix and at least three digits. Never changed, never used again.
    #[schemars(regex(pattern = "^[A-Z]{2,4}[0-9]{3,5}$"))]
    pub id: String,
    /// Name in kebab-case, usable wherever an id is.
    #[schemars(regex(pattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"))]
    pub name: String,
    /// The kind of document it is for, or several; all kinds of the pack when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OneOrMany<String>>,
    /// How bad a finding is.
    pub severity: Severity,
    /// Version of the pack or program that has it first.
    pub since: String,
    /// Where it is in its life; `stable` when absent.
    #[serde(default)]
    pub status: RawStatus,
    /// Whether it is on unless configured; `true` when absent.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Words to select rules by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// JSONPath (RFC 9535) to the nodes it looks at, or a list of them; absent for `syntax` and `fact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<OneOrMany<String>>,
    /// CEL condition: nodes for which it is false are left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// What must hold: exactly one check kind.
    pub check: RawCheck,
    /// Place of the diagnostic; what the check finds wrong when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Rules whose findings cause findings of this one: one at the same place or inside theirs is folded into them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<String>,
    /// Rules whose findings, wherever they are, explain those of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yields_to: Option<RawYields>,
    /// What is wrong, with the actual value (a template).
    pub message: String,
    /// What to do about it (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further places that explain the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RawRelated>,
    /// How to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<RawFix>,
    /// Several ways to mend it, the best first.
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

fn yes() -> bool {
    true
}

/// Rules before which another one steps back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawYields {
    /// Their ids or names.
    pub rules: Vec<String>,
    /// Ancestor of the pack: only findings in the same one count; all of the document when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// Where a rule is in its life.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
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
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct RawDeprecation {
    /// Id of the rule that replaces it.
    pub replaced_by: String,
}

/// A further place with what it has to do with the finding.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRelated {
    /// The place.
    pub at: String,
    /// What it has to do with the finding (a template).
    pub label: String,
}

/// A way to mend a finding: one edit written in place, or a list of them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawFix {
    /// What it does, in the imperative (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it may be applied unseen.
    #[serde(default)]
    pub applicability: Applicability,
    /// CEL condition for offering it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The only name that can be meant, known to the templates as `pick`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pick: Option<RawPick>,
    /// Text to put in the place of `at` (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// What `replace` replaces; `self` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Text to insert `before` or `after` a place (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert: Option<String>,
    /// Where `insert` goes: before this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Where `insert` goes: after this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The place to delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<String>,
    /// The YAML entry or item to take away, with its lines or its comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<String>,
    /// YAML to add `to` a mapping or sequence: an entry or an item (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
    /// What `add` adds to; `self` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The key of the sequence in `to` that `add` adds an item to; made when it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// The YAML value to make the only item of a sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrap: Option<String>,
    /// The YAML sequence to put its only item in the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwrap: Option<String>,
    /// The YAML mapping to make a sequence of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itemize: Option<String>,
    /// The key under which `itemize` keeps the keys.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Several edits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<RawEdit>,
}

/// One edit of a fix.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawEdit {
    /// Text to put in the place of `at` (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// What `replace` replaces; `self` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Text to insert `before` or `after` a place (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert: Option<String>,
    /// Where `insert` goes: before this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Where `insert` goes: after this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The place to delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<String>,
    /// The YAML entry or item to take away, with its lines or its comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<String>,
    /// YAML to add `to` a mapping or sequence: an entry or an item (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
    /// What `add` adds to; `self` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The key of the sequence in `to` that `add` adds an item to; made when it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// The YAML value to make the only item of a sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrap: Option<String>,
    /// The YAML sequence to put its only item in the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwrap: Option<String>,
    /// The YAML mapping to make a sequence of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itemize: Option<String>,
    /// The key under which `itemize` keeps the keys.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Names of which exactly one is left.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawPick {
    /// Routes to the names, in their order.
    pub from: OneOrMany<String>,
    /// Routes to names that are not meant, such as those in use already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub except: Option<OneOrMany<String>>,
    /// Declared types of which it has one.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub types: Option<OneOrMany<String>>,
    /// Which one where several are left; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_several: Option<Which>,
}

/// One of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// The first.
    First,
    /// The last.
    Last,
}

/// What users may set on a rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawOption {
    /// JSON type of its value.
    #[serde(rename = "type")]
    pub value_type: OptionType,
    /// Value when nothing is set.
    pub default: Value,
    /// What it does.
    pub description: String,
}

/// JSON type of an option's value.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OptionType {
    /// Text.
    String,
    /// Whole number.
    Integer,
    /// Number.
    Number,
    /// Truth value.
    Boolean,
    /// List of texts.
    List,
}

impl OptionType {
    /// Whether a value has this type.
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        }
    }

    /// The name in rule files.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
        }
    }
}

/// What must hold. Exactly one field is set.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct RawCheck {
    /// A fault or expectation of a grammar was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syntax: Option<String>,
    /// A semantic pass observed this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// JSON Schema (2020-12) holds at the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<RawSchema>,
    /// The mapping has these keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<RawRequired>,
    /// The mapping has none of these keys; `true`: the node must not be there at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden: Option<RawForbidden>,
    /// The value has one of these types.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<OneOrMany<ValueType>>,
    /// The value is one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<RawOneOf>,
    /// The text matches this regular expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<RawPattern>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<RawCount>,
    /// All selected nodes differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<RawUnique>,
    /// The name is declared in a symbol table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<RawReference>,
    /// The edges of the selected nodes lead into no cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acyclic: Option<RawAcyclic>,
    /// What is used was produced before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataflow: Option<RawDataflow>,
    /// The text has this format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Every name of one route is among those of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subset: Option<RawSubset>,
    /// The declared type of a name, or a type expression, is as it must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<RawTyped>,
    /// A number stands in this relation to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RawRange>,
    /// Checks on nodes that paths lead to; every failure is a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Vec<RawEach>>,
    /// A check of which only the first finding counts: what is missing once is told once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Box<RawCheck>>,
    /// A check that must hold where another one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implies: Option<Box<RawImplies>>,
    /// All of these checks hold; the first that fails speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<Vec<RawCheck>>,
    /// At least one of these checks holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<Vec<RawCheck>>,
    /// The check does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<RawCheck>>,
    /// The CEL expression is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cel: Option<String>,
}

/// A JSON Schema to hold at the node.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSchema {
    /// The schema itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Name of a schema of the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// JSON Pointer to a subschema of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The schema keywords whose errors this rule reports; all when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
}

/// Keys that must be there.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum RawRequired {
    /// One key.
    One(String),
    /// All of these.
    All(Vec<String>),
    /// At least one of these.
    Any {
        /// The keys.
        any: Vec<String>,
    },
}

/// Keys that must not be there.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RawForbidden {
    /// `true`: the selected node itself.
    Node(bool),
    /// One key.
    One(String),
    /// Any of these.
    Many(Vec<String>),
}

/// Type of a value, with JSON's names; an integer is a number, too.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// No value.
    Null,
    /// Truth value.
    Boolean,
    /// Whole number.
    Integer,
    /// Number.
    Number,
    /// Text.
    String,
    /// Sequence.
    Array,
    /// Mapping.
    Object,
}

/// Values that are allowed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum RawOneOf {
    /// These.
    Values(Vec<Value>),
    /// These, or those that a path selects.
    Detailed {
        /// The values.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<Value>,
        /// JSONPath to nodes whose texts are allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// Whether case matters not.
        #[serde(default)]
        fold: bool,
    },
}

/// A regular expression that text must or must not match.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum RawPattern {
    /// It must match.
    Matches(String),
    /// With more to say.
    Detailed {
        /// It must match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        matches: Option<String>,
        /// It must not match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not: Option<String>,
        /// Looks at the node's key instead of its value.
        #[serde(default)]
        key: bool,
    },
}

/// How many nodes a path may select.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawCount {
    /// Path to what is counted; the node's items or members when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// CEL condition on what is counted (`self` is the counted node).
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Counts only names whose declared type is one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub typed: Vec<String>,
    /// Counts equal values once.
    #[serde(default)]
    pub distinct: bool,
    /// Exactly so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eq: Option<Bound>,
    /// At least so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Bound>,
    /// At most so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Bound>,
}

/// A number, or the name of an option that holds it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged)]
pub enum Bound {
    /// The number.
    Number(u64),
    /// `options.NAME`.
    Option(String),
}

/// What makes selected nodes equal.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawUnique {
    /// Path to the value that counts; the node itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Ancestor of the pack within which values must differ; the document when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Only repetitions count whose first stands in another node of this ancestor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<String>,
    /// Whether case matters not.
    #[serde(default)]
    pub fold: bool,
}

/// A name that must be declared.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawReference {
    /// Symbol table, or several.
    pub to: Option<OneOrMany<String>>,
    /// Path to the name; the node itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What to report; `undefined` when absent.
    #[serde(default)]
    pub report: Report,
    /// Whether a name that is used several times is reported once.
    #[serde(default)]
    pub once: bool,
}

/// Names that must be among others. A route is a JSONPath, over declarations where it has to be:
/// `@.tool -> tool @.inputs[*].id`, and with `| keys`, `| key` or `| placeholders` at its end the keys
/// in the mapping, the node's own key or the Python placeholders there.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSubset {
    /// Route to the names; the node itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Route, or routes, to the names they must be among.
    #[serde(rename = "in")]
    pub within: Option<OneOrMany<String>>,
    /// Points at the selected node instead of the name.
    #[serde(default)]
    pub blame_node: bool,
}

/// What a type must be. Types are those of the document's kind; whether one is optional does not
/// matter. Names without a readable type are left alone.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawTyped {
    /// Route to names of declarations that have a type; the node itself is a type expression when
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// It is one of these types.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// One name of such a type is enough.
    #[serde(default)]
    pub some: bool,
    /// Whether it is a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<bool>,
    /// It is a list of at most so many levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lists: Option<u8>,
    /// Whether elements may be optional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional_elements: Option<bool>,
    /// Whether it must be readable: reports type expressions that are not.
    #[serde(default)]
    pub readable: bool,
    /// Its innermost element is declared in one of these symbol tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_in: Option<OneOrMany<String>>,
    /// It equals the type of what this route leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// It equals the element type of what this route leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_of: Option<String>,
    /// It is a list of what this route leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_of: Option<String>,
    /// `equals` leads to declarations or members, of which the one counts that has the node's key as
    /// its key or name.
    #[serde(default)]
    pub by_key: bool,
}

/// Bounds of a number: numbers, or paths to numbers. Texts of numbers count as numbers.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRange {
    /// At least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// More than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// At most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Less than the number that this route leads to; `default` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_of: Option<String>,
    /// What `below_of` counts as where it leads nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<f64>,
}

/// Nodes and what must hold there.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawEach {
    /// Path, or paths, to the nodes.
    pub of: Option<OneOrMany<String>>,
    /// What must hold at each.
    pub check: RawCheck,
}

/// A check that must hold where another one does.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawImplies {
    /// Nodes for which it does not hold are left alone.
    #[serde(rename = "if")]
    pub condition: RawCheck,
    /// What must hold for the others.
    pub then: RawCheck,
}

/// Which bad references a rule reports.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Names that no symbol table has.
    #[default]
    Undefined,
    /// Names that another symbol table has.
    WrongKind,
    /// Both.
    Any,
}

/// Edges between the selected nodes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawAcyclic {
    /// Path from a selected node to its name.
    pub name: String,
    /// Path, or paths, from a selected node to the names it leads to.
    pub edges: Option<OneOrMany<String>>,
}

/// Names that steps use and produce, in order.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawDataflow {
    /// Paths from the selected node to names known at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<OneOrMany<String>>,
    /// Path from the selected node to its steps, in order.
    pub over: String,
    /// Symbol table of steps: a step that is only a reference counts as the one it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<String>,
    /// Paths from a step to the names it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<OneOrMany<String>>,
    /// Paths from a step to the names it produces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defs: Option<OneOrMany<String>>,
    /// Paths from the selected node to names that must be known at the end. Set it, and this rule
    /// reports only those; leave it out, and it reports uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub must_define: Option<OneOrMany<String>>,
}

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
    /// Files beside it that are no text: their bytes, by path.
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

/// A pack: rules that belong together, and what they share.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawPack {
    /// Version of the rule language: `1`.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Name, the folder's.
    pub name: String,
    /// One line on what it is for.
    pub description: String,
    /// Prefix of its rule ids, or several: two to four capital letters.
    pub prefix: Option<OneOrMany<String>>,
    /// Kinds of document its rules are for.
    pub kinds: Vec<String>,
    /// Names for nodes that messages and scopes speak of: JSONPath to them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ancestors: BTreeMap<String, String>,
    /// Symbol tables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub symbols: BTreeMap<String, RawSymbol>,
    /// Key of mappings that stand for the name it holds: `$ref` where `{$ref: x}` means `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_key: Option<String>,
    /// JSON Schemas by name: path of the file, relative to the pack, or `kind:NAME` for the schema of
    /// a kind's tree.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, String>,
    /// Grammars by name, for fence languages of the pack's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grammars: BTreeMap<String, RawGrammar>,
    /// Old ids and names, and what they are now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub redirects: BTreeMap<String, String>,
}

/// Where the names of a symbol table are declared.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSymbol {
    /// JSONPath to the declarations, or several.
    pub given: Option<OneOrMany<String>>,
    /// Path from a declaration to its name; its key when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path from a declaration to its type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// Names that are always known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builtin: Vec<String>,
    /// Ancestor within which a declaration is known; everywhere when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// A grammar of a pack.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawGrammar {
    /// Path of the `.pest` file, relative to the pack.
    pub file: String,
    /// The rule that reads a whole text.
    pub start: String,
    /// Fence languages it reads.
    pub languages: Vec<String>,
}
