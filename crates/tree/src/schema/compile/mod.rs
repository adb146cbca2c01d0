//! From a JSON Schema to the shapes that are evaluated. Every subschema that is used becomes one shape; what
//! is wrong with the schema is reported at its place in it, all at once.
//!
//! The schema is one of draft 2020-12. Drafts 06 and 07 are understood, too: `definitions`, `items` with a list,
//! `additionalItems`, `dependencies`, and `$ref` whose neighbors are ignored where `$schema` names such a draft.

mod arrays;
mod objects;
mod reference;
mod scalars;

use foldhash::{HashMap, HashMapExt};
use serde_json::{Map, Value};

use super::{
    definitions::Definitions,
    error::{SchemaError, SchemaProblem},
    shape::{LONGEST_CHAIN, Shape, ShapeId, Variants},
};
use crate::tree::pointer::escape;

/// The shapes of the subschemas at some JSON Pointers and of all that they use; the first pointer's is the
/// first.
pub(super) fn compile(document: &Value, pointers: &[String]) -> Result<Vec<Shape>, Vec<SchemaError>> {
    let compiler = Compiler::run_at(Document::Whole(document), 0, pointers).0;
    if compiler.errors.is_empty() { Ok(compiler.shapes) } else { Err(compiler.errors) }
}

/// The shapes of one part of a schema that is divided: of the subschema at a JSON Pointer and of all that it uses but
/// definitions, which are parts of their own. Patterns are compiled when they are used.
pub(super) fn part(document: &Definitions, part: usize, pointer: &str) -> (Vec<Shape>, Vec<SchemaError>) {
    let compiler = Compiler::run_at(Document::Divided(document), part, &[pointer.to_owned()]).0;
    (compiler.shapes, compiler.errors)
}

/// Like [`compile`], whatever is wrong with the subschemas, with the shapes at the pointers.
pub(super) fn lenient(document: &Value, pointers: &[String]) -> (Vec<Shape>, Vec<ShapeId>) {
    let (compiler, roots) = Compiler::run_at(Document::Whole(document), 0, pointers);
    (compiler.shapes, roots)
}

/// JSON Pointers to a schema and to its definitions.
pub(super) fn entry_points(document: &Value) -> Vec<String> {
    let definitions = ["$defs", "definitions"].into_iter().flat_map(|keyword| {
        let names = document.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys);
        names.map(move |name| format!("/{keyword}/{}", escape(name)))
    });
    std::iter::once(String::new()).chain(definitions).collect()
}

/// A schema document.
#[derive(Clone, Copy)]
enum Document<'d> {
    Whole(&'d Value),
    /// Its definitions are parts of the structure.
    Divided(&'d Definitions),
}

impl<'d> Document<'d> {
    /// The whole schema, but for definitions that are apart.
    fn root(self) -> &'d Value {
        match self {
            Self::Whole(document) => document,
            Self::Divided(document) => document.rest(),
        }
    }

    /// The value at a JSON Pointer.
    fn at(self, pointer: &str) -> Option<&'d Value> {
        match self {
            Self::Divided(document) => match document.within(pointer) {
                Some((number, rest)) => at_pointer(document.value(number), rest),
                None => at_pointer(document.rest(), pointer),
            },
            Self::Whole(document) => at_pointer(document, pointer),
        }
    }

    /// The number of the part that begins at a JSON Pointer.
    fn part(self, pointer: &str) -> Option<usize> {
        match self {
            Self::Whole(_) => None,
            Self::Divided(document) => document.number(pointer).map(|number| number + 1),
        }
    }
}

struct Compiler<'d> {
    document: Document<'d>,
    /// The number of the part that is compiled.
    part: usize,
    shapes: Vec<Shape>,
    /// JSON Pointers that have a shape, so that references may be recursive.
    known: HashMap<String, ShapeId>,
    /// Shapes that are not filled in yet.
    waiting: Vec<(ShapeId, String)>,
    /// JSON Pointers by `$anchor`.
    anchors: HashMap<String, String>,
    /// Whether the keywords beside a `$ref` have no effect.
    lone_references: bool,
    errors: Vec<SchemaError>,
}

impl<'d> Compiler<'d> {
    /// Compiles the subschemas at some JSON Pointers; the shapes of these are returned, too.
    fn run_at(document: Document<'d>, part: usize, pointers: &[String]) -> (Self, Vec<ShapeId>) {
        let mut compiler = Self {
            document,
            part,
            shapes: Vec::new(),
            known: HashMap::new(),
            waiting: Vec::new(),
            anchors: reference::anchors(document.root()),
            lone_references: reference::is_early_draft(document.root()),
            errors: Vec::new(),
        };
        let roots = pointers.iter().map(|pointer| compiler.at(pointer)).collect();
        compiler.run();
        (compiler, roots)
    }
}

impl<'d> Compiler<'d> {
    fn run(&mut self) {
        while let Some((id, pointer)) = self.waiting.pop() {
            self.shapes[id.index()] = match self.document.at(&pointer) {
                Some(Value::Object(schema)) => self.shape(schema, &pointer),
                Some(Value::Bool(true)) => Shape::default(),
                Some(Value::Bool(false)) => Shape { refused: true, ..Shape::default() },
                Some(_) => self.error(&pointer, SchemaProblem::NotASchema),
                None => self.error(&pointer, SchemaProblem::Unresolved(pointer.clone())),
            };
        }
    }

    /// The shape of the subschema at a JSON Pointer, which is filled in later.
    fn at(&mut self, pointer: &str) -> ShapeId {
        if let Some(part) = self.document.part(pointer).filter(|part| *part != self.part) {
            return ShapeId::new(part, 0);
        }
        if let Some(id) = self.known.get(pointer) {
            return *id;
        }
        let id = ShapeId::new(self.part, self.shapes.len());
        self.shapes.push(Shape::default());
        self.known.insert(pointer.to_owned(), id);
        self.waiting.push((id, pointer.to_owned()));
        id
    }

    /// Reports an error, and gives something to go on with.
    fn error<T: Default>(&mut self, pointer: &str, problem: SchemaProblem) -> T {
        self.errors.push(SchemaError { pointer: pointer.to_owned(), problem });
        T::default()
    }

    /// The value of a keyword, unless it has an error.
    fn usable<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let errors = self.errors.len();
        let value = read(self);
        (self.errors.len() == errors).then_some(value)
    }

    fn shape(&mut self, schema: &Map<String, Value>, here: &str) -> Shape {
        let mut shape = Shape::default();
        if let Some(target) = schema.get("$ref").filter(|_| self.lone_references) {
            shape.reference = self.reference(target, &format!("{here}/$ref"));
            return shape;
        }
        let mut below = format!("{here}/");
        for (keyword, value) in schema {
            below.truncate(here.len() + 1);
            below.push_str(&escape(keyword));
            // All other keywords are annotations.
            let _ = self.general(&mut shape, schema, keyword, value, &below)
                || scalars::keyword(self, &mut shape, keyword, value, &below)
                || objects::keyword(self, &mut shape, keyword, value, &below)
                || arrays::keyword(self, &mut shape, schema, keyword, value, &below);
        }
        if !here.is_empty()
            && schema.get("$id").and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'))
        {
            self.error::<()>(&format!("{here}/$id"), SchemaProblem::NestedResource);
        }
        if schema.contains_key("if") {
            let mut branch =
                |keyword: &str| schema.contains_key(keyword).then(|| self.at(&format!("{here}/{keyword}")));
            let (then, otherwise) = (branch("then"), branch("else"));
            shape.condition = branch("if").map(|condition| (condition, then, otherwise));
        }
        shape
    }

    /// Keywords about values of every type; whether this is one.
    fn general(
        &mut self,
        shape: &mut Shape,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        below: &str,
    ) -> bool {
        match keyword {
            "$ref" => shape.reference = self.reference(value, below),
            // In a schema without other resources, a dynamic reference leads where a plain one does.
            "$dynamicRef" | "$recursiveRef" => shape.all_of.extend(self.reference(value, below)),
            "title" => shape.title = value.as_str().map(str::to_owned),
            "type" => shape.types = self.usable(|compiler| compiler.types(value, below)),
            "const" => shape.constant = Some(value.clone()),
            "enum" => shape.allowed = self.usable(|compiler| compiler.allowed(value, below)),
            "allOf" => shape.all_of.extend(self.all(value, below)),
            "anyOf" => shape.any_of = self.all(value, below),
            "oneOf" if schema.contains_key("discriminator") => {
                shape.variants = self.variants(&schema["discriminator"], value, below);
            }
            "oneOf" => shape.one_of = self.all(value, below),
            "not" => shape.not = Some(self.at(below)),
            "x-target" => shape.target = Some(self.at(below)),
            "x-fault" => {
                let faults = value.as_object().into_iter().flatten();
                let named = faults.filter_map(|(key, name)| Some((key.clone(), name.as_str()?.to_owned())));
                shape.faults = named.collect();
            }
            _ => return false,
        }
        true
    }

    fn all(&mut self, schemas: &Value, here: &str) -> Vec<ShapeId> {
        match schemas.as_array() {
            Some(schemas) => (0..schemas.len()).map(|index| self.at(&format!("{here}/{index}"))).collect(),
            None => self.error(here, SchemaProblem::Expected("a list of schemas")),
        }
    }

    /// The branches by `discriminator.mapping`, or by the `const` that each has for the property.
    fn variants(&mut self, discriminator: &Value, union: &Value, here: &str) -> Option<Variants> {
        let Some(property) = discriminator["propertyName"].as_str() else {
            return self.error(here, SchemaProblem::NoDiscriminatorProperty);
        };
        let mut branches = Vec::new();
        if let Some(mapping) = discriminator["mapping"].as_object() {
            for (name, target) in mapping {
                branches.extend(self.reference(target, here).map(|branch| (name.clone(), branch)));
            }
        } else {
            for (index, branch) in self.all(union, here).into_iter().enumerate() {
                let at = format!("{here}/{index}");
                match self.constant(&at, property) {
                    Some(name) => branches.push((name, branch)),
                    None => self.error(&at, SchemaProblem::NoDiscriminatorValue(property.to_owned())),
                }
            }
        }
        Some(Variants::new(property, branches))
    }

    /// The constant that the branch at a JSON Pointer has for a property.
    fn constant(&self, branch: &str, property: &str) -> Option<String> {
        let branch = self.followed(self.document.at(branch)?)?;
        let named = self.followed(branch.get("properties")?.get(property)?)?;
        let first = named.get("enum").and_then(Value::as_array).and_then(|values| values.first());
        named.get("const").or(first)?.as_str().map(str::to_owned)
    }

    /// A subschema, or the one that it refers to; nothing where too many references follow each other.
    fn followed(&self, mut schema: &'d Value) -> Option<&'d Value> {
        for _ in 0..LONGEST_CHAIN {
            let Some(target) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
            schema = self.document.at(&self.target(target)?)?;
        }
        None
    }

    fn members<'v>(&mut self, value: &'v Value, here: &str) -> Option<&'v Map<String, Value>> {
        let members = value.as_object();
        if members.is_none() {
            self.error::<()>(here, SchemaProblem::Expected("an object"));
        }
        members
    }

    #[allow(clippy::cast_sign_loss, reason = "counts are not negative")]
    fn count(&mut self, value: &Value, here: &str) -> Option<usize> {
        let whole = || value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
        let count = value.as_u64().or_else(|| whole().map(|number| number as u64));
        match count {
            Some(count) => Some(usize::try_from(count).unwrap_or(usize::MAX)),
            None => self.error(here, SchemaProblem::Expected("an integer that is not negative")),
        }
    }

    fn strings(&mut self, value: &Value, here: &str) -> Vec<String> {
        let strings = value.as_array().and_then(|items| {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        match strings {
            Some(strings) => strings,
            None => self.error(here, SchemaProblem::Expected("a list of strings")),
        }
    }
}

/// The value at a JSON Pointer. Most pointers have nothing that is escaped, and then no token is copied.
fn at_pointer<'v>(document: &'v Value, pointer: &str) -> Option<&'v Value> {
    if pointer.is_empty() || memchr::memchr(b'~', pointer.as_bytes()).is_some() {
        return document.pointer(pointer);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(document, |value, token| match value {
        Value::Object(members) => members.get(token),
        // An index has no sign and no zeros that mean nothing.
        Value::Array(items) => {
            let is_index = token == "0" || token.starts_with(|c: char| matches!(c, '1'..='9'));
            items.get(token.parse::<usize>().ok().filter(|_| is_index)?)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_as_the_pointers_say() {
        let document = json!({"a": [{"b": 1}, 2], "": {"x": 3}, "m~n": 4, "c/d": {"e": 5}, "0": 6});
        for pointer in [
            "", "/", "/a", "/a/0/b", "/a/1", "/a/2", "/a/01", "/a/+1", "/a/", "/a/0/b/c", "//x", "/m~0n",
            "/c~1d/e", "/0", "a", "/z",
        ] {
            assert_eq!(at_pointer(&document, pointer), document.pointer(pointer), "{pointer}");
        }
    }

    fn errors(schema: &Value) -> Vec<String> {
        let errors = compile(schema, &entry_points(schema)).err().unwrap_or_default();
        let mut shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
        shown.sort();
        shown
    }

    #[test]
    fn every_error_is_reported_at_its_place() {
        let schema = json!({
            "type": "strng",
            "properties": {"a/b": {"pattern": "("}, "c": {"$ref": "other.json"}, "d": 1},
            "required": "a",
            "allOf": [{"$ref": "#/$defs/b"}],
            "minLength": -1,
            "$defs": {"a": {"exclusiveMinimum": true, "$id": "https://example.org/a"}},
        });
        assert_eq!(
            errors(&schema),
            [
                "`/$defs/a/$id`: a subschema with its own `$id` is not supported",
                "`/$defs/a/exclusiveMinimum`: expected a number",
                "`/allOf/0/$ref`: the schema has nothing at `/$defs/b`",
                "`/minLength`: expected an integer that is not negative",
                "`/properties/a~1b/pattern`: not a regular expression: unclosed group",
                "`/properties/c/$ref`: `other.json` is outside of this schema; references must stay inside it",
                "`/properties/d`: a schema must be an object, `true` or `false`",
                "`/required`: expected a list of strings",
                "`/type`: `strng` is not a type",
            ]
        );
        assert_eq!(errors(&json!([])), ["a schema must be an object, `true` or `false`"]);
    }
}
