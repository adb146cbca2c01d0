//! A grammar as instructions for the machine: what reading does, step by step, with jumps.

use std::borrow::Cow;

/// The instructions of a grammar. Addresses are positions in [`Program::ops`].
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The instructions. There are none for a grammar that uses the stack, or that is too large.
    pub ops: Cow<'static, [Op]>,
    /// The address where reading with each of [`super::Grammar::starts`] begins.
    pub starts: Cow<'static, [u16]>,
    /// The class of each byte, and last of the end of the text: bytes of a class are the same to all [`Op::Switch`].
    pub classes: Cow<'static, [u8]>,
    /// Addresses by class, for one [`Op::Switch`] after the other.
    pub jumps: Cow<'static, [u16]>,
    /// Most calls inside each other, so that the machine never goes deeper than the reader of steps may.
    pub calls: u32,
}

/// One instruction. Where something does not fit, the machine *fails*: it goes back to the last [`Op::Choice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Takes a byte of ASCII of the symbols, or a character of the set.
    Char { symbols: u16, set: u16 },
    /// Takes the next byte, which fits: what was before has looked at it.
    Skip,
    /// Takes a string.
    Text { len: u16, start: u32 },
    /// Takes a string of lower-case letters in any case of ASCII.
    TextAnyCase { len: u16, start: u32 },
    /// Goes to another address where the next byte is not one of the symbols.
    Test { symbols: u16, other: u16 },
    /// Goes to the address that a table has for the next byte; the table begins at this place of [`Program::jumps`].
    Switch { table: u32 },
    /// From here on, failing leads back to this place of the text and to the address.
    Choice { other: u16 },
    /// Like [`Op::Choice`] where the next byte is one of the symbols; else goes to the address.
    Try { symbols: u16, other: u16 },
    /// Forgets the last choice and goes to an address.
    Commit { to: u16 },
    /// Forgets the last choice after a turn of a repetition. A turn that takes nothing is undone and ends it.
    Turn { to: u16, end: u16 },
    /// Goes to an address.
    Jump { to: u16 },
    /// Takes all bytes of the symbols.
    Span { symbols: u16 },
    /// Takes a byte of the symbols and goes to an address, where the next byte is one of them.
    Take { symbols: u16, to: u16 },
    /// Forgets the last choice, and goes back to its place of the text and to an address.
    Back { to: u16 },
    /// Forgets the last choice and fails.
    FailTwice,
    /// Fails.
    Fail,
    /// Goes to an address, up to the next [`Op::Return`].
    Call { to: u16 },
    /// Goes to the address after the last call.
    Return,
    /// Begins a match of a rule.
    Open { rule: u16 },
    /// Ends the last match that was begun.
    Close,
    /// Fits at the start of the text.
    Start,
    /// Fits at the end of the text.
    End,
    /// Everything was read.
    Done,
}
