//! The core functions of Spectral as checks.

use serde_json::{Map, Value, json};

use crate::text::pattern as pattern_of;

/// Values that are not `truthy`, as far as documents can have them.
const FALSY: [&str; 4] = ["\"\"", "null", "false", "0"];

/// What a rule looks at below the nodes that it selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    /// The node itself.
    Own,
    /// The keys of the node.
    Keys,
    /// What these names lead to.
    Path(Vec<String>),
}

impl Field {
    /// The field as a rule of Spectral names it.
    pub(super) fn read(field: Option<&str>) -> Self {
        match field {
            None => Self::Own,
            Some("@key") => Self::Keys,
            Some(path) => Self::Path(path.split('.').map(str::to_owned).collect()),
        }
    }
}

/// The check for a function, or why there is none.
pub(super) fn check(function: &str, options: &Value, field: &Field) -> Result<Value, String> {
    let value = match function {
        "truthy" => return present(field, &json!({"not": {"enum": falsy()}}), function),
        "defined" => return present(field, &json!({}), function),
        "schema" => {
            let schema = options.get("schema").ok_or("it has no `schema`")?;
            return if *field == Field::Own {
                Ok(json!({"schema": {"schema": schema}}))
            } else {
                present(field, schema, function)
            };
        }
        "undefined" => return absent(field),
        "falsy" => json!({"one_of": falsy()}),
        "pattern" => return pattern(options, field),
        "casing" => return on_text(&casing(options)?, false, field),
        "enumeration" => json!({"one_of": options.get("values").ok_or("it has no `values`")?}),
        "length" => json!({"schema": {"schema": length(options)}}),
        "xor" | "or" => json!({"count": count(options, function)?}),
        "alphabetical" => return Ok(alphabetical(options, field)),
        "typedEnum" => json!({"conforms": {"of": "@.enum[*]", "dialect": "openapi", "keywords": ["type"]}}),
        "unreferencedReusableObject" => json!({"referenced": {}}),
        other => return Err(format!("`{other}` is not one of Spectral's core functions")),
    };
    at(field, value)
}

fn falsy() -> Value {
    FALSY.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok()).collect()
}

/// A check at what a field leads to, where that exists.
fn at(field: &Field, check: Value) -> Result<Value, String> {
    match field {
        Field::Own => Ok(check),
        Field::Keys => Err("the function cannot be applied to keys".to_owned()),
        Field::Path(names) => Ok(json!({"each": [{"of": path(names), "check": check}]})),
    }
}

/// A relative JSONPath.
fn path(names: &[String]) -> String {
    let name = |name: &String| match name.as_str() {
        "*" => "[*]".to_owned(),
        name => format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")),
    };
    std::iter::once("@".to_owned()).chain(names.iter().map(name)).collect()
}

/// A field that must be there, with what holds for it.
fn present(field: &Field, schema: &Value, function: &str) -> Result<Value, String> {
    match field {
        Field::Own if function == "defined" => Err("a node that is selected is always defined".to_owned()),
        Field::Own => Ok(json!({"schema": {"schema": schema}})),
        Field::Keys => Err("the function cannot be applied to keys".to_owned()),
        Field::Path(names) => {
            let nested = names
                .iter()
                .rev()
                .fold(schema.clone(), |inner, name| json!({"required": [name], "properties": {name: inner}}));
            Ok(json!({"schema": {"schema": nested}}))
        }
    }
}

/// A field that must not be there.
fn absent(field: &Field) -> Result<Value, String> {
    match field {
        Field::Own => Ok(json!({"forbidden": true})),
        Field::Keys => Err("the function cannot be applied to keys".to_owned()),
        Field::Path(names) => match names.as_slice() {
            [only] => Ok(json!({"forbidden": only})),
            [outer @ .., last] => Ok(json!({"each": [{"of": path(outer), "check": {"forbidden": last}}]})),
            [] => Err("the field has no name".to_owned()),
        },
    }
}

fn pattern(options: &Value, field: &Field) -> Result<Value, String> {
    let given = |key: &str| options.get(key).and_then(Value::as_str).map(expression);
    match (given("match"), given("notMatch")) {
        (Some(expression), None) => on_text(&expression, false, field),
        (None, Some(expression)) => on_text(&expression, true, field),
        (Some(_), Some(_)) => Err("it has both `match` and `notMatch`: write two rules".to_owned()),
        (None, None) => Err("it has neither `match` nor `notMatch`".to_owned()),
    }
}

/// The regular expression that is written as `/x/i` or `x`.
fn expression(text: &str) -> String {
    let literal = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    match literal {
        Some((expression, "")) => expression.to_owned(),
        Some((expression, flags)) if flags.bytes().all(|flag| b"imsu".contains(&flag)) => {
            let flags = flags.replace('u', "");
            if flags.is_empty() { expression.to_owned() } else { format!("(?{flags}){expression}") }
        }
        _ => text.to_owned(),
    }
}

/// Text that must match a regular expression, or must not.
fn on_text(expression: &str, not: bool, field: &Field) -> Result<Value, String> {
    if let Err(error) = pattern_of(expression) {
        let detail = error.to_string();
        let detail = detail.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        return Err(format!(
            "`{expression}` is not a regular expression of the linear-time engine: {detail}"
        ));
    }
    if *field == Field::Keys {
        let name = json!({"pattern": expression});
        let name = if not { json!({"not": name}) } else { name };
        return Ok(json!({"schema": {"schema": {"propertyNames": name}}}));
    }
    at(field, if not { json!({"pattern": {"not": expression}}) } else { json!({"pattern": expression}) })
}

/// The regular expression of a way to write names.
fn casing(options: &Value) -> Result<String, String> {
    let kind = options.get("type").and_then(Value::as_str).unwrap_or_default();
    let digits = if options.get("disallowDigits") == Some(&Value::Bool(true)) { "" } else { "0-9" };
    let word = match kind {
        "flat" => format!("[a-z][a-z{digits}]*"),
        "camel" => format!("[a-z][a-z{digits}]*(?:[A-Z{digits}](?:[a-z{digits}]+|$))*"),
        "pascal" => format!("[A-Z][a-z{digits}]*(?:[A-Z{digits}](?:[a-z{digits}]+|$))*"),
        "kebab" => format!("[a-z][a-z{digits}]*(?:-[a-z{digits}]+)*"),
        "cobol" => format!("[A-Z][A-Z{digits}]*(?:-[A-Z{digits}]+)*"),
        "snake" => format!("[a-z][a-z{digits}]*(?:_[a-z{digits}]+)*"),
        "macro" => format!("[A-Z][A-Z{digits}]*(?:_[A-Z{digits}]+)*"),
        other => return Err(format!("`{other}` is not a way to write names that is known")),
    };
    let Some(character) = options.pointer("/separator/char").and_then(Value::as_str) else {
        return Ok(format!("^(?:{word})$"));
    };
    let is_mark = |c: char| c.is_ascii_punctuation();
    let separator: String =
        character.chars().map(|c| if is_mark(c) { format!("\\{c}") } else { c.to_string() }).collect();
    let leading = options.pointer("/separator/allowLeading") == Some(&Value::Bool(true));
    let start = if leading { format!("{separator}?") } else { String::new() };
    Ok(format!("^{start}(?:{word})(?:{separator}(?:{word}))*$"))
}

fn length(options: &Value) -> Value {
    let mut schema = Map::new();
    for (bound, keywords) in [
        ("min", ["minLength", "minItems", "minProperties", "minimum"]),
        ("max", ["maxLength", "maxItems", "maxProperties", "maximum"]),
    ] {
        for keyword in keywords {
            schema.extend(options.get(bound).map(|bound| (keyword.to_owned(), bound.clone())));
        }
    }
    schema.into()
}

/// How many of some keys must be there.
fn count(options: &Value, function: &str) -> Result<Value, String> {
    let names: Option<Vec<String>> = options.get("properties").and_then(Value::as_array).map(|names| {
        names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| format!("'{}'", name.replace('\'', "\\'")))
            .collect()
    });
    let names = names.filter(|names| !names.is_empty()).ok_or("it has no `properties`")?;
    let bound = if function == "xor" { "eq" } else { "min" };
    Ok(json!({"of": format!("@[{}]", names.join(",")), bound: 1}))
}

fn alphabetical(options: &Value, field: &Field) -> Value {
    let of = match field {
        Field::Path(names) => path(names),
        Field::Own | Field::Keys => "@".to_owned(),
    } + "[*]";
    match options.get("keyedBy").and_then(Value::as_str) {
        Some(key) => json!({"each": [{"of": of, "check": {"sorted": {"by": format!("@['{key}']")}}}]}),
        None => json!({"each": [
            {"of": of, "check": {"sorted": {}}},
            {"of": of, "check": {"sorted": {"keys": true}}},
        ]}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(function: &str, options: Value, field: Option<&str>) -> Result<Value, String> {
        check(function, &options, &Field::read(field))
    }

    #[test]
    fn functions_become_checks() {
        let nested = json!({"schema": {"schema": {"required": ["a"], "properties": {"a": {"required": ["b"], "properties": {"b": {}}}}}}});
        assert_eq!(translated("defined", Value::Null, Some("a.b")), Ok(nested));
        assert_eq!(translated("undefined", Value::Null, Some("a")), Ok(json!({"forbidden": "a"})));
        assert_eq!(
            translated("pattern", json!({"match": "/^a/i"}), Some("name")),
            Ok(json!({"each": [{"of": "@['name']", "check": {"pattern": "(?i)^a"}}]}))
        );
        assert_eq!(
            translated("pattern", json!({"notMatch": "x"}), Some("@key")),
            Ok(json!({"schema": {"schema": {"propertyNames": {"not": {"pattern": "x"}}}}}))
        );
        assert_eq!(
            translated("xor", json!({"properties": ["a", "b"]}), None),
            Ok(json!({"count": {"of": "@['a','b']", "eq": 1}}))
        );
    }

    #[test]
    fn casings_are_regular_expressions() {
        let matches = |kind: &str, text: &str| {
            pattern_of(&casing(&json!({"type": kind})).unwrap()).unwrap().is_match(text)
        };
        for (kind, yes, no) in [
            ("camel", "fooBar2", "FooBar"),
            ("pascal", "FooBar", "fooBar"),
            ("kebab", "foo-bar", "foo_bar"),
            ("snake", "foo_bar", "foo-bar"),
            ("macro", "FOO_BAR", "foo_bar"),
            ("cobol", "FOO-BAR", "FOO_BAR"),
            ("flat", "foobar", "fooBar"),
        ] {
            assert!(matches(kind, yes) && !matches(kind, no), "{kind}");
        }
        assert!(casing(&json!({"type": "train"})).is_err());
    }

    #[test]
    fn what_cannot_be_translated_has_a_reason() {
        assert!(translated("myFunction", Value::Null, None).unwrap_err().contains("core functions"));
        assert!(translated("pattern", json!({"match": "(?=a)"}), None).unwrap_err().contains("linear-time"));
        assert!(translated("truthy", Value::Null, Some("@key")).is_err());
    }
}
