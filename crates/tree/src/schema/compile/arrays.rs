//! Keywords about arrays.

use serde_json::{Map, Value};

use super::Compiler;
use crate::schema::shape::{ArrayShape, Shape};

/// Whether the keyword is about arrays; adds it to the shape.
pub(super) fn keyword(
    compiler: &mut Compiler<'_>,
    shape: &mut Shape,
    schema: &Map<String, Value>,
    keyword: &str,
    value: &Value,
    here: &str,
) -> bool {
    match keyword {
        "prefixItems" => array(shape).prefix = compiler.all(value, here),
        // Before 2020-12, a list of schemas was written as `items`, and the others as `additionalItems`.
        "items" if value.is_array() => array(shape).prefix = compiler.all(value, here),
        "additionalItems" => {
            if schema.get("items").is_some_and(Value::is_array) {
                array(shape).items = Some(compiler.at(here));
            }
        }
        "items" => array(shape).items = Some(compiler.at(here)),
        "unevaluatedItems" => array(shape).unevaluated = Some(compiler.at(here)),
        "contains" => {
            let parent = here.strip_suffix("contains").unwrap_or_default();
            let mut bound = |keyword: &str| {
                schema.get(keyword).and_then(|value| compiler.count(value, &format!("{parent}{keyword}")))
            };
            let (least, most) = (bound("minContains").unwrap_or(1), bound("maxContains"));
            array(shape).contains = Some((compiler.at(here), least, most));
        }
        "minItems" => array(shape).min = compiler.count(value, here),
        "maxItems" => array(shape).max = compiler.count(value, here),
        "uniqueItems" => array(shape).unique = value == &Value::Bool(true),
        _ => return false,
    }
    true
}

fn array(shape: &mut Shape) -> &mut ArrayShape {
    shape.array.get_or_insert_default()
}
