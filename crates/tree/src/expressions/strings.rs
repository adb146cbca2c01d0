//! Functions on strings for CEL. They are called as functions or as methods of a string; positions count characters.

use std::sync::Arc;

use cel::{Context, ExecutionError, Value, extractors::This};

use super::metered::{charge_made, charge_text, pattern_for};

type Text = This<Arc<String>>;

/// Adds the functions to a context.
pub(super) fn add(context: &mut Context<'_, '_>) {
    let _ = context.add_function("split", |This(text): Text, separator: Arc<String>| {
        charge_text(text.len())?;
        charge_made(text.len(), text.matches(separator.as_str()).count() + 1)?;
        let parts = text.split(separator.as_str()).map(|part| Value::from(part.to_owned()));
        Ok::<_, ExecutionError>(Value::from(parts.collect::<Vec<_>>()))
    });
    let _ = context.add_function("substring", |This(text): Text, start: i64, end: i64| {
        let (start, end) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
        charge_made(text.len().min(end), 0)?;
        let part = text.chars().skip(start).take(end.saturating_sub(start));
        Ok::<_, ExecutionError>(Value::from(part.collect::<String>()))
    });
    let _ = context.add_function("replace", |This(text): Text, old: Arc<String>, new: Arc<String>| {
        charge_text(text.len())?;
        // A short text can become a very long one.
        let times = text.matches(old.as_str()).count();
        charge_made((text.len() + times * new.len()).saturating_sub(times * old.len()), 0)?;
        Ok::<_, ExecutionError>(Value::from(text.replace(old.as_str(), &new)))
    });
    let _ = context.add_function("trim", |This(text): Text| made(&text, str::trim(&text).to_owned()));
    let _ = context.add_function("lower", |This(text): Text| made(&text, text.to_lowercase()));
    let _ = context.add_function("upper", |This(text): Text| made(&text, text.to_uppercase()));
    let _ = context.add_function("indexOf", |This(text): Text, part: Arc<String>| {
        charge_text(text.len())?;
        let found = memchr::memmem::find(text.as_bytes(), part.as_bytes());
        let at = found.map_or(-1, |at| text[..at].chars().count() as i64);
        Ok::<_, ExecutionError>(at)
    });
    let _ = context.add_function("subset", |all: Value, of: Value| is_subset(&all, &of));
    let _ = context.add_function("capture", |This(text): Text, pattern: Arc<String>| {
        let pattern = pattern_for(&text, &pattern, "capture")?;
        let found = pattern.captures(&text);
        let groups = found.iter().flat_map(|found| found.iter().skip(1));
        let texts: Vec<&str> = groups.map(|group| group.map_or("", |group| group.as_str())).collect();
        charge_made(texts.iter().map(|text| text.len()).sum(), texts.len())?;
        let texts: Vec<Value> = texts.into_iter().map(|text| Value::from(text.to_owned())).collect();
        Ok::<_, ExecutionError>(Value::from(texts))
    });
}

/// Whether all pairs of a map are in another one, or all items of a list in another one. Scalars are compared by their text, as
/// YAML has `1` and `'1'` for the same label.
fn is_subset(all: &Value, of: &Value) -> Result<bool, ExecutionError> {
    match (all, of) {
        (Value::Map(all), Value::Map(of)) => {
            charge_made(0, all.map.len())?;
            Ok(all.map.iter().all(|(key, value)| of.map.get(key).is_some_and(|other| is_same(value, other))))
        }
        (Value::List(all), Value::List(of)) => {
            charge_made(0, all.len().saturating_mul(of.len()))?;
            Ok(all.iter().all(|item| of.iter().any(|other| is_same(item, other))))
        }
        _ => Err(ExecutionError::function_error("subset", "it compares two maps or two lists")),
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (text_of(one), text_of(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// The text of a scalar.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::UInt(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// A result of about the length of `text`, which is charged.
fn made(text: &str, result: String) -> Result<Value, ExecutionError> {
    charge_made(text.len(), 0)?;
    Ok(Value::from(result))
}
