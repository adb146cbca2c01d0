//! Conditions of the forms that most rules use, read and evaluated without the interpreter of CEL.
//!
//! ```text
//! root.type == 'pie' && (values.keyword in ['style', 'class'] || !has(parent.id))
//! ```
//!
//! What such a condition says is what CEL says of it. Where a value is not a string, or what contains it is not there, no answer is
//! given, and the interpreter decides.

/// Longest condition, in bytes, that is looked at.
const LONGEST: usize = 1024;

/// Deepest nesting of parentheses.
const DEPTH: usize = 16;

/// Names that a condition may begin a path with.
const ROOTS: &[&str] = &["self", "parent", "root", "key", "values"];

/// Words of CEL that are not names.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member<'b> {
    /// A string.
    Text(&'b str),
    /// Another value.
    Other,
    /// Nothing: the mapping that could contain it does not.
    Missing,
    /// Something that only the interpreter can say.
    Unknown,
}

/// A condition.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Simple {
    All(Vec<Simple>),
    Any(Vec<Simple>),
    Not(Box<Simple>),
    /// The path leads to a value.
    Has(Vec<String>),
    /// The path leads to one of these strings.
    OneOf(Vec<String>, Vec<String>),
}

impl Simple {
    /// Reads a condition; nothing where it has another form.
    pub(super) fn new(source: &str) -> Option<Self> {
        if source.len() > LONGEST {
            return None;
        }
        let mut reader = Reader { rest: source, depth: 0 };
        let read = reader.any()?;
        reader.rest.trim_ascii_start().is_empty().then_some(read)
    }

    /// Whether it holds; nothing where only the interpreter can say.
    pub(super) fn holds<'b>(&self, member: &dyn Fn(&[String]) -> Member<'b>) -> Option<bool> {
        match self {
            Self::All(parts) => {
                for part in parts {
                    if !part.holds(member)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Self::Any(parts) => {
                for part in parts {
                    if part.holds(member)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Self::Not(part) => part.holds(member).map(|holds| !holds),
            Self::Has(path) => match member(path) {
                Member::Text(_) | Member::Other => Some(true),
                Member::Missing => Some(false),
                Member::Unknown => None,
            },
            Self::OneOf(path, texts) => match member(path) {
                Member::Text(found) => Some(texts.iter().any(|text| text == found)),
                Member::Other | Member::Missing | Member::Unknown => None,
            },
        }
    }

    /// Whether a path begins with a name.
    pub(super) fn uses(&self, name: &str) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.uses(name)),
            Self::Not(part) => part.uses(name),
            Self::Has(path) | Self::OneOf(path, _) => path.first().is_some_and(|first| first == name),
        }
    }
}

struct Reader<'s> {
    rest: &'s str,
    depth: usize,
}

impl<'s> Reader<'s> {
    /// Takes a mark, if it comes next.
    fn take(&mut self, mark: &str) -> bool {
        let rest = self.rest.trim_ascii_start().strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn any(&mut self) -> Option<Simple> {
        let first = self.all()?;
        let mut parts = vec![first];
        while self.take("||") {
            parts.push(self.all()?);
        }
        Some(if parts.len() > 1 { Simple::Any(parts) } else { parts.pop()? })
    }

    fn all(&mut self) -> Option<Simple> {
        let mut parts = vec![self.one()?];
        while self.take("&&") {
            parts.push(self.one()?);
        }
        Some(if parts.len() > 1 { Simple::All(parts) } else { parts.pop()? })
    }

    fn one(&mut self) -> Option<Simple> {
        if self.take("!") {
            return self.closed().map(|part| Simple::Not(Box::new(part)));
        }
        let rest = self.rest.trim_ascii_start();
        let name = rest.strip_prefix("has").unwrap_or(rest);
        if name.trim_ascii_start().starts_with('(') {
            return self.closed();
        }
        let path = self.path()?;
        if self.take("==") {
            return Some(Simple::OneOf(path, vec![self.text()?]));
        }
        if self.take("!=") {
            return Some(Simple::Not(Box::new(Simple::OneOf(path, vec![self.text()?]))));
        }
        if self.word()? != "in" || !self.take("[") {
            return None;
        }
        let mut texts = vec![self.text()?];
        while self.take(",") {
            texts.push(self.text()?);
        }
        self.take("]").then_some(Simple::OneOf(path, texts))
    }

    /// What has parentheses around it.
    fn closed(&mut self) -> Option<Simple> {
        if self.take("(") {
            self.depth += 1;
            let inner = (self.depth <= DEPTH).then(|| self.any())??;
            self.depth -= 1;
            return self.take(")").then_some(inner);
        }
        if self.word()? != "has" || !self.take("(") {
            return None;
        }
        let path = self.path().filter(|path| path.len() > 1)?;
        self.take(")").then_some(Simple::Has(path))
    }

    fn path(&mut self) -> Option<Vec<String>> {
        let root = self.word().filter(|word| ROOTS.contains(word))?;
        let mut path = vec![root.to_owned()];
        while self.take(".") {
            path.push(self.word().filter(|word| !RESERVED.contains(word))?.to_owned());
        }
        Some(path)
    }

    fn word(&mut self) -> Option<&'s str> {
        let rest = self.rest.trim_ascii_start();
        let end = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        Some(word)
    }

    /// A string without escapes, between two quotes.
    fn text(&mut self) -> Option<String> {
        let rest = self.rest.trim_ascii_start();
        let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let (text, rest) = rest[1..].split_once(quote)?;
        // Three quotes begin another kind of string.
        if text.contains(['\\', '\n', '\r']) || rest.starts_with(quote) {
            return None;
        }
        self.rest = rest;
        Some(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a condition says where `root.type` is `pie`, `self` has only a number, and nothing else is known.
    fn holds(source: &str) -> Option<bool> {
        let member = |path: &[String]| match path.join(".").as_str() {
            "root.type" => Member::Text("pie"),
            "self.count" => Member::Other,
            "self.title" => Member::Missing,
            _ => Member::Unknown,
        };
        Simple::new(source)?.holds(&member)
    }

    #[test]
    fn conditions_of_common_forms_hold_as_they_do_in_cel() {
        for (source, expected) in [
            ("root.type == 'pie'", Some(true)),
            ("root.type != \"pie\"", Some(false)),
            ("root.type in ['class', 'pie']", Some(true)),
            ("has(self.count) && !has(self.title)", Some(true)),
            ("root.type == 'class' || (root.type == 'pie' && has(self.title))", Some(false)),
            ("root.type == 'class' && values.line == 'x'", Some(false)),
            // A value that is not a string, or is not there, is for the interpreter.
            ("self.count == '1'", None),
            ("self.title == ''", None),
            ("values.line == 'x' && root.type == 'class'", None),
            ("root.type == 'class' || values.line == 'x'", None),
        ] {
            assert_eq!(holds(source), expected, "{source}");
        }
    }

    #[test]
    fn other_forms_are_not_read() {
        for source in [
            "",
            "self",
            "self.count > 1",
            "size(self) == 1",
            "root.type == 'it\\'s'",
            "root.type == '''pie'''",
            "root.type == pie",
            "!root.type == 'pie'",
            "root.type == 'a' == true",
            "(root.type == 'a') == true",
            "root['type'] == 'a'",
            "root.type.matches('a')",
            "root.type in []",
            "root.type in 'pie'",
            "has(self)",
            "other.type == 'a'",
            "root.in == 'a'",
            "root.type == 'a' &&",
            "self.?a == 'a'",
            "root.type == r'a'",
            "(other root.type == 'a'",
            "has(other root.type == 'a'",
            "'a' == root.type",
            "root.type == 'a' ? true : false",
            "self.1a == 'a'",
        ] {
            assert_eq!(Simple::new(source), None, "{source}");
        }
        let nested = format!("{}root.type == 'a'{}", "(".repeat(100), ")".repeat(100));
        assert_eq!(Simple::new(&nested), None);
    }
}
