//! Keywords about objects.

use serde_json::Value;

use super::Compiler;
use crate::{
    schema::shape::{Additional, ObjectShape, Shape, ShapeId},
    tree::{Key, pointer::escape},
};

/// Whether the keyword is about objects; adds it to the shape.
pub(super) fn keyword(
    compiler: &mut Compiler<'_>,
    shape: &mut Shape,
    keyword: &str,
    value: &Value,
    here: &str,
) -> bool {
    match keyword {
        "required" => {
            object(shape).required = compiler.strings(value, here).into_iter().map(Key::new).collect();
        }
        "properties" => {
            let object = object(shape);
            for (name, id) in compiler.schemas(value, here) {
                object.properties.insert(Key::new(name.as_str()), id);
                object.names.push(name);
            }
        }
        "patternProperties" => {
            for (pattern, id) in compiler.schemas(value, here) {
                let at = format!("{here}/{}", escape(&pattern));
                let regex = compiler.pattern(Some(&pattern), &at);
                object(shape).patterns.extend(regex.map(|regex| (regex, id)));
            }
        }
        "additionalProperties" => {
            object(shape).additional = match value {
                Value::Bool(true) => Additional::Open,
                Value::Bool(false) => Additional::None,
                _ => Additional::Shape(compiler.at(here)),
            };
        }
        "unevaluatedProperties" => object(shape).unevaluated = Some(compiler.at(here)),
        "propertyNames" => object(shape).key = Some(compiler.at(here)),
        "minProperties" => object(shape).min = compiler.count(value, here),
        "maxProperties" => object(shape).max = compiler.count(value, here),
        "dependentRequired" => {
            for (name, keys) in compiler.members(value, here).into_iter().flatten() {
                let keys = compiler.strings(keys, &format!("{here}/{}", escape(name)));
                object(shape).dependent_required.push((name.clone(), keys));
            }
        }
        "dependentSchemas" => object(shape).dependent.extend(compiler.schemas(value, here)),
        "dependencies" => compiler.dependencies(object(shape), value, here),
        _ => return false,
    }
    true
}

fn object(shape: &mut Shape) -> &mut ObjectShape {
    shape.object.get_or_insert_default()
}

impl Compiler<'_> {
    /// Subschemas by name.
    fn schemas(&mut self, value: &Value, here: &str) -> Vec<(String, ShapeId)> {
        let names = self.members(value, here).into_iter().flat_map(|members| members.keys());
        names.map(|name| (name.clone(), self.at(&format!("{here}/{}", escape(name))))).collect()
    }

    /// What `dependentRequired` and `dependentSchemas` were in one keyword, before 2019-09.
    fn dependencies(&mut self, object: &mut ObjectShape, value: &Value, here: &str) {
        for (name, dependency) in self.members(value, here).into_iter().flatten() {
            let at = format!("{here}/{}", escape(name));
            if dependency.is_array() {
                object.dependent_required.push((name.clone(), self.strings(dependency, &at)));
            } else {
                object.dependent.push((name.clone(), self.at(&at)));
            }
        }
    }
}
