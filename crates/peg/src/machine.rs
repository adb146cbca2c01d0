//! The machine that runs the instructions of a grammar, with one stack and no calls of its own.
//!
//! It says what fits, and only that: why text does not fit, the reader of steps finds out ([`super::run`]).

use super::{
    Grammar, Match, Op, Program, Symbols,
    limits::{EFFORT_AT_LEAST, EFFORT_PER_BYTE},
};
use crate::{budget, text::Span};

/// Turns, calls and failures after which the budget of the validation is charged.
const CHARGED: u32 = 128;

/// Bytes of a run of characters that are as much work as a call.
const BYTES: usize = 8;

/// Steps of a budget for one of those.
const STEPS: u64 = 2;

/// What came of reading.
pub(super) enum Outcome {
    /// The text fits.
    Fits(Vec<Match>),
    /// The text does not fit.
    Differs,
    /// The machine does not know: there are no instructions, or reading took too much.
    Unknown,
}

/// What the machine returns to.
#[derive(Clone, Copy)]
struct Entry {
    /// The address where it goes on; of an open match the index.
    to: u32,
    /// The place in the text where it goes on, or one of [`CALL`] and [`OPEN`].
    at: u32,
    /// Number of matches that stay.
    matches: u32,
}

/// Marks what a call returns to.
const CALL: u32 = u32::MAX;

/// Marks a match that was begun.
const OPEN: u32 = u32::MAX - 1;

/// What stops the machine before it knows.
struct Stopped;

impl Grammar {
    /// Reads a whole text with the rule of this number among the starts.
    pub(super) fn run(&self, start: usize, text: &str) -> Outcome {
        let Some(start) = self.program.starts.get(start) else { return Outcome::Unknown };
        if text.len() >= OPEN as usize {
            return Outcome::Unknown;
        }
        let mut machine = Machine::new(self, text);
        match machine.run(usize::from(*start)) {
            Ok(true) => Outcome::Fits(machine.matches),
            Ok(false) => Outcome::Differs,
            Err(Stopped) => Outcome::Unknown,
        }
    }
}

impl Grammar {
    /// The end of what an instruction without jumps takes, if it fits.
    #[inline]
    fn taken(&self, op: Op, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        match op {
            Op::Skip => Some(at + 1),
            Op::Char { symbols, set } => {
                if bytes.get(at)?.is_ascii() {
                    return self.symbols[usize::from(symbols)].has(bytes, at).then_some(at + 1);
                }
                self.wide_character(set, text, at)
            }
            Op::Text { len, start } => {
                let wanted = self.string(start, len);
                bytes[at..].starts_with(wanted).then(|| at + wanted.len())
            }
            Op::TextAnyCase { len, start } => {
                let wanted = self.string(start, len);
                let head = bytes.get(at..at + wanted.len())?;
                head.eq_ignore_ascii_case(wanted).then(|| at + wanted.len())
            }
            Op::Start => (at == 0).then_some(at),
            Op::End => (at == bytes.len()).then_some(at),
            _ => None,
        }
    }
}

struct Machine<'t> {
    grammar: &'t Grammar,
    text: &'t str,
    matches: Vec<Match>,
    stack: Vec<Entry>,
    /// Calls that may still be made inside each other.
    calls: u32,
    /// Effort that is left.
    left: usize,
    /// Effort since the budget was charged.
    uncharged: u32,
}

impl<'t> Machine<'t> {
    fn new(grammar: &'t Grammar, text: &'t str) -> Self {
        Self {
            grammar,
            text,
            // Reading may stop near the start of the text.
            matches: Vec::with_capacity((text.len() / 4 + 8).min(1024)),
            stack: Vec::with_capacity(64),
            calls: grammar.program.calls,
            left: EFFORT_AT_LEAST + text.len() * EFFORT_PER_BYTE,
            uncharged: 0,
        }
    }

    /// Runs from an address on; says whether the text fits.
    fn run(&mut self, start: usize) -> Result<bool, Stopped> {
        let (grammar, bytes) = (self.grammar, self.text.as_bytes());
        let Program { ops, classes, jumps, .. } = &grammar.program;
        let (ops, symbols): (&[Op], &[Symbols]) = (ops, &grammar.symbols);
        let (mut next, mut at) = (start, 0);
        loop {
            let op = ops[next];
            next += 1;
            // Where reading goes on, if this fits.
            let end = match op {
                Op::Test { symbols: number, other } => {
                    if !symbols[usize::from(number)].has(bytes, at) {
                        next = usize::from(other);
                    }
                    Some(at)
                }
                Op::Switch { table } => {
                    let byte = bytes.get(at).map_or(classes.len() - 1, |byte| usize::from(*byte));
                    next = usize::from(jumps[table as usize + usize::from(classes[byte])]);
                    Some(at)
                }
                Op::Choice { other } => {
                    self.push(u32::from(other), at as u32);
                    Some(at)
                }
                Op::Commit { to } => {
                    self.stack.pop();
                    next = usize::from(to);
                    Some(at)
                }
                Op::Turn { to, end } => {
                    next = usize::from(if self.turn(at)? { to } else { end });
                    Some(at)
                }
                Op::Jump { to } => {
                    next = usize::from(to);
                    Some(at)
                }
                Op::Span { symbols: number } => {
                    Some(at + self.span(&symbols[usize::from(number)], &bytes[at..]))
                }
                Op::Take { symbols: number, to } => {
                    let fits = bytes.get(at).is_some_and(|byte| symbols[usize::from(number)].has_byte(*byte));
                    if fits {
                        next = usize::from(to);
                    }
                    Some(at + usize::from(fits))
                }
                Op::Back { to } => {
                    next = usize::from(to);
                    self.back()
                }
                Op::FailTwice => {
                    self.stack.pop();
                    None
                }
                Op::Fail => None,
                Op::Call { to } => {
                    self.call(next)?;
                    next = usize::from(to);
                    Some(at)
                }
                Op::Return => {
                    self.calls += 1;
                    next = self.stack.pop().map_or(0, |entry| entry.to as usize);
                    Some(at)
                }
                Op::Open { rule } => {
                    self.push(self.matches.len() as u32, OPEN);
                    self.matches.push(Match { rule, span: Span::at(at), next: 0 });
                    Some(at)
                }
                Op::Close => {
                    self.close(at);
                    Some(at)
                }
                Op::Done => return Ok(true),
                takes => grammar.taken(takes, self.text, at),
            };
            if let Some(end) = end {
                at = end;
                continue;
            }
            self.spend(1)?;
            let Some(choice) = self.fail() else { return Ok(false) };
            (next, at) = (choice.to as usize, choice.at as usize);
        }
    }

    /// Counts effort, and charges it to the budget.
    fn spend(&mut self, effort: u32) -> Result<(), Stopped> {
        self.left = self.left.checked_sub(effort as usize).ok_or(Stopped)?;
        self.uncharged += effort;
        if self.uncharged >= CHARGED {
            let charged = std::mem::take(&mut self.uncharged);
            if !budget::charge(STEPS * u64::from(charged)) {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    fn push(&mut self, to: u32, at: u32) {
        self.stack.push(Entry { to, at, matches: self.matches.len() as u32 });
    }

    /// Takes what came after the last choice back; nothing where there is none.
    fn fail(&mut self) -> Option<Entry> {
        loop {
            let entry = self.stack.pop()?;
            match entry.at {
                CALL => self.calls += 1,
                OPEN => {}
                _ => {
                    self.matches.truncate(entry.matches as usize);
                    return Some(entry);
                }
            }
        }
    }

    /// Takes the matches since the last choice back; gives its place in the text.
    fn back(&mut self) -> Option<usize> {
        let entry = self.stack.pop()?;
        self.matches.truncate(entry.matches as usize);
        Some(entry.at as usize)
    }

    fn call(&mut self, from: usize) -> Result<(), Stopped> {
        self.calls = self.calls.checked_sub(1).ok_or(Stopped)?;
        self.spend(1)?;
        self.push(from as u32, CALL);
        Ok(())
    }

    fn close(&mut self, at: usize) {
        let next = self.matches.len() as u32;
        let open = self.stack.pop().and_then(|entry| self.matches.get_mut(entry.to as usize));
        if let Some(found) = open {
            found.span.end = at as u32;
            found.next = next;
        }
    }

    /// Whether a turn of a repetition took something.
    fn turn(&mut self, at: usize) -> Result<bool, Stopped> {
        self.spend(1)?;
        let Some(entry) = self.stack.pop() else { return Ok(false) };
        let is_empty = entry.at as usize == at;
        if is_empty {
            self.matches.truncate(entry.matches as usize);
        }
        Ok(!is_empty)
    }

    /// How many bytes of the rest of the text are among the symbols.
    fn span(&mut self, symbols: &Symbols, rest: &[u8]) -> usize {
        let length = rest.iter().position(|byte| !symbols.has_byte(*byte)).unwrap_or(rest.len());
        self.left = self.left.saturating_sub(length / BYTES);
        length
    }
}
