use std::{borrow::Cow, collections::BTreeSet};

use super::program::Program;

/// A compiled grammar: flat tables that are static for the built-in grammars and owned for those of packs.
#[derive(Debug, Clone)]
pub struct Grammar {
    /// Names of the rules that make matches; a rule's number is its position here.
    pub names: Cow<'static, [Cow<'static, str>]>,
    /// Rules that reading can start with, and their steps.
    pub starts: Cow<'static, [(Cow<'static, str>, u16)]>,
    /// Everything that can be matched.
    pub steps: Cow<'static, [Step]>,
    /// Children of sequences and choices, as numbers of steps.
    pub children: Cow<'static, [u16]>,
    /// Strings to match, one after the other.
    pub strings: Cow<'static, str>,
    /// Sets of bytes that steps may begin with.
    pub symbols: Cow<'static, [Symbols]>,
    /// Sets of characters.
    pub sets: Cow<'static, [CharSet]>,
    /// Ranges of characters beyond ASCII, for the sets.
    pub ranges: Cow<'static, [(u32, u32)]>,
    /// The steps as instructions for the machine.
    pub program: Program,
}

/// What to match, and the bytes with which that may succeed.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Number of the bytes in [`Grammar::symbols`].
    pub first: u16,
    /// What to match.
    pub form: Form,
}

/// A parsing expression; plain numbers are those of steps.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// A character of the set with this number.
    Char(u16),
    /// A string.
    Text(Slice),
    /// A string of lower-case letters, matched in any case of ASCII.
    TextAnyCase(Slice),
    /// All of these, one after the other.
    Sequence(Slice),
    /// The first of these that fits.
    Choice(Slice),
    /// A step, again and again.
    Repeat {
        /// The step.
        step: u16,
        /// Number of the bytes that the step surely takes one by one, in [`Grammar::symbols`].
        quick: u16,
        /// Fewest repetitions.
        min: u32,
        /// Most repetitions.
        max: u32,
    },
    /// Nothing, where the step does not match.
    Not(u16),
    /// Nothing, where the step matches.
    And(u16),
    /// A match with the name of the first number.
    Part(u16, u16),
    /// Like [`Self::Part`], of a rule without matches inside: a word for whoever reads an error.
    Token(u16, u16),
    /// A match that says that something is wrong: an error production.
    Fault(u16, u16),
    /// A step whose text is put on the stack.
    Push(u16),
    /// The text on top of the stack.
    Peek,
    /// The strings on the stack from the first number up to the second one, which counts from the end where
    /// it is negative; without it up to the top.
    PeekSlice(i32, Option<i32>),
    /// All strings on the stack, from top to bottom.
    PeekAll,
    /// The text on top of the stack, which is taken off.
    Pop,
    /// All strings on the stack, from top to bottom, which are removed.
    PopAll,
    /// Takes the text on top off the stack and matches nothing.
    Drop,
    /// The start of the text.
    Start,
    /// The end of the text.
    End,
}

/// A part of a table.
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// Where it starts.
    pub start: u32,
    /// How long it is.
    pub len: u32,
}

impl Slice {
    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        &table[self.start as usize..(self.start + self.len) as usize]
    }

    pub(super) fn of_text(self, strings: &str) -> &[u8] {
        // Bytes, since a slice of a string is checked for whole characters.
        &strings.as_bytes()[self.start as usize..(self.start + self.len) as usize]
    }
}

/// A set of characters.
#[derive(Debug, Clone, Copy)]
pub struct CharSet {
    /// A bit for each character of ASCII.
    pub ascii: u128,
    /// Ranges of the others in [`Grammar::ranges`], ascending, both ends included.
    pub wide: Slice,
}

/// Bytes that may come next, as bits, and whether the text may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbols {
    pub bytes: [u64; 4],
    pub end: bool,
}

impl Symbols {
    #[inline]
    pub(super) fn has(&self, text: &[u8], at: usize) -> bool {
        match text.get(at) {
            Some(byte) => self.has_byte(*byte),
            None => self.end,
        }
    }

    #[inline]
    pub(super) fn has_byte(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Whether something is in both.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let both = self.bytes.iter().zip(&other.bytes).any(|(own, other)| own & other != 0);
        both || (self.end && other.end)
    }
}

impl Grammar {
    /// The number of a rule that makes matches.
    pub fn rule(&self, name: &str) -> Option<u16> {
        self.names.iter().position(|known| known == name).and_then(|number| u16::try_from(number).ok())
    }

    /// The name of the rule with this number; empty when there is none.
    pub fn name(&self, rule: u16) -> &str {
        self.names.get(usize::from(rule)).map_or("", AsRef::as_ref)
    }

    /// Names of the rules that make matches, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// The step that reads a whole text with a rule.
    pub(super) fn start(&self, rule: &str) -> Option<u16> {
        self.starts.iter().find(|(name, _)| name == rule).map(|(_, step)| *step)
    }

    /// A string of the grammar.
    #[inline]
    pub(super) fn string(&self, start: u32, len: u16) -> &[u8] {
        Slice { start, len: u32::from(len) }.of_text(&self.strings)
    }

    /// The end of the character beyond ASCII at an offset, if it is in a set.
    pub(super) fn wide_character(&self, set: u16, text: &str, at: usize) -> Option<usize> {
        let c = text[at..].chars().next()?;
        let (code, ranges) = (c as u32, self.sets[usize::from(set)].wide.of(&self.ranges));
        let next = ranges.partition_point(|(_, last)| *last < code);
        let (first, _) = ranges.get(next)?;
        (*first <= code).then(|| at + c.len_utf8())
    }

    /// For each rule that makes matches, the rules whose matches can be directly inside its own.
    pub fn inside(&self) -> Vec<BTreeSet<u16>> {
        let mut inside = vec![BTreeSet::new(); self.names.len()];
        for step in self.steps.iter() {
            if let Form::Part(name, body) | Form::Fault(name, body) = step.form {
                self.collect(body, &mut BTreeSet::new(), &mut inside[usize::from(name)]);
            }
        }
        inside
    }

    /// The rules whose matches can be outermost when reading starts with a rule.
    pub fn outermost(&self, start: &str) -> BTreeSet<u16> {
        let mut found = BTreeSet::new();
        if let Some(step) = self.start(start) {
            self.collect(step, &mut BTreeSet::new(), &mut found);
        }
        found
    }

    fn collect(&self, step: u16, seen: &mut BTreeSet<u16>, found: &mut BTreeSet<u16>) {
        let mut waiting = vec![step];
        while let Some(step) = waiting.pop() {
            if !seen.insert(step) {
                continue;
            }
            match self.steps[usize::from(step)].form {
                Form::Part(name, _) | Form::Token(name, _) | Form::Fault(name, _) => {
                    found.insert(name);
                }
                Form::Sequence(list) | Form::Choice(list) => waiting.extend(list.of(&self.children)),
                Form::Repeat { step, .. } | Form::Push(step) => waiting.push(step),
                _ => {}
            }
        }
    }
}
