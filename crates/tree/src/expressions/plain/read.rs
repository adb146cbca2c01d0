//! Reading conditions.

use super::form::{Form, Name, Pattern};

/// Longest condition, in bytes, that is looked at.
const LONGEST: usize = 4096;

/// Deepest nesting.
const DEPTH: usize = 32;

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

/// Types that `type(…)` is compared with.
const TYPES: &[&str] = &["bool", "int", "list", "map", "null_type", "string"];

impl Form {
    /// Reads a condition; nothing where it has another form.
    pub(in super::super) fn new(source: &str) -> Option<Self> {
        if source.len() > LONGEST {
            return None;
        }
        let mut reader = Reader { rest: source, depth: 0, turns: Vec::new() };
        let read = reader.choice()?;
        reader.blank();
        reader.rest.is_empty().then_some(read)
    }
}

struct Reader<'s> {
    rest: &'s str,
    depth: usize,
    /// Names of the items of loops, the innermost one last.
    turns: Vec<&'s str>,
}

type Two = fn(Box<[Form; 2]>) -> Form;

impl<'s> Reader<'s> {
    /// Skips what separates parts.
    fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
    }

    /// Takes a mark, if it comes next.
    fn take(&mut self, mark: &str) -> bool {
        self.blank();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the first of several marks that comes next.
    fn take_one<T: Copy>(&mut self, marks: &[(&str, T)]) -> Option<T> {
        marks.iter().find(|(mark, _)| self.take(mark)).map(|(_, meaning)| *meaning)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = if self.depth > DEPTH { None } else { read(self) };
        self.depth -= 1;
        found
    }

    /// `when ? then : otherwise`
    fn choice(&mut self) -> Option<Form> {
        let when = self.any()?;
        if !self.take("?") {
            return Some(when);
        }
        self.deeper(|reader| {
            let then = reader.any()?;
            let otherwise = if reader.take(":") { reader.choice()? } else { return None };
            Some(Form::Choose(Box::new([when, then, otherwise])))
        })
    }

    fn any(&mut self) -> Option<Form> {
        let mut left = self.all()?;
        while self.take("||") {
            left = Form::Or(Box::new([left, self.all()?]));
        }
        Some(left)
    }

    fn all(&mut self) -> Option<Form> {
        let mut left = self.relation()?;
        while self.take("&&") {
            left = Form::And(Box::new([left, self.relation()?]));
        }
        Some(left)
    }

    fn relation(&mut self) -> Option<Form> {
        let left = if let Some(of) = self.type_call() {
            let is_equal = self.take_one(&[("==", true), ("!=", false)])?;
            let name = self.word()?;
            let name = TYPES.iter().find(|known| **known == name)?;
            let is_of = Form::IsOf(Box::new(of), name);
            if is_equal { is_of } else { Form::Not(Box::new(is_of)) }
        } else {
            self.sum()?
        };
        self.blank();
        let marks: [(&str, Two); 6] = [
            ("==", Form::Equal),
            ("!=", Form::Unequal),
            ("<=", Form::LessOrEqual),
            (">=", Form::GreaterOrEqual),
            ("<", Form::Less),
            (">", Form::Greater),
        ];
        let make = match self.take_one(&marks) {
            Some(make) => make,
            None if self.take_word("in") => Form::In,
            None => return Some(left),
        };
        let read = make(Box::new([left, self.sum()?]));
        // A comparison of comparisons is rare, and so is a comparison of what a type is.
        let compares = |rest: &str| {
            ["==", "!=", "<", ">"].iter().any(|mark| rest.starts_with(mark))
                || rest.strip_prefix("in").is_some_and(|rest| !rest.starts_with(is_word))
        };
        self.blank();
        (!compares(self.rest)).then_some(read)
    }

    /// `type(…)`, if it comes next and is compared.
    fn type_call(&mut self) -> Option<Form> {
        let before = self.rest;
        let read = self.take_word("type") && self.take("(");
        let of = if read { self.deeper(Self::choice) } else { None };
        let found = of.filter(|_| self.take(")"));
        if found.is_none() {
            self.rest = before;
        }
        found
    }

    fn sum(&mut self) -> Option<Form> {
        let mut left = self.product()?;
        while let Some(make) = self.take_one::<Two>(&[("+", Form::Add), ("-", Form::Subtract)]) {
            left = make(Box::new([left, self.product()?]));
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Form> {
        let mut left = self.unary()?;
        while self.take("*") {
            left = Form::Multiply(Box::new([left, self.unary()?]));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Form> {
        if self.take("!") {
            let of = if self.take("!") { return None } else { self.member()? };
            return Some(Form::Not(Box::new(of)));
        }
        if self.take("-") {
            let of = if self.take("-") { return None } else { self.member()? };
            return Some(Form::Negative(Box::new(of)));
        }
        self.member()
    }

    fn member(&mut self) -> Option<Form> {
        let mut of = self.primary()?;
        loop {
            if self.take(".") {
                let name = self.word().filter(|word| !RESERVED.contains(word))?;
                of = if self.take("(") {
                    self.deeper(|reader| reader.method(of, name))?
                } else {
                    Form::Select(Box::new(of), name.to_owned())
                };
            } else if self.take("[") {
                let at = self.deeper(Self::choice)?;
                if !self.take("]") {
                    return None;
                }
                of = Form::Index(Box::new(of), Box::new(at));
            } else {
                return Some(of);
            }
        }
    }

    fn primary(&mut self) -> Option<Form> {
        self.blank();
        match self.rest.bytes().next()? {
            b'(' => self.deeper(|reader| {
                reader.take("(");
                let inner = reader.choice()?;
                reader.take(")").then_some(inner)
            }),
            b'[' => self.deeper(|reader| {
                reader.take("[");
                reader.items("]").map(Form::List)
            }),
            b'\'' | b'"' => self.text().map(Form::Text),
            b'0'..=b'9' => self.number().map(Form::Int),
            _ => self.named(),
        }
    }

    /// What is separated by commas, and its end.
    fn items(&mut self, end: &str) -> Option<Vec<Form>> {
        let mut items = Vec::new();
        if self.take(end) {
            return Some(items);
        }
        loop {
            items.push(self.choice()?);
            if self.take(end) {
                return Some(items);
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn named(&mut self) -> Option<Form> {
        let word = self.word()?;
        self.blank();
        if self.rest.starts_with('(') {
            self.take("(");
            return self.deeper(|reader| reader.function(word));
        }
        if let Some(turn) = self.turns.iter().rposition(|turn| *turn == word) {
            return Some(Form::Turn(turn));
        }
        match word {
            "true" => Some(Form::Bool(true)),
            "false" => Some(Form::Bool(false)),
            "null" => Some(Form::Null),
            word => Name::of(word).map(Form::Name),
        }
    }

    fn function(&mut self, name: &str) -> Option<Form> {
        match name {
            "has" => match self.member()? {
                Form::Select(of, name) => self.take(")").then_some(Form::Has(of, name)),
                _ => None,
            },
            "size" => {
                let [of] = <[Form; 1]>::try_from(self.items(")")?).ok()?;
                Some(Form::Size(Box::new(of)))
            }
            _ => None,
        }
    }

    fn method(&mut self, of: Form, name: &str) -> Option<Form> {
        let looped: Option<Two> = match name {
            "exists" => Some(Form::Exists),
            "all" => Some(Form::All),
            "filter" => Some(Form::Filter),
            _ => None,
        };
        if let Some(make) = looped {
            let turn = self.word().filter(|word| !RESERVED.contains(word) && Name::of(word).is_none())?;
            if self.turns.contains(&turn) || !self.take(",") {
                return None;
            }
            self.turns.push(turn);
            let body = self.choice();
            self.turns.pop();
            let body = body.filter(|_| self.take(")"))?;
            return Some(make(Box::new([of, body])));
        }
        let mut arguments = self.items(")")?;
        let two: Option<Two> = match name {
            "contains" => Some(Form::Contains),
            "startsWith" => Some(Form::StartsWith),
            "endsWith" => Some(Form::EndsWith),
            "matches" => Some(Form::Matches),
            _ => None,
        };
        if let Some(make) = two {
            let only = arguments.pop().filter(|_| arguments.is_empty())?;
            return Some(match only {
                Form::Text(source) if name == "matches" => {
                    Form::MatchesLiteral(Box::new(of), Pattern::new(source))
                }
                only => make(Box::new([of, only])),
            });
        }
        if name == "replace" {
            let [old, new] = <[Form; 2]>::try_from(arguments).ok()?;
            return Some(Form::Replace(Box::new([of, old, new])));
        }
        if !arguments.is_empty() {
            return None;
        }
        let of = Box::new(of);
        match name {
            "size" => Some(Form::Size(of)),
            "lower" => Some(Form::Lower(of)),
            "upper" => Some(Form::Upper(of)),
            "trim" => Some(Form::Trim(of)),
            _ => None,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.blank();
        let rest = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(is_word));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> Option<&'s str> {
        self.blank();
        let (word, rest) = self.rest.split_at(self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()));
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        Some(word)
    }

    fn number(&mut self) -> Option<i64> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Another kind of number.
        if rest.starts_with(|c| is_word(c) || c == '.') {
            return None;
        }
        self.rest = rest;
        digits.parse().ok()
    }

    /// A string between two quotes, with escapes of one character.
    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let mut text = String::new();
        let mut rest = self.rest[1..].chars();
        loop {
            match rest.next()? {
                '\n' | '\r' => return None,
                '\\' => text.push(match rest.next()? {
                    c @ ('\\' | '\'' | '"') => c,
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    _ => return None,
                }),
                c if c == quote => break,
                c => text.push(c),
            }
        }
        // Three quotes begin another kind of string.
        self.rest = rest.as_str();
        (!self.rest.starts_with(quote)).then_some(text)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
