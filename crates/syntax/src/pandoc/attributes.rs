use std::ops::Range;

use memchr::memmem;

/// Attributes in braces: `{#id .class key="value"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The attributes with the braces.
    pub range: Range<usize>,
    /// The identifier, without `#`.
    pub id: Option<Range<usize>>,
    /// The classes, without their periods.
    pub classes: Vec<Range<usize>>,
    pub pairs: Vec<Pair>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub key: Range<usize>,
    /// The value, without quotes.
    pub value: Range<usize>,
}

/// What an opening brace begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Braces {
    Attributes(Attributes),
    /// `{=html}`: the format of raw content, and the whole.
    Raw {
        format: Range<usize>,
        range: Range<usize>,
    },
    /// Attributes without a closing brace, up to the end of their line.
    Unclosed(Range<usize>),
    /// Something else.
    Other,
}

/// Reads what the brace at `at` begins, not beyond `end`. Where there is no brace, nothing begins.
pub(super) fn read(text: &str, at: usize, end: usize) -> Braces {
    if text.as_bytes()[..end].get(at) != Some(&b'{') {
        return Braces::Other;
    }
    let mut reader = Reader { text, at: at + 1, end, attributes: Attributes::default(), items: 0 };
    let mut lines = 0;
    loop {
        lines += reader.skip_space();
        match reader.peek() {
            Some(b'}') => {
                let range = at..reader.at + 1;
                return Braces::Attributes(Attributes { range, ..reader.attributes });
            }
            Some(b'=') if reader.items == 0 => return reader.raw(at),
            Some(_) if lines > 1 => return Braces::Other,
            Some(_) => {
                if !reader.item() {
                    // Text on the next line does not belong to attributes that were never closed.
                    return if reader.items > 0 && lines > 0 {
                        unclosed(text, at, end)
                    } else {
                        Braces::Other
                    };
                }
                lines = 0;
                reader.items += 1;
            }
            None if reader.items > 0 => return unclosed(text, at, end),
            None => return Braces::Other,
        }
    }
}

fn unclosed(text: &str, at: usize, end: usize) -> Braces {
    let line = text[at..end].lines().next().unwrap_or_default();
    Braces::Unclosed(at..at + line.trim_end().len())
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    attributes: Attributes,
    /// How many items were read.
    items: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied().filter(|_| self.at < self.end)
    }

    /// Skips whitespace; gives the number of line ends in it.
    fn skip_space(&mut self) -> usize {
        let mut lines = 0;
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            lines += usize::from(byte == b'\n');
            self.at += 1;
        }
        lines
    }

    /// A run of the characters of names.
    fn name(&mut self) -> Range<usize> {
        let start = self.at;
        let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
        let length: usize = self.text[start..self.end].chars().take_while(is_name).map(char::len_utf8).sum();
        self.at += length;
        start..self.at
    }

    fn item(&mut self) -> bool {
        match self.peek() {
            Some(b'#') => {
                self.at += 1;
                let name = self.name();
                self.attributes.id.get_or_insert(name.clone());
                !name.is_empty() && self.at_border()
            }
            Some(b'.') => {
                self.at += 1;
                let name = self.name();
                let found = !name.is_empty();
                self.attributes.classes.push(name);
                found && self.at_border()
            }
            Some(b'{') if self.text[self.at..self.end].starts_with("{{<") => self.shortcode(),
            Some(b'-') if !self.text[self.at + 1..].starts_with(|c: char| c.is_alphanumeric()) => {
                self.attributes.classes.push(self.at..self.at + 1);
                self.at += 1;
                self.at_border()
            }
            _ => self.pair(),
        }
    }

    /// Whether an item can end here.
    fn at_border(&self) -> bool {
        self.peek().is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'}')
    }

    fn shortcode(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..self.end];
        let end = memmem::find(&rest[..rest.len().min(1024)], b">}}");
        self.at += end.map_or(0, |end| end + 3);
        end.is_some()
    }

    /// A key with a value. Quarto corrects spaces around the equals sign.
    fn pair(&mut self) -> bool {
        let key = self.name();
        self.skip_spaces();
        if key.is_empty() || self.peek() != Some(b'=') {
            return false;
        }
        self.at += 1;
        self.skip_spaces();
        let value = self.quoted().or_else(|| self.plain());
        let Some(value) = value else { return false };
        self.attributes.pairs.push(Pair { key, value });
        true
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// A value in quotes.
    fn quoted(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let start = self.at + 1;
        let mut at = start;
        while at < self.end && bytes[at] != quote {
            if bytes[at] == b'\n' && bytes.get(at + 1) == Some(&b'\n') {
                return None;
            }
            at += 1 + usize::from(bytes[at] == b'\\');
        }
        if at >= self.end {
            return None;
        }
        self.at = at + 1;
        Some(start..at)
    }

    /// A value without quotes, or one whose quote is not closed: up to whitespace or the end.
    fn plain(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        while let Some(byte) = self.peek() {
            if byte == b'{' && self.text[self.at..self.end].starts_with("{{<") {
                if !self.shortcode() {
                    return None;
                }
            } else if byte.is_ascii_whitespace() || byte == b'}' {
                break;
            } else {
                self.at += 1;
            }
        }
        Some(start..self.at)
    }

    fn raw(mut self, at: usize) -> Braces {
        self.at += 1;
        let format = self.name();
        // Formats may have extensions: `{=markdown+smart}`.
        while self.peek() == Some(b'+') {
            self.at += 1;
            self.name();
        }
        self.skip_space();
        if format.is_empty() || self.peek() != Some(b'}') {
            return Braces::Other;
        }
        Braces::Raw { format, range: at..self.at + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> String {
        match read(text, 0, text.len()) {
            Braces::Attributes(found) => {
                let id = found.id.map(|id| format!("#{}", &text[id]));
                let classes = found.classes.into_iter().map(|class| format!(".{}", &text[class]));
                let pairs =
                    found.pairs.into_iter().map(|pair| format!("{}={}", &text[pair.key], &text[pair.value]));
                id.into_iter().chain(classes).chain(pairs).collect::<Vec<_>>().join("|")
            }
            Braces::Raw { format, .. } => format!("raw {}", &text[format]),
            Braces::Unclosed(range) => format!("unclosed {}", &text[range]),
            Braces::Other => "other".to_owned(),
        }
    }

    #[test]
    fn identifiers_classes_and_values_are_read() {
        assert_eq!(attributes("{#fig-a .b .c-d width=50% alt=\"x y\"}"), "#fig-a|.b|.c-d|width=50%|alt=x y");
        assert_eq!(attributes("{.a\n  key='v'}"), ".a|key=v");
        assert_eq!(attributes("{-}"), ".-");
        assert_eq!(attributes("{}"), "");
        assert_eq!(attributes("{=html}"), "raw html");
        assert_eq!(attributes("{#a key = value k=x\"\" q=\"y}"), "#a|key=value|k=x\"\"|q=\"y");
        assert_eq!(
            attributes("{src='{{< meta x >}}' y={{< meta z >}}}"),
            "src={{< meta x >}}|y={{< meta z >}}"
        );
    }

    #[test]
    fn attributes_that_never_end_are_distinguished_from_prose() {
        assert_eq!(attributes("{#fig-a\nMore text."), "unclosed {#fig-a");
        assert_eq!(attributes("{.a b=\"c\""), "unclosed {.a b=\"c\"");
        assert_eq!(attributes("{python}"), "other");
        assert_eq!(attributes("{.5\\linewidth}"), "other");
        assert_eq!(attributes("{a, b}"), "other");
    }

    #[test]
    fn text_without_a_brace_is_something_else() {
        for text in ["", "a", "\u{fb01}", "\u{fb01}}"] {
            assert_eq!(attributes(text), "other", "{text}");
        }
    }
}
