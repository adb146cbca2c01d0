//! Runs grammars written for pest from tables that `build/grammar.rs` made of them.
//!
//! A parsing expression grammar is a set of rules that are tried in order and never ambiguous. The
//! tables say for every step which symbols it may begin with; a step that cannot succeed is left out
//! before it starts, whatever way through the grammar led to it.

mod run;

use crate::text::Span;

/// A compiled grammar.
#[derive(Debug)]
pub(crate) struct Grammar {
    /// Names of the rules that make parts.
    pub(crate) names: &'static [&'static str],
    pub(crate) steps: &'static [Step],
    /// The step of the rule `document`.
    pub(crate) document: u16,
    /// The step of the rule `statement`.
    pub(crate) statement: u16,
}

/// What to match, and the symbols with which that may succeed.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) first: &'static Symbols,
    pub(crate) form: Form,
}

/// A parsing expression; numbers are those of other steps.
#[derive(Debug)]
pub(crate) enum Form {
    /// A character of the set.
    Char(&'static CharSet),
    Text(&'static str),
    /// A text of small letters, written in small or capital letters of ASCII.
    TextAnyCase(&'static str),
    Sequence(&'static [u16]),
    Choice(&'static [u16]),
    /// `quick` are the bytes that the step surely takes one by one.
    Repeat {
        step: u16,
        min: u32,
        max: u32,
        quick: &'static Symbols,
    },
    Not(u16),
    And(u16),
    /// A part with the name of the first number.
    Part(u16, u16),
    /// A part that says that something is wrong: an error production.
    Fault(u16, u16),
    Start,
    End,
}

/// A set of characters.
#[derive(Debug)]
pub(crate) struct CharSet {
    /// A bit for each character of ASCII.
    pub(crate) ascii: u128,
    /// Ranges of the others, ascending, both ends included.
    pub(crate) wide: &'static [(u32, u32)],
}

/// Bytes that may come next, as bits, and whether the text may end.
#[derive(Debug)]
pub(crate) struct Symbols {
    pub(crate) bytes: [u64; 4],
    pub(crate) end: bool,
}

/// What a rule matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    /// Number of the rule's name among [`Grammar::names`].
    pub(crate) rule: u16,
    pub(crate) span: Span,
    /// Index after the last match inside it.
    pub(crate) end: u32,
}

/// Why a text does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stuck {
    /// The furthest offset at which a rule was tried in vain.
    pub(crate) at: usize,
    /// That rule.
    pub(crate) rule: &'static str,
    /// Whether the text was given up because reading it took too much effort.
    pub(crate) exhausted: bool,
}

impl Grammar {
    /// Reads a whole text: matches in the order they start, each followed by those inside it.
    pub(crate) fn document(&self, text: &str) -> Result<Vec<Match>, Stuck> {
        run::run(self, self.document, text)
    }

    /// Reads one statement at the start of a text.
    pub(crate) fn statement(&self, text: &str) -> Result<Vec<Match>, Stuck> {
        run::run(self, self.statement, text)
    }
}
