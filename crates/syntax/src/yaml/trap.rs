//! Valid YAML that likely means something other than its author intended.

use super::{
    Schema,
    cause::{Line, double_quoted},
    scalar::{self, Resolved},
};
use crate::{Observation, text::Span};

/// A plain scalar with its context.
#[derive(Clone, Copy)]
pub(super) struct Plain<'a> {
    pub(super) schema: Schema,
    pub(super) text: &'a str,
    pub(super) resolved: Resolved,
    /// Key of the value; empty without a key.
    pub(super) key: &'a dyn Fn() -> &'a str,
}

/// Keys whose value is a version, even if it looks like a number.
const VERSIONED: [&str; 8] = ["python", "node", "ruby", "go", "java", "php", "rust", "api"];

/// The trap in a plain value; the caller sets its position.
pub(super) fn value(plain: Plain<'_>) -> Option<Observation> {
    let first = *plain.text.as_bytes().first()?;
    match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(plain),
        b'a'..=b'z' | b'A'..=b'Z' if plain.text.len() <= 5 => word(plain),
        // “ ” ‘ ’ „ « » and full-width quotation marks.
        0xE2 | 0xC2 | 0xEF => smart_quotes(plain),
        _ => None,
    }
}

/// The trap in a plain key; the caller sets its position.
pub(super) fn key(resolved: Resolved, text: &str) -> Option<Observation> {
    let name = match resolved {
        Resolved::String if text == "<<" => {
            return Some(Observation::new("yaml-merge-key", Span::default()));
        }
        Resolved::String => return None,
        Resolved::Null => "null",
        Resolved::Bool(_) => "boolean",
        Resolved::Integer(_) | Resolved::Unsigned(_) => "integer",
        Resolved::Float(_) | Resolved::OutOfRange(_) => "number",
    };
    Some(observed("yaml-non-string-key", text).with("type", name))
}

/// A key without a value, whose implicit null is at a position; a comment says that it is meant. The caller sets the
/// position of the trap.
pub(super) fn empty_value<'a>(text: &str, at: usize, key: impl Fn() -> &'a str) -> Option<Observation> {
    let (before, after) = text.split_at(at);
    let is_meant = after.trim_start_matches([' ', '\t']).starts_with('#');
    let is_value = before.ends_with(':') && !is_meant;
    is_value.then(|| Observation::new("yaml-empty-value", Span::default()).with("key", key()))
}

fn observed(name: &'static str, text: &str) -> Observation {
    Observation::new(name, Span::default()).with("text", text).with("quoted", double_quoted(text))
}

fn written(boolean: bool) -> &'static str {
    if boolean { "true" } else { "false" }
}

fn word(plain: Plain<'_>) -> Option<Observation> {
    let text = plain.text;
    if let Some(boolean) = scalar::yaml11_bool(text) {
        let meaning = match plain.resolved {
            Resolved::Bool(value) => written(value),
            _ => "text",
        };
        return Some(
            observed("yaml-boolean-word", text).with("meaning", meaning).with("boolean", written(boolean)),
        );
    }
    match text {
        "y" | "Y" | "n" | "N" => {
            Some(observed("yaml-boolean-letter", text).with("boolean", written(matches!(text, "y" | "Y"))))
        }
        "Null" | "NULL" => Some(observed("yaml-null-word", text).with("meaning", "null")),
        "None" | "nil" => Some(observed("yaml-null-word", text).with("meaning", "text")),
        _ => None,
    }
}

fn number(plain: Plain<'_>) -> Option<Observation> {
    let text = plain.text;
    match plain.schema {
        Schema::Core12 => core_number(plain),
        Schema::Yaml11 if scalar::has_leading_zero(text) => match plain.resolved {
            Resolved::Integer(value) => Some(observed("yaml-octal-number", text).with("number", value)),
            _ => None,
        },
        Schema::Yaml11 if text.contains(':') => match plain.resolved {
            Resolved::Integer(value) => Some(observed("yaml-sexagesimal-number", text).with("number", value)),
            _ => None,
        },
        Schema::Yaml11 if plain.resolved == Resolved::String => {
            if scalar::is_timestamp(text) {
                return Some(observed("yaml-timestamp", text));
            }
            let number = scalar::core_float(text).filter(|_| text.contains(['e', 'E']))?;
            Some(observed("yaml-exponent-text", text).with("number", format!("{number:?}")))
        }
        Schema::Yaml11 => version(plain),
    }
}

fn core_number(plain: Plain<'_>) -> Option<Observation> {
    let text = plain.text;
    match plain.resolved {
        Resolved::String if scalar::has_leading_zero(text) => {
            let octal = match scalar::yaml11_integer(text) {
                Some(Resolved::Integer(value)) => value.into(),
                _ => serde_json::Value::Null,
            };
            Some(observed("yaml-leading-zero", text).with("octal", octal))
        }
        Resolved::String if is_underscored(text) => {
            Some(observed("yaml-underscored-number", text).with("number", text.replace('_', "")))
        }
        Resolved::Float(value)
            if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'e' | b'E')) =>
        {
            Some(observed("yaml-exponent-number", text).with("number", format!("{value:?}")))
        }
        _ => version(plain),
    }
}

fn is_underscored(text: &str) -> bool {
    text.contains('_')
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
        && !text.ends_with('_')
}

/// `1.10` as a version: the number drops the trailing zero.
fn version(plain: Plain<'_>) -> Option<Observation> {
    let Resolved::Float(value) = plain.resolved else { return None };
    let key = (plain.key)().to_ascii_lowercase();
    let versioned = key.contains("version") || VERSIONED.contains(&key.as_str());
    let drops_zero = plain.text.ends_with('0') && plain.text.contains('.') && !plain.text.ends_with(".0");
    (versioned && drops_zero)
        .then(|| observed("yaml-version-number", plain.text).with("number", format!("{value:?}")))
}

fn smart_quotes(plain: Plain<'_>) -> Option<Observation> {
    const OPENING: [char; 7] = ['“', '”', '„', '‘', '’', '«', '＂'];
    const CLOSING: [char; 6] = ['”', '“', '’', '‘', '»', '＂'];
    let inner = plain.text.strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
    Some(
        Observation::new("yaml-smart-quotes", Span::default())
            .with("text", plain.text)
            .with("inner", inner)
            .with("quoted", double_quoted(inner)),
    )
}

/// Positions of the `-` of lines that look like list items inside a multi-line plain value.
pub(super) fn swallowed_items(text: &str, span: Span) -> Vec<Span> {
    let mut found = Vec::new();
    let mut line = Line::at(text, span.start as usize);
    while let Some(below) = line.below(text).filter(|below| below.first < span.end as usize) {
        if text[below.first..].starts_with("- ") {
            found.push(Span::new(below.first, below.first + 1));
        }
        line = below;
    }
    found
}

/// A comment that is likely part of the value before it, or the value itself: `title: Issue #42`,
/// `color: #fff`. Spans are relative to the fragment.
pub(super) fn comment(text: &str, comment: Span) -> Option<Observation> {
    let start = comment.start as usize;
    if !text.as_bytes().get(start + 1)?.is_ascii_alphanumeric() {
        return None;
    }
    let line = Line::at(text, start);
    let entry = line.entry(text);
    let value = entry.map_or_else(|| line.rest(text, line.content), |entry| entry.value);
    let whole = |from: usize| Span::new(from, from + text[from..line.span.end as usize].trim_end().len());
    if value.is_empty() || value.start as usize > start {
        let entry = entry.filter(|entry| entry.colon < start)?;
        let place = whole(start);
        return Some(
            observed("yaml-comment-value", place.of(text)).with("key", entry.key.of(text)).at("value", place),
        )
        .map(|observation| Observation { span: place, ..observation });
    }
    if text[value.range()].starts_with(['"', '\'', '[', '{', '|', '>', '&', '!', '*']) || start <= line.first
    {
        return None;
    }
    // A word after `#` continues a phrase; after a single word, a number or two spaces, it is a remark.
    let is_number = text.as_bytes()[start + 1].is_ascii_digit();
    let is_apart = text[..start].ends_with("  ") || text[..start].ends_with('\t');
    if is_apart || !is_number && !value.of(text).trim().contains(' ') {
        return None;
    }
    let place = whole(value.start as usize);
    let observation = observed("yaml-comment-cut", place.of(text))
        .with("kept", value.of(text))
        .with("comment", comment.of(text))
        .at("value", place);
    Some(Observation { span: comment, ..observation })
}

/// `key:value` as a whole document, which is a string and not a mapping: key, rest and the position after
/// the colon.
pub(super) fn missing_space(text: &str, span: Span) -> Option<Observation> {
    let written = span.of(text);
    let (key, rest) = written.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    if !is_key || rest.starts_with("//") || rest.is_empty() || written.contains('\n') {
        return None;
    }
    let colon = span.start as usize + key.len();
    let observation = Observation::new("yaml-missing-space", Span::new(colon, colon + 1));
    Some(observation.with("key", key).with("rest", rest).at("after", Span::at(colon + 1)))
}
