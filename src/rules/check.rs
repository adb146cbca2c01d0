//! Check kinds as the engine runs them: paths parsed, expressions and patterns compiled on first use.

use std::sync::{Arc, OnceLock};

use regex::Regex;
use serde_json::Value;

use super::{
    condition::Condition,
    raw::{Bound, Report, ValueType},
    route::Route,
    schema::Subschema,
};
use crate::{
    kinds::Layer,
    tree::{JsonPath, NodeType},
};

/// What must hold at the nodes a rule selects.
#[derive(Debug, Clone)]
pub enum Check {
    /// Nothing of this name was observed.
    Observed(Layer, String),
    /// A JSON Schema holds.
    Schema(Schema),
    /// Keys are there.
    Required {
        /// The keys.
        keys: Vec<String>,
        /// Whether one of them is enough.
        any: bool,
    },
    /// Keys are not there; with no keys: the node itself is not.
    Forbidden(Option<Vec<String>>),
    /// The value has one of these types.
    Type(Vec<ValueType>),
    /// The value is one of these.
    OneOf(OneOf),
    /// The text matches.
    Pattern(Pattern),
    /// How many there are.
    Count(Count),
    /// All selected nodes differ.
    Unique(Unique),
    /// The name is declared.
    Reference(Reference),
    /// The edges lead into no cycle.
    Acyclic(Acyclic),
    /// What is used was produced before.
    Dataflow(Dataflow),
    /// The text has this format.
    Format(Format),
    /// Names are among others.
    Subset(Subset),
    /// A type is as it must be.
    Typed(Box<Typed>),
    /// A number is within bounds.
    Range(Range),
    /// Checks on nodes that paths lead to.
    Each(Vec<(Vec<JsonPath>, Check)>),
    /// Of this, only the first finding counts.
    First(Box<Check>),
    /// The second holds where the first does.
    Implies(Box<(Check, Check)>),
    /// All of these hold.
    All(Vec<Check>),
    /// One of these holds.
    Any(Vec<Check>),
    /// This does not hold.
    Not(Box<Check>),
    /// The expression is true.
    Cel(Condition),
}

/// A JSON Schema.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The schema, shared by the rules that report errors of it.
    pub schema: Arc<Subschema>,
    /// Keywords whose errors count; all when empty.
    pub keywords: Vec<String>,
}

/// Allowed values.
#[derive(Debug, Clone)]
pub struct OneOf {
    /// Written in the rule.
    pub values: Vec<Value>,
    /// Where further ones stand in the document.
    pub from: Option<JsonPath>,
    /// Whether case matters not.
    pub fold: bool,
}

/// A regular expression on the value or the key.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The expression.
    pub regex: LazyRegex,
    /// Whether it must match or must not.
    pub expected: bool,
    /// Whether it looks at the key.
    pub key: bool,
}

/// A regular expression, compiled on first use.
#[derive(Debug, Clone)]
pub struct LazyRegex {
    source: String,
    compiled: Arc<OnceLock<Option<Regex>>>,
}

impl LazyRegex {
    /// An expression of this source; see [`Self::fault`] for whether it compiles.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), compiled: Arc::default() }
    }

    /// The expression as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The compiled expression.
    pub fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.source).ok()).as_ref()
    }

    /// Why it does not compile.
    pub fn fault(&self) -> Option<String> {
        Regex::new(&self.source).err().map(|error| error.to_string())
    }
}

/// How many nodes a path may select.
#[derive(Debug, Clone)]
pub struct Count {
    /// Path to what is counted; the items or members when absent.
    pub of: Option<JsonPath>,
    /// Condition on what is counted.
    pub filter: Option<Condition>,
    /// Declared types of the names that count; all when empty.
    pub typed: Vec<String>,
    /// Counts equal values once.
    pub distinct: bool,
    /// Least number.
    pub min: Option<Bound>,
    /// Greatest number.
    pub max: Option<Bound>,
}

/// What makes selected nodes equal.
#[derive(Debug, Clone)]
pub struct Unique {
    /// Path to the value that counts.
    pub by: Option<JsonPath>,
    /// Paths to the nodes within which values must differ.
    pub within: Option<JsonPath>,
    /// Paths to the nodes which a repetition and its first must not share.
    pub across: Option<JsonPath>,
    /// Whether case matters not.
    pub fold: bool,
}

/// Names that must be among others.
#[derive(Debug, Clone)]
pub struct Subset {
    /// Route to the names; the node itself when absent.
    pub of: Option<Route>,
    /// Routes to the names they must be among.
    pub within: Vec<Route>,
    /// Whether the selected node is what is wrong.
    pub blame_node: bool,
}

/// What a type must be.
#[derive(Debug, Clone)]
pub struct Typed {
    /// Route to names; the node itself is a type when absent.
    pub of: Option<Route>,
    /// Whether one fitting name is enough.
    pub some: bool,
    /// Whether to look at `demand` the other way round, that is to report unreadable types.
    pub demand: Demand,
    /// Whether `equals` is looked up by the node's key.
    pub by_key: bool,
}

/// What is asked of a type.
#[derive(Debug, Clone)]
pub enum Demand {
    /// It is one of these.
    OneOf(Vec<String>),
    /// It is a list, or it is none.
    List(bool),
    /// It has at most so many levels of lists.
    MaxLists(u8),
    /// Its elements are not optional.
    PlainElements,
    /// It can be read.
    Readable,
    /// Its innermost element is in one of these symbol tables.
    DeclaredIn(Vec<String>),
    /// It is the type of what the route leads to.
    Equals(Route),
    /// It is the type of the elements of what the route leads to.
    ElementOf(Route),
    /// It is a list of what the route leads to.
    ListOf(Route),
}

/// Bounds of a number.
#[derive(Debug, Clone)]
pub struct Range {
    /// At least.
    pub min: Option<f64>,
    /// More than.
    pub above: Option<f64>,
    /// At most.
    pub max: Option<f64>,
    /// Less than what this leads to.
    pub below_of: Option<Route>,
    /// What that is where it leads nowhere.
    pub default: Option<f64>,
}

/// A name that must be declared.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Symbol tables it may be in.
    pub to: Vec<String>,
    /// Path to the name.
    pub name: Option<JsonPath>,
    /// Which bad references count.
    pub report: Report,
    /// Whether a name counts once.
    pub once: bool,
}

/// Edges between the selected nodes.
#[derive(Debug, Clone)]
pub struct Acyclic {
    /// Path to a node's name.
    pub name: JsonPath,
    /// Paths to the names it leads to.
    pub edges: Vec<JsonPath>,
}

/// Names that steps use and produce.
#[derive(Debug, Clone)]
pub struct Dataflow {
    /// Paths to names known at the start.
    pub init: Vec<JsonPath>,
    /// Path to the steps.
    pub over: JsonPath,
    /// Symbol table of steps that stand for others.
    pub steps: Option<String>,
    /// Paths to the names a step uses.
    pub uses: Vec<JsonPath>,
    /// Paths to the names a step produces.
    pub defs: Vec<JsonPath>,
    /// Paths to names that must be known at the end; empty to look at uses.
    pub must_define: Vec<JsonPath>,
}

macro_rules! formats {
    ($($variant:ident $name:literal $doc:literal),* $(,)?) => {
        /// Formats of text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = $doc] $variant,)*
        }

        impl Format {
            /// All names, for rule files.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The format of a name.
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Its name in rule files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

formats! {
    Uri "uri" "Absolute URI (RFC 3986).",
    UriReference "uri-reference" "URI or relative reference (RFC 3986).",
    Url "url" "Absolute `http` or `https` URI with a host.",
    Date "date" "Calendar date, `YYYY-MM-DD` (RFC 3339).",
    Time "time" "Time of day with offset (RFC 3339).",
    DateTime "date-time" "Date and time (RFC 3339).",
    Duration "duration" "Duration (ISO 8601).",
    Email "email" "E-mail address (RFC 5321).",
    Hostname "hostname" "Host name (RFC 1123).",
    Ipv4 "ipv4" "IPv4 address.",
    Ipv6 "ipv6" "IPv6 address.",
    Uuid "uuid" "UUID (RFC 4122).",
    Regex "regex" "Regular expression of the linear-time engine.",
    JsonPath "jsonpath" "JSONPath (RFC 9535).",
    JsonPointer "json-pointer" "JSON Pointer (RFC 6901).",
    Semver "semver" "Semantic version (2.0.0).",
    PythonFormat "python-format" "Format string of Python's `str.format`.",
    Identifier "identifier" "ASCII letter or underscore, then letters, digits, underscores.",
}

impl ValueType {
    /// Whether a node of this type is one of these values.
    pub fn accepts(self, found: NodeType) -> bool {
        match self {
            Self::Null => found == NodeType::Null,
            Self::Boolean => found == NodeType::Boolean,
            Self::Integer => found == NodeType::Integer,
            Self::Number => matches!(found, NodeType::Number | NodeType::Integer),
            Self::String => found == NodeType::String,
            Self::Array => found == NodeType::Array,
            Self::Object => found == NodeType::Object,
        }
    }

    /// The name in rule files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl Check {
    /// Names of the values that a finding of this check adds to messages, beside the common ones.
    pub fn values(&self) -> Vec<&'static str> {
        match self {
            Self::Observed(..) | Self::Cel(_) | Self::Forbidden(_) | Self::OneOf(_) | Self::Not(_) => vec![],
            Self::Schema(_) => vec!["keyword", "property", "detail", "owner", "expects", "indent"],
            Self::Required { .. } => vec!["missing"],
            Self::Type(_) => vec!["type"],
            Self::Pattern(_) => vec!["pattern"],
            Self::Count(_) => vec!["count", "min", "max"],
            Self::Unique(_) => vec!["first", "same"],
            Self::Reference(_) => vec!["kind"],
            Self::Acyclic(_) => vec!["cycle"],
            Self::Dataflow(_) | Self::Subset(_) => vec!["name"],
            Self::Format(_) => vec!["format", "detail"],
            Self::Typed(_) => vec!["name", "type", "base", "other"],
            Self::Range(_) => vec!["bound"],
            Self::Each(cases) => cases.iter().flat_map(|(_, check)| check.values()).collect(),
            Self::First(check) => check.values(),
            Self::Implies(both) => both.1.values(),
            Self::All(checks) | Self::Any(checks) => checks.iter().flat_map(Self::values).collect(),
        }
    }

    /// Names of the places that a finding of this check adds.
    pub fn places(&self) -> Vec<&'static str> {
        match self {
            Self::Pattern(_) => vec!["match"],
            Self::Unique(_) => vec!["first"],
            Self::Reference(_) => vec!["nearest", "declaration"],
            Self::Acyclic(_) => vec!["next"],
            Self::Schema(_) => vec!["inside"],
            Self::Dataflow(_) => vec!["later"],
            Self::Typed(_) => vec!["declaration", "base"],
            Self::Each(cases) => cases.iter().flat_map(|(_, check)| check.places()).collect(),
            Self::First(check) => check.places(),
            Self::Implies(both) => both.1.places(),
            Self::All(checks) | Self::Any(checks) => checks.iter().flat_map(Self::places).collect(),
            _ => vec![],
        }
    }

    /// Whether it looks at observations instead of nodes.
    pub fn observed(&self) -> Option<(Layer, &str)> {
        match self {
            Self::Observed(layer, name) => Some((*layer, name)),
            _ => None,
        }
    }
}
