//! A complete YAML text as events.

use super::{
    Dialect, YamlOptions,
    cause::{self, Cause, Mask},
    characters::forbidden,
    event::{Event, Text, What},
    fault::{Fault, Problem},
    granit,
    parse::{Memory, Parser},
};
use crate::text::Span;

/// Maximum number of syntax errors found in a fragment.
const MOST_FAULTS: usize = 20;
/// Maximum number of bytes parsed again to find further syntax errors.
const REPARSED_BYTES: usize = 4 << 20;

/// The events up to the first syntax error.
pub(super) struct Parsed {
    pub(super) events: Vec<Event>,
    pub(super) comments: Vec<Span>,
    pub(super) fault: Option<Fault>,
}

/// Parses `text` with collections nested up to `depth`.
pub(super) fn parse(text: &str, dialect: Dialect, depth: usize, memory: &mut Memory) -> Parsed {
    if let Some(at) = forbidden(text.as_bytes(), 0) {
        let fault = Some(Fault::new(Problem::ControlCharacter, at));
        return Parsed { events: Vec::new(), comments: Vec::new(), fault };
    }
    let mut parser = Parser::new(text, dialect, depth, std::mem::take(memory));
    let fault = parser.run();
    let (events, comments, left) = parser.finish();
    *memory = left;
    Parsed { events, comments, fault }
}

/// Number of YAML documents.
pub(super) fn documents(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event.what, What::DocumentStart)).count()
}

/// A complete fragment as events.
pub(super) struct Reading {
    pub(super) events: Vec<Event>,
    pub(super) comments: Vec<Span>,
    /// Its syntax errors, in the order of the text.
    pub(super) causes: Vec<Cause>,
    /// What `libyaml` rejects in valid YAML 1.2.
    pub(super) refused: Option<Cause>,
    /// Whether all of the text was parsed.
    pub(super) whole: bool,
}

/// Parses a fragment. After a syntax error, the invalid part is masked and the whole fragment is parsed
/// again, to find further errors and to read the rest.
pub(super) fn read(text: &str, options: &YamlOptions, memory: &mut Memory) -> Reading {
    let mut parsed = parse(text, options.dialect, options.depth, memory);
    if let Some(fault) = parsed.fault
        && options.dialect == Dialect::Any
        && let Some((events, comments)) = granit::events(text, options.depth)
    {
        let refused = Some(cause::refused(text, &fault));
        return Reading { events, comments, causes: Vec::new(), refused, whole: true };
    }
    let mut causes = Vec::new();
    let mut masks = Vec::new();
    let mut masked: Option<String> = None;
    while let Some(fault) = parsed.fault {
        let cause = cause::find(text, &fault, options.depth);
        let mask = cause.mask;
        causes.push(cause);
        let affordable = causes.len() < MOST_FAULTS && text.len() * causes.len() <= REPARSED_BYTES;
        let Some(mask) = mask.filter(|_| affordable) else { break };
        let again = masked.take().unwrap_or_else(|| text.to_owned());
        let again = masked.insert(apply(mask, again));
        let next = parse(again, options.dialect, options.depth, memory);
        let end = mask.span().end as usize;
        if next.fault.is_some_and(|next| next.context < end && next.at <= fault.at.max(end)) {
            break;
        }
        masks.push(mask.span());
        parsed = next;
    }
    let Parsed { mut events, comments, fault } = parsed;
    restore(&mut events, &masks);
    Reading { events, comments, causes, refused: None, whole: fault.is_none() }
}

/// Restores the original text of scalars that contain masked parts.
fn restore(events: &mut [Event], masks: &[Span]) {
    for event in events {
        let masked = masks.iter().any(|mask| mask.overlaps(event.span));
        if let What::Scalar { text: text @ Text::Copy(_), .. } = &mut event.what
            && masked
        {
            *text = Text::Slice(event.span);
        }
    }
}

/// The text with a space for each tab of an indentation and of those of the lines below that begin with a tab.
fn without_tabs(text: &str, first: Span) -> String {
    let spaced = |indentation: &str| " ".repeat(indentation.len());
    let mut result = text[..first.start as usize].to_owned();
    result.push_str(&spaced(first.of(text)));
    for line in text[first.end as usize..].split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        let is_below = result.ends_with('\n');
        let (indentation, rest) = line.split_at(line.len() - content.len());
        if is_below && indentation.starts_with('\t') {
            result.push_str(&spaced(indentation));
        } else {
            result.push_str(indentation);
        }
        result.push_str(rest);
    }
    result
}

/// The text with the masked part replaced by filler of the same length.
fn apply(mask: Mask, mut text: String) -> String {
    let (span, filler) = match mask {
        Mask::Text(span) => (span, 'x'),
        Mask::Spaces(span) => (span, ' '),
        Mask::Mark(span, mark) => (span, mark),
        Mask::Forbidden(first) => {
            let mut from = first.start as usize;
            while let Some(at) = forbidden(text.as_bytes(), from) {
                let width = text[at..].chars().next().map_or(1, char::len_utf8);
                text.replace_range(at..at + width, &"x".repeat(width));
                from = at + width;
            }
            return text;
        }
        Mask::Tabs(first) => return without_tabs(&text, first),
    };
    if text.get(span.range()).is_some() {
        text.replace_range(span.range(), &filler.to_string().repeat(span.len()));
    }
    text
}
