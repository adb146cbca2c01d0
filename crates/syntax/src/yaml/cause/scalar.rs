//! Syntax errors in single values.

use super::{
    Cause, Mask, char_at, line,
    line::{Line, closing_quote, double_quoted},
    next_line_starts_anew, value_at,
};
use crate::{
    text::Span,
    yaml::{
        characters,
        fault::{Fault, Problem},
    },
};

/// Most control characters whose positions are kept: a fix removes as many at once.
const PLACES: usize = 10_000;

pub(super) fn control_character(text: &str, at: usize) -> Cause {
    let span = char_at(text, at);
    let character = span.of(text).chars().next().unwrap_or_default();
    let code = format!("U+{:04X}", u32::from(character));
    let mut cause = Cause::new("yaml_control_character", span).with("code", code);
    let mut from = at;
    let mut count = 0;
    while let Some(next) = characters::forbidden(text.as_bytes(), from) {
        let place = char_at(text, next);
        if count < PLACES {
            cause = cause.at("all", place);
        }
        count += 1;
        from = next + place.len().max(1);
    }
    cause.with("count", count).masked(Mask::Forbidden(span))
}

/// The letters, digits, `-` and `_` around or after `at`, with the preceding marker.
pub(super) fn word(text: &str, at: usize) -> Span {
    let rest = text.get(at..).unwrap_or_default();
    let mark = rest.chars().next().map_or(0, char::len_utf8);
    let length = rest[mark..].find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
    Span::new(at, at + mark + length.unwrap_or(rest.len() - mark))
}

/// A tag with an undeclared handle, which is usually text that starts with `!`.
pub(super) fn tag(text: &str, fault: &Fault) -> Cause {
    let rest = text.get(fault.at..).unwrap_or_default();
    let length = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    let span = Span::new(fault.at, fault.at + length);
    let value = value_at(text, fault.at, fault.flow);
    Cause::quotable("yaml_undefined_tag_handle", span, text, value).with("tag", span.of(text))
}

pub(super) fn no_token(text: &str, fault: &Fault) -> Option<Cause> {
    match text.as_bytes().get(fault.at)? {
        b'\t' => Some(tab(text, fault.at)),
        _ => reserved(text, fault, fault.at),
    }
}

/// A value that starts with a reserved character.
pub(super) fn reserved(text: &str, fault: &Fault, at: usize) -> Option<Cause> {
    let span = char_at(text, at);
    let line = Line::at(text, at);
    let value = value_at(text, at, fault.flow);
    // Quotes help only at the start of a value.
    if value.start as usize != at {
        return key_or_nothing(text, line, span);
    }
    if fault.problem == Problem::AliasName {
        return Some(Cause::quotable("yaml_star_value", span, text, value));
    }
    Some(Cause::quotable("yaml_reserved_start", span, text, value).with("character", span.of(text)))
}

/// A key that starts with a reserved character.
fn key_or_nothing(text: &str, line: Line, span: Span) -> Option<Cause> {
    let entry = line.entry(text).filter(|entry| entry.key.start == span.start)?;
    Some(Cause::quotable("yaml_reserved_start", span, text, entry.key).with("character", span.of(text)))
}

/// A tab where only spaces are allowed.
pub(super) fn tab(text: &str, at: usize) -> Cause {
    let line = Line::at(text, at);
    let run = |from: usize| {
        let rest = &text[from..line.span.end as usize];
        Span::new(from, from + rest.len() - rest.trim_start_matches(['\t', ' ']).len())
    };
    if at < line.first || at == line.span.start as usize {
        return super::tabs::indentation(text, line);
    }
    let span = run(at);
    Cause::new("yaml_tab_separator", span).masked(Mask::Spaces(span))
}

/// Text after `|` or `>` on the same line.
pub(super) fn block_header(text: &str, fault: &Fault) -> Option<Cause> {
    let value = value_at(text, fault.context, fault.flow);
    if value.start as usize != fault.context {
        return None;
    }
    let span = Line::at(text, fault.at).rest(text, fault.at);
    Some(
        Cause::quotable("yaml_block_scalar_header", span, text, value)
            .with("mark", char_at(text, fault.context).of(text)),
    )
}

/// An unclosed quote.
pub(super) fn unclosed_quote(text: &str, open: usize) -> Cause {
    let line = Line::at(text, open);
    let span = char_at(text, open);
    let value = line.rest(text, open);
    let content = value.of(text).get(1..).unwrap_or_default();
    let quote = span.of(text);
    let escaped = if quote == "'" { content.replace('\'', "''") } else { content.replace('"', "\\\"") };
    let cause = Cause::new("yaml_unclosed_quote", span)
        .with("quote", quote)
        .with("closed", format!("{quote}{escaped}{quote}"))
        .at("value", value)
        .at("end", Span::at(value.end as usize));
    if next_line_starts_anew(text, line) || line.below(text).is_none() {
        cause.masked(Mask::Text(value))
    } else {
        cause
    }
}

/// A backslash that does not start an escape, as in a Windows path.
pub(super) fn escape(text: &str, fault: &Fault) -> Cause {
    let rest = text.get(fault.at + 1..).unwrap_or_default();
    let length = rest.chars().next().map_or(0, |c| if matches!(c, '\n' | '\r') { 0 } else { c.len_utf8() });
    let span = Span::new(fault.at, fault.at + 1 + length);
    let line = Line::at(text, fault.context);
    let bytes = &text.as_bytes()[..line.span.end as usize];
    let (value, content) = match closing_quote(bytes, fault.context, b'"') {
        Some(close) => (Span::new(fault.context, close + 1), &text[fault.context + 1..close]),
        None => (line.rest(text, fault.context), &text[fault.context + 1..line.span.end as usize]),
    };
    Cause::new("yaml_invalid_escape", span)
        .with("escape", span.of(text))
        .with("doubled", format!("\"{}\"", content.trim_end_matches([' ', '\t']).replace('\\', "\\\\")))
        .at("value", value)
        .masked(Mask::Text(value))
}

/// Text after the quote that closes a value.
pub(super) fn after_quote(text: &str, line: Line, open: usize, at: usize) -> Option<Cause> {
    let quote = text.as_bytes()[open];
    let bytes = &text.as_bytes()[..line.span.end as usize];
    let Some(close) = closing_quote(bytes, open, quote) else { return Some(unclosed_quote(text, open)) };
    let value = line.rest(text, open);
    if close >= at || close + 1 >= value.end as usize {
        return None;
    }
    let span = line.rest(text, close + 1);
    let written = value.of(text);
    let nested = written.len() > 1 && written.as_bytes()[written.len() - 1] == quote;
    let content = if nested { &written[1..written.len() - 1] } else { written };
    Some(
        Cause::new("yaml_text_after_quote", span)
            .with("text", span.of(text))
            .with("quoted", line::double_quoted(content))
            .with("nested", nested)
            .with("key", key_at_start(span.of(text)))
            .at("value", value)
            .at("quoted", Span::new(open, close + 1))
            .masked(Mask::Text(value)),
    )
}

/// The key that begins `owner: Jane`; empty where something else than a key of words is at the start.
fn key_at_start(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c))).unwrap_or(text.len());
    let is_key = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text[end..].strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    if is_key { &text[..end] } else { "" }
}

/// Text after the bracket that closes a value, such as the target of a Markdown link.
pub(super) fn after_bracket(text: &str, value: Span, at: usize) -> Cause {
    let written = value.of(text);
    let span = Span::new(at, value.end as usize);
    let name = if written.starts_with("{{") { "yaml_template_braces" } else { "yaml_text_after_bracket" };
    Cause::new(name, span)
        .with("text", written)
        .with("quoted", double_quoted(written))
        .at("value", value)
        .masked(Mask::Text(value))
}
