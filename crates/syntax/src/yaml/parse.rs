//! From tokens to events, with the grammar that `libyaml` and `PyYAML` share.

use foldhash::{HashMap, HashMapExt};

use super::{
    Dialect,
    event::{Event, Style, Tag, Text, What},
    fault::{Fault, Problem},
    scan::{self, Lexeme, Scanner, TagParts, Token},
};
use crate::{budget, text::Span};

/// What is expected next. The current state is that of the innermost construct; the states of the enclosing
/// constructs are on a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

const DEFAULT_HANDLES: [(&str, &str); 2] = [("!", "!"), ("!!", "tag:yaml.org,2002:")];

pub(super) struct Parser<'t> {
    dialect: Dialect,
    scanner: Scanner<'t>,
    state: State,
    waiting: Vec<State>,
    events: Vec<Event>,
    /// Start of each open collection.
    open: Vec<usize>,
    depth: usize,
    /// Tag handles that `%TAG` declares for the document.
    handles: Vec<TagParts>,
    anchors: HashMap<&'t str, usize>,
    anchor_count: usize,
}

/// Allocations that the next parser reuses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    scanner: scan::Memory,
    waiting: Vec<State>,
    open: Vec<usize>,
    /// A buffer for events, without any.
    pub(super) events: Vec<Event>,
}

/// The anchor and the tag of a node.
#[derive(Default)]
struct Properties {
    anchor: usize,
    tag: Option<Box<Tag>>,
    /// Span of both.
    span: Option<Span>,
}

impl<'t> Parser<'t> {
    /// A parser of `text`, which must not have forbidden characters, for collections nested up to `depth`.
    pub(super) fn new(text: &'t str, dialect: Dialect, depth: usize, memory: Memory) -> Self {
        let Memory { scanner, mut waiting, mut open, events } = memory;
        waiting.clear();
        open.clear();
        Self {
            dialect,
            scanner: Scanner::new(text, dialect, depth, scanner),
            state: State::ImplicitDocumentStart,
            waiting,
            events,
            open,
            depth,
            handles: Vec::new(),
            anchors: HashMap::new(),
            anchor_count: 0,
        }
    }

    /// The events, and the comments with their `#`.
    pub(super) fn finish(self) -> (Vec<Event>, Vec<Span>, Memory) {
        let (comments, scanner) = self.scanner.finish();
        let memory = Memory { scanner, waiting: self.waiting, open: self.open, events: Vec::new() };
        (self.events, comments, memory)
    }

    /// Parses to the end of the text or to the first syntax error.
    pub(super) fn run(&mut self) -> Option<Fault> {
        while self.state != State::End && budget::charge(1) {
            if let Err(fault) = self.step() {
                let quote = self.scanner.quote_before(fault.at);
                return Some(Fault { flow: self.scanner.flow() > 0, quote, ..fault });
            }
        }
        None
    }

    /// Adds the next event.
    fn step(&mut self) -> Result<(), Fault> {
        match self.state {
            State::End => Ok(()),
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.flow_sequence_entry(true),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => self.flow_pair_end(),
            State::FlowMappingFirstKey => self.flow_mapping_key(true),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => self.flow_mapping_empty_value(),
        }
    }

    fn document_start(&mut self, implicit: bool) -> Result<(), Fault> {
        if !implicit {
            while matches!(self.peek()?.what, Lexeme::DocumentEnd) {
                self.scanner.take()?;
            }
        }
        let token = self.peek()?;
        let start = token.span;
        match token.what {
            Lexeme::StreamEnd => {
                self.state = State::End;
                return Ok(());
            }
            Lexeme::Version { .. }
            | Lexeme::TagDirective(_)
            | Lexeme::UnknownDirective
            | Lexeme::DocumentStart => {}
            _ if implicit => {
                self.waiting.push(State::DocumentEnd);
                self.state = State::BlockNode;
                self.emit(Event::new(What::DocumentStart, Span::at(start.start as usize)));
                return Ok(());
            }
            _ => {}
        }
        self.directives()?;
        let token = self.peek()?;
        if !matches!(token.what, Lexeme::DocumentStart) {
            return Err(Fault::new(Problem::ExpectedDocumentStart, token.span.start as usize));
        }
        let token = self.scanner.take()?;
        self.waiting.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        self.emit(Event::new(What::DocumentStart, token.span));
        Ok(())
    }

    fn directives(&mut self) -> Result<(), Fault> {
        let mut versioned = false;
        let python = self.dialect == Dialect::PyYaml;
        loop {
            let token = self.peek()?;
            let fault = Fault::new(Problem::Directive, token.span.start as usize);
            match token.what {
                Lexeme::Version { major: 1, minor: 1 | 2 } if !versioned => versioned = true,
                Lexeme::Version { major: 1, .. } if python && !versioned => {
                    versioned = true;
                }
                Lexeme::Version { .. } => return Err(fault),
                Lexeme::TagDirective(_) | Lexeme::UnknownDirective => {}
                _ => return Ok(()),
            }
            if let Lexeme::TagDirective(parts) = self.scanner.take()?.what {
                if self.handles.iter().any(|known| known.handle == parts.handle) {
                    return Err(fault);
                }
                self.handles.push(*parts);
            }
        }
    }

    fn document_content(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        match token.what {
            Lexeme::Version { .. }
            | Lexeme::TagDirective(_)
            | Lexeme::UnknownDirective
            | Lexeme::DocumentStart
            | Lexeme::DocumentEnd
            | Lexeme::StreamEnd => {
                let at = token.span.start;
                self.back();
                self.emit(empty(at));
                Ok(())
            }
            _ => self.node(true, false),
        }
    }

    fn document_end(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        let mut span = Span::at(token.span.start as usize);
        if matches!(token.what, Lexeme::DocumentEnd) {
            span = self.scanner.take()?.span;
        }
        self.handles.clear();
        self.anchors.clear();
        self.state = State::DocumentStart;
        self.emit(Event::new(What::DocumentEnd, span));
        Ok(())
    }

    /// A node; `block` outside of brackets, `indentless` where a list may have the same indentation as its
    /// key.
    fn node(&mut self, block: bool, indentless: bool) -> Result<(), Fault> {
        if matches!(self.peek()?.what, Lexeme::Scalar(..)) {
            return self.scalar(Properties::default());
        }
        if matches!(self.peek()?.what, Lexeme::Alias) {
            let span = self.scanner.take()?.span;
            self.back();
            let name = &span.of(self.scanner.text())[1..];
            let what = match self.anchors.get(name) {
                Some(anchor) => What::Alias(*anchor),
                None => What::UnknownAlias,
            };
            self.emit(Event::new(what, span));
            return Ok(());
        }
        let properties = self.properties()?;
        let token = self.peek()?;
        let span = token.span;
        let (what, state) = match token.what {
            Lexeme::BlockEntry if indentless => {
                (What::Sequence { flow: false }, State::IndentlessSequenceEntry)
            }
            Lexeme::Scalar(..) => return self.scalar(properties),
            Lexeme::FlowSequenceStart => (What::Sequence { flow: true }, State::FlowSequenceFirstEntry),
            Lexeme::FlowMappingStart => (What::Mapping { flow: true }, State::FlowMappingFirstKey),
            Lexeme::BlockSequenceStart if block => {
                (What::Sequence { flow: false }, State::BlockSequenceEntry)
            }
            Lexeme::BlockMappingStart if block => (What::Mapping { flow: false }, State::BlockMappingKey),
            _ => return self.empty_node(properties, span),
        };
        self.enter(span.start as usize)?;
        // The first token of an indentless sequence is its first entry; other collections have a separate
        // start token.
        if state != State::IndentlessSequenceEntry {
            self.scanner.take()?;
        }
        self.state = state;
        self.emit(Event { what, span, anchor: properties.anchor, tag: properties.tag });
        Ok(())
    }

    fn enter(&mut self, at: usize) -> Result<(), Fault> {
        if self.open.len() >= self.depth {
            return Err(Fault::new(Problem::TooDeep, at));
        }
        self.open.push(at);
        Ok(())
    }

    fn scalar(&mut self, properties: Properties) -> Result<(), Fault> {
        let Token { what: Lexeme::Scalar(text, style), span } = self.scanner.take()? else {
            return Err(Fault::new(Problem::ExpectedNode, 0));
        };
        self.back();
        let what = What::Scalar { text, style };
        self.emit(Event { what, span, anchor: properties.anchor, tag: properties.tag });
        Ok(())
    }

    /// An empty node with an anchor or a tag.
    fn empty_node(&mut self, properties: Properties, next: Span) -> Result<(), Fault> {
        let Some(span) = properties.span else {
            return Err(self.unfinished(Problem::ExpectedNode, next.start as usize));
        };
        self.back();
        self.emit(Event { anchor: properties.anchor, tag: properties.tag, ..empty(span.end) });
        Ok(())
    }

    /// An anchor and a tag, in any order, each at most once.
    fn properties(&mut self) -> Result<Properties, Fault> {
        let mut properties = Properties::default();
        loop {
            match self.peek()?.what {
                Lexeme::Anchor if properties.anchor == 0 => {
                    let span = self.scanner.take()?.span;
                    self.anchor_count += 1;
                    let name = &span.of(self.scanner.text())[1..];
                    let known = self.anchors.insert(name, self.anchor_count).is_some();
                    if known && self.dialect == Dialect::PyYaml {
                        return Err(Fault::new(Problem::AnchorTwice, span.start as usize));
                    }
                    properties.anchor = self.anchor_count;
                    properties.span = Some(properties.span.map_or(span, |before| before.cover(span)));
                }
                Lexeme::Tag(_) if properties.tag.is_none() => {
                    let token = self.scanner.take()?;
                    let start = properties.span.map_or(token.span, |before| before.cover(token.span));
                    properties.tag = self.tag(token)?;
                    properties.span = Some(start);
                }
                _ => return Ok(properties),
            }
        }
    }

    fn tag(&self, token: Token) -> Result<Option<Box<Tag>>, Fault> {
        let Lexeme::Tag(parts) = token.what else { return Ok(None) };
        let name = if parts.handle.is_empty() {
            parts.suffix
        } else {
            let declared = self.handles.iter().find(|known| known.handle == parts.handle);
            let prefix = declared.map(|known| known.suffix.as_str()).or_else(|| {
                DEFAULT_HANDLES.iter().find(|(handle, _)| *handle == parts.handle).map(|(_, prefix)| *prefix)
            });
            let Some(prefix) = prefix else {
                return Err(Fault::new(Problem::UndefinedTagHandle, token.span.start as usize));
            };
            format!("{prefix}{}", parts.suffix)
        };
        Ok(Some(Box::new(Tag { name, span: token.span })))
    }

    fn block_sequence_entry(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        match token.what {
            Lexeme::BlockEntry => {
                let end = self.scanner.take()?.span.end;
                if matches!(self.peek()?.what, Lexeme::BlockEntry | Lexeme::BlockEnd) {
                    self.emit(empty(end));
                    return Ok(());
                }
                self.waiting.push(State::BlockSequenceEntry);
                self.node(true, false)
            }
            Lexeme::BlockEnd => self.collection_end(),
            _ => {
                let at = token.span.start as usize;
                Err(self.unfinished(Problem::ExpectedEntry, at))
            }
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        if !matches!(token.what, Lexeme::BlockEntry) {
            let at = token.span.start as usize;
            self.leave();
            self.emit(Event::new(What::End, Span::at(at)));
            return Ok(());
        }
        let end = self.scanner.take()?.span.end;
        match self.peek()?.what {
            Lexeme::BlockEntry | Lexeme::Key | Lexeme::Value | Lexeme::BlockEnd => {
                self.emit(empty(end));
                Ok(())
            }
            _ => {
                self.waiting.push(State::IndentlessSequenceEntry);
                self.node(true, false)
            }
        }
    }

    fn block_mapping_key(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        match token.what {
            Lexeme::Key => {
                let end = self.scanner.take()?.span.end;
                self.block_mapping_node(end, State::BlockMappingValue)
            }
            Lexeme::BlockEnd => self.collection_end(),
            _ => {
                let at = token.span.start as usize;
                Err(self.unfinished(Problem::ExpectedKey, at))
            }
        }
    }

    fn block_mapping_value(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        if matches!(token.what, Lexeme::Value) {
            let end = self.scanner.take()?.span.end;
            return self.block_mapping_node(end, State::BlockMappingKey);
        }
        let at = token.span.start;
        self.state = State::BlockMappingKey;
        self.emit(empty(at));
        Ok(())
    }

    /// The node after `? ` or `: `, which may be missing.
    fn block_mapping_node(&mut self, end: u32, then: State) -> Result<(), Fault> {
        if matches!(self.peek()?.what, Lexeme::Key | Lexeme::Value | Lexeme::BlockEnd) {
            self.state = then;
            self.emit(empty(end));
            return Ok(());
        }
        self.waiting.push(then);
        self.node(true, true)
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<(), Fault> {
        if matches!(self.peek()?.what, Lexeme::FlowSequenceEnd) {
            return self.collection_end();
        }
        if !first {
            self.flow_entry(Problem::ExpectedSequenceEnd)?;
        }
        match self.peek()?.what {
            Lexeme::Key => {
                let span = self.scanner.take()?.span;
                self.enter(span.start as usize)?;
                self.state = State::FlowPairKey;
                self.emit(Event::new(What::Mapping { flow: false }, span));
                Ok(())
            }
            Lexeme::FlowSequenceEnd => self.collection_end(),
            _ => {
                self.waiting.push(State::FlowSequenceEntry);
                self.node(false, false)
            }
        }
    }

    /// The comma between two entries.
    fn flow_entry(&mut self, problem: Problem) -> Result<(), Fault> {
        let token = self.peek()?;
        if !matches!(token.what, Lexeme::FlowEntry) {
            let at = token.span.start as usize;
            return Err(self.unfinished(problem, at));
        }
        self.scanner.take().map(drop)
    }

    /// The key of a pair without braces in a flow sequence. If it is missing, `libyaml` drops the next
    /// token.
    fn flow_pair_key(&mut self) -> Result<(), Fault> {
        let token = self.peek()?;
        match token.what {
            Lexeme::Value | Lexeme::FlowEntry | Lexeme::FlowSequenceEnd => {
                let end = token.span.end;
                if self.dialect != Dialect::PyYaml {
                    self.scanner.take()?;
                }
                self.state = State::FlowPairValue;
                self.emit(empty(end));
                Ok(())
            }
            _ => {
                self.waiting.push(State::FlowPairValue);
                self.node(false, false)
            }
        }
    }

    fn flow_pair_value(&mut self) -> Result<(), Fault> {
        if matches!(self.peek()?.what, Lexeme::Value) {
            let end = self.scanner.take()?.span.end;
            if !matches!(self.peek()?.what, Lexeme::FlowEntry | Lexeme::FlowSequenceEnd) {
                self.waiting.push(State::FlowPairEnd);
                return self.node(false, false);
            }
            self.state = State::FlowPairEnd;
            self.emit(empty(end));
            return Ok(());
        }
        let at = self.peek()?.span.start;
        self.state = State::FlowPairEnd;
        self.emit(empty(at));
        Ok(())
    }

    fn flow_pair_end(&mut self) -> Result<(), Fault> {
        let at = self.peek()?.span.start as usize;
        self.open.pop();
        self.state = State::FlowSequenceEntry;
        self.emit(Event::new(What::End, Span::at(at)));
        Ok(())
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<(), Fault> {
        if matches!(self.peek()?.what, Lexeme::FlowMappingEnd) {
            return self.collection_end();
        }
        if !first {
            self.flow_entry(Problem::ExpectedMappingEnd)?;
        }
        match self.peek()?.what {
            Lexeme::Key => {
                self.scanner.take()?;
                let token = self.peek()?;
                if matches!(token.what, Lexeme::Value | Lexeme::FlowEntry | Lexeme::FlowMappingEnd) {
                    let at = token.span.start;
                    self.state = State::FlowMappingValue;
                    self.emit(empty(at));
                    return Ok(());
                }
                self.waiting.push(State::FlowMappingValue);
                self.node(false, false)
            }
            Lexeme::FlowMappingEnd => self.collection_end(),
            _ => {
                self.waiting.push(State::FlowMappingEmptyValue);
                self.node(false, false)
            }
        }
    }

    fn flow_mapping_value(&mut self) -> Result<(), Fault> {
        if matches!(self.peek()?.what, Lexeme::Value) {
            let end = self.scanner.take()?.span.end;
            if !matches!(self.peek()?.what, Lexeme::FlowEntry | Lexeme::FlowMappingEnd) {
                self.waiting.push(State::FlowMappingKey);
                return self.node(false, false);
            }
            self.state = State::FlowMappingKey;
            self.emit(empty(end));
            return Ok(());
        }
        self.flow_mapping_empty_value()
    }

    fn flow_mapping_empty_value(&mut self) -> Result<(), Fault> {
        let at = self.peek()?.span.start;
        self.state = State::FlowMappingKey;
        self.emit(empty(at));
        Ok(())
    }

    fn collection_end(&mut self) -> Result<(), Fault> {
        let span = self.scanner.take()?.span;
        self.leave();
        self.emit(Event::new(What::End, span));
        Ok(())
    }

    fn leave(&mut self) {
        self.open.pop();
        self.back();
    }

    fn emit(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Returns to the enclosing construct.
    fn back(&mut self) {
        self.state = self.waiting.pop().unwrap_or(State::End);
    }

    /// A syntax error in the innermost collection.
    fn unfinished(&self, problem: Problem, at: usize) -> Fault {
        Fault::inside(problem, self.open.last().copied().unwrap_or(at), at)
    }

    fn peek(&mut self) -> Result<&Token, Fault> {
        self.scanner.peek()
    }
}

/// An implicit null.
fn empty(at: u32) -> Event {
    let span = Span::at(at as usize);
    Event::new(What::Scalar { text: Text::Slice(span), style: Style::Plain }, span)
}
