use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::{
    schema::{Structure, Violation, evaluate},
    text::{clip, nearest, visible},
    tree::{Node, Tree},
};

/// Validates a tool's arguments: reports all errors at once, each with what to write instead.
pub(super) struct Arguments {
    schema: Structure,
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
        let structure = Structure::new(&Value::Object(schema.clone()), "").map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            errors.join("; ")
        })?;
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let definition = |value: Value| {
            let named =
                value.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
            named.and_then(|name| schema.get("$defs")?.get(name).cloned()).unwrap_or(value)
        };
        let of_items = |mut value: Value| {
            if let Some(items) = value.get_mut("items") {
                *items = definition(items.take());
            }
            value
        };
        let properties =
            properties.into_iter().map(|(name, value)| (name, of_items(definition(value)))).collect();
        Ok(Self { schema: structure, properties, aliases })
    }

    /// The arguments as the tool expects them, or every error in them.
    pub(super) fn check(&self, arguments: Map<String, Value>) -> Result<Value, Refusal> {
        let arguments = Value::Object(self.lenient(arguments));
        let tree = Tree::from_json(&arguments);
        let violations = evaluate(&self.schema, tree.root())
            .map_err(|too_complex| Refusal::arguments(vec![too_complex.to_string()]))?;
        let errors = violations.iter().filter(|violation| violation.is_error());
        let errors: Vec<String> = errors.map(|violation| self.message(violation)).take(REPORTED).collect();
        if errors.is_empty() { Ok(arguments) } else { Err(Refusal::arguments(errors)) }
    }

    /// Accepts what models often write instead of the exact form: null for omitted arguments, argument
    /// names of similar tools, lists and objects as JSON strings, names of choices in other letters.
    fn lenient(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let mut read = Map::new();
        for (name, value) in arguments {
            let alias = self.aliases.iter().find(|(alias, _)| *alias == name);
            let name = alias.map_or(name, |(_, name)| (*name).to_owned());
            if value.is_null() || read.contains_key(&name) {
                continue;
            }
            let value = match self.properties.get(&name) {
                Some(schema) => meant(value, schema),
                None => value,
            };
            read.insert(name, value);
        }
        read
    }

    fn message(&self, violation: &Violation<'_>) -> String {
        let node = violation.node;
        let key = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let property = violation.value("property").map(key).unwrap_or_default();
        let below = node.parent().is_some();
        match violation.keyword {
            "additionalProperties" => match node.parent().filter(|parent| parent.parent().is_some()) {
                Some(parent) => format!("{}: {}", subject(parent), shown(&violation.detail)),
                None => self.unknown(&property),
            },
            "required" if below => format!("{}: `{}` is missing", subject(node), shown(&property)),
            "required" => format!("missing argument `{property}`"),
            "type" => {
                let wanted = violation.expected.join(" or ");
                format!("{} must be of type {wanted}, not {}", subject(node), quoted(&node.to_json()))
            }
            "enum" => {
                let options = violation.value("allowed").and_then(Value::as_array);
                let options: Vec<String> = options.into_iter().flatten().map(backticked).collect();
                let found = quoted(&node.to_json());
                format!("{} is {found}, but must be one of {}", subject(node), options.join(", "))
            }
            _ => format!("{} {}", subject(node), shown(&violation.detail)),
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

/// A value as the schema asks for it, where that is clear.
fn meant(value: Value, schema: &Value) -> Value {
    let value = match &value {
        Value::String(text) => unpacked(text, schema).or_else(|| choice(text, schema)).unwrap_or(value),
        _ => value,
    };
    let (Value::Array(items), Some(schema)) = (&value, schema.get("items")) else { return value };
    let item =
        |item: &Value| item.as_str().and_then(|text| choice(text, schema)).unwrap_or_else(|| item.clone());
    items.iter().map(item).collect()
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

/// The choice that differs from a string only in uppercase and lowercase letters.
fn choice(text: &str, schema: &Value) -> Option<Value> {
    let choices = schema.get("enum")?.as_array()?;
    let is_meant = |choice: &&Value| choice.as_str().is_some_and(|choice| choice.eq_ignore_ascii_case(text));
    choices.iter().find(is_meant).cloned()
}

/// An argument, or a part of one, as an error names it.
fn subject(node: Node<'_>) -> String {
    match node.pointer().trim_start_matches('/') {
        "" => "the arguments".to_owned(),
        path => format!("`{}`", visible(&clip(path, QUOTED))),
    }
}

fn shown(text: &str) -> String {
    visible(&clip(text, 200)).into_owned()
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
                "detail": {"enum": ["concise", "full"]},
                "format": {"$ref": "#/$defs/Format"},
                "formats": {"type": "array", "items": {"$ref": "#/$defs/Format"}}
            },
            "$defs": {"Format": {"type": "string", "enum": ["PDF", "SVG"]}},
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
    fn errors_below_an_argument_name_their_path() {
        let schema = json!({
            "properties": {"edits": {"items": {
                "required": ["at"], "properties": {"at": {"minimum": 0}}, "additionalProperties": false,
            }}},
        });
        let arguments = Arguments::new(schema.as_object().unwrap(), &[]).unwrap();
        let value = json!({"edits": [{"at": -1}, {"line": 1}]});
        let refusal = arguments.check(value.as_object().unwrap().clone()).unwrap_err();
        assert_eq!(
            refusal.reasons,
            [
                "`edits/0/at` must be at least 0",
                "`edits/1`: `line` is not allowed here",
                "`edits/1`: `at` is missing",
            ]
        );
    }

    #[test]
    fn common_deviations_of_models_are_accepted() {
        let read = check(json!({"yaml_text": "a: 1", "fixes": "[\"f\"]", "detail": null}));
        assert_eq!(read, Ok(json!({"text": "a: 1", "fixes": ["f"]})));
        let read = check(json!({"text": "", "format": "svg", "detail": "Full"}));
        assert_eq!(read, Ok(json!({"text": "", "format": "SVG", "detail": "full"})));
        let read = check(json!({"text": "", "formats": ["svg", "PDF"]}));
        assert_eq!(read, Ok(json!({"text": "", "formats": ["SVG", "PDF"]})));
        let read = check(json!({"text": "", "formats": "[\"pdf\"]"}));
        assert_eq!(read, Ok(json!({"text": "", "formats": ["PDF"]})));
    }
}
