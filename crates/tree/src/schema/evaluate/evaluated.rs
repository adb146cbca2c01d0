//! `unevaluatedProperties` and `unevaluatedItems`: what no other subschema has looked at.

use std::collections::HashSet;

use super::{Violation, Walk};
use crate::{
    schema::{Additional, Shape, ShapeId},
    tree::Node,
};

/// What subschemas that hold have looked at.
#[derive(Default)]
struct Seen<'t> {
    keys: HashSet<&'t str>,
    items: HashSet<usize>,
}

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn unevaluated(&mut self, shape: &'s Shape, node: Node<'t>) {
        if let Some(other) = shape.object.as_ref().and_then(|object| object.unevaluated) {
            let mut seen = Seen::default();
            self.look(shape, node, &mut seen);
            let refused = self.structure.shape(other).refused;
            for entry in node.entries().filter(|entry| !seen.keys.contains(entry.key())) {
                if refused {
                    self.report(shape, "unevaluatedProperties", || {
                        let detail = format!("`{}` is not allowed here", entry.key());
                        let violation =
                            Violation { span: entry.key_span(), ..Violation::of(entry.value(), detail) };
                        violation.property(entry.key())
                    });
                } else {
                    self.value(other, entry.value());
                }
            }
        }
        if let Some(other) = shape.array.as_ref().and_then(|array| array.unevaluated) {
            let mut seen = Seen::default();
            self.look(shape, node, &mut seen);
            let refused = self.structure.shape(other).refused;
            for (_, item) in node.items().enumerate().filter(|(index, _)| !seen.items.contains(index)) {
                if refused {
                    self.report(shape, "unevaluatedItems", || Violation::of(item, "is not allowed here"));
                } else {
                    self.value(other, item);
                }
            }
        }
    }

    /// What a shape and the subschemas that it applies to the same value look at.
    fn look(&self, shape: &'s Shape, node: Node<'t>, seen: &mut Seen<'t>) {
        if let Some(object) = &shape.object {
            let open = object.additional != Additional::Any;
            let looked = |key: &str| {
                open || object.properties.contains_key(key)
                    || object.patterns.iter().any(|(p, _)| p.is_match(key))
            };
            seen.keys.extend(node.entries().map(|entry| entry.key()).filter(|key| looked(key)));
            for (_, id) in object.dependent.iter().filter(|(name, _)| node.entry(name).is_some()) {
                self.look_through(*id, node, seen);
            }
        }
        if let Some(array) = &shape.array {
            let to = if array.items.is_some() { node.len() } else { array.prefix.len() };
            seen.items.extend(0..to);
            if let Some((wanted, ..)) = array.contains {
                let fitting = node.items().enumerate().filter(|(_, item)| self.fits(wanted, *item));
                seen.items.extend(fitting.map(|(index, _)| index));
            }
        }
        for id in shape.reference.iter().chain(&shape.all_of) {
            self.look_through(*id, node, seen);
        }
        if let Some(branch) = shape.variants.as_ref().and_then(|variants| variants.chosen(node)) {
            self.look_through(branch, node, seen);
        }
        for id in shape.any_of.iter().chain(&shape.one_of).filter(|id| self.fits(**id, node)) {
            self.look_through(*id, node, seen);
        }
        if let Some((condition, then, otherwise)) = shape.condition {
            let holds = self.fits(condition, node);
            if holds {
                self.look_through(condition, node, seen);
            }
            if let Some(branch) = if holds { then } else { otherwise } {
                self.look_through(branch, node, seen);
            }
        }
    }

    fn look_through(&self, id: ShapeId, node: Node<'t>, seen: &mut Seen<'t>) {
        if !self.effort.step() {
            return;
        }
        let shape = self.structure.shape(id);
        if shape.object.as_ref().is_some_and(|object| object.unevaluated.is_some()) {
            seen.keys.extend(node.entries().map(|entry| entry.key()));
        }
        if shape.array.as_ref().is_some_and(|array| array.unevaluated.is_some()) {
            seen.items.extend(0..node.len());
        }
        self.look(shape, node, seen);
    }
}
