//! TOML, for every kind that holds some: text to the one spanned tree.
//!
//! The parser recovers, so that one reading reports every fault. Tables keep the order of the text;
//! a *table* that a header opens has the span of its header, an inline one that of its braces.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue, Error},
};
use toml_parser::lexer::TokenKind;

use super::{Comment, Observable, Observation};
use crate::{
    budget,
    text::{Fragment, Span, nearest},
    tree::{KeyType, Scalar, TreeBuilder},
};

/// What reading TOML can observe, for every kind that reads some.
pub const OBSERVABLES: &[Observable] = &[
    Observable::syntax("toml_syntax", &["detail", "expected"], &[]),
    Observable::syntax("toml_duplicate_key", &["key"], &[]),
    Observable::syntax("toml_unquoted_string", &["text"], &[]),
    Observable::syntax("toml_missing_value", &[], &[]),
];

/// Reads `fragment` and adds its table to the builder; faults go to `observations`. What could be
/// read beside the faults is in the tree. Gives the comments.
pub fn read(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    observations: &mut Vec<Observation>,
) -> Vec<Comment> {
    // A byte order mark is not part of the text for TOML; the spans are those of the file.
    let text = fragment.text();
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let reader = Reader { text: &text[mark..], mark, fragment };
    let (table, errors) = budget::measure(0, || DeTable::parse_recoverable(reader.text));
    let first = observations.len();
    observations.extend(errors.iter().take_while(|_| budget::charge(1)).map(|error| reader.fault(error)));
    drop(errors);
    observations[first..].sort_by_key(|observation| observation.span);
    observations.dedup_by(|a, b| (&a.name, a.span, &a.values) == (&b.name, b.span, &b.values));
    let whole = reader.host(0..reader.text.len());
    reader.table(builder, table.get_ref(), whole);
    reader.comments()
}

struct Reader<'t> {
    text: &'t str,
    /// Bytes before `text` in the fragment.
    mark: usize,
    fragment: &'t Fragment<'t>,
}

impl Reader<'_> {
    fn host(&self, range: Range<usize>) -> Span {
        self.fragment.host(Span::new(range.start + self.mark, range.end + self.mark))
    }

    fn fault(&self, error: &Error) -> Observation {
        let end = self.text.len();
        let range = error.span().unwrap_or(end..end);
        let range = self.token(range.start.min(end)..range.end.min(end));
        let written = self.text.get(range.clone()).unwrap_or_default();
        let (detail, expected) = match error.message().split_once(", expected ") {
            Some((detail, expected)) => (detail, expected),
            None => (error.message(), ""),
        };
        let span = self.host(range);
        match detail {
            "duplicate key" => Observation::new("toml_duplicate_key", span).with("key", unquoted(written)),
            "string values must be quoted" if written.trim().is_empty() => {
                Observation::new("toml_missing_value", span)
            }
            "string values must be quoted" | "invalid boolean"
                if !boolean(written) && !is_several_values(written) =>
            {
                Observation::new("toml_unquoted_string", span).with("text", written)
            }
            _ => {
                let expected: Vec<&str> = expected.split(", ").filter(|one| !one.is_empty()).collect();
                Observation::new("toml_syntax", span).with("detail", detail).with("expected", expected)
            }
        }
    }

    /// An empty range at the start of a word becomes the word.
    fn token(&self, range: Range<usize>) -> Range<usize> {
        if !range.is_empty() || !self.text.is_char_boundary(range.start) {
            return range;
        }
        let rest = &self.text[range.start..];
        let stop = |c: char| c.is_whitespace() || "=,[]{}#\"'".contains(c);
        range.start..range.start + rest.find(stop).unwrap_or(rest.len())
    }

    fn table(&self, builder: &mut TreeBuilder, table: &DeTable<'_>, span: Span) {
        builder.open_mapping(span);
        for (key, value) in table {
            if !budget::charge(1) {
                break;
            }
            builder.key(key.get_ref(), self.host(key.span()), KeyType::String);
            self.value(builder, value);
        }
        builder.close(None);
    }

    fn value(&self, builder: &mut TreeBuilder, value: &Spanned<DeValue<'_>>) {
        let span = self.host(value.span());
        let written = self.text.get(value.span()).unwrap_or_default();
        let scalar = match value.get_ref() {
            DeValue::String(text) => Scalar::Text(text),
            DeValue::Integer(integer) => number(integer),
            DeValue::Float(float) => Scalar::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(value) => Scalar::Bool(*value),
            DeValue::Datetime(_) => Scalar::Text(written),
            DeValue::Table(table) => {
                self.table(builder, table, span);
                return;
            }
            DeValue::Array(items) => {
                builder.open_sequence(span);
                let items = items.iter().take_while(|_| budget::charge(1));
                items.for_each(|item| self.value(builder, item));
                builder.close(None);
                return;
            }
        };
        builder.scalar(scalar, span);
    }

    fn comments(&self) -> Vec<Comment> {
        let tokens = toml_parser::Source::new(self.text).lex();
        let comments = tokens.filter(|token| token.kind() == TokenKind::Comment);
        comments
            .map(|token| {
                let span = self.host(token.span().start()..token.span().end());
                Comment { span, text: Span { start: (span.start + 1).min(span.end), ..span } }
            })
            .collect()
    }
}

/// Integers beyond 64 bits, which TOML does not have, become floats.
fn number(integer: &DeInteger<'_>) -> Scalar<'static> {
    let (digits, radix) = (integer.as_str(), integer.radix());
    if let Ok(value) = i64::from_str_radix(digits, radix) {
        return Scalar::Integer(value);
    }
    u64::from_str_radix(digits, radix)
        .map_or_else(|_| Scalar::Float(digits.parse().unwrap_or(f64::INFINITY)), Scalar::Unsigned)
}

/// Whether text is more than one value or entry, between which something is missing.
fn is_several_values(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_value = |word: &str| matches!(word, "true" | "false") || word.parse::<f64>().is_ok();
    text.contains('=') || words.next().is_some_and(is_value) && words.next().is_some()
}

/// Whether a word is likely meant as a boolean.
fn boolean(word: &str) -> bool {
    nearest(word, ["true", "false"]).is_some()
}

fn unquoted(key: &str) -> &str {
    let key = key.trim();
    let inner = ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{text::Source, tree::Tree};

    fn parse(text: &str) -> (Tree, Vec<Observation>, Vec<Comment>) {
        let source = Arc::new(Source::new("t.toml", text));
        let mut builder = TreeBuilder::new(Arc::clone(&source));
        let mut observations = Vec::new();
        let fragment = Fragment::contiguous(source.text(), source.span());
        let comments = read(&mut builder, &fragment, &mut observations);
        (builder.finish(), observations, comments)
    }

    #[test]
    fn values_and_keys_lead_to_their_bytes() {
        let text = "\u{FEFF}# top\nid = \"a\\tb\" # end\n[files]\ninclude = ['x', 0x1F]\nwhen = 2025-01-02\n\
                    a.b = {c = -1.5, d = true}\n[[packs.item]]\nn = 1\n[[packs.item]]\nn = 2\n";
        let (tree, observations, comments) = parse(text);
        assert!(observations.is_empty(), "{observations:?}");
        insta::assert_snapshot!(tree.root().to_json(), @r#"{"id":"a\tb","files":{"include":["x",31],"when":"2025-01-02","a":{"b":{"c":-1.5,"d":true}}},"packs":{"item":[{"n":1},{"n":2}]}}"#);
        let raw = |pointer: &str| tree.at_pointer(pointer).map(|node| node.span().of(text));
        assert_eq!(raw("/id"), Some("\"a\\tb\""));
        assert_eq!(raw("/files"), Some("[files]"));
        assert_eq!(raw("/files/include/1"), Some("0x1F"));
        assert_eq!(raw("/files/a/b"), Some("{c = -1.5, d = true}"));
        assert_eq!(raw("/packs/item/1"), Some("[[packs.item]]"));
        let entry = tree.root().get("files").and_then(|files| files.entry("when")).unwrap();
        assert_eq!(entry.key_span().of(text), "when");
        let comments: Vec<&str> = comments.iter().map(|comment| comment.text.of(text)).collect();
        assert_eq!(comments, [" top", " end"]);
    }

    #[test]
    fn every_error_is_observed_and_the_rest_is_read() {
        let text = "a =\nb = 1\nb = 2\nd = tru\nn = one two\nl = [true false]\n[c\ne = 1\n";
        let (tree, observations, _) = parse(text);
        let seen: Vec<String> =
            observations.iter().map(|o| format!("{} {:?}", o.name, o.span.of(text))).collect();
        let expected = [
            "toml_missing_value \"\"",
            "toml_duplicate_key \"b\"",
            "toml_syntax \"tru\"",
            "toml_unquoted_string \"one two\"",
            "toml_syntax \"true false\"",
            "toml_syntax \"\"",
        ];
        assert_eq!(seen, expected);
        assert_eq!(tree.at_pointer("/b").and_then(crate::tree::Node::as_i64), Some(1));
    }

    #[test]
    fn odd_input_is_read_without_a_panic() {
        let odd = "|=|[|[[|[a]\n[a]|a = [1,\nb = 2|\u{1}|a = 9e999|a = 1_0|a.b.c|\"\\|a='\''|é = 1|a=0x";
        for text in odd.split('|') {
            let (tree, observations, _) = parse(text);
            assert!(tree.root().is_mapping());
            for observation in observations {
                assert!(text.get(observation.span.range()).is_some(), "{text:?} {observation:?}");
            }
        }
    }
}
