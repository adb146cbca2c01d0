//! YAML of rule files as JSON: the core schema of YAML 1.2, without tags, merge keys and duplicate keys.

use std::{borrow::Cow, collections::HashMap};

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// The document of a text.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader { events: Parser::new_from_str(text), anchors: HashMap::new(), line: 0 };
    let value = match reader.next()? {
        Some(event) => reader.value(event),
        None => Ok(Value::Null),
    };
    let value = value.and_then(|value| match reader.next()? {
        None => Ok(value),
        Some(_) => Err("more than one document".to_owned()),
    });
    value.map_err(|error| format!("line {}: {error}", reader.line))
}

struct Reader<I> {
    events: I,
    /// Values with an anchor, by its number.
    anchors: HashMap<usize, Value>,
    /// Line of the last event, from 1.
    line: usize,
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
                event => items.push(self.value(event)?),
            }
        }
    }

    fn mapping(&mut self) -> Result<Value, String> {
        let mut fields = Map::new();
        loop {
            let key = match self.expect()? {
                Event::MappingEnd => return Ok(fields.into()),
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return Err("a key is a string".to_owned()),
            };
            let event = self.expect()?;
            let value = self.value(event)?;
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
