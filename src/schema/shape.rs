//! JSON Schema (2020-12) in the form in which it is evaluated on the tree.
//!
//! Two annotations are Proofmark's: `x-fault` gives the errors of a subschema names of their own, by
//! keyword (`{"required": "no-properties"}`), so that a rule can report them; and `enum` may be
//! `{"$data": "1/values"}`, a relative JSON Pointer to a list in the document.

use std::collections::HashMap as StdMap;

use foldhash::{HashMap, HashMapExt};
use regex::Regex;
use serde::Deserialize as _;
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
    /// `false`: nothing is allowed.
    pub refused: bool,
    /// `$ref`
    pub reference: Option<ShapeId>,
    /// `type`
    pub types: Option<Vec<NodeType>>,
    /// `const` and `enum`
    pub allowed: Option<Allowed>,
    /// What it asks of strings.
    pub text: Option<Box<TextShape>>,
    /// What it asks of numbers.
    pub number: Option<Box<NumberShape>>,
    /// What it asks of objects.
    pub object: Option<Box<ObjectShape>>,
    /// What it asks of arrays.
    pub array: Option<Box<ArrayShape>>,
    /// `allOf`
    pub all_of: Vec<ShapeId>,
    /// `anyOf`
    pub any_of: Vec<ShapeId>,
    /// `oneOf` without a discriminator
    pub one_of: Vec<ShapeId>,
    /// `oneOf` with `discriminator`
    pub variants: Option<Variants>,
    /// `not`
    pub not: Option<ShapeId>,
    /// `if`, `then`, `else`
    pub condition: Option<(ShapeId, Option<ShapeId>, Option<ShapeId>)>,
    /// `x-fault`
    pub faults: StdMap<String, String>,
}

/// The values that are allowed.
#[derive(Debug, Clone)]
pub enum Allowed {
    /// `const`
    Constant(Value),
    /// `enum`
    Values(Vec<Value>),
    /// `enum` with `$data`: so many levels up, and a JSON Pointer from there.
    Data(usize, String),
}

/// What is asked of strings.
#[derive(Debug, Clone, Default)]
pub struct TextShape {
    /// `minLength`, in characters
    pub min_length: Option<usize>,
    /// `maxLength`, in characters
    pub max_length: Option<usize>,
    /// `pattern`
    pub pattern: Option<Regex>,
    /// `format`
    pub format: Option<String>,
}

/// What is asked of numbers.
#[derive(Debug, Clone, Default)]
pub struct NumberShape {
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub above: Option<f64>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub below: Option<f64>,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
}

/// What is asked of objects.
#[derive(Debug, Clone, Default)]
pub struct ObjectShape {
    /// `required`
    pub required: Vec<String>,
    /// `properties`
    pub properties: HashMap<String, ShapeId>,
    /// The names of `properties` in their order.
    pub names: Vec<String>,
    /// `patternProperties`
    pub patterns: Vec<(Regex, ShapeId)>,
    /// `additionalProperties`
    pub additional: Additional,
    /// `unevaluatedProperties`
    pub unevaluated: Option<ShapeId>,
    /// `propertyNames`
    pub key: Option<ShapeId>,
    /// `minProperties`
    pub min: Option<usize>,
    /// `maxProperties`
    pub max: Option<usize>,
    /// `dependentRequired`
    pub dependent_required: Vec<(String, Vec<String>)>,
    /// `dependentSchemas`
    pub dependent: Vec<(String, ShapeId)>,
}

/// What is asked of arrays.
#[derive(Debug, Clone, Default)]
pub struct ArrayShape {
    /// `prefixItems`
    pub prefix: Vec<ShapeId>,
    /// `items`
    pub items: Option<ShapeId>,
    /// `unevaluatedItems`
    pub unevaluated: Option<ShapeId>,
    /// `contains`, `minContains`, `maxContains`
    pub contains: Option<(ShapeId, usize, Option<usize>)>,
    /// `minItems`
    pub min: Option<usize>,
    /// `maxItems`
    pub max: Option<usize>,
    /// `uniqueItems`
    pub unique: bool,
}

/// What keys outside of `properties` and `patternProperties` may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Additional {
    /// Anything.
    #[default]
    Any,
    /// They are not allowed.
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
    /// Compiles the subschema at a JSON Pointer of a schema.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub fn new(document: &Value, pointer: &str) -> Result<Self, String> {
        let mut compiler =
            Compiler { document, shapes: Vec::new(), known: HashMap::new(), anchors: anchors(document) };
        compiler.at(pointer)?;
        let structure = Self { shapes: compiler.shapes };
        structure.refuse_circles()?;
        Ok(structure)
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

    /// A shape, or the one that it only refers to.
    pub fn resolve(&self, id: ShapeId) -> &Shape {
        let mut shape = self.shape(id);
        while let Some(next) = shape.reference {
            shape = self.shape(next);
        }
        shape
    }

    /// A schema that leads back to itself at the same value has no meaning.
    fn refuse_circles(&self) -> Result<(), String> {
        let mut state = vec![0_u8; self.shapes.len()];
        for start in 0..self.shapes.len() {
            let mut path = vec![(start, self.shapes[start].in_place())];
            while let Some((id, waiting)) = path.last_mut() {
                let id = *id;
                state[id] = state[id].max(1);
                match waiting.pop() {
                    None => {
                        state[id] = 2;
                        path.pop();
                    }
                    Some(next) if state[next] == 1 => {
                        return Err("a `$ref` leads back to itself without a step into the value".into());
                    }
                    Some(next) if state[next] == 2 => {}
                    Some(next) => path.push((next, self.shapes[next].in_place())),
                }
            }
        }
        Ok(())
    }
}

impl Shape {
    /// The shapes that it evaluates on the same value.
    fn in_place(&self) -> Vec<ShapeId> {
        let (condition, then, otherwise) = match self.condition {
            Some((condition, then, otherwise)) => (Some(condition), then, otherwise),
            None => (None, None, None),
        };
        let dependent = self.object.iter().flat_map(|object| object.dependent.iter().map(|(_, id)| *id));
        let unions = [&self.all_of, &self.any_of, &self.one_of].into_iter().flatten().copied();
        let variants = self.variants.iter().flat_map(|variants| variants.branches.iter().map(|(_, id)| *id));
        let single = [self.reference, self.not, condition, then, otherwise].into_iter().flatten();
        single.chain(unions).chain(variants).chain(dependent).collect()
    }
}

struct Compiler<'d> {
    document: &'d Value,
    shapes: Vec<Shape>,
    /// Pointers that have a shape, so that references may be recursive.
    known: HashMap<String, ShapeId>,
    /// JSON Pointers by `$anchor`.
    anchors: StdMap<String, String>,
}

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
            Some(Value::Bool(false)) => Shape { refused: true, ..Shape::default() },
            _ => return Err(format!("the schema has nothing at `{pointer}`")),
        };
        self.shapes[id] = shape;
        Ok(id)
    }

    fn shape(&mut self, schema: &Map<String, Value>, here: &str) -> Result<Shape, String> {
        let mut shape = Shape::default();
        for (keyword, value) in schema {
            let below = format!("{here}/{keyword}");
            // Keywords that are none of these are annotations.
            let _ = self.general(&mut shape, schema, keyword, value, &below)?
                || text_keyword(&mut shape, keyword, value, &below)?
                || number_keyword(&mut shape, keyword, value, &below)?
                || self.object_keyword(&mut shape, keyword, value, &below)?
                || self.array_keyword(&mut shape, schema, keyword, value, &below)?;
        }
        if schema.contains_key("if") {
            let mut at =
                |key: &str| schema.contains_key(key).then(|| self.at(&format!("{here}/{key}"))).transpose();
            if let (Some(condition), then, otherwise) = (at("if")?, at("then")?, at("else")?) {
                shape.condition = Some((condition, then, otherwise));
            }
        }
        Ok(shape)
    }

    /// Keywords about values of every type; whether this is one.
    fn general(
        &mut self,
        shape: &mut Shape,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        below: &str,
    ) -> Result<bool, String> {
        match keyword {
            "$ref" => shape.reference = Some(self.reference(value, below)?),
            "$dynamicRef" | "$recursiveRef" => return Err(format!("`{below}` is not supported")),
            "title" => shape.title = value.as_str().map(str::to_owned),
            "type" => shape.types = Some(types(value, below)?),
            "const" => shape.allowed = Some(Allowed::Constant(value.clone())),
            "enum" => shape.allowed = Some(allowed(value, below)?),
            "allOf" => shape.all_of = self.all(value, below)?,
            "anyOf" => shape.any_of = self.all(value, below)?,
            "oneOf" if schema.contains_key("discriminator") => {
                shape.variants = Some(self.variants(&schema["discriminator"], value, below)?);
            }
            "oneOf" => shape.one_of = self.all(value, below)?,
            "not" => shape.not = Some(self.at(below)?),
            "x-fault" => {
                let faults = value.as_object().into_iter().flatten();
                let named = faults.filter_map(|(key, name)| Some((key.clone(), name.as_str()?.to_owned())));
                shape.faults = named.collect();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn reference(&mut self, value: &Value, below: &str) -> Result<ShapeId, String> {
        let target = value.as_str().unwrap_or_default();
        let own = self.document["$id"].as_str().unwrap_or_default();
        let fragment = target.strip_prefix(own).unwrap_or(target).strip_prefix('#');
        let fragment = fragment.ok_or_else(|| format!("`{below}` leads out of the schema"))?;
        let pointer = self.anchors.get(fragment).map_or(fragment, String::as_str).to_owned();
        self.at(&pointer)
    }

    fn object_keyword(
        &mut self,
        shape: &mut Shape,
        keyword: &str,
        value: &Value,
        below: &str,
    ) -> Result<bool, String> {
        let was = shape.object.is_some();
        let mut object = shape.object.take().unwrap_or_default();
        let mut known = true;
        match keyword {
            "required" => object.required = strings(value, below)?,
            "properties" => {
                for name in members(value, below)?.keys() {
                    let id = self.at(&format!("{below}/{}", escape(name)))?;
                    object.properties.insert(name.clone(), id);
                    object.names.push(name.clone());
                }
            }
            "patternProperties" => {
                for pattern in members(value, below)?.keys() {
                    let id = self.at(&format!("{below}/{}", escape(pattern)))?;
                    object.patterns.push((regex(pattern, below)?, id));
                }
            }
            "additionalProperties" => {
                object.additional = match value {
                    Value::Bool(true) => Additional::Any,
                    Value::Bool(false) => Additional::None,
                    _ => Additional::Shape(self.at(below)?),
                };
            }
            "unevaluatedProperties" => object.unevaluated = Some(self.at(below)?),
            "propertyNames" => object.key = Some(self.at(below)?),
            "minProperties" => object.min = Some(count(value, below)?),
            "maxProperties" => object.max = Some(count(value, below)?),
            "dependentRequired" => {
                for (name, keys) in members(value, below)? {
                    object.dependent_required.push((name.clone(), strings(keys, below)?));
                }
            }
            "dependentSchemas" => {
                for name in members(value, below)?.keys() {
                    object.dependent.push((name.clone(), self.at(&format!("{below}/{}", escape(name)))?));
                }
            }
            _ => known = false,
        }
        if known || was {
            shape.object = Some(object);
        }
        Ok(known)
    }

    fn array_keyword(
        &mut self,
        shape: &mut Shape,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        below: &str,
    ) -> Result<bool, String> {
        let was = shape.array.is_some();
        let mut own = shape.array.take().unwrap_or_default();
        let mut known = true;
        match keyword {
            "prefixItems" => own.prefix = self.all(value, below)?,
            "items" => own.items = Some(self.at(below)?),
            "unevaluatedItems" => own.unevaluated = Some(self.at(below)?),
            "contains" => {
                let bound = |key: &str| schema.get(key).map(|value| count(value, below)).transpose();
                let (least, most) = (bound("minContains")?.unwrap_or(1), bound("maxContains")?);
                own.contains = Some((self.at(below)?, least, most));
            }
            "minItems" => own.min = Some(count(value, below)?),
            "maxItems" => own.max = Some(count(value, below)?),
            "uniqueItems" => own.unique = value == &Value::Bool(true),
            _ => known = false,
        }
        if known || was {
            shape.array = Some(own);
        }
        Ok(known)
    }

    fn all(&mut self, schemas: &Value, here: &str) -> Result<Vec<ShapeId>, String> {
        let count = schemas.as_array().ok_or_else(|| format!("`{here}` is not a list"))?.len();
        (0..count).map(|index| self.at(&format!("{here}/{index}"))).collect()
    }

    /// The branches by `discriminator.mapping`, or by the `const` that each has for the property.
    fn variants(&mut self, discriminator: &Value, union: &Value, here: &str) -> Result<Variants, String> {
        let property = discriminator["propertyName"].as_str();
        let property = property.ok_or_else(|| format!("`{here}`: the discriminator has no property"))?;
        let mut branches = Vec::new();
        if let Some(mapping) = discriminator["mapping"].as_object() {
            for (name, target) in mapping {
                branches.push((name.clone(), self.reference(target, here)?));
            }
        } else {
            for (index, id) in self.all(union, here)?.into_iter().enumerate() {
                let name = self.constant(id, property);
                let name = name.ok_or_else(|| format!("`{here}/{index}` has no constant `{property}`"))?;
                branches.push((name, id));
            }
        }
        Ok(Variants { property: property.to_owned(), branches })
    }

    /// The constant that a branch has for a property.
    fn constant(&self, branch: ShapeId, property: &str) -> Option<String> {
        let branch = self.resolve(branch)?;
        let named = self.resolve(*branch.object.as_ref()?.properties.get(property)?)?;
        match named.allowed.as_ref()? {
            Allowed::Constant(value) => value.as_str().map(str::to_owned),
            Allowed::Values(values) => values.first()?.as_str().map(str::to_owned),
            Allowed::Data(..) => None,
        }
    }

    fn resolve(&self, id: ShapeId) -> Option<&Shape> {
        let mut shape = &self.shapes[id];
        for _ in 0..8 {
            let Some(next) = shape.reference else { return Some(shape) };
            shape = &self.shapes[next];
        }
        None
    }
}

fn text_keyword(shape: &mut Shape, keyword: &str, value: &Value, below: &str) -> Result<bool, String> {
    if !["minLength", "maxLength", "pattern", "format"].contains(&keyword) {
        return Ok(false);
    }
    let text = shape.text.get_or_insert_default();
    match keyword {
        "minLength" => text.min_length = Some(count(value, below)?),
        "maxLength" => text.max_length = Some(count(value, below)?),
        "pattern" => text.pattern = Some(regex(value.as_str().unwrap_or_default(), below)?),
        _ => text.format = value.as_str().map(str::to_owned),
    }
    Ok(true)
}

fn number_keyword(shape: &mut Shape, keyword: &str, value: &Value, below: &str) -> Result<bool, String> {
    let keywords = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];
    if !keywords.contains(&keyword) {
        return Ok(false);
    }
    let bound = value.as_f64().ok_or_else(|| format!("`{below}` is not a number"))?;
    let number = shape.number.get_or_insert_default();
    let field = match keyword {
        "minimum" => &mut number.minimum,
        "exclusiveMinimum" => &mut number.above,
        "maximum" => &mut number.maximum,
        "exclusiveMaximum" => &mut number.below,
        _ => &mut number.multiple_of,
    };
    *field = Some(bound);
    Ok(true)
}

/// The JSON Pointers of the subschemas that have an `$anchor`.
fn anchors(document: &Value) -> StdMap<String, String> {
    let mut found = StdMap::new();
    let mut waiting = vec![(String::new(), document)];
    while let Some((pointer, value)) = waiting.pop() {
        match value {
            Value::Object(object) => {
                if let Some(anchor) = object.get("$anchor").and_then(Value::as_str) {
                    found.insert(anchor.to_owned(), pointer.clone());
                }
                waiting
                    .extend(object.iter().map(|(key, value)| (format!("{pointer}/{}", escape(key)), value)));
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                waiting.extend(items.map(|(index, value)| (format!("{pointer}/{index}"), value)));
            }
            _ => {}
        }
    }
    found
}

fn types(value: &Value, here: &str) -> Result<Vec<NodeType>, String> {
    let names = match value {
        Value::Array(names) => names.as_slice(),
        one => std::slice::from_ref(one),
    };
    let named = |name: &Value| {
        let unknown = |_| format!("`{here}`: {name} is not a type");
        NodeType::deserialize(name).map_err(unknown)
    };
    names.iter().map(named).collect()
}

fn allowed(value: &Value, here: &str) -> Result<Allowed, String> {
    if let Some(path) = value["$data"].as_str() {
        let (levels, pointer) = path.split_at(path.find('/').unwrap_or(path.len()));
        let levels =
            levels.parse().map_err(|_| format!("`{here}`: `{path}` is not a relative JSON Pointer"))?;
        return Ok(Allowed::Data(levels, pointer.to_owned()));
    }
    let values = value.as_array().ok_or_else(|| format!("`{here}` is not a list"))?;
    Ok(Allowed::Values(values.clone()))
}

fn members<'v>(value: &'v Value, here: &str) -> Result<&'v Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("`{here}` is not an object"))
}

fn count(value: &Value, here: &str) -> Result<usize, String> {
    let count =
        value.as_u64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| n as u64));
    count.map(|count| count as usize).ok_or_else(|| format!("`{here}` is not a count"))
}

fn strings(value: &Value, here: &str) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| format!("`{here}` is not a list"))?;
    Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// JSON Schema's patterns match anywhere; so do those of the linear-time engine.
fn regex(pattern: &str, here: &str) -> Result<Regex, String> {
    crate::text::pattern(pattern).map_err(|error| format!("`{here}`: {error}"))
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
        let structure = Structure::new(&schema, "").unwrap();
        let variants = structure.shape(structure.root()).variants.as_ref().unwrap();
        assert_eq!(variants.branches[0].0, "A");
    }

    #[test]
    fn schemas_without_a_meaning_are_refused() {
        let fault = |schema: Value| Structure::new(&schema, "").unwrap_err();
        assert!(fault(json!({"$ref": "#"})).contains("leads back to itself"));
        assert!(
            fault(json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#"}}}}))
                .contains("leads back")
        );
        assert!(fault(json!({"$ref": "other.json"})).contains("leads out of the schema"));
        assert!(fault(json!({"type": "strng"})).contains("is not a type"));
        assert!(fault(json!({"pattern": "("})).contains("regex"));
        assert!(fault(json!({"$dynamicRef": "#a"})).contains("not supported"));
    }
}
