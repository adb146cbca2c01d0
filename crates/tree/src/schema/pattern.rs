//! Patterns of JSON Schema, which are regular expressions of ECMA-262, for the linear-time engine.

use std::{fmt::Write as _, iter::Peekable, str::Chars};

use regex::Regex;

use crate::budget::Once;

/// A pattern; it matches anywhere in a string.
///
/// `\d`, `\w`, `\b` are those of ASCII and `\s` is that of ECMA-262 §22.2.2.9; in a character class only `\`,
/// `]`, `^` and `-` have a meaning (§22.2.1). Lookaround and backreferences are not regular, and are errors.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The pattern as the engine reads it.
    source: String,
    /// Nothing where it has an error.
    regex: Once<Option<Regex>>,
}

impl Pattern {
    /// A pattern that is compiled now.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn compile(pattern: &str) -> Result<Self, String> {
        let source = translate(pattern);
        let regex = crate::text::pattern(&source).map_err(|error| match error {
            regex::Error::Syntax(detail) => {
                let last = detail.lines().next_back().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            }
            other => other.to_string(),
        })?;
        Ok(Self { source, regex: Once::from(Some(regex)) })
    }

    /// A pattern that is compiled when it is first used. One with an error matches everything.
    pub(super) fn deferred(pattern: &str) -> Self {
        Self { source: translate(pattern), regex: Once::new() }
    }

    /// The pattern as the engine reads it.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether it matches somewhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        let regex = self.regex.get_or_init(|| crate::text::pattern(&self.source).ok());
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// The characters of `\s`: whitespace and line terminators (§12.2, §12.3).
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// Where a character class goes on.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    /// A `-` is a character.
    Start,
    /// After a character: a `-` makes a range of it, unless the class ends there.
    Character,
    /// After the `-` of a range.
    Range,
}

impl Class {
    /// After a character.
    fn advance(self) -> Self {
        if self == Self::Range { Self::Start } else { Self::Character }
    }
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    let mut class: Option<Class> = None;
    while let Some(c) = chars.next() {
        class = match (c, class) {
            ('\\', state) => {
                let escaped = chars.next();
                match escaped {
                    Some('c') => control(&mut out, chars.next()),
                    Some(escaped) => escape(&mut out, escaped, state.is_some()),
                    None => out.push('\\'),
                }
                let set = matches!(escaped, Some('d' | 'D' | 's' | 'S' | 'w' | 'W'));
                state.map(|state| if set { Class::Start } else { state.advance() })
            }
            ('[', None) => open_class(&mut out, &mut chars),
            (']', Some(_)) => {
                out.push(']');
                None
            }
            ('-', Some(Class::Character)) if chars.peek().is_some_and(|next| *next != ']') => {
                out.push('-');
                Some(Class::Range)
            }
            // Nested classes and set operations are the engine's own.
            ('[' | '&' | '~' | '-', Some(state)) => {
                out.push('\\');
                out.push(c);
                Some(state.advance())
            }
            (_, state) => {
                out.push(c);
                state.map(Class::advance)
            }
        };
    }
    out
}

/// Opens a class. `[]` matches nothing and `[^]` everything; the engine takes the bracket as a character.
fn open_class(out: &mut String, chars: &mut Peekable<Chars<'_>>) -> Option<Class> {
    let negated = chars.next_if_eq(&'^').is_some();
    if chars.next_if_eq(&']').is_some() {
        out.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
        return None;
    }
    out.push_str(if negated { "[^" } else { "[" });
    Some(Class::Start)
}

fn escape(out: &mut String, escaped: char, in_class: bool) {
    let _ = match (escaped, in_class) {
        ('d', _) => write!(out, "[0-9]"),
        ('D', _) => write!(out, "[^0-9]"),
        ('w', _) => write!(out, "[A-Za-z0-9_]"),
        ('W', _) => write!(out, "[^A-Za-z0-9_]"),
        ('s', _) => write!(out, "[{SPACE}]"),
        ('S', _) => write!(out, "[^{SPACE}]"),
        ('b', false) => write!(out, r"(?-u:\b)"),
        ('B', false) => write!(out, r"(?-u:\B)"),
        ('b', true) => write!(out, r"\x08"),
        ('0', _) => write!(out, r"\x00"),
        ('/', _) => write!(out, "/"),
        _ => write!(out, r"\{escaped}"),
    };
}

/// `\cA` to `\cZ`: a control character.
fn control(out: &mut String, letter: Option<char>) {
    match letter.filter(char::is_ascii_alphabetic) {
        Some(letter) => {
            let _ = write!(out, r"\x{:02x}", letter as u32 % 32);
        }
        // The engine refuses it, as the standard does.
        None => {
            out.push_str(r"\c");
            out.extend(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_ecmascript() {
        for (pattern, matching, other) in [
            (r"^\d+$", "42", "٤٢"),
            (r"^\w$", "a", "é"),
            (r"^\s$", "\u{feff}", "\u{85}"),
            (r"^[\w-]+$", "a-b", "a.b"),
            (r"^[^\d]$", "a", "1"),
            ("^[[]$", "[", "]"),
            ("^[a-z&&b]+$", "a&b", "a|b"),
            ("^[]$|x", "x", "]"),
            ("^[^]$", "]", ""),
            (r"^\/\cJ$", "/\n", "/J"),
            (r"^[a\-z]$", "-", "b"),
            (r"^[+--]$", ",", "."),
            (r"^\u00e9\x41$", "éA", "e"),
            (r"é\b", "éa", "é-"),
            (r"^[\d-x]$", "-", "a"),
        ] {
            for regex in [Pattern::compile(pattern).unwrap(), Pattern::deferred(pattern)] {
                assert!(regex.is_match(matching), "{pattern} on {matching}: {regex:?}");
                assert!(!regex.is_match(other), "{pattern} on {other}: {regex:?}");
            }
        }
    }

    #[test]
    fn what_is_not_regular_is_an_error() {
        for pattern in ["(", "(?=a)", r"(a)\1", r"\c1"] {
            assert!(Pattern::compile(pattern).is_err(), "{pattern}");
        }
    }
}
