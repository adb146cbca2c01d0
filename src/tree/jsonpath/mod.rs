//! JSONPath (RFC 9535) over the spanned tree: a selector gives nodes, and so spans.

mod evaluate;
mod parse;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use regex::Regex;

pub use parse::PathError;

/// A compiled JSONPath.
#[derive(Debug, Clone)]
pub struct JsonPath {
    source: String,
    /// Whether it starts at `@`, the current node, and not at `$`, the document.
    relative: bool,
    segments: OnceLock<Vec<Segment>>,
}

/// One step of a path.
#[derive(Debug, Clone)]
pub struct Segment {
    /// `..`: the step is taken from every node below, too.
    pub descendant: bool,
    /// What it selects; several add up.
    pub selectors: Vec<Selector>,
}

/// What a step selects of a node.
#[derive(Debug, Clone)]
pub enum Selector {
    /// The member of this name.
    Name(String),
    /// Every item or member.
    Wildcard,
    /// The item at this index; negative counts from the end.
    Index(i64),
    /// The items of a range.
    Slice {
        /// First index.
        start: Option<i64>,
        /// Index after the last one.
        end: Option<i64>,
        /// Distance; negative walks backwards.
        step: i64,
    },
    /// Items or members for which the expression holds.
    Filter(Logical),
}

/// A logical expression of a filter.
#[derive(Debug, Clone)]
pub enum Logical {
    /// One holds.
    Or(Vec<Logical>),
    /// All hold.
    And(Vec<Logical>),
    /// It does not hold.
    Not(Box<Logical>),
    /// Two values compare so.
    Compare(Operand, Operator, Operand),
    /// The query selects something.
    Exists(JsonPath),
    /// The function says so.
    Test(Box<Function>),
}

/// A side of a comparison or an argument of a function.
#[derive(Debug, Clone)]
pub enum Operand {
    /// A value.
    Literal(serde_json::Value),
    /// A query.
    Query(JsonPath),
    /// A function's result.
    Function(Box<Function>),
    /// A condition, as an argument.
    Logical(Box<Logical>),
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// The function extensions of RFC 9535 §2.4.
#[derive(Debug, Clone)]
pub enum Function {
    /// Length of a string in code points, number of items or members.
    Length(Operand),
    /// Number of nodes.
    Count(JsonPath),
    /// The value of the only node.
    Value(JsonPath),
    /// Whether the whole text matches (`whole`) or a part of it.
    Match {
        /// The text.
        text: Operand,
        /// Where the pattern comes from.
        pattern: Operand,
        /// The pattern, compiled when it is a literal.
        compiled: Option<Regex>,
        /// `match` rather than `search`.
        whole: bool,
    },
}

impl JsonPath {
    /// A path that is known to compile; it is compiled when first used, and selects the node it starts at
    /// if it does not compile after all.
    pub fn deferred(source: &str) -> Self {
        Self { source: source.to_owned(), relative: source.starts_with('@'), segments: OnceLock::new() }
    }

    /// The path as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it starts at `@`.
    pub fn is_relative(&self) -> bool {
        self.relative
    }

    /// Its steps.
    pub fn segments(&self) -> &[Segment] {
        self.segments.get_or_init(|| {
            let path = self.source.parse::<Self>().ok();
            path.and_then(|path| path.segments.into_inner()).unwrap_or_default()
        })
    }

    /// Whether it can select at most one node (RFC 9535 §2.3.5.1, singular queries).
    pub fn is_singular(&self) -> bool {
        self.segments().iter().all(|segment| {
            !segment.descendant && matches!(segment.selectors[..], [Selector::Name(_) | Selector::Index(_)])
        })
    }
}
