//! What conditions consist of.

use std::sync::Arc;

use regex::Regex;

use crate::budget::Once;

/// A name that every condition may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// The node.
    Own,
    /// Its key.
    Key,
    /// What contains it.
    Parent,
    /// The document.
    Root,
    /// The options of the rule.
    Options,
    /// The ancestors that the pack names.
    Ancestor,
    /// The values of the observation, or of the finding.
    Values,
    /// The file.
    File,
}

impl Name {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Own, "self"),
        (Self::Key, "key"),
        (Self::Parent, "parent"),
        (Self::Root, "root"),
        (Self::Options, "options"),
        (Self::Ancestor, "ancestor"),
        (Self::Values, "values"),
        (Self::File, "file"),
    ];

    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == word).map(|(name, _)| *name)
    }

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(name, _)| *name == self).map_or("", |(_, word)| word)
    }
}

/// A part of a condition.
#[derive(Debug, Clone)]
pub(in super::super) enum Form {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    List(Vec<Form>),
    Name(Name),
    /// The item of a turn of a loop: the innermost one has the highest number.
    Turn(usize),
    /// `of.name`
    Select(Box<Form>, String),
    /// `of[at]`
    Index(Box<Form>, Box<Form>),
    /// `has(of.name)`
    Has(Box<Form>, String),
    Not(Box<Form>),
    And(Box<[Form; 2]>),
    Or(Box<[Form; 2]>),
    /// `when ? then : otherwise`
    Choose(Box<[Form; 3]>),
    Equal(Box<[Form; 2]>),
    Unequal(Box<[Form; 2]>),
    Less(Box<[Form; 2]>),
    LessOrEqual(Box<[Form; 2]>),
    Greater(Box<[Form; 2]>),
    GreaterOrEqual(Box<[Form; 2]>),
    Add(Box<[Form; 2]>),
    Subtract(Box<[Form; 2]>),
    Multiply(Box<[Form; 2]>),
    Negative(Box<Form>),
    In(Box<[Form; 2]>),
    /// `type(of) == name`
    IsOf(Box<Form>, &'static str),
    Size(Box<Form>),
    Contains(Box<[Form; 2]>),
    StartsWith(Box<[Form; 2]>),
    EndsWith(Box<[Form; 2]>),
    Matches(Box<[Form; 2]>),
    /// `of.matches('…')`, compiled once.
    MatchesLiteral(Box<Form>, Pattern),
    Lower(Box<Form>),
    Upper(Box<Form>),
    Trim(Box<Form>),
    Replace(Box<[Form; 3]>),
    /// `of.exists(item, holds)`
    Exists(Box<[Form; 2]>),
    All(Box<[Form; 2]>),
    Filter(Box<[Form; 2]>),
}

/// A pattern that a condition has as a literal.
#[derive(Debug, Clone)]
pub(in super::super) struct Pattern(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    source: String,
    regex: Once<Option<Regex>>,
}

impl Pattern {
    pub(super) fn new(source: String) -> Self {
        Self(Arc::new(Compiled { source, regex: Once::new() }))
    }

    /// The compiled pattern; nothing where it does not compile. It serves all documents: the budget of the first one does not
    /// decide about it.
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.0.regex.get_or_init(|| crate::text::pattern(&self.0.source).ok()).as_ref()
    }
}

impl Form {
    /// Whether it uses a name.
    pub(in super::super) fn uses(&self, name: &str) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Text(_) | Self::Turn(_) => false,
            Self::Name(own) => own.word() == name,
            Self::List(items) => items.iter().any(|item| item.uses(name)),
            Self::Select(of, _)
            | Self::Has(of, _)
            | Self::Not(of)
            | Self::Negative(of)
            | Self::IsOf(of, _)
            | Self::Size(of)
            | Self::MatchesLiteral(of, _)
            | Self::Lower(of)
            | Self::Upper(of)
            | Self::Trim(of) => of.uses(name),
            Self::Index(of, at) => of.uses(name) || at.uses(name),
            Self::And(two)
            | Self::Or(two)
            | Self::Equal(two)
            | Self::Unequal(two)
            | Self::Less(two)
            | Self::LessOrEqual(two)
            | Self::Greater(two)
            | Self::GreaterOrEqual(two)
            | Self::Add(two)
            | Self::Subtract(two)
            | Self::Multiply(two)
            | Self::In(two)
            | Self::Contains(two)
            | Self::StartsWith(two)
            | Self::EndsWith(two)
            | Self::Matches(two)
            | Self::Exists(two)
            | Self::All(two)
            | Self::Filter(two) => two.iter().any(|one| one.uses(name)),
            Self::Choose(three) | Self::Replace(three) => three.iter().any(|one| one.uses(name)),
        }
    }
}
