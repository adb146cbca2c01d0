//! Paths of the forms that nearly all rules use, read without the grammar: rules have thousands of paths, which are read
//! at each start.
//!
//! What is not one of these forms, mistakes included, has no result, and the grammar reads it. A test compares both.

use serde_json::Value;

use super::{JsonPath, Key, Logical, Operand, Operator, Segment, Selector};

/// Most digits of an index.
const DIGITS: usize = 9;
/// Most bytes, and most brackets in each other: fewer than the grammar reads.
const LENGTH: usize = 4096;
const DEPTH: usize = 8;

/// The path, if all of `source` is one of the simple forms.
pub(super) fn path(source: &str) -> Option<JsonPath> {
    if source.len() > LENGTH {
        return None;
    }
    let mut reader = Reader { source, at: 0, depth: 0 };
    let path = reader.query()?;
    (reader.at == source.len()).then_some(path)
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    /// Number of open brackets.
    depth: usize,
}

impl Reader<'_> {
    fn query(&mut self) -> Option<JsonPath> {
        let start = self.at;
        let relative = match self.byte()? {
            b'@' => true,
            b'$' => false,
            _ => return None,
        };
        self.at += 1;
        let mut segments = Vec::new();
        let mut end = self.at;
        loop {
            self.spaces();
            match self.byte() {
                Some(b'.') => segments.push(self.dotted()?),
                Some(b'[') => segments.push(Segment { descendant: false, selectors: self.bracketed()? }),
                _ => break,
            }
            end = self.at;
        }
        self.at = end;
        Some(JsonPath { source: self.source[start..end].to_owned(), relative, segments: segments.into() })
    }

    /// `.name`, `.*`, `..name`, `..*` or `..[…]`.
    fn dotted(&mut self) -> Option<Segment> {
        self.at += 1;
        let descendant = self.takes(".");
        let selectors = match self.byte()? {
            b'[' if descendant => self.bracketed()?,
            b'*' => {
                self.at += 1;
                vec![Selector::Wildcard]
            }
            _ => vec![Selector::Name(self.member()?)],
        };
        Some(Segment { descendant, selectors })
    }

    fn member(&mut self) -> Option<Key> {
        let rest = &self.source.as_bytes()[self.at..];
        let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        let is_more = |byte: u8| is_first(byte) || byte.is_ascii_digit() || byte == b'-';
        if !is_first(*rest.first()?) {
            return None;
        }
        let length = rest.iter().position(|byte| !is_more(*byte)).unwrap_or(rest.len());
        // Other letters are read by the grammar.
        if rest.get(length).is_some_and(|byte| !byte.is_ascii()) {
            return None;
        }
        let member = Key::new(&self.source[self.at..self.at + length]);
        self.at += length;
        Some(member)
    }

    fn bracketed(&mut self) -> Option<Vec<Selector>> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let mut selectors = Vec::with_capacity(1);
        loop {
            self.spaces();
            selectors.push(self.selector()?);
            self.spaces();
            if self.takes("]") {
                self.depth -= 1;
                return Some(selectors);
            }
            if !self.takes(",") {
                return None;
            }
        }
    }

    fn selector(&mut self) -> Option<Selector> {
        match self.byte()? {
            b'*' => {
                self.at += 1;
                Some(Selector::Wildcard)
            }
            b'\'' | b'"' => self.string().map(|name| Selector::Name(Key::new(name))),
            b'?' => {
                self.at += 1;
                self.spaces();
                self.or().map(Selector::Filter)
            }
            _ => self.index().map(Selector::Index),
        }
    }

    fn index(&mut self) -> Option<i64> {
        let rest = &self.source[self.at..];
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let length = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
        let is_usual = match digits.as_bytes().first()? {
            b'0' => length == 1 && digits.len() == rest.len(),
            _ => (1..=DIGITS).contains(&length),
        };
        if !is_usual {
            return None;
        }
        let written = &rest[..rest.len() - digits.len() + length];
        self.at += written.len();
        written.parse().ok()
    }

    /// A string without escapes.
    fn string(&mut self) -> Option<String> {
        let quote = self.byte()?;
        let rest = &self.source[self.at + 1..];
        let length = rest.bytes().position(|byte| byte == quote || byte == b'\\' || byte < 0x20)?;
        if rest.as_bytes()[length] != quote {
            return None;
        }
        self.at += length + 2;
        Some(rest[..length].to_owned())
    }

    fn or(&mut self) -> Option<Logical> {
        self.parts(Self::and, "||", Logical::Or)
    }

    fn and(&mut self) -> Option<Logical> {
        self.parts(Self::basic, "&&", Logical::And)
    }

    /// One part as it is, or several with a sign between them as one condition.
    fn parts(
        &mut self,
        part: fn(&mut Self) -> Option<Logical>,
        sign: &str,
        all: fn(Vec<Logical>) -> Logical,
    ) -> Option<Logical> {
        let mut parts = vec![part(self)?];
        while self.takes_after_spaces(sign) {
            self.spaces();
            parts.push(part(self)?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(all(parts)) }
    }

    /// `@.name`, `!@.name` or `@.name == 'text'`.
    fn basic(&mut self) -> Option<Logical> {
        let negated = self.takes("!");
        if negated {
            self.spaces();
        }
        let path = self.query()?;
        let equal = if self.takes_after_spaces("==") {
            Operator::Equal
        } else if self.takes_after_spaces("!=") {
            Operator::Unequal
        } else {
            let exists = Logical::Exists(path);
            return Some(if negated { Logical::Not(Box::new(exists)) } else { exists });
        };
        if negated || !path.is_singular() {
            return None;
        }
        self.spaces();
        let literal = match self.byte()? {
            b'\'' | b'"' => Value::String(self.string()?),
            b't' if self.takes("true") => true.into(),
            b'f' if self.takes("false") => false.into(),
            b'n' if self.takes("null") => Value::Null,
            _ => return None,
        };
        Some(Logical::Compare(Operand::Query(path), equal, Operand::Literal(literal)))
    }

    fn byte(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn spaces(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, written: &str) -> bool {
        let is_here = self.source.as_bytes()[self.at..].starts_with(written.as_bytes());
        if is_here {
            self.at += written.len();
        }
        is_here
    }

    /// Takes what is after spaces; without it, the spaces stay.
    fn takes_after_spaces(&mut self, written: &str) -> bool {
        let before = self.at;
        self.spaces();
        let is_here = self.takes(written);
        if !is_here {
            self.at = before;
        }
        is_here
    }
}
