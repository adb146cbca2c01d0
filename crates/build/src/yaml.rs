//! YAML of rule files as JSON: the core schema of YAML 1.2, without tags, merge keys and duplicate keys.

use std::{borrow::Cow, collections::HashMap};

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// A document with the lines of its values.
pub(crate) struct Document {
    pub(crate) value: Value,
    /// The line of each item, and of each value's key, by JSON Pointer; from 1.
    lines: HashMap<String, usize>,
}

impl Document {
    /// The line of the value that a JSON Pointer names, or of the innermost value around it that exists.
    pub(crate) fn line(&self, pointer: &str) -> usize {
        let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
        let mut lines = ends.filter_map(|end| self.lines.get(&pointer[..end]));
        lines.next_back().copied().unwrap_or(1)
    }
}

/// Reads `text` as one document.
pub(crate) fn read(text: &str) -> Result<Document, String> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        anchors: HashMap::new(),
        line: 0,
        pointer: String::new(),
        lines: HashMap::new(),
    };
    let value = match reader.next()? {
        Some(event) => reader.value(event),
        None => Ok(Value::Null),
    };
    let value = value.and_then(|value| match reader.next()? {
        None => Ok(value),
        Some(_) => Err("more than one document".to_owned()),
    });
    match value {
        Ok(value) => Ok(Document { value, lines: reader.lines }),
        Err(error) => Err(format!("line {}: {error}", reader.line)),
    }
}

struct Reader<I> {
    events: I,
    /// Values with an anchor, by its number.
    anchors: HashMap<usize, Value>,
    /// Line of the last event, from 1.
    line: usize,
    /// JSON Pointer to the value that is read.
    pointer: String,
    /// Lines by JSON Pointer.
    lines: HashMap<String, usize>,
}

impl<'t, I> Reader<I>
where
    I: Iterator<Item = Result<(Event<'t>, granit_parser::Span), granit_parser::ScanError>>,
{
    /// The next event that is a part of a value.
    fn next(&mut self) -> Result<Option<Event<'t>>, String> {
        for next in self.events.by_ref() {
            let (event, span) = next.map_err(|error| error.to_string())?;
            self.line = span.start.line();
            match event {
                Event::Scalar(_, _, _, Some(_))
                | Event::SequenceStart(_, _, Some(_))
                | Event::MappingStart(_, _, Some(_)) => return Err("tags are not supported here".to_owned()),
                Event::Scalar(..)
                | Event::SequenceStart(..)
                | Event::SequenceEnd
                | Event::MappingStart(..)
                | Event::MappingEnd
                | Event::Alias(_) => return Ok(Some(event)),
                _ => {}
            }
        }
        Ok(None)
    }

    fn expect(&mut self) -> Result<Event<'t>, String> {
        self.next()?.ok_or_else(|| "the text ends inside a collection".to_owned())
    }

    fn value(&mut self, event: Event<'t>) -> Result<Value, String> {
        let (value, anchor) = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, _) => (plain(text), anchor),
            Event::Scalar(text, _, anchor, _) => (text.into(), anchor),
            Event::SequenceStart(_, anchor, _) => (self.sequence()?, anchor),
            Event::MappingStart(_, anchor, _) => (self.mapping()?, anchor),
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned();
                return value.ok_or_else(|| "an alias is used inside of its anchor".to_owned());
            }
            _ => return Err("a value is expected".to_owned()),
        };
        // Anchors are numbered from 1.
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn sequence(&mut self) -> Result<Value, String> {
        let mut items = Vec::new();
        loop {
            match self.expect()? {
                Event::SequenceEnd => return Ok(items.into()),
                event => {
                    let value = self.inside(&items.len().to_string(), |reader| reader.value(event))?;
                    items.push(value);
                }
            }
        }
    }

    /// Reads the value of a key or the item of an index, which is where its line is.
    fn inside<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        self.lines.insert(self.pointer.clone(), self.line);
        let read = read(self);
        self.pointer.truncate(outer);
        read
    }

    fn mapping(&mut self) -> Result<Value, String> {
        let mut fields = Map::new();
        loop {
            let key = match self.expect()? {
                Event::MappingEnd => return Ok(fields.into()),
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return Err("a key is a string".to_owned()),
            };
            let value = self.inside(&key, |reader| {
                let event = reader.expect()?;
                reader.value(event)
            })?;
            if fields.insert(key.clone(), value).is_some() {
                return Err(format!("`{key}` is there twice"));
            }
        }
    }
}

/// A plain scalar by the core schema.
fn plain(text: Cow<'_, str>) -> Value {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => number(&text).map_or_else(|| text.into_owned().into(), Value::Number),
    }
}

/// A number without signs that JSON does not have.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let integer = text.parse::<i64>().map(Number::from).ok();
    integer.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64))
}
