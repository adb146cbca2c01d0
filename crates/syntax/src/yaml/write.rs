//! Strings as YAML writes them.

use super::{
    Schema,
    cause::double_quoted,
    scalar::{self, Resolved},
};

/// Whether every reader takes the text without quotes as a string, in block and in flow style, also as the rest of a line.
pub fn is_plain_string(text: &str) -> bool {
    let is_plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '(' | ')' | ' ' | '@' | '$')
    };
    let first = text.chars().next();
    first.is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '/'))
        && text.chars().all(is_plain)
        && !text.ends_with(' ')
        && !matches!(text, "y" | "Y" | "n" | "N")
        && [Schema::Core12, Schema::Yaml11]
            .iter()
            .all(|schema| scalar::resolve(*schema, text) == Resolved::String)
}

/// The text in quotes: single ones where that is asked for and possible.
pub fn quoted(text: &str, quote: char) -> String {
    if quote == '\'' && !text.contains(char::is_control) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    double_quoted(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_reader_takes_for_something_else_needs_quotes() {
        for text in ["warning", "a b", "a-1", "x@y", "/a/b"] {
            assert!(is_plain_string(text), "{text}");
        }
        for text in [
            "off",
            "yes",
            "n",
            "null",
            "~",
            "1",
            "1e3",
            "12:30",
            "a: b",
            "a #b",
            "",
            " a",
            "a ",
            "- a",
            "[a",
            "2026-01-01",
        ] {
            assert!(!is_plain_string(text), "{text}");
        }
        assert_eq!(quoted("it's", '\''), "'it''s'");
        assert_eq!(quoted("a\nb", '\''), "\"a\\nb\"");
    }
}
