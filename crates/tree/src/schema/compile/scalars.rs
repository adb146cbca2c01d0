//! Keywords about types, strings and numbers.

use serde::Deserialize as _;
use serde_json::Value;

use super::{Compiler, Document};
use crate::{
    schema::{
        error::SchemaProblem,
        number::Number,
        pattern::Pattern,
        shape::{Allowed, NumberShape, Shape, TextShape},
    },
    tree::NodeType,
};

/// Whether the keyword is about strings or numbers; adds it to the shape.
pub(super) fn keyword(
    compiler: &mut Compiler<'_>,
    shape: &mut Shape,
    keyword: &str,
    value: &Value,
    here: &str,
) -> bool {
    match keyword {
        "minLength" => text(shape).min_length = compiler.count(value, here),
        "maxLength" => text(shape).max_length = compiler.count(value, here),
        "pattern" => text(shape).pattern = compiler.pattern(value.as_str(), here),
        "format" => text(shape).format = value.as_str().map(str::to_owned),
        "minimum" => number(shape).minimum = compiler.bound(value, here),
        "exclusiveMinimum" => number(shape).above = compiler.bound(value, here),
        "maximum" => number(shape).maximum = compiler.bound(value, here),
        "exclusiveMaximum" => number(shape).below = compiler.bound(value, here),
        "multipleOf" => number(shape).multiple_of = compiler.divisor(value, here),
        _ => return false,
    }
    true
}

fn text(shape: &mut Shape) -> &mut TextShape {
    shape.text.get_or_insert_default()
}

fn number(shape: &mut Shape) -> &mut NumberShape {
    shape.number.get_or_insert_default()
}

impl Compiler<'_> {
    pub(super) fn types(&mut self, value: &Value, here: &str) -> Vec<NodeType> {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut types = Vec::with_capacity(names.len());
        for name in names {
            match NodeType::deserialize(name) {
                Ok(known) => types.push(known),
                Err(_) => {
                    let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
                    self.error::<()>(here, SchemaProblem::UnknownType(name));
                }
            }
        }
        types
    }

    /// The values of `enum`, or a relative JSON Pointer to them.
    pub(super) fn allowed(&mut self, value: &Value, here: &str) -> Allowed {
        if let Some(path) = value["$data"].as_str() {
            let (levels, pointer) = path.split_at(path.find('/').unwrap_or(path.len()));
            return match levels.parse() {
                Ok(levels) => Allowed::Data(levels, pointer.to_owned()),
                Err(_) => self.error(here, SchemaProblem::Expected("a relative JSON Pointer")),
            };
        }
        match value.as_array() {
            Some(values) => Allowed::Values(values.clone()),
            None => self.error(here, SchemaProblem::Expected("a list")),
        }
    }

    pub(super) fn pattern(&mut self, value: Option<&str>, here: &str) -> Option<Pattern> {
        let Some(value) = value else { return self.error(here, SchemaProblem::Expected("a string")) };
        if matches!(self.document, Document::Divided(_)) {
            return Some(Pattern::deferred(value));
        }
        match Pattern::compile(value) {
            Ok(pattern) => Some(pattern),
            Err(detail) => self.error(here, SchemaProblem::Pattern(detail)),
        }
    }

    fn bound(&mut self, value: &Value, here: &str) -> Option<Number> {
        match value {
            Value::Number(number) => Some(Number::read(number)),
            _ => self.error(here, SchemaProblem::Expected("a number")),
        }
    }

    fn divisor(&mut self, value: &Value, here: &str) -> Option<Number> {
        match value {
            Value::Number(number) if number.as_f64().is_some_and(|number| number > 0.0) => {
                Some(Number::read(number))
            }
            _ => self.error(here, SchemaProblem::Expected("a number above 0")),
        }
    }
}
