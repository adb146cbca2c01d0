//! Syntax errors in brackets.

use super::{Cause, Mask, char_at, line::Line, next_line_starts_anew, scalar};
use crate::{
    text::Span,
    yaml::fault::{Fault, Problem},
};

/// `[a:[b]]`.
pub(super) fn colon(text: &str, fault: &Fault) -> Cause {
    let span = char_at(text, fault.at);
    Cause::new("yaml_missing_space", span)
        .with("key", text.get(fault.context..fault.at).unwrap_or_default())
        .with("rest", char_at(text, fault.at + 1).of(text))
        .at("after", Span::at(span.end as usize))
}

/// Something other than a comma or the closing bracket.
pub(super) fn expected_end(text: &str, fault: &Fault) -> Cause {
    let open = char_at(text, fault.context);
    let found = char_at(text, fault.at);
    let closing = if fault.problem == Problem::ExpectedSequenceEnd { "]" } else { "}" };
    if matches!(found.of(text), "]" | "}") && is_bracket(text, open) {
        return Cause::new("yaml_mismatched_bracket", found)
            .with("found", found.of(text))
            .with("expected", closing)
            .with("open", open.of(text))
            .at("open", open)
            .masked(Mask::Mark(found, if closing == "]" { ']' } else { '}' }));
    }
    let line = Line::at(text, fault.context);
    if fault.at >= line.span.end as usize {
        return unclosed(text, open, closing);
    }
    if let Some(cause) = template(text, fault.context) {
        return cause;
    }
    missing_comma(text, open, closing, found)
}

/// Two entries without a comma between them. If a colon reveals it, the key before the colon is the second
/// entry.
fn missing_comma(text: &str, open: Span, closing: &str, found: Span) -> Cause {
    let at = found.start as usize;
    let whitespace = [' ', '\t'];
    let second = match found.of(text) {
        ":" => {
            let key = text[..at].trim_end_matches(whitespace);
            let start = key.rfind(whitespace).map_or(at, |found| found + 1);
            Span::new(start, key.len())
        }
        _ => found,
    };
    let end = text[..second.start as usize].trim_end_matches(whitespace).len();
    let cause = Cause::new("yaml_missing_comma", second)
        .with("open", open.of(text))
        .with("close", closing)
        .at("after", Span::at(end))
        .at("open", open);
    if end < second.start as usize { cause.masked(Mask::Mark(Span::new(end, end + 1), ',')) } else { cause }
}

/// A missing value.
pub(super) fn expected_node(text: &str, fault: &Fault) -> Option<Cause> {
    let found = char_at(text, fault.at);
    let open = char_at(text, fault.context);
    let item = found.of(text) == "-" && text[fault.at..].starts_with("- ");
    if item && is_bracket(text, open) {
        return Some(Cause::new("yaml_list_in_brackets", found).at("open", open));
    }
    let below = fault.flow && fault.at >= Line::at(text, fault.context).span.end as usize;
    if below || fault.at >= text.trim_end().len() {
        let closing = if open.of(text) == "[" { "]" } else { "}" };
        return is_bracket(text, open).then(|| unclosed(text, open, closing));
    }
    if let Some(cause) = template(text, fault.context) {
        return Some(cause);
    }
    let character = found.of(text);
    if !matches!(character, "]" | "}" | ",") {
        return None;
    }
    let value = super::value_at(text, fault.at, false);
    if value.start as usize == fault.at && !fault.flow {
        return Some(Cause::quotable("yaml_reserved_start", found, text, value).with("character", character));
    }
    let cause = Cause::new("yaml_stray_mark", found).with("character", character);
    Some(if character == "," { cause.masked(Mask::Spaces(found)) } else { cause })
}

fn is_bracket(text: &str, open: Span) -> bool {
    matches!(open.of(text), "[" | "{")
}

/// An unclosed bracket.
fn unclosed(text: &str, open: Span, closing: &str) -> Cause {
    let line = Line::at(text, open.start as usize);
    let value = line.rest(text, open.start as usize);
    let cause = Cause::new("yaml_unclosed_bracket", open)
        .with("open", open.of(text))
        .with("close", closing)
        .at("value", value)
        .at("end", Span::at(value.end as usize));
    if next_line_starts_anew(text, line) || line.below(text).is_none() {
        cause.masked(Mask::Text(value))
    } else {
        cause
    }
}

/// `{{ name }}` of a template engine.
fn template(text: &str, at: usize) -> Option<Cause> {
    let line = Line::at(text, at);
    let value = super::value_at(text, at, false);
    let written = value.of(text);
    let is_template = written.starts_with("{{") || written.starts_with("{%");
    (is_template && line.span.contains(value))
        .then(|| scalar::after_bracket(text, value, value.start as usize))
}
