use std::sync::Arc;

use serde_json::Value;

use super::{
    circles,
    compile::{self, compile},
    definitions::Definitions,
    error::{SchemaError, SchemaProblem},
    shape::{LONGEST_CHAIN, Shape, ShapeId},
};
use crate::budget::Once;

/// A compiled schema.
#[derive(Debug, Clone)]
pub struct Structure {
    /// Its shapes. A schema that comes with the program has a part for each definition, compiled when a value reaches it;
    /// others have one part.
    parts: Vec<Once<Vec<Shape>>>,
    root: ShapeId,
    /// What the parts are compiled from, with the JSON Pointer of the first one.
    source: Option<(Arc<Definitions>, String)>,
}

impl Structure {
    fn of(shapes: Vec<Shape>) -> Self {
        let parts = vec![Once::from(ready(shapes))];
        Self { parts, root: ShapeId::new(0, 0), source: None }
    }

    /// The subschema at a JSON Pointer of a schema that comes with the program. What it says is known to be right, so no
    /// more of it is compiled than values reach.
    ///
    /// # Errors
    /// What is wrong with what every value reaches.
    pub(super) fn of_parts(document: &Arc<Definitions>, pointer: &str) -> Result<Self, Vec<SchemaError>> {
        let mut parts: Vec<_> = std::iter::repeat_with(Once::new).take(document.len() + 1).collect();
        let number = document.number(pointer).map_or(0, |number| number + 1);
        let (shapes, errors) = compile::part(document, number, pointer);
        if !errors.is_empty() {
            return Err(errors);
        }
        parts[number] = Once::from(ready(shapes));
        let source = Some((Arc::clone(document), pointer.to_owned()));
        Ok(Self { parts, root: ShapeId::new(number, 0), source })
    }

    fn part(&self, number: usize) -> &[Shape] {
        self.parts[number].get_or_init(|| {
            let Some((document, pointer)) = &self.source else { return Vec::new() };
            let pointer = number.checked_sub(1).map_or(pointer.as_str(), |number| document.pointer(number));
            ready(compile::part(document, number, pointer).0)
        })
    }

    /// Compiles the subschema at a JSON Pointer of a schema.
    ///
    /// # Errors
    /// Everything that is wrong with it and with the subschemas that it uses.
    pub fn new(document: &Value, pointer: &str) -> Result<Self, Vec<SchemaError>> {
        let structure = Self::of(compile(document, &[pointer.to_owned()])?);
        structure.check_nesting(pointer).map_err(|error| vec![error])?;
        Ok(structure)
    }

    /// The schemas at some JSON Pointers of a document that is not a schema itself, with their shapes. Errors of the
    /// schemas are not reported: a part that cannot be used allows every value. Nothing where schemas
    /// are nested too deep.
    pub fn inside(document: &Value, pointers: &[String]) -> Option<(Self, Vec<ShapeId>)> {
        let (mut shapes, roots) = compile::lenient(document, pointers);
        circles::cut(&mut shapes);
        let structure = Self::of(shapes);
        structure.check_nesting("").ok()?;
        Some((structure, roots))
    }

    /// Everything that is wrong with a schema and with its definitions, whether they are used or not.
    pub fn faults(document: &Value) -> Vec<SchemaError> {
        let shapes = match compile(document, &compile::entry_points(document)) {
            Ok(shapes) => shapes,
            Err(errors) => return errors,
        };
        Self::of(shapes).check_nesting("").err().into_iter().collect()
    }

    /// The shape of the whole value.
    pub fn root(&self) -> ShapeId {
        self.root
    }

    /// A shape by its number.
    ///
    /// # Panics
    /// When the number belongs to a larger structure.
    pub fn shape(&self, id: ShapeId) -> &Shape {
        &self.part(id.part())[id.index()]
    }

    /// A shape, or the one that it only refers to.
    pub fn resolve(&self, id: ShapeId) -> &Shape {
        let mut shape = self.shape(id);
        while let Some(next) = shape.reference {
            shape = self.shape(next);
        }
        shape
    }

    /// A schema that leads back to itself at the same value has no meaning, and evaluation follows schemas for
    /// the same value only so far. For structures with one part.
    fn check_nesting(&self, pointer: &str) -> Result<(), SchemaError> {
        let shapes = self.part(0);
        let error = |problem| SchemaError { pointer: pointer.to_owned(), problem };
        // Per shape: not seen, seen, or done with the length of the longest chain from it.
        let mut chains: Vec<Option<Option<usize>>> = vec![None; shapes.len()];
        for start in 0..shapes.len() {
            if chains[start].is_some() {
                continue;
            }
            let mut path = vec![(start, shapes[start].in_place(), 0)];
            while let Some((id, waiting, longest)) = path.last_mut() {
                let id = *id;
                chains[id] = Some(chains[id].flatten());
                let Some(next) = waiting.pop() else {
                    let chain = *longest + 1;
                    if chain > LONGEST_CHAIN {
                        return Err(error(SchemaProblem::TooDeep(LONGEST_CHAIN)));
                    }
                    chains[id] = Some(Some(chain));
                    path.pop();
                    if let Some((_, _, longest)) = path.last_mut() {
                        *longest = (*longest).max(chain);
                    }
                    continue;
                };
                match chains[next.index()] {
                    Some(None) => return Err(error(SchemaProblem::Circular)),
                    Some(Some(chain)) => *longest = (*longest).max(chain),
                    None => path.push((next.index(), shapes[next.index()].in_place(), 0)),
                }
            }
        }
        Ok(())
    }
}

fn ready(mut shapes: Vec<Shape>) -> Vec<Shape> {
    shapes.iter_mut().for_each(Shape::note_parts);
    shapes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(schema: &Value) -> SchemaProblem {
        Structure::new(schema, "").unwrap_err().swap_remove(0).problem
    }

    #[test]
    fn branches_are_found_by_their_constants() {
        let schema = json!({"oneOf": [{"$ref": "#/$defs/a"}], "discriminator": {"propertyName": "type"},
            "$defs": {"a": {"properties": {"type": {"const": "A"}, "next": {"$ref": "#"}}}}});
        let structure = Structure::new(&schema, "").unwrap();
        let variants = structure.shape(structure.root()).variants.as_ref().unwrap();
        assert_eq!(variants.branches[0].0, "A");
    }

    #[test]
    fn definitions_are_compiled_when_they_are_reached() {
        let schema = json!({"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
            "discriminator": {"propertyName": "type"}, "$defs": {
                "a": {"properties": {"type": {"const": "A"}, "next": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/b"}}},
                "b": {"properties": {"type": {"const": "B"}, "first": {"$ref": "#/$defs/a/properties/type"}}}}});
        let document = Arc::new(Definitions::read(&schema.to_string()));
        let structure = Structure::of_parts(&document, "").unwrap();
        let made = |structure: &Structure| structure.parts.iter().filter(|part| part.get().is_some()).count();
        assert_eq!(made(&structure), 1, "the schema itself");
        let variants = structure.shape(structure.root()).variants.as_ref().unwrap();
        let names: Vec<&str> = variants.branches.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        let member = |id: ShapeId, name: &str| {
            *structure.resolve(id).object.as_ref().unwrap().properties.get(name).unwrap()
        };
        let first = member(variants.branches[1].1, "first");
        assert_eq!(structure.resolve(first).constant, Some(json!("A")));
        assert_eq!(made(&structure), 2, "and the definition of `b`");
        let a = variants.branches[0].1;
        let again = structure.shape(member(a, "next")).reference.unwrap();
        assert!(std::ptr::eq(structure.shape(again), structure.resolve(a)), "a schema may contain itself");
        let within = Structure::of_parts(&document, "/$defs/b").unwrap();
        assert!(within.shape(within.root()).object.is_some());
        let missing = Structure::of_parts(&document, "/$defs/c").unwrap_err().swap_remove(0).problem;
        assert_eq!(missing, SchemaProblem::Unresolved("/$defs/c".into()));
    }

    #[test]
    fn schemas_that_lead_back_to_themselves_are_refused() {
        assert_eq!(problem(&json!({"$ref": "#"})), SchemaProblem::Circular);
        let schema = json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#"}}}});
        assert_eq!(problem(&schema), SchemaProblem::Circular);
        let schema = json!({"properties": {"next": {"$ref": "#"}}});
        assert!(Structure::new(&schema, "").is_ok());
    }

    #[test]
    fn long_chains_are_refused() {
        let chain = |length: usize| {
            let link = |index: usize| (index.to_string(), json!({"$ref": format!("#/$defs/{}", index + 1)}));
            let mut definitions: serde_json::Map<String, Value> = (1..length).map(link).collect();
            definitions.insert(length.to_string(), json!({"type": "string"}));
            Structure::new(&json!({"$ref": "#/$defs/1", "$defs": definitions}), "")
        };
        assert!(chain(LONGEST_CHAIN - 1).is_ok());
        let error = chain(100_000).unwrap_err().swap_remove(0);
        assert_eq!(error.problem, SchemaProblem::TooDeep(LONGEST_CHAIN));
    }
}
