//! Functions on strings for CEL. They are called as functions or as methods of a string; positions count characters.

use std::sync::Arc;

use cel::{Context, ExecutionError, Value, extractors::This};
use regex::Regex;

use crate::budget;

type Text = This<Arc<String>>;

/// Adds the functions to a context.
pub(super) fn add(context: &mut Context<'_, '_>) {
    let _ = context.add_function("split", |This(text): Text, separator: Arc<String>| {
        let parts = text.split(separator.as_str()).map(|part| Value::from(part.to_owned()));
        Value::from(parts.collect::<Vec<_>>())
    });
    let _ = context.add_function("substring", |This(text): Text, start: i64, end: i64| {
        let (start, end) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
        text.chars().skip(start).take(end.saturating_sub(start)).collect::<String>()
    });
    let _ = context.add_function("replace", |This(text): Text, old: Arc<String>, new: Arc<String>| {
        // A short text can become a very long one.
        if !budget::charge((text.len() as u64 + 1) * (new.len() as u64 + 1) / 64) {
            return String::new();
        }
        text.replace(old.as_str(), &new)
    });
    let _ = context.add_function("trim", |This(text): Text| text.trim().to_owned());
    let _ = context.add_function("lower", |This(text): Text| text.to_lowercase());
    let _ = context.add_function("upper", |This(text): Text| text.to_uppercase());
    let _ = context.add_function("indexOf", |This(text): Text, part: Arc<String>| {
        text.find(part.as_str()).map_or(-1, |at| text[..at].chars().count() as i64)
    });
    let _ = context.add_function("capture", |This(text): Text, pattern: Arc<String>| {
        let pattern = Regex::new(&pattern).map_err(|error| {
            let reason = error.to_string().lines().last().unwrap_or_default().to_owned();
            ExecutionError::FunctionError { function: "capture".to_owned(), message: reason }
        })?;
        let found = pattern.captures(&text);
        let groups = found.iter().flat_map(|found| found.iter().skip(1));
        let texts = groups.map(|group| Value::from(group.map_or("", |group| group.as_str()).to_owned()));
        Ok::<Value, ExecutionError>(Value::from(texts.collect::<Vec<_>>()))
    });
}
