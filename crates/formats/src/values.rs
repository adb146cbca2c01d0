use std::fmt;

use crate::tree::Node;

/// What a kind knows about values beyond the tree.
pub trait ValueModel {
    /// The type that a node expresses, for the check `typed`; nothing where it expresses none.
    fn type_expression(&self, node: Node<'_>) -> Option<TypeExpression>;

    /// What messages may show of a node's value.
    fn disclosure(&self, node: Node<'_>) -> Disclosure;
}

/// How much of a value messages and reports may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disclosure {
    /// The value.
    Value,
    /// What the file says, since the value contains something from outside it.
    Source,
    /// Nothing: it is a secret.
    Nothing,
}

/// A type as a kind of document writes it: a name, perhaps in lists, perhaps optional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeExpression {
    /// The name of the innermost element.
    pub base: String,
    /// How many lists it is in.
    pub lists: u8,
    /// Whether the whole may be absent.
    pub optional: bool,
    /// Whether elements may be absent.
    pub optional_elements: bool,
}

impl TypeExpression {
    /// Whether it is written so, apart from being optional.
    pub fn is(&self, written: &str) -> bool {
        let mut rest = written;
        for _ in 0..self.lists {
            let Some(inner) = rest.strip_prefix("list[").and_then(|rest| rest.strip_suffix(']')) else {
                return false;
            };
            rest = inner;
        }
        rest == self.base
    }

    /// Whether it is in `more` lists more than `other` and else the same.
    pub fn same_as(&self, other: &Self, more: u8) -> bool {
        self.base == other.base && self.lists == other.lists + more
    }
}

impl fmt::Display for TypeExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = usize::from(self.lists);
        write!(f, "{}{}{}", "list[".repeat(lists), self.base, "]".repeat(lists))
    }
}
