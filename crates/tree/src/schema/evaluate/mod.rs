//! Evaluation of a schema on the tree: one error per mistake, at its place.

mod arrays;
mod effort;
mod evaluated;
mod objects;
mod scalars;
mod unions;

use std::{cmp::Ordering, collections::BTreeMap, ops::Deref};

use foldhash::{HashSet, HashSetExt};

use serde_json::Value;

use self::{effort::Effort, objects::is_reference};
use super::{Number, Shape, ShapeId, Structure, Violation};
use crate::{
    text::{SourceId, Span},
    tree::{Node, NodeId, NodeType},
};

/// A value takes more steps to validate than there may be: unions inside unions multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the value is too complex for its schema: validation was stopped after {steps} steps")]
pub struct TooComplex {
    /// The steps that were taken.
    pub steps: u64,
}

/// Everything that is wrong below a node, and what is likely misspelled where a schema allows any key.
///
/// # Errors
/// When it takes too many steps.
pub fn evaluate<'t>(structure: &Structure, node: Node<'t>) -> Result<Violations<'t>, TooComplex> {
    evaluate_at(structure, structure.root(), node)
}

/// Like [`evaluate`], for one of the shapes of a structure.
///
/// # Errors
/// When it takes too many steps.
pub fn evaluate_at<'t>(
    structure: &Structure,
    shape: ShapeId,
    node: Node<'t>,
) -> Result<Violations<'t>, TooComplex> {
    violations(structure, shape, node, true)
}

/// Everything that is wrong below a node, without what is likely misspelled, which takes longer to find than all errors.
///
/// # Errors
/// When it takes too many steps.
pub fn errors<'t>(structure: &Structure, node: Node<'t>) -> Result<Violations<'t>, TooComplex> {
    violations(structure, structure.root(), node, false)
}

fn violations<'t>(
    structure: &Structure,
    shape: ShapeId,
    node: Node<'t>,
    advises: bool,
) -> Result<Violations<'t>, TooComplex> {
    let effort = Effort::new(node.tree().len());
    let mut walk = Walk { advises, ..Walk::new(structure, &effort, None) };
    walk.value(shape, node);
    walk.elsewhere(node.source_id());
    effort.result().map(|()| Violations { found: walk.found, further: walk.further })
}

/// Where a value does not conform to a schema. Of very many errors some are only counted.
#[derive(Debug, Clone, Default)]
pub struct Violations<'t> {
    found: Vec<Violation<'t>>,
    /// How many more there are of each name.
    further: BTreeMap<String, usize>,
}

impl<'t> Violations<'t> {
    /// The errors that are described.
    pub fn into_found(self) -> Vec<Violation<'t>> {
        self.found
    }

    /// How many errors are only counted, of those with a wanted name.
    pub fn further(&self, wants: impl Fn(&str) -> bool) -> usize {
        self.further.iter().filter(|(name, _)| wants(name)).map(|(_, count)| count).sum()
    }
}

impl<'t> Deref for Violations<'t> {
    type Target = [Violation<'t>];

    fn deref(&self) -> &Self::Target {
        &self.found
    }
}

/// Whether a value conforms to a schema; not where that takes too many steps.
pub fn conforms(structure: &Structure, node: Node<'_>) -> bool {
    let effort = Effort::new(node.tree().len());
    let walk = Walk::new(structure, &effort, None);
    walk.fits(structure.root(), node) && effort.result().is_ok()
}

/// Most errors of a value: more than reports show. Each is large, with all that is allowed at its place.
const MOST: usize = 25_000;

struct Walk<'s, 't> {
    structure: &'s Structure,
    effort: &'s Effort,
    found: Vec<Violation<'t>>,
    /// Errors beyond [`MOST`], by name.
    further: BTreeMap<String, usize>,
    /// What references lead to, where a schema does not take a reference, with the address of what is asked of it.
    followed: HashSet<(usize, NodeId)>,
    /// What references lead to, with the shape that it is to have.
    targets: Vec<(ShapeId, Node<'t>)>,
    /// Title of the innermost shape that has one.
    owner: Option<&'s str>,
    /// Whether keys are reported that are likely misspelled, and allowed.
    advises: bool,
    /// Whether only the result counts: nothing is reported, and the walk ends at the first error.
    trial: bool,
    failed: bool,
}

impl<'s, 't> Walk<'s, 't> {
    fn new(structure: &'s Structure, effort: &'s Effort, owner: Option<&'s str>) -> Self {
        Self {
            structure,
            effort,
            found: Vec::new(),
            further: BTreeMap::new(),
            followed: HashSet::new(),
            targets: Vec::new(),
            owner,
            advises: false,
            trial: false,
            failed: false,
        }
    }

    /// What references lead to in other files than the one that is validated, each value once.
    fn elsewhere(&mut self, home: SourceId) {
        let mut done = HashSet::new();
        while let Some((id, node)) = self.targets.pop() {
            if node.source_id() != home && !is_reference(node) && done.insert((id, node.id())) {
                self.value(id, node);
            }
        }
        // A part of a file may be reached by itself and as a part of another one.
        let mut seen = HashSet::new();
        self.found.retain(|violation| {
            let node = violation.node;
            node.source_id() == home || seen.insert((node.id(), violation.span, violation.name.clone()))
        });
    }

    fn fits(&self, id: ShapeId, node: Node<'t>) -> bool {
        if self.is_of_other_type(id, node) && self.effort.enter() {
            self.effort.leave();
            return false;
        }
        let run = || {
            let mut trial = Walk { trial: true, ..Walk::new(self.structure, self.effort, None) };
            trial.value(id, node);
            !trial.failed
        };
        let shape = self.structure.shape(id);
        let is_short =
            !shape.parts.deep || shape.reference.is_none() && !shape.parts.combined && node.is_scalar();
        if is_short { run() } else { self.effort.remembered((id, node.id()), run) }
    }

    /// Whether a value has none of the types that a shape takes, so that nothing else needs to be tried. Most branches of a
    /// union are for other types.
    fn is_of_other_type(&self, id: ShapeId, node: Node<'t>) -> bool {
        let types = self.structure.resolve(id).types.as_ref();
        types.is_some_and(|types| !has_type(types, node)) && !is_reference(node)
    }

    /// The errors of one subschema alone.
    fn errors(&self, id: ShapeId, node: Node<'t>) -> Vec<Violation<'t>> {
        let alone = Walk::new(self.structure, self.effort, self.owner);
        let mut alone = Walk { advises: self.advises, ..alone };
        alone.value(id, node);
        alone.found
    }

    fn report(&mut self, shape: &Shape, keyword: &'static str, violation: impl FnOnce() -> Violation<'t>) {
        self.failed = true;
        if self.trial {
            return;
        }
        let name = shape.faults.get(keyword).map_or(keyword, String::as_str);
        if self.found.len() >= MOST {
            match self.further.get_mut(name) {
                Some(count) => *count += 1,
                None => drop(self.further.insert(name.to_owned(), 1)),
            }
            return;
        }
        let name = name.to_owned();
        self.found.push(Violation { name, keyword, ..violation() }.with("owner", self.owner));
    }

    /// Reports what is not an error, for rules that name it.
    fn advise(&mut self, shape: &Shape, keyword: &'static str, violation: impl FnOnce() -> Violation<'t>) {
        if !self.trial {
            let failed = self.failed;
            self.report(shape, keyword, violation);
            self.failed = failed;
        }
    }

    fn value(&mut self, id: ShapeId, node: Node<'t>) {
        if (self.trial && self.failed) || !self.effort.enter() {
            return;
        }
        self.apply(self.structure.shape(id), node);
        self.effort.leave();
    }

    fn apply(&mut self, shape: &'s Shape, node: Node<'t>) {
        let outer = self.owner;
        self.owner = shape.title.as_deref().or(outer);
        if shape.refused {
            self.report(shape, "false", || Violation::of(node, "is not allowed here"));
        } else if self.value_type(shape, node) {
            if let Some(reference) = shape.reference {
                self.value(reference, node);
            }
            if shape.parts.scalar {
                self.scalar(shape, node);
            }
            if let Some(id) = shape.target.filter(|_| !self.trial && is_reference(node)) {
                self.targets.push((id, node.target()));
            }
            if node.is_mapping() {
                if let Some(object) = &shape.object {
                    self.object(shape, object, node);
                }
            } else if let Some(array) = shape.array.as_ref().filter(|_| node.is_sequence()) {
                self.array(shape, array, node);
            }
            if shape.parts.combined {
                self.combined(shape, node);
            }
        }
        self.owner = outer;
    }

    /// Whether the value has a type that the shape takes; reports it otherwise, and nothing else.
    fn value_type(&mut self, shape: &'s Shape, node: Node<'t>) -> bool {
        let Some(types) = &shape.types else { return true };
        if has_type(types, node) {
            return true;
        }
        if is_reference(node) {
            let target = node.target();
            // A scalar that is elsewhere; nothing is known where the reference leads nowhere.
            if target.id() != node.id() {
                self.value_type(shape, target);
            }
            return false;
        }
        self.report(shape, "type", || {
            // What may be left out is not what one would write.
            let written = types.iter().filter(|t| **t != NodeType::Null || types.len() == 1);
            let expected: Vec<String> = written.clone().map(|t| t.name().to_owned()).collect();
            let wanted: Vec<&str> = written.map(|t| noun(*t)).collect();
            let detail = format!("must be {}, not {}", wanted.join(" or "), noun(node.node_type()));
            let names: Vec<&str> = types.iter().map(|t| t.name()).collect();
            let violation = Violation::of(node, detail).with("expects", names.join(" "));
            let violation = violation.with("actual", node.node_type().name());
            let violation = match shape.object.as_deref().filter(|_| expected == ["object"]) {
                Some(object) => violation.with("keys", object.keys()),
                None => violation,
            };
            let places = opening(node).map(|key| ("opening", key)).into_iter().collect();
            Violation { expected, places, ..violation }
        });
        false
    }
}

/// The key of a list or mapping that begins on a later line.
fn opening(node: Node<'_>) -> Option<Span> {
    let key = node.own_entry()?.key_span();
    let between = Span { start: key.end, end: node.span().start.max(key.end) };
    (node.scalar().is_none() && node.source().slice(between).contains('\n')).then_some(key)
}

/// A type with its article.
fn noun(value_type: NodeType) -> &'static str {
    match value_type {
        NodeType::Null => "null",
        NodeType::Boolean => "a boolean",
        NodeType::Integer => "an integer",
        NodeType::Number => "a number",
        NodeType::String => "a string",
        NodeType::Array => "a list",
        NodeType::Object => "a mapping",
    }
}

/// Whether a value has one of these types.
fn has_type(types: &[NodeType], node: Node<'_>) -> bool {
    let found = node.node_type();
    let whole = |t: &NodeType| *t == NodeType::Integer && is_whole(node);
    types.iter().any(|t| t.accepts(found) || whole(t))
}

/// Whether a number has no fraction, which makes it an integer for JSON Schema.
fn is_whole(node: Node<'_>) -> bool {
    node.node_type() == NodeType::Number && node.as_f64().is_some_and(|value| value.fract() == 0.0)
}

/// Whether a node is this value; numbers are equal when their values are.
fn equal(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::String(text) => node.as_str() == Some(text),
        Value::Number(number) => {
            let equals = |found: Number| found.compare(Number::read(number)) == Some(Ordering::Equal);
            Number::of(node).is_some_and(equals)
        }
        Value::Bool(value) => node.as_bool() == Some(*value),
        Value::Null => node.is_null(),
        Value::Array(items) => {
            node.is_sequence()
                && node.len() == items.len()
                && node.items().zip(items).all(|(node, item)| equal(node, item))
        }
        Value::Object(entries) => {
            let same = |(key, value): (&String, &Value)| node.get(key).is_some_and(|node| equal(node, value));
            node.is_mapping() && node.len() == entries.len() && entries.iter().all(same)
        }
    }
}

/// A value as it is written in messages.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
