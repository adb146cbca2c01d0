//! What is wrong with a shape or its label, in every diagram whose nodes have shapes.

use super::{diagram::trimmed, syntax::Part};
use crate::{Observation, text::Span};

/// Openers and closers of the shapes, longer ones first.
const SHAPES: &[(&str, &[&str])] = &[
    ("(((", &[")))"]),
    ("((", &["))"]),
    ("([", &["])"]),
    ("[[", &["]]"]),
    ("[(", &[")]"]),
    ("{{", &["}}"]),
    ("[/", &["/]", "\\]"]),
    ("[\\", &["\\]", "/]"]),
    ("[", &["]"]),
    ("(", &[")"]),
    ("{", &["}"]),
    (">", &["]"]),
];

/// A label that its shape cannot hold, because of a bracket, a quote or a bar in it.
pub(super) fn label_fault(part: Part<'_>) -> Observation {
    let text = part.text().trim_end();
    let fits = |(open, close): (&str, &str)| {
        text.len() > open.len() + close.len() && text.starts_with(open) && text.ends_with(close)
    };
    let (open, close) = SHAPES
        .iter()
        .flat_map(|(open, closers)| closers.iter().map(move |close| (*open, *close)))
        .find(|pair| fits(*pair))
        .unwrap_or(("[", "]"));
    let start = part.span().start as usize + open.len();
    let label = &text[open.len()..text.len() - close.len()];
    label_observation(label, start)
}

/// Why a label does not do without quotes, and the label in quotes.
pub(super) fn label_observation(label: &str, start: usize) -> Observation {
    let body = label.trim();
    let quoted = body.len() > 1 && body.starts_with('"') && body.ends_with('"');
    let inner = if quoted { &body[1..body.len() - 1] } else { body };
    let wrong = |chars: &[char]| inner.find(chars).map(|at| at + usize::from(quoted));
    let quotes = body.matches('"').count();
    let (name, at) = if quotes == 1 {
        ("err_unclosed_label_quote", body.find('"').unwrap_or(0))
    } else if let Some(at) = wrong(&['"']) {
        ("err_quote_in_label", at)
    } else if let Some(at) = wrong(&['(', ')']) {
        ("err_parens_in_label", at)
    } else if let Some(at) = wrong(&['[', ']']) {
        ("err_brackets_in_label", at)
    } else if let Some(at) = wrong(&['{', '}']) {
        ("err_braces_in_label", at)
    } else if let Some(at) = wrong(&['|']) {
        ("err_bar_in_label", at)
    } else if inner.starts_with(['/', '\\']) {
        ("err_slash_in_label", 0)
    } else {
        ("err_label", 0)
    };
    let blank = label.len() - label.trim_start().len();
    let found = body[at..].chars().next().map_or(1, char::len_utf8);
    let at = start + blank + at;
    let clean = if quotes == 1 { body.replace('"', "") } else { inner.replace('"', "#quot;") };
    Observation::new(name, Span::new(at, at + found))
        .with("label", body)
        .with("quoted", format!("\"{clean}\""))
        .at("label", Span::new(start + blank, start + blank + body.len()))
}

/// A shape whose closer is missing or belongs to another shape.
pub(super) fn shape_fault(part: Part<'_>) -> Observation {
    let text = part.text().trim_end();
    let start = part.span().start as usize;
    let pair = SHAPES.iter().find(|(open, _)| text.starts_with(open));
    let (open, close) = pair.map_or(("[", "]"), |(open, closers)| (*open, closers[0]));
    let body = text.trim_end_matches([';', ' ']);
    let wrong = body[open.len()..].trim_end_matches([')', ']', '}']).len() + open.len();
    if wrong < body.len() {
        return Observation::new("err_mismatched_shape", Span::new(start + wrong, start + body.len()))
            .with("opener", open)
            .with("closer", close)
            .with("found", &body[wrong..])
            .at("opener", Span::new(start, start + open.len()));
    }
    let name = if text.matches('"').count() % 2 == 1 { "err_unclosed_quote" } else { "err_unclosed_shape" };
    Observation::new(name, Span::new(start, start + open.len()))
        .with("opener", open)
        .with("closer", close)
        .with("found", open)
        .with("line", text)
        .at("end", Span::at(start + body.len()))
        .at("line", trimmed(part))
}

/// A shape whose text a closer may end or not: a fault of the label when there is a closer at the end,
/// otherwise of the shape.
pub(super) fn raw_shape_fault(part: Part<'_>) -> Observation {
    let text = part.text().trim_end();
    let pair = SHAPES.iter().find(|(open, _)| text.starts_with(open));
    let closed = pair.is_some_and(|(open, closers)| {
        text.len() > open.len() && closers.iter().any(|close| text[open.len()..].ends_with(close))
    });
    if closed { label_fault(part) } else { shape_fault(part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_underlined_as_wide_as_it_is() {
        let found = |label: &str| label_observation(label, 10);
        assert_eq!(found("𝒳\"A\"→").span, Span::new(14, 15));
        assert_eq!(found(" \"a(b\"c\"").span, Span::new(15, 16));
        assert_eq!(found("→").span, Span::new(10, 13));
    }
}
