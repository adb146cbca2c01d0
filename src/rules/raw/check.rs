//! What rules say must hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::OneOrMany;

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
