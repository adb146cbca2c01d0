use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};

use super::tool::Refusal;
use crate::text::{clip, nearest, visible};

/// The check of a tool's arguments: all faults at once, in words that say what to write instead.
pub(super) struct Arguments {
    validator: jsonschema::Validator,
    properties: Map<String, Value>,
    aliases: &'static [(&'static str, &'static str)],
}

/// Most faults that are told.
const TOLD: usize = 12;

/// Most characters of an argument that a fault quotes.
const QUOTED: usize = 60;

impl Arguments {
    pub(super) fn new(
        schema: &Map<String, Value>,
        aliases: &'static [(&'static str, &'static str)],
    ) -> Result<Self, String> {
        let validator = jsonschema::options().build(&Value::Object(schema.clone()));
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        Ok(Self { validator: validator.map_err(|error| error.to_string())?, properties, aliases })
    }

    /// The arguments as the tool reads them.
    pub(super) fn check(&self, arguments: Map<String, Value>) -> Result<Value, Refusal> {
        let arguments = Value::Object(self.lenient(arguments));
        let faults: Vec<String> =
            self.validator.iter_errors(&arguments).flat_map(|error| self.word(&error)).take(TOLD).collect();
        if faults.is_empty() { Ok(arguments) } else { Err(Refusal::arguments(faults)) }
    }

    /// What models write though they mean the right thing: null for what they leave out, names of
    /// similar tools' arguments, lists and objects as JSON in a string.
    fn lenient(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let mut read = Map::new();
        for (name, value) in arguments {
            let alias = self.aliases.iter().find(|(alias, _)| *alias == name);
            let name = alias.map_or(name, |(_, name)| (*name).to_owned());
            if value.is_null() || read.contains_key(&name) {
                continue;
            }
            let value = match (&value, self.properties.get(&name)) {
                (Value::String(text), Some(schema)) => unpacked(text, schema).unwrap_or(value),
                _ => value,
            };
            read.insert(name, value);
        }
        read
    }

    fn word(&self, error: &jsonschema::ValidationError<'_>) -> Vec<String> {
        let path = error.instance_path().to_string();
        let place = match path.trim_start_matches('/') {
            "" => "the arguments".to_owned(),
            path => format!("`{}`", visible(&clip(path, QUOTED))),
        };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } if path.is_empty() => {
                unexpected.iter().map(|name| self.unknown(name)).collect()
            }
            ValidationErrorKind::Required { property } => {
                vec![format!("{place} lack {property}", property = backticked(property))]
            }
            ValidationErrorKind::Type { kind } => {
                let wanted = match kind {
                    TypeKind::Single(one) => one.to_string(),
                    TypeKind::Multiple(several) => format!("{several:?}"),
                };
                vec![format!("{place} must be of type {wanted}, not {}", quoted(error.instance()))]
            }
            ValidationErrorKind::Enum { options } => {
                let options: Vec<String> = options.as_array().into_iter().flatten().map(backticked).collect();
                let found = quoted(error.instance());
                vec![format!("{place} is {found}, but must be one of {}", options.join(", "))]
            }
            _ => vec![format!("{place}: {}", visible(&clip(&error.to_string(), 200)))],
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = self.properties.keys().map(String::as_str);
        let name_shown = visible(&clip(name, QUOTED)).into_owned();
        match nearest(name, known.clone()) {
            Some(near) => format!("there is no argument `{name_shown}`: did you mean `{near}`?"),
            None => {
                let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
                let known = if known.is_empty() { "the tool takes none".into() } else { known.join(", ") };
                format!("there is no argument `{name_shown}`: known are {known}")
            }
        }
    }
}

/// A list or object that was sent as text.
fn unpacked(text: &str, schema: &Value) -> Option<Value> {
    let wanted = schema.get("type").and_then(Value::as_str)?;
    let read: Value = serde_json::from_str(text).ok()?;
    match wanted {
        "array" if read.is_array() => Some(read),
        "object" if read.is_object() => Some(read),
        "boolean" if read.is_boolean() => Some(read),
        "integer" if read.is_i64() || read.is_u64() => Some(read),
        _ => None,
    }
}

fn backticked(value: &Value) -> String {
    format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn quoted(value: &Value) -> String {
    let text = value.to_string();
    format!("`{}`", visible(&clip(&text, QUOTED)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments() -> Arguments {
        let schema = json!({
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "fixes": {"type": "array", "items": {"type": "string"}},
                "detail": {"enum": ["concise", "full"]}
            },
            "required": ["text"],
            "additionalProperties": false
        });
        Arguments::new(schema.as_object().unwrap(), &[("yaml_text", "text")]).unwrap()
    }

    fn check(value: Value) -> Result<Value, Vec<String>> {
        arguments().check(value.as_object().unwrap().clone()).map_err(|refusal| refusal.faults)
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let faults = check(json!({"detial": "full", "fixes": [1], "detail": "long"})).unwrap_err();
        assert_eq!(
            {
                let mut sorted = faults.clone();
                sorted.sort();
                sorted
            },
            [
                "`detail` is `\"long\"`, but must be one of `concise`, `full`",
                "`fixes/0` must be of type string, not `1`",
                "the arguments lack `text`",
                "there is no argument `detial`: did you mean `detail`?",
            ]
        );
    }

    #[test]
    fn what_models_mean_is_read() {
        let read = check(json!({"yaml_text": "a: 1", "fixes": "[\"f\"]", "detail": null}));
        assert_eq!(read, Ok(json!({"text": "a: 1", "fixes": ["f"]})));
    }
}
