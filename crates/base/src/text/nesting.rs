//! How deep an expression is, measured before anything reads it.
//!
//! Readers of expression languages call themselves for what is inside brackets (*nesting*), and what they
//! build is as deep as a row of operators is long (*chaining*): `1 + 1 + 1`, `a[0][0]`, `!!a`, `x | f | f`.
//! Both end the process when they exhaust the stack. The measure never underestimates what its reader
//! accepts: where it cannot be sure what is a string, it measures the text a second time without strings.

use std::fmt;

/// What deepens an expression of a language, and how deep it may be.
#[derive(Debug, Clone, Copy)]
pub struct Notation {
    /// Greatest depth.
    pub depth: usize,
    /// Largest text in bytes.
    pub bytes: usize,
    /// Most levels that one text may have in all its parts together.
    pub total: usize,
    /// Characters that are a level each.
    pub operators: &'static str,
    /// Words that are a level each.
    pub words: &'static [&'static str],
    /// Words of which an expression may have as many as it may have levels, wherever they are.
    pub chained: &'static [&'static str],
    /// Characters between parts that do not deepen each other.
    pub separators: &'static str,
    /// Characters that a string starts and ends with; `\` escapes.
    pub quotes: &'static str,
    /// What makes it uncertain where strings are.
    pub unsure: &'static [&'static str],
    /// What code starts and ends with, where there is other text around it.
    pub code: &'static [(&'static str, &'static str)],
}

/// An expression that is not read because of its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooDeep {
    /// The byte where the limit is reached.
    pub at: usize,
    /// The limit.
    pub limit: Limit,
}

/// A limit on the size of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Levels of brackets and operators.
    Depth(usize),
    /// Bytes.
    Bytes(usize),
    /// Brackets and operators in all.
    Total(usize),
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Depth(limit) => {
                write!(f, "nested deeper than {limit} levels (each operator in a row counts as one)")
            }
            Limit::Bytes(limit) => write!(f, "longer than {limit} bytes"),
            Limit::Total(limit) => write!(f, "more than {limit} brackets and operators"),
        }
    }
}

impl Notation {
    /// A language with brackets and nothing else.
    pub const BRACKETS: Self = Self {
        depth: 64,
        bytes: 64 * 1024,
        total: usize::MAX,
        operators: "",
        words: &[],
        chained: &[],
        separators: ",;",
        quotes: "",
        unsure: &[],
        code: &[],
    };

    /// Whether an expression is small enough to be read.
    ///
    /// # Errors
    /// The first limit that it exceeds.
    pub fn check(&self, text: &str) -> Result<(), TooDeep> {
        if text.len() > self.bytes {
            return Err(TooDeep { at: self.bytes, limit: Limit::Bytes(self.bytes) });
        }
        let sure = Measure::new(self, text, true).run()?;
        if !sure || self.unsure.iter().any(|mark| text.contains(mark)) {
            Measure::new(self, text, false).run()?;
        }
        Ok(())
    }
}

/// What is inside one pair of brackets.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Operators in a row.
    row: usize,
    /// Depth of the deepest brackets in that row.
    inner: usize,
    /// Depth of the deepest part before the last separator.
    deepest: usize,
}

impl Level {
    fn depth(self) -> usize {
        self.deepest.max(self.row + self.inner)
    }
}

struct Measure<'t> {
    notation: &'t Notation,
    text: &'t str,
    /// Whether strings are left out, and text around code.
    strings: bool,
    at: usize,
    outer: Vec<Level>,
    level: Level,
    /// Depth of everything around the level.
    around: usize,
    total: usize,
    chained: usize,
}

impl<'t> Measure<'t> {
    fn new(notation: &'t Notation, text: &'t str, strings: bool) -> Self {
        Self {
            notation,
            text,
            strings,
            at: 0,
            outer: Vec::new(),
            level: Level::default(),
            around: 0,
            total: 0,
            chained: 0,
        }
    }

    /// Measures all of the text; gives whether it was clear what its strings are.
    fn run(mut self) -> Result<bool, TooDeep> {
        let mut sure = true;
        let mut end: Option<&str> = None;
        while let Some(c) = self.text[self.at..].chars().next() {
            if self.strings && !self.notation.code.is_empty() {
                let rest = &self.text[self.at..];
                if let Some(mark) = end.filter(|mark| rest.starts_with(*mark)) {
                    self.separate();
                    self.at += mark.len();
                    end = None;
                    continue;
                }
                let start = self.notation.code.iter().find(|(start, _)| rest.starts_with(*start));
                if let (Some((start, stop)), None) = (start, end) {
                    self.separate();
                    self.at += start.len();
                    end = Some(*stop);
                    continue;
                }
                if end.is_none() {
                    self.at += c.len_utf8();
                    continue;
                }
            }
            if self.strings && self.notation.quotes.contains(c) {
                sure &= self.skip_string(c);
                continue;
            }
            if c.is_alphabetic() || c == '_' {
                self.word()?;
                continue;
            }
            self.character(c)?;
            self.at += c.len_utf8();
        }
        Ok(sure)
    }

    fn character(&mut self, c: char) -> Result<(), TooDeep> {
        match c {
            '(' | '[' | '{' => {
                // What brackets follow is called or indexed: a row of them deepens as operators do.
                let before = self.text[..self.at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || "_)]}\"'".contains(c)) {
                    self.deepen()?;
                }
                self.outer.push(self.level);
                self.around += self.level.row + 1;
                self.level = Level::default();
                self.limit(1)
            }
            ')' | ']' | '}' => {
                if let Some(outer) = self.outer.pop() {
                    let depth = self.level.depth() + 1;
                    self.around -= outer.row + 1;
                    self.level = Level { inner: outer.inner.max(depth), ..outer };
                }
                Ok(())
            }
            c if self.notation.separators.contains(c) => {
                self.separate();
                Ok(())
            }
            c if self.notation.operators.contains(c) => self.deepen(),
            _ => Ok(()),
        }
    }

    /// Ends a row: what follows does not deepen what was before.
    fn separate(&mut self) {
        self.level = Level { deepest: self.level.depth(), ..Level::default() };
    }

    fn deepen(&mut self) -> Result<(), TooDeep> {
        self.level.row += 1;
        self.limit(1)
    }

    /// Counts brackets and operators, and compares with the limits.
    fn limit(&mut self, levels: usize) -> Result<(), TooDeep> {
        self.total += levels;
        let fail = |limit| Err(TooDeep { at: self.at, limit });
        if self.total > self.notation.total {
            return fail(Limit::Total(self.notation.total));
        }
        if self.around + self.level.row + self.level.inner > self.notation.depth {
            return fail(Limit::Depth(self.notation.depth));
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), TooDeep> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = &rest[..length];
        if self.notation.words.contains(&word) {
            self.deepen()?;
        }
        if self.notation.chained.contains(&word) {
            self.chained += 1;
            if self.chained > self.notation.depth {
                return Err(TooDeep { at: self.at, limit: Limit::Depth(self.notation.depth) });
            }
        }
        self.at += length;
        Ok(())
    }

    /// Goes to the end of a string; gives whether it has one, on its line.
    fn skip_string(&mut self, quote: char) -> bool {
        let start = self.at + quote.len_utf8();
        let mut escaped = false;
        for (offset, c) in self.text[start..].char_indices() {
            match c {
                '\n' | '\r' => {
                    self.at = start + offset;
                    return false;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.at = start + offset + c.len_utf8();
                    return true;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARITHMETIC: Notation =
        Notation { depth: 10, operators: "+-.", words: &["not"], quotes: "'\"", ..Notation::BRACKETS };

    fn too_deep(text: &str) -> Option<usize> {
        ARITHMETIC.check(text).err().map(|error| error.at)
    }

    #[test]
    fn nesting_and_chaining_add_up() {
        assert_eq!(too_deep(&"(".repeat(10)), None);
        assert_eq!(too_deep(&"(".repeat(11)), Some(10));
        assert_eq!(too_deep(&format!("1{}", "+1".repeat(10))), None);
        assert_eq!(too_deep(&format!("1{}", "+1".repeat(11))), Some(21));
        assert_eq!(too_deep("((((((1+1+1+1+1+1))))))"), Some(15), "operators inside");
        assert_eq!(too_deep("((((((1))))))+1+1+1+1+1"), Some(21), "operators after the brackets around them");
        assert_eq!(too_deep("1+1+1+1+1+((((((1))))))"), Some(15), "and before");
        assert_eq!(too_deep(&format!("a{}", "[0]".repeat(9))), None);
        assert_eq!(too_deep(&format!("a{}", "[0]".repeat(10))), Some(28));
        assert_eq!(too_deep(&"not ".repeat(11)), Some(40));
    }

    #[test]
    fn parts_beside_each_other_do_not_add_up() {
        assert_eq!(too_deep(&format!("[{}]", "1+1,".repeat(100))), None);
        assert_eq!(too_deep(&"(1)(1),".repeat(100)), None);
    }

    #[test]
    fn strings_are_left_out_where_they_are_sure() {
        assert_eq!(too_deep("'((((((((((((' + \"++++++++++++\""), None);
        assert_eq!(too_deep(r"'\'((((((((((((('"), None);
        assert!(too_deep("'((((((((((((").is_some(), "not closed");
        let raw = Notation { unsure: &["r'"], ..ARITHMETIC };
        assert!(raw.check(r"r'\' + ((((((((((((").is_err(), "what ends where depends on the prefix");
    }

    #[test]
    fn only_code_counts() {
        let template = Notation { code: &[("{{", "}}")], chained: &["elif"], ..ARITHMETIC };
        assert!(template.check("a - b - c - d - e - f - g - h - i - j - k - l {{ 1 }}").is_ok());
        assert!(template.check(&"{{ 1 + 1 + 1 }} ".repeat(10)).is_ok());
        assert!(template.check("{{ 1+1+1+1+1+1+1+1+1+1+1+1 }}").is_err());
        assert!(template.check(&"{{ elif }}".repeat(11)).is_err());
    }

    #[test]
    fn size_is_limited_in_all() {
        let small = Notation { bytes: 8, ..ARITHMETIC };
        assert_eq!(small.check("123456789").map_err(|error| error.limit), Err(Limit::Bytes(8)));
        let few = Notation { total: 3, ..ARITHMETIC };
        assert_eq!(few.check("1+1,1+1,1+1,1+1").map_err(|error| error.limit), Err(Limit::Total(3)));
    }
}
