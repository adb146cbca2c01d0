//! JSON Schemas with *variants* – the `discriminator` of API descriptions – in the form in which they are evaluated
//! on the tree itself.
//!
//! A general validator tries every branch of a union and reports all of them; a discriminator names
//! the branch, so that one mistake is one error. The supported keywords are those of [`Shape`]; a
//! schema that uses others is refused when it is loaded. `x-fault` gives errors of a subschema names of
//! their own, by keyword (`{"required": "no-properties"}`).

use foldhash::{HashMap, HashMapExt};
use regex::Regex;
use serde_json::{Map, Value};

use crate::tree::NodeType;

/// Number of a [`Shape`] in its [`Structure`].
pub type ShapeId = usize;

/// A compiled schema.
#[derive(Debug, Clone)]
pub struct Structure {
    shapes: Vec<Shape>,
}

/// What one subschema asks of a value.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// `title`: what the value is, for messages.
    pub title: Option<String>,
    /// `$ref`
    pub reference: Option<ShapeId>,
    /// `type`
    pub types: Option<Vec<NodeType>>,
    /// `const` and `enum`
    pub allowed: Option<Vec<Value>>,
    /// `required`
    pub required: Vec<String>,
    /// `properties`
    pub properties: HashMap<String, ShapeId>,
    /// The names of `properties` in their order.
    pub names: Vec<String>,
    /// `additionalProperties`
    pub additional: Additional,
    /// `items`
    pub items: Option<ShapeId>,
    /// `contains`
    pub contains: Option<ShapeId>,
    /// `minItems`
    pub min_items: Option<usize>,
    /// `minProperties`
    pub min_properties: Option<usize>,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub above: Option<f64>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `pattern`
    pub pattern: Option<Regex>,
    /// `allOf`
    pub all_of: Vec<ShapeId>,
    /// `anyOf`, and `oneOf` without a discriminator
    pub any_of: Vec<ShapeId>,
    /// `oneOf` with `discriminator`
    pub variants: Option<Variants>,
    /// `if`, `then`, `else`
    pub condition: Option<(ShapeId, Option<ShapeId>, Option<ShapeId>)>,
    /// `x-fault`
    pub faults: HashMap<String, String>,
}

/// What keys outside of `properties` may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Additional {
    /// Anything.
    #[default]
    Any,
    /// They may not be there.
    None,
    /// What a shape says.
    Shape(ShapeId),
}

/// A union whose branch a property names.
#[derive(Debug, Clone)]
pub struct Variants {
    /// The property.
    pub property: String,
    /// Its values with their branches, in the schema's order.
    pub branches: Vec<(String, ShapeId)>,
}

impl Structure {
    /// Compiles the subschema at a JSON Pointer of a schema; nothing for schemas without
    /// `discriminator`, which a general validator evaluates.
    pub fn new(document: &Value, pointer: &str) -> Option<Result<Self, String>> {
        if !has_discriminator(document) {
            return None;
        }
        let mut compiler = Compiler { document, shapes: Vec::new(), known: HashMap::new() };
        Some(compiler.at(pointer).map(|_| Self { shapes: compiler.shapes }))
    }

    /// The shape of the whole value.
    pub fn root(&self) -> ShapeId {
        0
    }

    /// A shape by its number.
    ///
    /// # Panics
    /// When the number belongs to a larger structure.
    pub fn shape(&self, id: ShapeId) -> &Shape {
        &self.shapes[id]
    }
}

fn has_discriminator(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            object.contains_key("discriminator") || object.values().any(has_discriminator)
        }
        Value::Array(items) => items.iter().any(has_discriminator),
        _ => false,
    }
}

struct Compiler<'d> {
    document: &'d Value,
    shapes: Vec<Shape>,
    /// Pointers that have a shape, so that references may be recursive.
    known: HashMap<String, ShapeId>,
}

/// Keywords that say nothing about values.
const ANNOTATIONS: &[&str] = &[
    "$schema",
    "$id",
    "$defs",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "discriminator",
    "deprecated",
];

impl Compiler<'_> {
    fn at(&mut self, pointer: &str) -> Result<ShapeId, String> {
        if let Some(id) = self.known.get(pointer) {
            return Ok(*id);
        }
        let id = self.shapes.len();
        self.shapes.push(Shape::default());
        self.known.insert(pointer.to_owned(), id);
        let shape = match self.document.pointer(pointer) {
            Some(Value::Object(schema)) => self.shape(schema, pointer)?,
            Some(Value::Bool(true)) => Shape::default(),
            _ => return Err(format!("the schema has no subschema at `{pointer}`")),
        };
        self.shapes[id] = shape;
        Ok(id)
    }

    fn shape(&mut self, schema: &Map<String, Value>, here: &str) -> Result<Shape, String> {
        let mut shape = Shape::default();
        for (keyword, value) in schema {
            self.keyword(&mut shape, schema, keyword, value, here)?;
        }
        let below = |key: &str| format!("{here}/{key}");
        if schema.contains_key("if") {
            let condition = self.at(&below("if"))?;
            let then = schema.contains_key("then").then(|| self.at(&below("then"))).transpose()?;
            let otherwise = schema.contains_key("else").then(|| self.at(&below("else"))).transpose()?;
            shape.condition = Some((condition, then, otherwise));
        }
        Ok(shape)
    }

    fn keyword(
        &mut self,
        shape: &mut Shape,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        here: &str,
    ) -> Result<(), String> {
        let below = format!("{here}/{keyword}");
        match keyword {
            "$ref" => {
                let target = value.as_str().and_then(|target| target.strip_prefix('#'));
                let target = target.ok_or_else(|| format!("`{below}` leads out of the schema"))?.to_owned();
                shape.reference = Some(self.at(&target)?);
            }
            "type" => shape.types = Some(decode(value, &below)?),
            "const" => shape.allowed = Some(vec![value.clone()]),
            "enum" => shape.allowed = value.as_array().cloned(),
            "required" => shape.required = strings(value),
            "properties" => {
                for name in value.as_object().into_iter().flat_map(Map::keys) {
                    let id = self.at(&format!("{below}/{}", escape(name)))?;
                    shape.properties.insert(name.clone(), id);
                    shape.names.push(name.clone());
                }
            }
            "additionalProperties" => {
                shape.additional = match value {
                    Value::Bool(true) => Additional::Any,
                    Value::Bool(false) => Additional::None,
                    _ => Additional::Shape(self.at(&below)?),
                };
            }
            "items" => shape.items = Some(self.at(&below)?),
            "contains" => shape.contains = Some(self.at(&below)?),
            "minItems" => shape.min_items = value.as_u64().map(|count| count as usize),
            "minProperties" => shape.min_properties = value.as_u64().map(|count| count as usize),
            "minimum" => shape.minimum = value.as_f64(),
            "exclusiveMinimum" => shape.above = value.as_f64(),
            "maximum" => shape.maximum = value.as_f64(),
            "pattern" => {
                let regex = Regex::new(value.as_str().unwrap_or_default());
                shape.pattern = Some(regex.map_err(|error| format!("`{below}`: {error}"))?);
            }
            "allOf" => shape.all_of = self.all(value, &below)?,
            "oneOf" if schema.contains_key("discriminator") => {
                shape.variants = Some(self.variants(&schema["discriminator"], value, &below)?);
            }
            "anyOf" | "oneOf" => shape.any_of = self.all(value, &below)?,
            "x-fault" => {
                let faults = value.as_object().into_iter().flatten();
                let named = faults.filter_map(|(key, name)| Some((key.clone(), name.as_str()?.to_owned())));
                shape.faults = named.collect();
            }
            "if" | "then" | "else" => {}
            annotation if ANNOTATIONS.contains(&annotation) || annotation.starts_with("x-") => {
                if annotation == "title" {
                    shape.title = value.as_str().map(str::to_owned);
                }
            }
            other => return Err(format!("`{here}`: `{other}` is not supported beside `discriminator`")),
        }
        Ok(())
    }

    fn all(&mut self, schemas: &Value, here: &str) -> Result<Vec<ShapeId>, String> {
        let count = schemas.as_array().map_or(0, Vec::len);
        (0..count).map(|index| self.at(&format!("{here}/{index}"))).collect()
    }

    /// The branches by `discriminator.mapping`, or by the `const` that each has for the property.
    fn variants(&mut self, discriminator: &Value, union: &Value, here: &str) -> Result<Variants, String> {
        let property = discriminator["propertyName"].as_str();
        let property = property.ok_or_else(|| format!("`{here}`: the discriminator has no property"))?;
        let mut branches = Vec::new();
        if let Some(mapping) = discriminator["mapping"].as_object() {
            for (name, target) in mapping {
                let target = target.as_str().and_then(|target| target.strip_prefix('#')).unwrap_or_default();
                branches.push((name.clone(), self.at(target)?));
            }
        } else {
            for (index, id) in self.all(union, here)?.into_iter().enumerate() {
                let branch = self.resolve(id);
                let named = branch.properties.get(property).map(|id| self.resolve(*id));
                let name = named.and_then(|shape| shape.allowed.as_ref()?.first()?.as_str());
                let name = name.ok_or_else(|| format!("`{here}/{index}` has no constant `{property}`"))?;
                branches.push((name.to_owned(), id));
            }
        }
        Ok(Variants { property: property.to_owned(), branches })
    }

    fn resolve(&self, id: ShapeId) -> &Shape {
        let mut shape = &self.shapes[id];
        for _ in 0..8 {
            let Some(next) = shape.reference else { break };
            shape = &self.shapes[next];
        }
        shape
    }
}

fn decode(types: &Value, here: &str) -> Result<Vec<NodeType>, String> {
    let list = if types.is_array() { types.clone() } else { Value::Array(vec![types.clone()]) };
    serde_json::from_value(list).map_err(|error| format!("`{here}`: {error}"))
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn branches_are_found_by_their_constants() {
        let schema = json!({"oneOf": [{"$ref": "#/$defs/a"}], "discriminator": {"propertyName": "type"},
            "$defs": {"a": {"properties": {"type": {"const": "A"}, "next": {"$ref": "#"}}}}});
        let structure = Structure::new(&schema, "").unwrap().unwrap();
        let variants = structure.shape(structure.root()).variants.as_ref().unwrap();
        assert_eq!(variants.branches[0].0, "A");
    }

    #[test]
    fn other_schemas_are_left_to_the_general_validator_and_unknown_keywords_are_refused() {
        assert!(Structure::new(&json!({"type": "object"}), "").is_none());
        let schema = json!({"discriminator": {"propertyName": "t"}, "oneOf": [], "uniqueItems": true});
        assert!(Structure::new(&schema, "").unwrap().is_err());
    }
}
