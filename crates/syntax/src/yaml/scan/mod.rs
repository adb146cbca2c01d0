//! From text to tokens, with the algorithm that `libyaml` and `PyYAML` share.
//!
//! Only its colon shows that a line is a key. The scanner therefore remembers each *simple key*, a position
//! where a key may have started, and queues the tokens from there on.

mod property;
mod scalar;
mod token;

use std::collections::VecDeque;

use super::{
    Dialect,
    fault::{Fault, Problem},
};
use crate::text::Span;

pub(super) use scalar::stops;
pub(super) use token::{Lexeme, TagParts, Token};

/// Maximum length of a key on one line, in bytes.
pub(super) const SIMPLE_KEY_BYTES: usize = 1024;

pub(super) struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    dialect: Dialect,
    pos: usize,
    /// Start of the line of `pos`. Lines end at the line breaks of YAML 1.1.
    line_start: usize,
    /// A position in the line with a known column: byte and column.
    measured: (usize, i32),
    tokens: VecDeque<Token>,
    /// Number of tokens taken from the queue.
    taken: usize,
    /// Whether no token can be inserted before the first one of the queue.
    certain: bool,
    ended: bool,
    /// Column of the innermost block collection; -1 outside of block collections.
    indent: i32,
    indents: Vec<i32>,
    /// Whether a key can start here.
    key_allowed: bool,
    /// Possible keys: one for the block level and for every open bracket.
    keys: Vec<Option<SimpleKey>>,
    flow_limit: usize,
    comments: Vec<Span>,
    /// The last multi-line quoted scalar.
    long_quote: Option<Span>,
}

/// Allocations that the next scanner reuses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    tokens: VecDeque<Token>,
    indents: Vec<i32>,
    keys: Vec<Option<SimpleKey>>,
}

/// A position where a key may have started.
#[derive(Debug, Clone, Copy)]
struct SimpleKey {
    /// Only a key is allowed here.
    required: bool,
    /// Number of the first token of the key.
    token: usize,
    at: usize,
    column: i32,
}

impl<'t> Scanner<'t> {
    /// A scanner of `text`, which must not have forbidden characters, for at most `flow_limit` nested
    /// brackets.
    pub(super) fn new(text: &'t str, dialect: Dialect, flow_limit: usize, memory: Memory) -> Self {
        let Memory { mut tokens, mut indents, mut keys } = memory;
        tokens.clear();
        indents.clear();
        keys.clear();
        keys.push(None);
        Self {
            text,
            bytes: text.as_bytes(),
            dialect,
            pos: 0,
            line_start: 0,
            measured: (0, 0),
            tokens,
            taken: 0,
            certain: false,
            ended: false,
            indent: -1,
            indents,
            key_allowed: true,
            keys,
            flow_limit,
            comments: Vec::new(),
            long_quote: None,
        }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&mut self) -> Result<&Token, Fault> {
        if !self.certain {
            self.fill()?;
        }
        self.tokens.front().ok_or(Fault::new(Problem::ExpectedNode, self.pos))
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Result<Token, Fault> {
        if !self.certain {
            self.fill()?;
        }
        self.certain = false;
        self.taken += 1;
        self.tokens.pop_front().ok_or(Fault::new(Problem::ExpectedNode, self.pos))
    }

    /// The comments, each with its `#`.
    pub(super) fn finish(self) -> (Vec<Span>, Memory) {
        (self.comments, Memory { tokens: self.tokens, indents: self.indents, keys: self.keys })
    }

    /// Start of the last multi-line quoted scalar, if it ends on the line of `at`.
    pub(super) fn quote_before(&self, at: usize) -> Option<usize> {
        let quote = self.long_quote?;
        let between = self.text.get(quote.end as usize..at)?;
        (!between.contains('\n')).then_some(quote.start as usize)
    }

    /// The text.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Fetches tokens until the next one is certain.
    fn fill(&mut self) -> Result<(), Fault> {
        loop {
            if !self.tokens.is_empty() {
                self.drop_stale_keys()?;
                let next = self.taken;
                if !self.keys.iter().flatten().any(|key| key.token == next) {
                    self.certain = true;
                    return Ok(());
                }
            } else if self.ended {
                return Ok(());
            }
            self.fetch()?;
        }
    }

    fn fetch(&mut self) -> Result<(), Fault> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        if self.flow() == 0 {
            let column = self.column();
            self.unroll(column);
        }
        let first = self.at(0);
        if first == 0 {
            return self.fetch_stream_end();
        }
        if self.pos == self.line_start {
            if first == b'%' {
                return self.fetch_directive();
            }
            if self.is_document_mark() {
                return self.fetch_document_mark();
            }
        }
        match first {
            b'[' => self.fetch_flow_start(Lexeme::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Lexeme::FlowMappingStart),
            b']' => self.fetch_flow_end(Lexeme::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Lexeme::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.is_space_or_end(1) => self.fetch_block_entry(),
            b'?' if self.flow() > 0 || self.is_space_or_end(1) => self.fetch_key(),
            b':' if self.flow() > 0 || self.is_space_or_end(1) => self.fetch_value(),
            b'*' | b'&' => self.fetch_anchor(),
            b'!' => self.fetch_tag(),
            b'|' | b'>' if self.flow() == 0 => self.fetch_block_scalar(),
            b'\'' | b'"' => self.fetch_quoted(),
            b'\t' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => Err(Fault::new(Problem::NoToken, self.pos)),
            _ => self.fetch_plain(),
        }
    }

    /// Skips whitespace, comments and line breaks.
    fn skip_to_token(&mut self) {
        loop {
            self.skip_byte_order_mark();
            let tabs = !self.is_python() && (self.flow() > 0 || !self.key_allowed);
            while self.at(0) == b' ' || (tabs && self.at(0) == b'\t') {
                self.pos += 1;
            }
            self.skip_comment();
            if !self.is_break(0) {
                return;
            }
            self.skip_break();
            if self.keys.len() == 1 {
                self.key_allowed = true;
            }
        }
    }

    /// `libyaml` reads a byte order mark at the start of any line as a space, one column wide.
    fn skip_byte_order_mark(&mut self) {
        if self.at(0) != 0xEF {
            return;
        }
        let libyaml = self.dialect == Dialect::SerdeYaml;
        let place = if libyaml { self.line_start } else { 0 };
        if self.pos == place && self.bytes[self.pos..].starts_with("\u{FEFF}".as_bytes()) {
            self.pos += 3;
            if !libyaml {
                self.line_start = self.pos;
                self.measured = (self.pos, 0);
            }
        }
    }

    fn skip_comment(&mut self) {
        if self.at(0) != b'#' {
            return;
        }
        let start = self.pos;
        while !self.is_break_or_end(0) {
            self.pos += self.plain_run();
        }
        self.comments.push(Span::new(start, self.pos));
    }

    /// Number of bytes up to the next one that may end a line; at least one.
    fn plain_run(&self) -> usize {
        let rest = &self.bytes[self.pos + 1..];
        1 + rest.iter().position(|byte| matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2 | 0)).unwrap_or(rest.len())
    }

    /// Drops the keys that ended without a colon.
    fn drop_stale_keys(&mut self) -> Result<(), Fault> {
        for slot in &mut self.keys {
            let Some(key) = slot else { continue };
            // `PyYAML` counts characters.
            let long = key.at + SIMPLE_KEY_BYTES < self.pos
                && (self.dialect != Dialect::PyYaml
                    || self.text[key.at..self.pos].chars().count() > SIMPLE_KEY_BYTES);
            if key.at < self.line_start || long {
                if key.required {
                    return Err(Fault::inside(Problem::ExpectedColon, key.at, self.pos));
                }
                *slot = None;
            }
        }
        Ok(())
    }

    /// Remembers a possible key at this position.
    fn save_key(&mut self) -> Result<(), Fault> {
        if !self.key_allowed {
            return Ok(());
        }
        let block = self.flow() == 0;
        let column = if block { self.column() } else { 0 };
        let required = block && self.indent == column;
        let token = self.taken + self.tokens.len();
        self.drop_key()?;
        if let Some(slot) = self.keys.last_mut() {
            *slot = Some(SimpleKey { required, token, at: self.pos, column });
        }
        Ok(())
    }

    fn drop_key(&mut self) -> Result<(), Fault> {
        match self.keys.last_mut().and_then(Option::take) {
            Some(key) if key.required => Err(Fault::inside(Problem::ExpectedColon, key.at, self.pos)),
            _ => Ok(()),
        }
    }

    /// Opens a block collection at `column` if it is indented further than the innermost one; `before` is the
    /// number of the token before which it starts.
    fn roll(&mut self, column: i32, before: Option<usize>, what: Lexeme, at: usize) {
        if self.flow() > 0 || self.indent >= column {
            return;
        }
        self.indents.push(self.indent);
        self.indent = column;
        let token = Token { what, span: Span::at(at) };
        match before {
            Some(number) => self.tokens.insert(number - self.taken, token),
            None => self.tokens.push_back(token),
        }
    }

    /// Closes the block collections that are indented further than `column`.
    fn unroll(&mut self, column: i32) {
        if self.flow() > 0 {
            return;
        }
        while self.indent > column {
            self.tokens.push_back(Token { what: Lexeme::BlockEnd, span: Span::at(self.pos) });
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), Fault> {
        self.unroll(-1);
        // The end of the text ends the line of every key, including those outside open brackets.
        self.line_start = self.pos + 1;
        self.drop_stale_keys()?;
        self.line_start = self.pos;
        self.key_allowed = false;
        self.ended = true;
        self.push(Lexeme::StreamEnd, 0);
        Ok(())
    }

    fn fetch_document_mark(&mut self) -> Result<(), Fault> {
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        let start = self.at(0) == b'-';
        self.push(if start { Lexeme::DocumentStart } else { Lexeme::DocumentEnd }, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, what: Lexeme) -> Result<(), Fault> {
        self.save_key()?;
        if self.flow() >= self.flow_limit {
            return Err(Fault::new(Problem::TooDeep, self.pos));
        }
        self.keys.push(None);
        self.key_allowed = true;
        self.push(what, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, what: Lexeme) -> Result<(), Fault> {
        self.drop_key()?;
        if self.flow() > 0 {
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push(what, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), Fault> {
        self.drop_key()?;
        self.key_allowed = true;
        self.push(Lexeme::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Fault> {
        if self.flow() == 0 {
            if !self.key_allowed {
                return Err(Fault::new(Problem::EntryNotAllowed, self.pos));
            }
            let column = self.column();
            self.roll(column, None, Lexeme::BlockSequenceStart, self.pos);
        }
        self.drop_key()?;
        self.key_allowed = true;
        self.push(Lexeme::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Fault> {
        if self.flow() == 0 {
            if !self.key_allowed {
                return Err(Fault::new(Problem::KeyNotAllowed, self.pos));
            }
            let column = self.column();
            self.roll(column, None, Lexeme::BlockMappingStart, self.pos);
        }
        self.drop_key()?;
        self.key_allowed = self.flow() == 0;
        self.push(Lexeme::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Fault> {
        if let Some(key) = self.keys.last_mut().and_then(Option::take) {
            let token = Token { what: Lexeme::Key, span: Span::at(key.at) };
            self.tokens.insert(key.token - self.taken, token);
            self.roll(key.column, Some(key.token), Lexeme::BlockMappingStart, key.at);
            self.key_allowed = false;
        } else {
            if self.flow() == 0 {
                if !self.key_allowed {
                    return Err(Fault::new(Problem::ValueNotAllowed, self.pos));
                }
                let column = self.column();
                self.roll(column, None, Lexeme::BlockMappingStart, self.pos);
            }
            self.key_allowed = self.flow() == 0;
        }
        self.push(Lexeme::Value, 1);
        Ok(())
    }

    /// Fetches the colon right after the key that was just fetched.
    fn fetch_value_of(&mut self, start: usize) -> Result<(), Fault> {
        let key = self.keys.last().copied().flatten();
        let is_key = self.at(0) == b':'
            && self.is_space_or_end(1)
            && start >= self.line_start
            && self.pos - start <= SIMPLE_KEY_BYTES
            && key.is_some_and(|key| key.at == start);
        if is_key { self.fetch_value() } else { Ok(()) }
    }

    /// Adds the token of the next `length` bytes.
    fn push(&mut self, what: Lexeme, length: usize) {
        let start = self.pos;
        self.pos += length;
        self.tokens.push_back(Token { what, span: Span::new(start, self.pos) });
    }

    fn is_python(&self) -> bool {
        self.dialect == Dialect::PyYaml
    }

    /// Number of open brackets.
    pub(super) fn flow(&self) -> usize {
        self.keys.len() - 1
    }

    /// The byte `ahead` of the position; 0 past the end, since the text itself has no 0.
    fn at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn is_break(&self, ahead: usize) -> bool {
        match self.at(ahead) {
            b'\n' | b'\r' => true,
            0xC2 | 0xE2 => break_length(&self.bytes[self.pos + ahead..]) > 0,
            _ => false,
        }
    }

    fn is_break_or_end(&self, ahead: usize) -> bool {
        self.at(ahead) == 0 || self.is_break(ahead)
    }

    fn is_space_or_end(&self, ahead: usize) -> bool {
        matches!(self.at(ahead), b' ' | b'\t') || self.is_break_or_end(ahead)
    }

    /// Whether `---` or `...` followed by whitespace is here; only valid at the start of a line.
    fn is_document_mark(&self) -> bool {
        let rest = &self.bytes[self.pos..];
        (rest.starts_with(b"---") || rest.starts_with(b"...")) && self.is_space_or_end(3)
    }

    /// Skips the line break here; a carriage return with a line feed is one.
    fn skip_break(&mut self) {
        self.pos += break_length(&self.bytes[self.pos..]);
        self.line_start = self.pos;
        self.measured = (self.pos, 0);
    }

    /// Column of the position in code points, from 0.
    fn column(&mut self) -> i32 {
        let (at, column) = self.measured;
        let passed = &self.bytes[at..self.pos];
        let columns = passed.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        self.measured = (self.pos, column.saturating_add(i32::try_from(columns).unwrap_or(i32::MAX)));
        self.measured.1
    }
}

/// Length of the line break at the start of `bytes`, or 0. YAML 1.1 also breaks lines at NEL, LS and PS.
pub(super) fn break_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// Letters, digits, `-` and `_`.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
