//! JSONPath (RFC 9535) on the spanned tree: a selector yields nodes, and therefore spans.
//!
//! Where a value stands for another one (`Node::target`), a step to it selects the other one. Steps to descendants
//! (`..`) select what is written, so that every value is selected once and references may lead in a circle. From the root,
//! they also select the parts of other files that references lead to, each part once.

mod across;
mod evaluate;
mod grammar;
mod groups;
mod parse;
mod simple;
#[cfg(test)]
mod tests;
mod trie;

use std::sync::Arc;

use regex::Regex;

use super::{Key, KeyMap};
use crate::budget::Once;

pub use groups::Groups;
pub use parse::PathError;
pub use trie::{PathSet, PathTrie, Selected};

/// A compiled JSONPath.
#[derive(Debug, Clone)]
pub struct JsonPath {
    source: String,
    /// Whether the path starts at `@`, the current node, instead of `$`, the document.
    relative: bool,
    segments: Once<Vec<Segment>>,
}

/// One step of a path.
#[derive(Debug, Clone)]
pub struct Segment {
    /// `..`: the step also applies to every descendant.
    pub descendant: bool,
    /// The selectors; their results are concatenated.
    pub selectors: Vec<Selector>,
}

/// What a step selects from a node.
#[derive(Debug, Clone)]
pub enum Selector {
    /// The member with this name.
    Name(Key),
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
    /// Items or members for which the expression is true.
    Filter(Logical),
}

/// A logical expression of a filter.
#[derive(Debug, Clone)]
pub enum Logical {
    /// At least one is true.
    Or(Vec<Logical>),
    /// All are true.
    And(Vec<Logical>),
    /// The expression is false.
    Not(Box<Logical>),
    /// The comparison of two values is true.
    Compare(Operand, Operator, Operand),
    /// The query selects something.
    Exists(JsonPath),
    /// The function returns true.
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

/// A comparison operator.
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
    /// The value of the only selected node.
    Value(JsonPath),
    /// Whether the whole text matches (`whole`) or a part of it.
    Match {
        /// The text.
        text: Operand,
        /// The pattern's expression.
        pattern: Operand,
        /// Where the pattern is a literal: what it compiles to, made when it is first asked for.
        compiled: Option<Arc<Once<Option<Regex>>>>,
        /// `match` rather than `search`.
        whole: bool,
    },
}

impl JsonPath {
    /// A path that is known to compile. It is compiled on first use; if it does not compile after all, it
    /// selects the node it starts at.
    pub fn deferred(source: &str) -> Self {
        Self { source: source.to_owned(), relative: source.starts_with('@'), segments: Once::new() }
    }

    /// The path as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the path starts at `@`.
    pub fn is_relative(&self) -> bool {
        self.relative
    }

    /// The steps of the path.
    pub fn segments(&self) -> &[Segment] {
        self.segments.get_or_init(|| {
            let path = parse::known(&self.source);
            path.and_then(|path| path.segments.into_inner()).unwrap_or_default()
        })
    }

    /// Whether the path selects at most one node (RFC 9535 §2.3.5.1, singular queries).
    pub fn is_singular(&self) -> bool {
        self.segments().iter().all(|segment| {
            !segment.descendant && matches!(segment.selectors[..], [Selector::Name(_) | Selector::Index(_)])
        })
    }
}
