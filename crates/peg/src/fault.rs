use std::fmt;

use pest_meta::parser::{Rule, rename_meta_rule};

use crate::text::Span;

/// Something wrong with a grammar, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The bytes of the grammar's text that it is about.
    pub span: Span,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with a grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The text is not a grammar.
    Syntax(String),
    /// A rule is used and not defined.
    UnknownRule(String),
    /// The rule that reading starts with is not defined.
    NoStart(String),
    /// A rule is defined twice.
    Duplicate(String),
    /// The name is reserved.
    Reserved(String),
    /// A rule can call itself without having read anything.
    LeftRecursion(String),
    /// What is repeated can match nothing, so that the repetition never ends.
    EndlessRepetition,
    /// Alternatives after one that always matches are never tried.
    UnreachableAlternative,
    /// The grammar has more steps than the tables can hold, or is nested too deeply.
    TooLarge(String),
    /// A part of pest's notation that is not supported.
    Unsupported(String),
    /// Anything else that pest finds.
    Other(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(detail) => write!(f, "not a valid grammar: {detail}"),
            Self::UnknownRule(name) | Self::NoStart(name) => write!(f, "there is no rule `{name}`"),
            Self::Duplicate(name) => write!(f, "the rule `{name}` is defined twice"),
            Self::Reserved(name) => write!(f, "the name `{name}` is reserved"),
            Self::LeftRecursion(chain) => {
                write!(f, "the rule calls itself before it reads anything: {chain}")
            }
            Self::EndlessRepetition => {
                write!(f, "what is repeated can match nothing, so the repetition never ends")
            }
            Self::UnreachableAlternative => {
                write!(f, "this alternative always matches, so the ones after it are never tried")
            }
            Self::TooLarge(limit) => write!(f, "the grammar is too large: {limit}"),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
            Self::Other(detail) => f.write_str(detail),
        }
    }
}

impl Fault {
    pub(super) fn new(span: Span, problem: Problem) -> Self {
        Self { span, problem }
    }

    /// What pest says of a grammar.
    pub(super) fn of_pest(error: pest::error::Error<Rule>) -> Self {
        let span = match error.location {
            pest::error::InputLocation::Pos(at) => Span::at(at),
            pest::error::InputLocation::Span((start, end)) => Span::new(start, end),
        };
        let problem = match &error.variant {
            pest::error::ErrorVariant::CustomError { message } => Problem::of_pest(message),
            pest::error::ErrorVariant::ParsingError { .. } => {
                let named = error.clone().renamed_rules(rename_meta_rule);
                Problem::Syntax(named.variant.message().into_owned())
            }
        };
        Self { span, problem }
    }
}

impl Problem {
    /// pest reports all but errors of the notation as sentences.
    fn of_pest(message: &str) -> Self {
        let between = |start: &str, end: &str| {
            let rest = message.strip_prefix(start)?;
            rest.strip_suffix(end).map(str::to_owned)
        };
        if let Some(name) = between("rule ", " is undefined") {
            Self::UnknownRule(name)
        } else if let Some(name) = between("rule ", " already defined") {
            Self::Duplicate(name)
        } else if let Some(name) = between("", " is a pest keyword") {
            Self::Reserved(name)
        } else if message.contains("is left-recursive") {
            let chain = message.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
            Self::LeftRecursion(chain.map_or("", |(chain, _)| chain).replace("->", "→"))
        } else if message.contains("repeat infinitely") {
            Self::EndlessRepetition
        } else if message.contains("following choices cannot be reached") {
            Self::UnreachableAlternative
        } else {
            Self::Other(message.to_owned())
        }
    }
}
