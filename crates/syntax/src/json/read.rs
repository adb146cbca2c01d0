use std::{collections::HashMap, ops::Range};

use super::{
    super::{Comment, Observation},
    string,
};
use crate::{
    budget,
    text::{Fragment, Span},
    tree::{KeyType, Scalar, TreeBuilder},
};

/// What reading gives besides the value in the builder.
#[derive(Debug, Default)]
pub struct JsonRead {
    /// The comments, where the text has some.
    pub comments: Vec<Comment>,
    /// Whether all of the text was read and is JSON, comments aside.
    pub complete: bool,
}

/// Reads `fragment` and adds one value to the builder; syntax errors go to `observations`. Collections nest at
/// most `depth` deep. Comments are observed unless the text `may_have_comments`.
pub fn read(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    depth: usize,
    may_have_comments: bool,
    observations: &mut Vec<Observation>,
) -> JsonRead {
    let text = fragment.text();
    let at = text.len() - text.trim_start_matches('\u{FEFF}').len();
    let comments = Vec::new();
    let first = observations.len();
    let mut reader = Reader { text, at, fragment, builder, observations, comments, depth, may_have_comments };
    let ended = reader.value(0).and_then(|()| {
        reader.space();
        if reader.at < text.len() { Err(reader.expected("the end of the text")) } else { Ok(()) }
    });
    let comments = std::mem::take(&mut reader.comments);
    let complete = ended.is_ok() && observations[first..].iter().all(|seen| seen.name == "json_comment");
    JsonRead { comments, complete }
}

/// The reading ends here; why is observed.
struct Stop;

struct Reader<'r, 't> {
    text: &'t str,
    at: usize,
    fragment: &'r Fragment<'t>,
    builder: &'r mut TreeBuilder,
    observations: &'r mut Vec<Observation>,
    comments: Vec<Comment>,
    depth: usize,
    may_have_comments: bool,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn span(&self, range: Range<usize>) -> Span {
        self.fragment.host(Span::new(range.start, range.end))
    }

    fn observe(&mut self, name: &'static str, range: Range<usize>) -> Observation {
        Observation::new(name, self.span(range))
    }

    /// Goes past whitespace and comments.
    fn space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            self.at = self.text.len() - trimmed.len();
            let Some((length, closed)) = comment(trimmed) else { return };
            let range = self.at..self.at + trimmed[..length].trim_end().len();
            let span = self.span(range.clone());
            let inner = self.text[range.clone()].trim_start_matches(['/', '*']);
            let start = range.end - inner.len();
            let text = self.span(start..start + inner.trim_end_matches(['/', '*']).trim_end().len());
            self.comments.push(Comment { span, text });
            if !closed {
                let opener = range.start..range.start + 2;
                let place = self.span(opener.clone());
                let observation =
                    self.observe("json_unclosed", opener).with("open", "/*").with("close", "*/");
                self.observations.push(observation.at("open", place));
            } else if !self.may_have_comments {
                let observation = self.observe("json_comment", range);
                self.observations.push(observation);
            }
            self.at += length;
        }
    }

    /// Ends the reading where something else is expected.
    fn expected(&mut self, what: &'static str) -> Stop {
        let rest = &self.text[self.at..];
        let stops = |c: char| c.is_whitespace() || ",:[]{}\"'".contains(c);
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let word = rest.find(stops).filter(|length| *length > 0).unwrap_or(first.min(rest.len()));
        let word = if rest.find(stops).is_none() { rest.len() } else { word };
        let range = self.at..self.at + word;
        let found = self.text[range.clone()].to_owned();
        let observation = self.observe("json_syntax", range).with("expected", what).with("found", found);
        self.observations.push(observation);
        Stop
    }

    fn value(&mut self, depth: usize) -> Result<(), Stop> {
        self.space();
        match self.peek() {
            Some(b'{' | b'[') if depth >= self.depth => {
                let limit = self.depth;
                let range = self.at..self.at + 1;
                let observation = self.observe("json_too_deep", range.clone()).with("limit", limit);
                self.observations.push(observation);
                let span = self.span(range);
                self.builder.scalar(Scalar::Null, span);
                Err(Stop)
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"' | b'\'') => {
                let (value, range) = self.string();
                let span = self.span(range);
                self.builder.scalar(Scalar::Text(&value), span);
                Ok(())
            }
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Stop> {
        let open = self.at;
        let span = self.span(open..open + 1);
        self.builder.open_mapping(span);
        let mut keys: HashMap<String, Span> = HashMap::new();
        let done = self.items(open, b'}', |reader| reader.entry(depth, &mut keys));
        self.close(open);
        done
    }

    fn array(&mut self, depth: usize) -> Result<(), Stop> {
        let open = self.at;
        let span = self.span(open..open + 1);
        self.builder.open_sequence(span);
        let done = self.items(open, b']', |reader| reader.value(depth + 1));
        self.close(open);
        done
    }

    fn close(&mut self, open: usize) {
        let span = self.span(open..self.at.max(open + 1));
        self.builder.close(Some(span));
    }

    /// Reads items with commas between them up to the closing bracket.
    fn items(
        &mut self,
        open: usize,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.at += 1;
        let mut comma: Option<usize> = None;
        let mut first = true;
        loop {
            if !budget::charge(1) {
                return Err(Stop);
            }
            self.space();
            match self.peek() {
                Some(byte) if byte == close => {
                    if let Some(comma) = comma {
                        let close = char::from(close).to_string();
                        let found =
                            self.observe("json_trailing_comma", comma..comma + 1).with("close", close);
                        self.observations.push(found);
                    }
                    self.at += 1;
                    return Ok(());
                }
                // Another bracket closes something else.
                None | Some(b'}' | b']') => return Err(self.unclosed(open, close)),
                Some(b',') => return Err(self.expected("a value")),
                Some(_) if !first && comma.is_none() => self.missing_comma()?,
                Some(_) => {}
            }
            let start = self.at;
            item(self)?;
            if self.at == start {
                return Err(self.expected("a value"));
            }
            first = false;
            self.space();
            comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
        }
    }

    fn unclosed(&mut self, open: usize, close: u8) -> Stop {
        let place = self.span(open..open + 1);
        let end = self.at.min(self.text.len());
        let length = self.text[end..].chars().next().map_or(0, char::len_utf8);
        let (opened, close) = (self.text[open..=open].to_owned(), char::from(close).to_string());
        let observation = self.observe("json_unclosed", open..open + 1).with("open", opened);
        let found = self.span(end..end + length);
        self.observations.push(observation.with("close", close).at("open", place).at("open", found));
        Stop
    }

    /// Goes on where a value follows another one without a comma.
    fn missing_comma(&mut self) -> Result<(), Stop> {
        let first = self.text[self.at..].chars().next();
        let Some(first) = first.filter(|c| c.is_alphanumeric() || "\"'{[-_$".contains(*c)) else {
            return Err(self.expected("`,` or a closing bracket"));
        };
        let end = self.text[..self.at].trim_end().len();
        let gap = self.span(end..end);
        let found: String =
            self.text[self.at..].chars().take_while(|c| !c.is_whitespace()).take(20).collect();
        let observation = self.observe("json_missing_comma", self.at..self.at + first.len_utf8());
        let observation = observation.with("found", found);
        self.observations.push(observation.at("gap", gap));
        Ok(())
    }

    fn entry(&mut self, depth: usize, keys: &mut HashMap<String, Span>) -> Result<(), Stop> {
        let (key, range) = match self.peek() {
            Some(b'"' | b'\'') => self.string(),
            _ => self.bare_key()?,
        };
        let span = self.span(range);
        if let Some(first) = keys.get(&key) {
            let observation = Observation::new("json_duplicate_key", span).with("key", key.as_str());
            self.observations.push(observation.at("first", *first));
        } else {
            keys.insert(key.clone(), span);
        }
        self.builder.key(&key, span, KeyType::String);
        self.space();
        let missing = self.peek() != Some(b':');
        if missing {
            self.builder.scalar(Scalar::Null, Span { start: span.end, end: span.end });
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        self.space();
        let before = self.builder.len();
        let done = self.value(depth + 1);
        if self.builder.len() == before {
            let at = self.span(self.at..self.at);
            self.builder.scalar(Scalar::Null, at);
        }
        done
    }

    /// A key without quotes.
    fn bare_key(&mut self) -> Result<(String, Range<usize>), Stop> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && !"_$-".contains(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.expected("a key in quotes"));
        }
        let range = self.at..self.at + length;
        let key = self.text[range.clone()].to_owned();
        let observation = self.observe("json_unquoted_key", range.clone()).with("key", key.as_str());
        self.observations.push(observation);
        self.at = range.end;
        Ok((key, range))
    }

    fn string(&mut self) -> (String, Range<usize>) {
        let start = self.at;
        let quoted = string::read(self.text, start);
        let range = start..quoted.end;
        if quoted.closed && self.text.as_bytes()[start] == b'\'' {
            let inner = string::between_double_quotes(&self.text[start + 1..quoted.end - 1]);
            let found = self.observe("json_single_quotes", range.clone()).with("text", inner);
            self.observations.push(found);
        }
        if !quoted.closed {
            let found = self.observe("json_bad_string", range.clone());
            self.observations.push(found.with("detail", "the string has no closing quote on its line"));
        } else if let Some((detail, place)) = quoted.fault {
            let found = self.observe("json_bad_string", place).with("detail", detail);
            self.observations.push(found);
        }
        self.at = quoted.end;
        (quoted.text.into_owned(), range)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<(), Stop> {
        let rest = &self.text[self.at..];
        let stops = |c: char| c.is_whitespace() || ",:[]{}\"'/".contains(c);
        let length = rest.find(stops).unwrap_or(rest.len());
        let (word, range) = (&rest[..length], self.at..self.at + length);
        let value = match word {
            "true" => Scalar::Bool(true),
            "false" => Scalar::Bool(false),
            "null" => Scalar::Null,
            _ => match number(word) {
                Some(number) => number,
                None if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                    let found = self.observe("json_bad_number", range.clone()).with("text", word);
                    self.observations.push(found);
                    Scalar::Text(word)
                }
                None => return Err(self.expected("a value")),
            },
        };
        let span = self.span(range.clone());
        self.builder.scalar(value, span);
        self.at = range.end;
        Ok(())
    }
}

/// The length of the comment that the text starts with, and whether it ends before the text does.
fn comment(text: &str) -> Option<(usize, bool)> {
    if text.starts_with("//") {
        return Some((text.find('\n').unwrap_or(text.len()), true));
    }
    let inner = text.strip_prefix("/*")?;
    Some(inner.find("*/").map_or((text.len(), false), |end| (end + 4, true)))
}

/// RFC 8259, section 6.
fn number(word: &str) -> Option<Scalar<'_>> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let leads = whole.len() > 1 && whole.starts_with('0');
    let exponent_fits =
        exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    if !digits(whole) || leads || !fraction.is_none_or(digits) || !exponent_fits {
        return None;
    }
    if fraction.is_none() && exponent.is_none() {
        if let Ok(value) = word.parse() {
            return Some(Scalar::Integer(value));
        }
        if let Ok(value) = word.parse() {
            return Some(Scalar::Unsigned(value));
        }
    }
    word.parse().ok().map(Scalar::Float)
}
