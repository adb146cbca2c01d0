//! The causes of syntax errors.
//!
//! A parser reports where it stopped; users want to know what they did wrong. Usually the surrounding lines
//! show the cause.

mod block;
mod flow;
mod line;
mod scalar;
mod tabs;

use serde_json::Value;

use super::fault::{Fault, Problem};
use crate::{Observation, text::Span};

use line::Entry;
pub(super) use line::{Line, double_quoted};

/// The cause of a syntax error, and how parsing can continue.
#[derive(Debug, Clone)]
pub(super) struct Cause {
    name: &'static str,
    span: Span,
    values: Vec<(&'static str, Value)>,
    places: Vec<(&'static str, Span)>,
    /// The part to replace with harmless text of the same length, so that parsing can continue.
    pub(super) mask: Option<Mask>,
}

/// The replacement of an invalid part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mask {
    /// One word.
    Text(Span),
    /// Spaces.
    Spaces(Span),
    /// A character instead of the part.
    Mark(Span, char),
    /// Every character that YAML forbids; this is the first.
    Forbidden(Span),
    /// The tabs before the text of every line that begins with one, from this indentation on.
    Tabs(Span),
}

impl Mask {
    /// The part to replace.
    pub(super) fn span(self) -> Span {
        match self {
            Self::Text(span)
            | Self::Spaces(span)
            | Self::Mark(span, _)
            | Self::Forbidden(span)
            | Self::Tabs(span) => span,
        }
    }
}

impl Cause {
    fn new(name: &'static str, span: Span) -> Self {
        Self { name, span, values: Vec::new(), places: Vec::new(), mask: None }
    }

    fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    fn at(mut self, name: &'static str, span: Span) -> Self {
        self.places.push((name, span));
        self
    }

    fn masked(mut self, mask: Mask) -> Self {
        self.mask = Some(mask);
        self
    }

    /// A cause that quoting the value fixes: with the text of the value, its quoted form and its position.
    fn quotable(name: &'static str, span: Span, text: &str, value: Span) -> Self {
        let written = value.of(text);
        Self::new(name, span)
            .with("text", written)
            .with("quoted", double_quoted(written))
            .at("value", value)
            .masked(Mask::Text(value))
    }

    /// The cause as an observation; `host` maps spans of the fragment to those of the host.
    pub(super) fn observation(self, host: impl Fn(Span) -> Span) -> Observation {
        let mut observation = Observation::new(self.name, host(self.span));
        observation.values = self.values.into_iter().map(|(name, value)| (name.into(), value)).collect();
        observation.places = self.places.into_iter().map(|(name, span)| (name.into(), host(span))).collect();
        observation
    }
}

/// The cause of a syntax error in `text`, read with collections nested up to `depth`.
pub(super) fn find(text: &str, fault: &Fault, depth: usize) -> Cause {
    let in_escape = matches!(fault.problem, Problem::Escape | Problem::EscapeDigits);
    // An unclosed quote extends to the next quote, which was meant to open another string.
    if let Some(open) =
        fault.quote.filter(|open| !in_escape && next_line_starts_anew(text, Line::at(text, *open)))
    {
        return scalar::unclosed_quote(text, open);
    }
    let cause = match fault.problem {
        Problem::ControlCharacter => Some(scalar::control_character(text, fault.at)),
        Problem::TooDeep => Some(Cause::new("yaml_too_deep", char_at(text, fault.at)).with("limit", depth)),
        Problem::AnchorTwice => Some(Cause::new("yaml_duplicate_anchor", scalar::word(text, fault.at))),
        Problem::UndefinedTagHandle => Some(scalar::tag(text, fault)),
        Problem::NoToken => scalar::no_token(text, fault),
        Problem::AliasName | Problem::AnchorName | Problem::Tag => {
            scalar::reserved(text, fault, fault.context)
        }
        Problem::KeyNotAllowed => scalar::reserved(text, fault, fault.at),
        Problem::Directive => Some(block::directive(text, fault)),
        Problem::BlockScalarHeader => scalar::block_header(text, fault),
        Problem::BlockScalarTab | Problem::TabInPlain => Some(scalar::tab(text, fault.at)),
        Problem::UnclosedQuote | Problem::DocumentMarkInQuotes => {
            Some(scalar::unclosed_quote(text, fault.context))
        }
        Problem::Escape | Problem::EscapeDigits => Some(scalar::escape(text, fault)),
        Problem::FlowColon => Some(flow::colon(text, fault)),
        Problem::ExpectedSequenceEnd | Problem::ExpectedMappingEnd => Some(flow::expected_end(text, fault)),
        Problem::ExpectedNode => flow::expected_node(text, fault),
        Problem::ValueNotAllowed => block::value_not_allowed(text, fault),
        Problem::EntryNotAllowed => block::entry_not_allowed(text, fault),
        Problem::ExpectedColon => Some(block::expected_colon(text, fault)),
        Problem::ExpectedKey | Problem::ExpectedEntry | Problem::ExpectedDocumentStart => {
            block::unexpected(text, fault)
        }
    };
    cause.unwrap_or_else(|| generic(text, fault))
}

/// YAML that `libyaml` rejects although the grammar of YAML 1.2 accepts it.
pub(super) fn refused(text: &str, fault: &Fault) -> Cause {
    Cause::new("yaml-refused-by-libyaml", char_at(text, fault.at)).with("detail", fault.problem.detail())
}

/// The fallback for a syntax error of unknown cause.
fn generic(text: &str, fault: &Fault) -> Cause {
    let byte_order_mark = text.starts_with('\u{FEFF}');
    if byte_order_mark {
        return Cause::new("yaml_byte_order_mark", Span::new(0, 3)).masked(Mask::Spaces(Span::new(0, 3)));
    }
    Cause::new("yaml_syntax", char_at(text, fault.at)).with("detail", fault.problem.detail())
}

/// The character at `at`; empty at the end of a line.
fn char_at(text: &str, at: usize) -> Span {
    let length = text
        .get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, |c| if matches!(c, '\n' | '\r') { 0 } else { c.len_utf8() });
    Span::new(at.min(text.len()), at.min(text.len()) + length)
}

/// The value at the byte `at`: in brackets up to the next comma or bracket, otherwise the text after the key
/// or the `-` of a list item.
fn value_at(text: &str, at: usize, flow: bool) -> Span {
    let line = Line::at(text, at);
    if flow {
        let rest = line.rest(text, at);
        let end = rest.of(text).find([',', ']', '}']).unwrap_or(rest.len());
        return Span::new(at, at + text[at..at + end].trim_end().len());
    }
    match line.entry(text) {
        Some(entry) if entry.colon < at => entry.value,
        _ if line.content <= at => line.rest(text, line.content),
        _ => line.rest(text, line.first),
    }
}

/// Whether the line below starts a key or list item that is not indented further.
fn next_line_starts_anew(text: &str, line: Line) -> bool {
    line.below(text).is_some_and(|below| {
        let item = text[below.first..].starts_with("- ");
        below.indent() <= line.indent() && (item || below.entry(text).is_some())
    })
}

/// The entry of the line, if its value starts before `at`.
fn entry_before(text: &str, line: Line, at: usize) -> Option<Entry> {
    line.entry(text).filter(|entry| (entry.value.start as usize) < at && !entry.value.is_empty())
}
