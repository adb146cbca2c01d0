//! Reads YAML that is plainly written, line by line.
//!
//! Most YAML has block collections and collections in brackets with simple keys, and neither anchors, aliases, tags,
//! directives, document marks nor explicit keys. Such text needs no tokens that wait for a colon: the end of a key is looked
//! for first. What is found goes to a [`Nodes`] at once. Where the text has anything else, errors included, there is no
//! result, and [`super::parse`] reads the text from its start. A test compares both on generated text.

use super::{
    Dialect,
    event::{Style, Text},
    scan::{self, Lexeme, SIMPLE_KEY_BYTES, Scanner, break_length},
};
use crate::{budget, text::Span};

/// Bytes that may end a plain scalar outside of brackets.
const BLOCK_STOPS: [bool; 256] = scan::stops(b":#\t\n");
/// Bytes that may end a plain scalar inside of brackets.
const FLOW_STOPS: [bool; 256] = scan::stops(b":#\t\n,[]{}?");
/// Bytes that cannot start a plain scalar, or only in some places.
const NO_START: [bool; 256] = scan::stops(b" \t\n-?:,[]{}#&*!|>'\"%@`\xEF");
/// Nodes and ends of collections that are charged together inside of brackets.
const CHARGED: u64 = 64;
/// Steps for each of them: one for reading it, and one for what becomes of it.
const STEPS: u64 = 2;

/// Takes nodes in the order in which they are written. In a mapping, keys and values alternate.
pub(super) trait Nodes {
    /// A scalar; nothing where the text must be read in another way.
    fn scalar(&mut self, text: Text, style: Style, span: Span) -> Option<()>;

    /// The start of a collection.
    fn open(&mut self, form: Form, span: Span) -> Option<()>;

    /// The end of the innermost collection; its span is the closing bracket if there is one.
    fn close(&mut self, span: Span);
}

/// How a collection is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// A mapping, not a sequence.
    pub(super) mapping: bool,
    /// In brackets.
    pub(super) flow: bool,
}

/// Allocations that the next text reuses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    scanner: scan::Memory,
    open: Vec<Open>,
}

/// An open collection.
#[derive(Debug, Clone, Copy)]
struct Open {
    kind: Collection,
    column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Collection {
    Mapping,
    Sequence,
    /// A sequence at the column of the key that it is the value of.
    IndentlessSequence,
    FlowMapping,
    FlowSequence,
}

impl Collection {
    fn form(self) -> Form {
        let mapping = matches!(self, Self::Mapping | Self::FlowMapping);
        let flow = matches!(self, Self::FlowMapping | Self::FlowSequence);
        Form { mapping, flow }
    }
}

/// What the next line can be besides an entry of an open collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pending {
    Nothing,
    Root,
    /// The value of the last key; its colon ends here.
    Value(u32),
    /// The item after the last dash, which ends here.
    Item(u32),
}

struct Lines<'t, 'n, N> {
    text: &'t str,
    bytes: &'t [u8],
    dialect: Dialect,
    depth: usize,
    pos: usize,
    /// Start of the line of `pos`.
    line: usize,
    pending: Pending,
    comments: Vec<Span>,
    memory: &'n mut Memory,
    nodes: &'n mut N,
    /// Nodes and ends of collections that are not yet charged.
    uncharged: u64,
}

/// Passes the nodes of `text`, which must not have forbidden characters, to `nodes`, and returns its comments with their
/// `#`; nothing where the text is not plainly written or has collections nested deeper than `depth`.
pub(super) fn read(
    text: &str,
    dialect: Dialect,
    depth: usize,
    memory: &mut Memory,
    nodes: &mut impl Nodes,
) -> Option<Vec<Span>> {
    let bytes = text.as_bytes();
    let broken = |at: usize| break_length(&bytes[at..]) > 0;
    if memchr::memchr3_iter(b'\r', 0xC2, 0xE2, bytes).any(broken) {
        return None;
    }
    memory.open.clear();
    let mut lines = Lines {
        text,
        bytes,
        dialect,
        depth,
        pos: 0,
        line: 0,
        pending: Pending::Root,
        comments: Vec::new(),
        memory,
        nodes,
        uncharged: 0,
    };
    lines.run()?;
    Some(lines.comments)
}

impl<N: Nodes> Lines<'_, '_, N> {
    fn run(&mut self) -> Option<()> {
        while let Some(first) = self.next_line() {
            self.content(first)?;
            self.pay()?;
        }
        let end = Span::at(self.pos);
        match self.pending {
            Pending::Root => return None,
            Pending::Value(at) | Pending::Item(at) => self.empty(at)?,
            Pending::Nothing => {}
        }
        while self.memory.open.pop().is_some() {
            self.close(end);
        }
        self.pay()
    }

    /// Goes to the next content, below empty lines and comments, and returns its first byte.
    fn next_line(&mut self) -> Option<u8> {
        loop {
            match self.after_spaces()? {
                b'\n' => self.break_line(),
                b'#' => self.comment(),
                first => return Some(first),
            }
        }
    }

    /// A line from its first byte on.
    fn content(&mut self, first: u8) -> Option<()> {
        let column = self.pos - self.line;
        if column == 0 && self.is_mark(first) {
            return None;
        }
        let dash = first == b'-' && self.is_space(self.pos + 1);
        let indent = self.memory.open.last().map_or(0, |last| last.column);
        let nested = match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => false,
            Pending::Root => true,
            Pending::Value(_) | Pending::Item(_) if column > indent => true,
            Pending::Value(_) if column == indent && dash => {
                self.enter(Collection::IndentlessSequence, column, Span::new(self.pos, self.pos + 1))?;
                false
            }
            // `libyaml` reads what is there as the item.
            Pending::Item(_) if column == indent && !dash && self.is_in(Collection::Sequence) => return None,
            Pending::Value(at) | Pending::Item(at) => {
                self.empty(at)?;
                false
            }
        };
        if nested {
            return if dash { self.sequence(column) } else { self.entry(column, true) };
        }
        self.unroll(column, dash);
        let last = self.memory.open.last()?;
        match last.kind {
            _ if last.column != column => None,
            Collection::Mapping if !dash => self.entry(column, false),
            Collection::Sequence | Collection::IndentlessSequence if dash => self.item(),
            _ => None,
        }
    }

    /// Ends the collections that a line at this column does not belong to.
    fn unroll(&mut self, column: usize, dash: bool) {
        while let Some(last) = self.memory.open.last() {
            let ends = last.column > column
                || last.column == column && !dash && last.kind == Collection::IndentlessSequence;
            if !ends {
                return;
            }
            self.memory.open.pop();
            self.close(Span::at(self.pos));
        }
    }

    /// A sequence whose first dash is here.
    fn sequence(&mut self, column: usize) -> Option<()> {
        self.enter(Collection::Sequence, column, Span::at(self.pos))?;
        self.item()
    }

    /// A dash and what follows it in its line.
    fn item(&mut self) -> Option<()> {
        loop {
            self.pos += 1;
            let end = self.pos as u32;
            match self.after_spaces() {
                None | Some(b'\n') => {
                    self.pending = Pending::Item(end);
                    return Some(());
                }
                Some(b'#') => {
                    self.pending = Pending::Item(end);
                    self.comment();
                    return Some(());
                }
                Some(b'-') if self.is_space(self.pos + 1) => {
                    self.enter(Collection::Sequence, self.pos - self.line, Span::at(self.pos))?;
                }
                Some(_) => return self.entry(self.pos - self.line, true),
            }
        }
    }

    /// A key and what follows it in its line; where a node may be here, a mapping that starts with the key, or a value.
    fn entry(&mut self, column: usize, node: bool) -> Option<()> {
        let start = self.pos;
        let first = self.bytes[start];
        let (text, style) = match first {
            b'[' | b'{' | b'|' | b'>' if node => return self.value(first),
            b'\'' | b'"' => match self.short_quoted(first) {
                Some(text) => (text, quoted_style(first)),
                None if node => return self.long_scalar(start, self.line),
                None => return None,
            },
            _ => (self.plain(first, &BLOCK_STOPS)?, Style::Plain),
        };
        let is_key = self.byte() == Some(b':') && self.is_space(self.pos + 1);
        if !is_key {
            return if node { self.after_scalar(start, text, style) } else { None };
        }
        if self.pos - start > SIMPLE_KEY_BYTES {
            return None;
        }
        if node {
            self.enter(Collection::Mapping, column, Span::at(start))?;
        }
        self.scalar(start, text, style)?;
        self.pos += 1;
        let end = self.pos as u32;
        match self.after_spaces() {
            None | Some(b'\n') => self.pending = Pending::Value(end),
            Some(b'#') => {
                self.pending = Pending::Value(end);
                self.comment();
            }
            Some(first) => return self.value(first),
        }
        Some(())
    }

    /// A value other than a block collection.
    fn value(&mut self, first: u8) -> Option<()> {
        let start = self.pos;
        match first {
            b'[' | b'{' => {
                self.brackets(first)?;
                self.rest_of_line()
            }
            b'|' | b'>' => self.long_scalar(start, self.line),
            b'\'' | b'"' => match self.short_quoted(first) {
                Some(text) => self.after_scalar(start, text, quoted_style(first)),
                None => self.long_scalar(start, self.line),
            },
            _ => {
                let text = self.plain(first, &BLOCK_STOPS)?;
                self.after_scalar(start, text, Style::Plain)
            }
        }
    }

    /// What follows a scalar of one line that is a value; a plain one may go on in the next line.
    fn after_scalar(&mut self, start: usize, text: Span, style: Style) -> Option<()> {
        let (line, indent) = (self.line, self.memory.open.last()?.column);
        let end = self.pos;
        if style == Style::Plain && self.byte() == Some(b'\n') {
            while self.byte() == Some(b'\n') {
                self.break_line();
                self.after_spaces();
            }
            let continued = self.pos - self.line > indent && self.byte().is_some_and(|byte| byte != b'#');
            if continued {
                return self.long_scalar(start, line);
            }
            return self.add(Text::Slice(text), style, text);
        }
        let span = if style == Style::Plain { text } else { Span::new(start, end) };
        self.add(Text::Slice(text), style, span)?;
        self.rest_of_line()
    }

    /// A scalar that needs a closer look, in the line that starts at `line`.
    fn long_scalar(&mut self, start: usize, line: usize) -> Option<()> {
        let indent = i32::try_from(self.memory.open.last()?.column).ok()?;
        let end = self.scanned(start, line, indent)?;
        if self.line > end { Some(()) } else { self.rest_of_line() }
    }

    /// Adds a scalar as the scanner reads it, and returns its end.
    fn scanned(&mut self, start: usize, line: usize, indent: i32) -> Option<usize> {
        let memory = std::mem::take(&mut self.memory.scanner);
        let mut scanner = Scanner::new(self.text, self.dialect, self.depth, memory);
        let found = scanner.scalar_at(start, line, indent);
        let (comments, memory) = scanner.finish();
        self.memory.scanner = memory;
        self.comments.extend(comments);
        let (token, pos, line) = found.ok()?;
        let Lexeme::Scalar(text, style) = token.what else { return None };
        (self.pos, self.line) = (pos, line);
        self.add(text, style, token.span)?;
        Some(token.span.end as usize)
    }

    /// Nothing but a comment may follow a value in its line.
    fn rest_of_line(&mut self) -> Option<()> {
        match self.after_spaces() {
            None | Some(b'\n') => Some(()),
            Some(b'#') if self.bytes[self.pos - 1] == b' ' => {
                self.comment();
                Some(())
            }
            Some(_) => None,
        }
    }

    /// Reads a plain scalar of one line up to the colon, the comment or the line end after it.
    fn plain(&mut self, first: u8, stops: &[bool; 256]) -> Option<Span> {
        let start = self.pos;
        if NO_START[usize::from(first)] {
            let next = self.bytes.get(start + 1).filter(|_| first == b'-')?;
            if matches!(next, b' ' | b'\t' | b'\n' | b',' | b'[' | b']' | b'{' | b'}') {
                return None;
            }
        }
        let bytes = self.bytes;
        let mut at = start + 1;
        loop {
            while at < bytes.len() && !stops[bytes[at] as usize] {
                at += 1;
            }
            match bytes.get(at) {
                Some(b':') => {
                    let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
                    if matches!(next, b' ' | b'\n') {
                        break;
                    }
                    // Inside of brackets, the dialects differ.
                    if next == b'\t' || stops[usize::from(b',')] && FLOW_STOPS[usize::from(next)] {
                        return None;
                    }
                }
                Some(b'#') if bytes[at - 1] != b' ' => {}
                Some(b'\t' | b'?') => return None,
                _ => break,
            }
            at += 1;
        }
        self.pos = at;
        let mut end = at;
        while bytes[end - 1] == b' ' {
            end -= 1;
        }
        Some(Span::new(start, end))
    }

    /// Reads a quoted scalar of one line without escapes, and returns the span inside its quotes.
    fn short_quoted(&mut self, quote: u8) -> Option<Span> {
        let bytes = self.bytes;
        let start = self.pos + 1;
        let mut at = start;
        while at < bytes.len() && bytes[at] != quote {
            if matches!(bytes[at], b'\\' | b'\n') {
                return None;
            }
            at += 1;
        }
        if at == bytes.len() || bytes.get(at + 1) == Some(&b'\'') {
            return None;
        }
        self.pos = at + 1;
        Some(Span::new(start, at))
    }

    /// A collection in brackets, which opens here.
    fn brackets(&mut self, first: u8) -> Option<()> {
        let outside = self.memory.open.len();
        self.open_bracket(first)?;
        loop {
            if self.uncharged >= CHARGED {
                self.pay()?;
            }
            let mut byte = self.inside()?;
            if !self.close_bracket(byte) {
                if self.is_in(Collection::FlowMapping) {
                    self.flow_key(byte)?;
                    byte = self.inside()?;
                }
                if matches!(byte, b'[' | b'{') {
                    self.open_bracket(byte)?;
                    continue;
                }
                self.flow_scalar(byte)?;
            }
            while self.memory.open.len() > outside {
                let byte = self.inside()?;
                if byte == b',' {
                    break;
                }
                if !self.close_bracket(byte) {
                    return None;
                }
            }
            if self.memory.open.len() == outside {
                return Some(());
            }
            self.pos += 1;
        }
    }

    fn open_bracket(&mut self, byte: u8) -> Option<()> {
        let span = Span::new(self.pos, self.pos + 1);
        let kind = if byte == b'[' { Collection::FlowSequence } else { Collection::FlowMapping };
        self.enter(kind, 0, span)?;
        self.pos += 1;
        Some(())
    }

    /// Ends the innermost collection if the byte is its bracket.
    fn close_bracket(&mut self, byte: u8) -> bool {
        let kind = match byte {
            b']' => Collection::FlowSequence,
            b'}' => Collection::FlowMapping,
            _ => return false,
        };
        if !self.is_in(kind) {
            return false;
        }
        self.memory.open.pop();
        self.close(Span::new(self.pos, self.pos + 1));
        self.pos += 1;
        true
    }

    /// Goes to the next content inside of brackets, and returns its first byte.
    fn inside(&mut self) -> Option<u8> {
        loop {
            match self.after_spaces()? {
                b'\n' => self.break_line(),
                b'#' if self.pos == self.line || self.bytes[self.pos - 1] == b' ' => self.comment(),
                byte if self.pos == self.line && self.is_mark(byte) => return None,
                byte => return Some(byte),
            }
        }
    }

    /// A key in braces with its colon.
    fn flow_key(&mut self, first: u8) -> Option<()> {
        let start = self.pos;
        let (text, style) = match first {
            b'\'' | b'"' => (self.short_quoted(first)?, quoted_style(first)),
            _ => (self.plain(first, &FLOW_STOPS)?, Style::Plain),
        };
        if self.byte() != Some(b':') || self.pos - start > SIMPLE_KEY_BYTES {
            return None;
        }
        self.scalar(start, text, style)?;
        self.pos += 1;
        Some(())
    }

    fn flow_scalar(&mut self, first: u8) -> Option<()> {
        let start = self.pos;
        let (text, style) = match first {
            b'\'' | b'"' => match self.short_quoted(first) {
                Some(text) => (text, quoted_style(first)),
                None => return self.scanned(start, self.line, 0).map(|_| ()),
            },
            _ => (self.plain(first, &FLOW_STOPS)?, Style::Plain),
        };
        self.scalar(start, text, style)
    }

    /// Adds a scalar of one line that started at `start`.
    fn scalar(&mut self, start: usize, text: Span, style: Style) -> Option<()> {
        let span = if style == Style::Plain { text } else { Span::new(start, text.end as usize + 1) };
        self.add(Text::Slice(text), style, span)
    }

    /// Adds an implicit null.
    fn empty(&mut self, at: u32) -> Option<()> {
        let span = Span::at(at as usize);
        self.add(Text::Slice(span), Style::Plain, span)
    }

    fn add(&mut self, text: Text, style: Style, span: Span) -> Option<()> {
        self.uncharged += 1;
        self.nodes.scalar(text, style, span)
    }

    fn close(&mut self, span: Span) {
        self.uncharged += 1;
        self.nodes.close(span);
    }

    /// Charges what is not yet charged.
    fn pay(&mut self) -> Option<()> {
        let steps = STEPS * std::mem::take(&mut self.uncharged);
        (steps == 0 || budget::charge(steps)).then_some(())
    }

    fn enter(&mut self, kind: Collection, column: usize, span: Span) -> Option<()> {
        if self.memory.open.len() >= self.depth {
            return None;
        }
        self.memory.open.push(Open { kind, column });
        self.uncharged += 1;
        self.nodes.open(kind.form(), span)
    }

    fn is_in(&self, kind: Collection) -> bool {
        self.memory.open.last().is_some_and(|last| last.kind == kind)
    }

    /// Keeps the comment here and goes to its end.
    fn comment(&mut self) {
        let rest = &self.bytes[self.pos..];
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.comments.push(Span::new(self.pos, self.pos + length));
        self.pos += length;
    }

    fn break_line(&mut self) {
        self.pos += 1;
        self.line = self.pos;
    }

    /// Skips spaces and returns the byte after them.
    fn after_spaces(&mut self) -> Option<u8> {
        let bytes = self.bytes;
        let mut at = self.pos;
        while at < bytes.len() && bytes[at] == b' ' {
            at += 1;
        }
        self.pos = at;
        bytes.get(at).copied()
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// Whether a space, a line end or the end of the text is at a position.
    fn is_space(&self, at: usize) -> bool {
        at >= self.bytes.len() || matches!(self.bytes[at], b' ' | b'\n')
    }

    /// Whether the line that starts here may be a document mark or a directive.
    fn is_mark(&self, first: u8) -> bool {
        match first {
            b'%' => true,
            b'-' | b'.' => self.bytes[self.pos..].starts_with(&[first; 3]),
            _ => false,
        }
    }
}

fn quoted_style(quote: u8) -> Style {
    if quote == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted }
}
