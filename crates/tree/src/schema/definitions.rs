//! A schema that comes with the program, divided: documents reach few of its definitions, and only those are read.

use std::{collections::BTreeMap, fmt};

use foldhash::HashMap;
use memchr::memmem;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use crate::{budget::Once, tree::pointer::escape};

/// The keyword of definitions.
const KEYWORD: &str = "$defs";

/// What a schema has that gives its subschemas names of their own.
const NAMES: [&str; 3] = ["\"$anchor\"", "\"$dynamicAnchor\"", "\"$id\": \"#"];

/// A schema, and its definitions apart from it.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// The schema without its definitions.
    rest: Value,
    all: Vec<Definition>,
    /// Numbers of the definitions by JSON Pointer.
    numbers: HashMap<String, usize>,
}

#[derive(Debug)]
struct Definition {
    pointer: String,
    text: Box<RawValue>,
    value: Once<Value>,
}

impl Definitions {
    /// Divides a schema. It stays whole where any definition may have a name that a reference somewhere else uses.
    pub(super) fn read(text: &str) -> Self {
        if NAMES.iter().any(|name| memmem::find(text.as_bytes(), name.as_bytes()).is_some()) {
            return Self { rest: serde_json::from_str(text).unwrap_or_default(), ..Self::default() };
        }
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The schema without its definitions.
    pub(super) fn rest(&self) -> &Value {
        &self.rest
    }

    /// How many definitions are apart.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The JSON Pointer to a definition.
    pub(super) fn pointer(&self, number: usize) -> &str {
        &self.all[number].pointer
    }

    /// The number of the definition at a JSON Pointer.
    pub(super) fn number(&self, pointer: &str) -> Option<usize> {
        self.numbers.get(pointer).copied()
    }

    /// The value of a definition.
    pub(super) fn value(&self, number: usize) -> &Value {
        let definition = &self.all[number];
        definition.value.get_or_init(|| serde_json::from_str(definition.text.get()).unwrap_or_default())
    }

    /// The number of the definition that a JSON Pointer leads into, and the pointer from there.
    pub(super) fn within<'p>(&self, pointer: &'p str) -> Option<(usize, &'p str)> {
        let below = pointer.strip_prefix('/')?.strip_prefix(KEYWORD)?.strip_prefix('/')?;
        let end = pointer.len() - below.len() + below.find('/').unwrap_or(below.len());
        Some((self.number(&pointer[..end])?, &pointer[end..]))
    }
}

impl<'de> Deserialize<'de> for Definitions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Divide)
    }
}

struct Divide;

impl<'de> Visitor<'de> for Divide {
    type Value = Definitions;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a schema")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut schema: A) -> Result<Definitions, A::Error> {
        let mut rest = Map::new();
        let mut divided = Definitions::default();
        while let Some(keyword) = schema.next_key::<String>()? {
            if keyword != KEYWORD {
                rest.insert(keyword, schema.next_value()?);
                continue;
            }
            let texts: BTreeMap<String, Box<RawValue>> = schema.next_value()?;
            for (name, text) in texts {
                let pointer = format!("/{KEYWORD}/{}", escape(&name));
                divided.numbers.insert(pointer.clone(), divided.all.len());
                divided.all.push(Definition { pointer, text, value: Once::new() });
            }
        }
        divided.rest = Value::Object(rest);
        Ok(divided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_apart_from_the_schema() {
        let text = r##"{"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "string"}, "c": true}}"##;
        let divided = Definitions::read(text);
        assert_eq!(divided.rest().to_string(), r##"{"$ref":"#/$defs/a~1b"}"##);
        let number = divided.number("/$defs/a~1b").unwrap();
        assert_eq!(divided.value(number)["type"], "string");
        assert_eq!(divided.within("/$defs/a~1b/type"), Some((number, "/type")));
        assert_eq!(divided.within("/$defs/d"), None);
        assert_eq!(divided.within("/properties/a"), None);
    }

    #[test]
    fn a_schema_with_names_of_its_own_is_whole() {
        let divided = Definitions::read(r#"{"$defs": {"a": {"$anchor": "name"}}}"#);
        assert_eq!((divided.len(), &divided.rest()["$defs"]["a"]["$anchor"]), (0, &Value::from("name")));
    }
}
