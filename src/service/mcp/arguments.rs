use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::text::{clip, nearest, visible};

/// Validates a tool's arguments: reports all errors at once, each with what to write instead.
pub(super) struct Arguments {
    validator: jsonschema::Validator,
    properties: Map<String, Value>,
    aliases: &'static [(&'static str, &'static str)],
}

/// Maximum number of errors that are reported.
const REPORTED: usize = 12;

/// Maximum number of characters of an argument that an error quotes.
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

    /// The arguments as the tool expects them, or every error in them.
    pub(super) fn check(&self, arguments: Map<String, Value>) -> Result<Value, Refusal> {
        let arguments = Value::Object(self.lenient(arguments));
        let errors = self.validator.iter_errors(&arguments).flat_map(|error| self.messages(&error));
        let errors: Vec<String> = errors.take(REPORTED).collect();
        if errors.is_empty() { Ok(arguments) } else { Err(Refusal::arguments(errors)) }
    }

    /// Accepts what models often write instead of the exact form: null for omitted arguments, argument
    /// names of similar tools, lists and objects as JSON strings.
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

    fn messages(&self, error: &jsonschema::ValidationError<'_>) -> Vec<String> {
        let path = error.instance_path().to_string();
        let subject = match path.trim_start_matches('/') {
            "" => "the arguments".to_owned(),
            path => format!("`{}`", visible(&clip(path, QUOTED))),
        };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } if path.is_empty() => {
                unexpected.iter().map(|name| self.unknown(name)).collect()
            }
            ValidationErrorKind::Required { property } => {
                let name = backticked(property);
                vec![if path.is_empty() {
                    format!("missing argument {name}")
                } else {
                    format!("{subject}: {name} is missing")
                }]
            }
            ValidationErrorKind::Type { kind } => {
                let wanted = match kind {
                    TypeKind::Single(one) => one.to_string(),
                    TypeKind::Multiple(several) => format!("{several:?}"),
                };
                vec![format!("{subject} must be of type {wanted}, not {}", quoted(error.instance()))]
            }
            ValidationErrorKind::Enum { options } => {
                let options: Vec<String> = options.as_array().into_iter().flatten().map(backticked).collect();
                let found = quoted(error.instance());
                vec![format!("{subject} is {found}, but must be one of {}", options.join(", "))]
            }
            _ => vec![format!("{subject}: {}", visible(&clip(&error.to_string(), 200)))],
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = self.properties.keys().map(String::as_str);
        let name_shown = visible(&clip(name, QUOTED)).into_owned();
        match nearest(name, known.clone()) {
            Some(near) => format!("unknown argument `{name_shown}`: did you mean `{near}`?"),
            None => {
                let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
                if known.is_empty() {
                    return format!("unknown argument `{name_shown}`: the tool takes no arguments");
                }
                format!("unknown argument `{name_shown}`: the tool takes {}", known.join(", "))
            }
        }
    }
}

/// The value of a JSON string where the schema asks for another type.
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
        arguments().check(value.as_object().unwrap().clone()).map_err(|refusal| refusal.reasons)
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let errors = check(json!({"detial": "full", "fixes": [1], "detail": "long"})).unwrap_err();
        assert_eq!(
            {
                let mut sorted = errors.clone();
                sorted.sort();
                sorted
            },
            [
                "`detail` is `\"long\"`, but must be one of `concise`, `full`",
                "`fixes/0` must be of type string, not `1`",
                "missing argument `text`",
                "unknown argument `detial`: did you mean `detail`?",
            ]
        );
    }

    #[test]
    fn common_deviations_of_models_are_accepted() {
        let read = check(json!({"yaml_text": "a: 1", "fixes": "[\"f\"]", "detail": null}));
        assert_eq!(read, Ok(json!({"text": "a: 1", "fixes": ["f"]})));
    }
}
