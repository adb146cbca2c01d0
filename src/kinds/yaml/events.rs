//! A whole text as events.

use super::{
    Dialect,
    event::{Event, What},
    fault::{Fault, Problem},
    parse::{self, Parser},
};
use crate::text::Span;

/// More events than this are not kept for the next text.
const KEPT_EVENTS: usize = 1 << 14;

/// What a text says, up to its first fault.
pub(super) struct Parsed {
    pub(super) events: Vec<Event>,
    pub(super) comments: Vec<Span>,
    pub(super) fault: Option<Fault>,
}

/// Memory that one reading leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Memory {
    parser: parse::Memory,
    events: Vec<Event>,
}

impl Memory {
    /// Takes the events back.
    pub(super) fn recycle(&mut self, mut events: Vec<Event>) {
        events.clear();
        if events.capacity() <= KEPT_EVENTS {
            self.events = events;
        }
    }
}

/// Parses `text` with collections down to `depth`.
pub(super) fn parse(text: &str, dialect: Dialect, depth: usize, memory: &mut Memory) -> Parsed {
    if let Some(at) = forbidden(text.as_bytes(), 0) {
        let fault = Some(Fault::new(Problem::ControlCharacter, at));
        return Parsed { events: Vec::new(), comments: Vec::new(), fault };
    }
    let mut parser = Parser::new(text, dialect, depth, std::mem::take(&mut memory.parser));
    let mut events = std::mem::take(&mut memory.events);
    let fault = loop {
        match parser.next_event() {
            Ok(Some(event)) => events.push(event),
            Ok(None) => break None,
            Err(fault) => break Some(fault),
        }
    };
    let (comments, left) = parser.finish();
    memory.parser = left;
    Parsed { events, comments, fault }
}

/// Number of YAML documents.
pub(super) fn documents(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event.what, What::DocumentStart)).count()
}

/// Bytes that are forbidden (`1`) or start what may be (`2`).
const SUSPECT: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = 1;
        byte += 1;
    }
    table[b'\t' as usize] = 0;
    table[b'\n' as usize] = 0;
    table[b'\r' as usize] = 0;
    table[0x7F] = 1;
    table[0xC2] = 2;
    table[0xEF] = 2;
    table
};

/// The first character at or after `from` that no YAML text may hold: controls besides tab, line feed
/// and carriage return, DEL, U+0080 to U+009F besides NEL, U+FFFE and U+FFFF.
pub(super) fn forbidden(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| SUSPECT[*byte as usize] != 0)?;
        match bytes[at..] {
            [0xC2, 0x80..=0x84 | 0x86..=0x9F, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => return Some(at),
            [0xC2 | 0xEF, ..] => at += 1,
            _ => return Some(at),
        }
    }
}
