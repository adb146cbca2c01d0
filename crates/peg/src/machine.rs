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

/// The length of [`Program::classes`]: a class for each byte, and one for the end of the text.
const CLASSES: usize = u8::MAX as usize + 2;

/// What the machine returns to.
#[derive(Clone, Copy)]
struct Entry {
    /// The address where it goes on.
    to: u32,
    /// The place in the text where it goes on, or [`CALL`].
    at: u32,
    /// Number of matches that stay.
    matches: u32,
    /// Index of the innermost match that is open, plus one.
    open: u32,
}

/// Marks what a call returns to.
const CALL: u32 = u32::MAX;

/// What stops the machine before it knows.
struct Stopped;

impl Grammar {
    /// Reads a whole text with the rule of this number among the starts.
    pub(super) fn run(&self, start: usize, text: &str) -> Outcome {
        let Some(start) = self.program.starts.get(start) else { return Outcome::Unknown };
        if text.len() >= CALL as usize {
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

struct Machine<'t> {
    grammar: &'t Grammar,
    text: &'t str,
    matches: Vec<Match>,
    stack: Vec<Entry>,
    /// Index of the innermost match that is open, plus one; its `next` is that of the one around it.
    open: u32,
    /// Calls that may still be made inside each other.
    calls: u32,
    /// Effort that is left.
    left: usize,
    /// Effort until the budget is charged.
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
            open: 0,
            calls: grammar.program.calls,
            left: EFFORT_AT_LEAST + text.len() * EFFORT_PER_BYTE,
            uncharged: CHARGED,
        }
    }

    /// Runs from an address on; says whether the text fits.
    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    fn run(&mut self, start: usize) -> Result<bool, Stopped> {
        let (grammar, text) = (self.grammar, self.text);
        let bytes = text.as_bytes();
        let Program { ops, classes, jumps, .. } = &grammar.program;
        let (ops, symbols): (&[Op], &[Symbols]) = (ops, &grammar.symbols);
        // A table of a known length, so that looking a byte up needs no test.
        let Ok(classes) = <&[u8; CLASSES]>::try_from(&**classes) else { return Err(Stopped) };
        let (mut next, mut at) = (start, 0);
        loop {
            let op = &ops[next];
            next += 1;
            // What fits goes on with the next instruction, or with the one that it names.
            match *op {
                Op::Test { symbols: number, other } => {
                    if !symbols[usize::from(number)].has(bytes, at) {
                        next = usize::from(other);
                    }
                    continue;
                }
                Op::Switch { table } => {
                    let byte = bytes.get(at).map_or(CLASSES - 1, |byte| usize::from(*byte));
                    next = usize::from(jumps[table as usize + usize::from(classes[byte])]);
                    continue;
                }
                Op::Try { symbols: number, other } => {
                    if symbols[usize::from(number)].has(bytes, at) {
                        self.push(u32::from(other), at as u32);
                    } else {
                        next = usize::from(other);
                    }
                    continue;
                }
                Op::Choice { other } => {
                    self.push(u32::from(other), at as u32);
                    continue;
                }
                Op::Commit { to } => {
                    self.stack.pop();
                    next = usize::from(to);
                    continue;
                }
                Op::Turn { to, end } => {
                    next = usize::from(if self.turn(at)? { to } else { end });
                    continue;
                }
                Op::Jump { to } => {
                    next = usize::from(to);
                    continue;
                }
                Op::Skip => {
                    at += 1;
                    continue;
                }
                Op::Span { symbols: number } => {
                    at += self.span(&symbols[usize::from(number)], &bytes[at..]);
                    continue;
                }
                Op::Take { symbols: number, to } => {
                    if bytes.get(at).is_some_and(|byte| symbols[usize::from(number)].has_byte(*byte)) {
                        next = usize::from(to);
                        at += 1;
                    }
                    continue;
                }
                Op::Call { to } => {
                    self.call(next)?;
                    next = usize::from(to);
                    continue;
                }
                Op::Return => {
                    self.calls += 1;
                    next = self.stack.pop().map_or(0, |entry| entry.to as usize);
                    continue;
                }
                Op::Open { rule } => {
                    self.matches.push(Match { rule, span: Span::at(at), next: self.open });
                    self.open = self.matches.len() as u32;
                    continue;
                }
                Op::Close => {
                    self.close(at);
                    continue;
                }
                Op::Char { symbols: number, set } => match bytes.get(at) {
                    Some(byte) if byte.is_ascii() && symbols[usize::from(number)].has_byte(*byte) => {
                        at += 1;
                        continue;
                    }
                    Some(byte) if !byte.is_ascii() => {
                        if let Some(end) = grammar.wide_character(set, text, at) {
                            at = end;
                            continue;
                        }
                    }
                    _ => {}
                },
                Op::Text { len, start } => {
                    if bytes[at..].starts_with(grammar.string(start, len)) {
                        at += usize::from(len);
                        continue;
                    }
                }
                Op::TextAnyCase { len, start } => {
                    let end = at + usize::from(len);
                    let head = bytes.get(at..end);
                    if head.is_some_and(|head| head.eq_ignore_ascii_case(grammar.string(start, len))) {
                        at = end;
                        continue;
                    }
                }
                Op::Back { to } => {
                    if let Some(place) = self.back() {
                        (next, at) = (usize::from(to), place);
                        continue;
                    }
                }
                Op::Start if at == 0 => continue,
                Op::End if at == bytes.len() => continue,
                Op::FailTwice => {
                    self.stack.pop();
                }
                Op::Start | Op::End | Op::Fail => {}
                Op::Done => return Ok(true),
            }
            self.spend()?;
            let Some(choice) = self.fail() else { return Ok(false) };
            (next, at) = (choice.to as usize, choice.at as usize);
        }
    }

    /// Counts a turn, a call or a failure.
    #[inline]
    fn spend(&mut self) -> Result<(), Stopped> {
        self.uncharged -= 1;
        if self.uncharged == 0 { self.charge() } else { Ok(()) }
    }

    /// Charges the effort that was counted.
    #[cold]
    fn charge(&mut self) -> Result<(), Stopped> {
        self.uncharged = CHARGED;
        self.left = self.left.checked_sub(CHARGED as usize).ok_or(Stopped)?;
        if budget::charge(STEPS * u64::from(CHARGED)) { Ok(()) } else { Err(Stopped) }
    }

    fn push(&mut self, to: u32, at: u32) {
        let entry = Entry { to, at, matches: self.matches.len() as u32, open: self.open };
        self.stack.push(entry);
    }

    /// Takes what came after the last choice back; nothing where there is none.
    fn fail(&mut self) -> Option<Entry> {
        loop {
            let entry = self.stack.pop()?;
            if entry.at == CALL {
                self.calls += 1;
                continue;
            }
            self.matches.truncate(entry.matches as usize);
            self.open = entry.open;
            return Some(entry);
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
        self.spend()?;
        self.push(from as u32, CALL);
        Ok(())
    }

    fn close(&mut self, at: usize) {
        let next = self.matches.len() as u32;
        let index = (self.open as usize).wrapping_sub(1);
        if let Some(found) = self.matches.get_mut(index) {
            self.open = std::mem::replace(&mut found.next, next);
            found.span.end = at as u32;
        }
    }

    /// Whether a turn of a repetition took something.
    fn turn(&mut self, at: usize) -> Result<bool, Stopped> {
        self.spend()?;
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
