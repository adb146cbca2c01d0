//! What subschemas of JSON Schema (2020-12) ask of values, in the form in which it is evaluated on the tree.
//!
//! Three annotations are Proofmark's: `x-target` is the schema of what a reference leads to in another file, where the value
//! is a reference (a mapping with `$ref`, in kinds whose references lead to values); `x-fault` gives the errors of a subschema names of their own, by
//! keyword (`{"required": "no-properties"}`), so that a rule can report them; and `enum` may be
//! `{"$data": "1/values"}`, a relative JSON Pointer to a list in the document.

use std::collections::HashMap as StdMap;

use serde_json::Value;

use super::{number::Number, pattern::Pattern};
use crate::tree::{Key, KeyMap, Node, NodeType};

/// Most schemas that apply to one value, each through the next one.
pub(super) const LONGEST_CHAIN: usize = 64;

/// Which [`Shape`] of a [`Structure`](super::Structure) is meant: the number of a part, and its number in that part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShapeId(u64);

impl ShapeId {
    pub(super) fn new(part: usize, index: usize) -> Self {
        Self(((part as u64) << 32) | index as u64)
    }

    pub(super) fn part(self) -> usize {
        (self.0 >> 32) as usize
    }

    pub(super) fn index(self) -> usize {
        self.0 as u32 as usize
    }
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
    /// `const`
    pub constant: Option<Value>,
    /// `enum`
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
    /// `x-target`
    pub target: Option<ShapeId>,
    /// What of it has to be evaluated; set when all shapes are compiled.
    pub parts: Parts,
}

/// Which parts of a shape ask for something: most ask for little.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parts {
    /// `const`, `enum`, and what it asks of strings and numbers.
    pub scalar: bool,
    /// What it says by other shapes, a reference excepted.
    pub combined: bool,
    /// What it asks of items and members, and what it compares values with or says by other shapes: all that may take more
    /// than a look at a collection itself.
    pub deep: bool,
}

/// The values of `enum`.
#[derive(Debug, Clone)]
pub enum Allowed {
    /// A list in the schema.
    Values(Vec<Value>),
    /// A list in the document (`$data`): a number of levels up, and a JSON Pointer from there.
    Data(usize, String),
}

impl Default for Allowed {
    fn default() -> Self {
        Self::Values(Vec::new())
    }
}

/// What is asked of strings.
#[derive(Debug, Clone, Default)]
pub struct TextShape {
    /// `minLength`, in characters
    pub min_length: Option<usize>,
    /// `maxLength`, in characters
    pub max_length: Option<usize>,
    /// `pattern`
    pub pattern: Option<Pattern>,
    /// `format`
    pub format: Option<String>,
}

/// What is asked of numbers.
#[derive(Debug, Clone, Default)]
pub struct NumberShape {
    /// `minimum`
    pub minimum: Option<Number>,
    /// `exclusiveMinimum`
    pub above: Option<Number>,
    /// `maximum`
    pub maximum: Option<Number>,
    /// `exclusiveMaximum`
    pub below: Option<Number>,
    /// `multipleOf`
    pub multiple_of: Option<Number>,
}

/// What is asked of objects.
#[derive(Debug, Clone, Default)]
pub struct ObjectShape {
    /// `required`
    pub required: Vec<Key>,
    /// `properties`
    pub properties: KeyMap<ShapeId>,
    /// The names of `properties` in their order.
    pub names: Vec<String>,
    /// `patternProperties`
    pub patterns: Vec<(Pattern, ShapeId)>,
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

impl ObjectShape {
    /// The names of `properties`, first those that are required.
    pub(super) fn keys(&self) -> Vec<&str> {
        let is_required = |name: &&str| self.required.iter().any(|key| **key == **name);
        let (mut keys, others): (Vec<&str>, Vec<&str>) =
            self.names.iter().map(String::as_str).partition(is_required);
        keys.extend(others);
        keys
    }
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
    /// Anything; the schema does not say.
    #[default]
    Any,
    /// Anything; the schema says so.
    Open,
    /// Nothing: further keys are not allowed.
    None,
    /// What a shape says.
    Shape(ShapeId),
}

/// A union whose branch a property names.
#[derive(Debug, Clone)]
pub struct Variants {
    /// The property.
    pub property: Key,
    /// Its values with their branches, in the schema's order.
    pub branches: Vec<(String, ShapeId)>,
    /// The first branch of each value.
    by_value: KeyMap<ShapeId>,
}

impl Variants {
    /// The branches of a property.
    pub(super) fn new(property: &str, branches: Vec<(String, ShapeId)>) -> Self {
        let mut by_value = KeyMap::default();
        for (value, branch) in branches.iter().rev() {
            by_value.insert(Key::new(value.as_str()), *branch);
        }
        Self { property: Key::new(property), branches, by_value }
    }

    /// The branch that a value names.
    pub(super) fn chosen(&self, node: Node<'_>) -> Option<ShapeId> {
        self.by_value.get(node.get_of(&self.property)?.as_str()?).copied()
    }
}

impl Shape {
    /// Notes what of it has to be evaluated.
    pub(super) fn note_parts(&mut self) {
        let unevaluated = self.object.as_ref().is_some_and(|object| object.unevaluated.is_some())
            || self.array.as_ref().is_some_and(|array| array.unevaluated.is_some());
        let unions = [&self.all_of, &self.any_of, &self.one_of].iter().any(|union| !union.is_empty());
        let others = self.condition.is_some() || self.variants.is_some() || self.not.is_some();
        let values = self.constant.is_some() || self.allowed.is_some();
        let combined = unevaluated || unions || others;
        let members = self.object.as_ref().is_some_and(|object| {
            object.properties.values().next().is_some()
                || !object.patterns.is_empty()
                || !matches!(object.additional, Additional::Any | Additional::Open)
                || object.key.is_some()
                || !object.dependent.is_empty()
        });
        let items = self.array.as_ref().is_some_and(|array| {
            !array.prefix.is_empty() || array.items.is_some() || array.contains.is_some() || array.unique
        });
        let refers = self.reference.is_some() || self.target.is_some();
        let deep = combined || members || items || refers || values;
        let scalar = values || self.text.is_some() || self.number.is_some();
        self.parts = Parts { scalar, combined, deep };
    }

    /// The shapes that it evaluates on the same value.
    pub(super) fn in_place(&self) -> Vec<ShapeId> {
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

    /// Drops the keywords that use another shape, as if it allowed every value.
    pub(super) fn drop_in_place(&mut self, other: ShapeId) {
        self.drop_negations(other);
        self.reference = self.reference.filter(|id| *id != other);
        self.all_of.retain(|id| *id != other);
        if self.any_of.contains(&other) {
            self.any_of.clear();
        }
        if let Some(object) = &mut self.object {
            object.dependent.retain(|(_, id)| *id != other);
        }
    }

    /// Drops the keywords that may refuse a value because another shape allows it.
    pub(super) fn drop_negations(&mut self, other: ShapeId) {
        self.not = self.not.filter(|id| *id != other);
        if self.one_of.contains(&other) {
            self.one_of.clear();
        }
        self.condition = self.condition.filter(|(condition, then, otherwise)| {
            *condition != other && *then != Some(other) && *otherwise != Some(other)
        });
        let names = |variants: &Variants| variants.branches.iter().any(|(_, id)| *id == other);
        self.variants = self.variants.take().filter(|variants| !names(variants));
    }
}
