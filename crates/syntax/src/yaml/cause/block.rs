//! Syntax errors in the block structure of lines and indentation.

use super::{
    Cause, Mask, char_at, entry_before,
    line::{Entry, Line},
    scalar,
};
use crate::{
    text::Span,
    yaml::fault::{Fault, Problem},
};

pub(super) fn directive(text: &str, fault: &Fault) -> Cause {
    let line = Line::at(text, fault.context);
    let span = line.rest(text, line.first);
    Cause::new("yaml_directive", span).with("text", span.of(text)).masked(Mask::Spaces(span))
}

/// A colon where no key can precede it.
pub(super) fn value_not_allowed(text: &str, fault: &Fault) -> Option<Cause> {
    let line = Line::at(text, fault.at);
    let entry = line.entry(text)?;
    let colon = char_at(text, fault.at);
    if entry.colon < fault.at {
        return Some(second_colon(text, line, entry, colon));
    }
    let above = line.above(text)?;
    if above.entry(text).is_none() && above.indent() == line.indent() && above.first == above.content {
        return Some(colonless(text, above, above.first));
    }
    if lacks_colon(text, above, line) {
        let cause = colonless(text, above, above.content);
        let is_item = above.first < above.content;
        let end = if is_item { above.span.end as usize } else { below_end(text, above) };
        return Some(cause.masked(Mask::Spaces(Span::new(above.content, end))));
    }
    let text_above = above.entry(text).map_or_else(|| above.rest(text, above.content), |entry| entry.value);
    let lacks_dash = lacks_dash(text, above, line);
    let cause = Cause::new("yaml_key_inside_text", entry.key)
        .with("key", entry.key.of(text))
        .with("text", text_above.of(text))
        .with("spaces", above.indentation().of(text))
        .with("dash", if lacks_dash { "-" } else { "" })
        .at("dash", Span::at(above.first - usize::from(lacks_dash)))
        .at("text", text_above)
        .at("indentation", line.indentation());
    let rest = line.rest(text, line.first);
    Some(cause.masked(Mask::Text(rest)))
}

/// Whether the line above a key that cannot be there is a key itself and only lacks its colon: a word where keys are, with
/// lines that are indented further, or two words after the dash of an item whose keys are below.
fn lacks_colon(text: &str, above: Line, line: Line) -> bool {
    if above.entry(text).is_some() {
        return false;
    }
    let mut words = above.rest(text, above.content).of(text).split_whitespace();
    let (first, second, third) = (words.next(), words.next(), words.next());
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    if !first.is_some_and(is_name) || third.is_some() {
        return false;
    }
    if above.first < above.content {
        let column = above.content - above.span.start as usize;
        return second.is_some() && line.indent() == column;
    }
    second.is_none() && line.indent() > above.indent() && !continues(text, above)
}

/// Whether the line above a key was meant as the first line of an item, whose dash is missing: it is indented by one less,
/// and the line above it is a key without a value.
fn lacks_dash(text: &str, above: Line, line: Line) -> bool {
    let is_first = |parent: Line| {
        let entry = parent.entry(text);
        parent.indent() < above.indent() && entry.is_some_and(|entry| entry.value.is_empty())
    };
    let is_entry = above.first == above.content && above.entry(text).is_some();
    is_entry && above.indent() + 1 == line.indent() && above.above(text).is_some_and(is_first)
}

/// Whether a line without a key continues the value of a line above it.
fn continues(text: &str, line: Line) -> bool {
    let mut above = line.above(text);
    while let Some(at) = above {
        let entry = at.entry(text);
        if at.indent() < line.indent() {
            return entry.is_none_or(|entry| !entry.value.is_empty());
        }
        if entry.is_some() || at.first < at.content {
            return false;
        }
        above = at.above(text);
    }
    false
}

/// The end of the lines below a line that are indented further than it.
fn below_end(text: &str, line: Line) -> usize {
    let mut end = line.span.end as usize;
    let mut below = line.below(text);
    while let Some(at) = below.filter(|at| at.indent() > line.indent()) {
        end = at.span.end as usize;
        below = at.below(text);
    }
    end
}

/// A second colon on a line: text that needs quotes, or text after quotes.
fn second_colon(text: &str, line: Line, entry: Entry, colon: Span) -> Cause {
    let at = colon.start as usize;
    let open = entry.value.start as usize;
    let behind_quote = match text.as_bytes().get(open) {
        Some(b'"' | b'\'') => scalar::after_quote(text, line, open, at),
        _ => None,
    };
    behind_quote.unwrap_or_else(|| {
        let value = whole_value(text, line, entry.value);
        let cause =
            Cause::quotable("yaml_unquoted_colon", colon, text, value).with("key", entry.key.of(text));
        let Some((space, joined, indent)) = joined_key(text, line, entry, value) else {
            let inside = " ".repeat((entry.key.start - line.span.start) as usize + 2);
            let cause = cause.with("joined", "").with("line", format!("\n{inside}"));
            return cause.at("joined", Span::at(value.end as usize));
        };
        cause
            .with("joined", joined)
            .with("line", format!("\n{}", " ".repeat(indent)))
            .at("joined", space)
            .masked(Mask::Spaces(value))
    })
}

/// A key at the end of a value, whose own value is in the lines below: it was meant to begin a line. The space before it and
/// the indentation of that line come with it.
fn joined_key(text: &str, line: Line, entry: Entry, value: Span) -> Option<(Span, &str, usize)> {
    let column = (entry.key.start - line.span.start) as usize;
    let below = line.below(text)?;
    let indent = match below.indent() {
        deeper if deeper > column => column,
        // The items of a list may have the indentation of its key.
        indent if below.first < below.content => indent,
        _ => return None,
    };
    let written = value.of(text).strip_suffix(':')?;
    let (before, joined) = written.rsplit_once([' ', '\t'])?;
    let space = before.trim_end_matches([' ', '\t']).len()..written.len() - joined.len();
    let start = value.start as usize;
    (!joined.is_empty() && !before.contains(": "))
        .then(|| (Span::new(start + space.start, start + space.end), joined, indent))
}

/// The part of a value to quote: from its start to the end of the line, without a trailing comment.
fn whole_value(text: &str, line: Line, value: Span) -> Span {
    Span::new(value.start as usize, line.rest(text, value.start as usize).end as usize)
}

/// `- ` after a key, or inside text.
pub(super) fn entry_not_allowed(text: &str, fault: &Fault) -> Option<Cause> {
    let line = Line::at(text, fault.at);
    let dash = char_at(text, fault.at);
    let entry = line.entry(text).filter(|entry| entry.colon < fault.at)?;
    let item = line.rest(text, fault.at);
    if entry.value.start as usize != fault.at {
        return None;
    }
    let place = Span::new(entry.colon + 1, item.end as usize);
    let indent = entry.key.start - line.span.start;
    Some(
        Cause::quotable("yaml_item_on_key_line", dash, text, item)
            .with("key", entry.key.of(text))
            .with("indent", " ".repeat(indent as usize + 2))
            .at("rest", place),
    )
}

/// A line that must be a key but has no colon.
pub(super) fn expected_colon(text: &str, fault: &Fault) -> Cause {
    let line = Line::at(text, fault.context);
    let span = line.rest(text, fault.context);
    if span.len() > 1024 {
        let first = text[fault.context..].chars().next().map_or(0, char::len_utf8);
        return Cause::new("yaml_long_key", Span::new(fault.context, fault.context + first));
    }
    if let Some(b'"' | b'\'') = text.as_bytes().get(fault.context)
        && let Some(cause) = scalar::after_quote(text, line, fault.context, span.end as usize)
    {
        return cause;
    }
    colonless(text, line, fault.context)
}

/// A line that should be a key but has no colon followed by a space.
fn colonless(text: &str, line: Line, from: usize) -> Cause {
    let span = line.rest(text, from);
    let (from, written) = (span.start as usize, span.of(text));
    if let Some((key, rest)) = written.split_once(':')
        && !rest.starts_with("//")
        && !key.contains(' ')
    {
        return missing_space(text, from + key.len(), key, rest).masked(Mask::Spaces(span));
    }
    let first = written.find([' ', '\t', '=']).unwrap_or(written.len());
    let between = written[first..].len() - written[first..].trim_start_matches([' ', '\t', '=']).len();
    let equals = written[first..first + between].find('=').map(|at| from + first + at);
    let cause = Cause::new("yaml_missing_colon", span)
        .with("text", written)
        .with("key", &written[..first])
        .with("rest", &written[first + between..])
        .at("after", Span::new(from + first, from + first + between));
    let readable = equals.filter(|at| matches!(text.as_bytes().get(at + 1), Some(b' ' | b'\t')));
    cause.masked(readable.map_or(Mask::Spaces(span), |at| Mask::Mark(Span::new(at, at + 1), ':')))
}

fn missing_space(text: &str, colon: usize, key: &str, rest: &str) -> Cause {
    Cause::new("yaml_missing_space", char_at(text, colon))
        .with("key", key)
        .with("rest", rest)
        .at("after", Span::at(colon + 1))
}

/// Something that fits neither the current collection nor an enclosing one.
pub(super) fn unexpected(text: &str, fault: &Fault) -> Option<Cause> {
    let line = Line::at(text, fault.at);
    if fault.at > line.content
        && let Some(cause) = after_value(text, line, fault.at)
    {
        return Some(cause);
    }
    let dash = text[line.first..].starts_with("- ") || &text[line.first..line.span.end as usize] == "-";
    let context = char_at(text, fault.context);
    let columns = open_columns(text, line);
    if !columns.contains(&line.indent()) && (dash || line.entry(text).is_some()) {
        return Some(bad_indentation(text, line, &columns));
    }
    match fault.problem {
        Problem::ExpectedKey if dash => {
            let first = Line::at(text, fault.context).entry(text).map_or(context, |entry| entry.key);
            Some(Cause::new("yaml_item_in_mapping", char_at(text, line.first)).at("mapping", first))
        }
        Problem::ExpectedEntry => {
            let entry = line.entry(text)?;
            Some(
                Cause::new("yaml_key_in_list", entry.key).with("key", entry.key.of(text)).at("list", context),
            )
        }
        _ => {
            let found = char_at(text, fault.at);
            let stray = matches!(found.of(text), "]" | "}");
            stray.then(|| Cause::new("yaml_stray_mark", found).with("character", found.of(text)))
        }
    }
}

/// Text after a complete value.
fn after_value(text: &str, line: Line, at: usize) -> Option<Cause> {
    let value = match entry_before(text, line, at) {
        Some(entry) => entry.value,
        None => line.rest(text, line.content),
    };
    let open = value.start as usize;
    if open >= at {
        return None;
    }
    let mark = char_at(text, open);
    match mark.of(text) {
        "\"" | "'" => scalar::after_quote(text, line, open, at),
        "[" | "{" => Some(scalar::after_bracket(text, value, at)),
        "*" => Some(Cause::quotable("yaml_star_value", mark, text, value)),
        "&" | "!" => {
            Some(Cause::quotable("yaml_reserved_start", mark, text, value).with("character", mark.of(text)))
        }
        _ => None,
    }
}

/// Columns at which open collections can continue, the innermost last.
fn open_columns(text: &str, line: Line) -> Vec<usize> {
    let mut columns: Vec<usize> = Vec::new();
    let mut least = usize::MAX;
    let mut above = line.above(text);
    while let Some(line) = above {
        let start = line.span.start as usize;
        if line.indent() < least {
            for column in [line.content - start, line.indent()] {
                if column < least && !columns.contains(&column) {
                    columns.push(column);
                }
            }
            least = line.indent();
        }
        if least == 0 || columns.len() > 64 {
            break;
        }
        above = line.above(text);
    }
    columns
}

fn bad_indentation(text: &str, line: Line, columns: &[usize]) -> Cause {
    let found = line.indent();
    let nearest = columns.iter().copied().min_by_key(|column| column.abs_diff(found)).unwrap_or(0);
    let token = line.entry(text).map_or_else(|| char_at(text, line.first), |entry| entry.key);
    let token = if text[line.first..].starts_with("- ") { char_at(text, line.first) } else { token };
    Cause::new("yaml_bad_indentation", token)
        .with("found", found)
        .with("expected", columns.to_vec())
        .with("spaces", " ".repeat(nearest))
        .at("indentation", line.indentation())
}
