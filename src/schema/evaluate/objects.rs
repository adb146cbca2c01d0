//! What a schema asks of mappings.

use foldhash::{HashMap, HashMapExt};

use super::{Violation, Walk};
use crate::{
    schema::{Additional, MISSPELLED, Shape, ShapeId, shape::ObjectShape},
    text::nearest,
    tree::{Entry, Node},
};

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn object(&mut self, shape: &'s Shape, asked: &'s ObjectShape, node: Node<'t>) {
        let mut misspelled: Vec<String> = Vec::new();
        let mut repeated = repeated(node);
        for entry in node.entries() {
            // Of a key that is repeated, the last value is the one that is used.
            if repeated.get_mut(entry.key()).is_some_and(|more| {
                *more -= 1;
                *more > 0
            }) {
                continue;
            }
            misspelled.extend(self.entry(shape, asked, node, entry));
        }
        for name in asked.required.iter().filter(|name| node.entry(name).is_none()) {
            // What is missing is there misspelled, and reported already.
            if !misspelled.contains(name) {
                self.report(shape, "required", || missing(node, name, "must be there"));
            }
        }
        for (name, keys) in &asked.dependent_required {
            if node.entry(name).is_some() {
                for key in keys.iter().filter(|key| node.entry(key).is_none()) {
                    let why = format!("must be there because `{name}` is");
                    self.report(shape, "dependentRequired", || missing(node, key, &why));
                }
            }
        }
        for (name, id) in &asked.dependent {
            if node.entry(name).is_some() {
                self.value(*id, node);
            }
        }
        self.size(shape, asked, node);
    }

    /// One entry; gives the key that was likely meant by one that is not known.
    fn entry(
        &mut self,
        shape: &'s Shape,
        asked: &'s ObjectShape,
        node: Node<'t>,
        entry: Entry<'t>,
    ) -> Option<String> {
        if let Some(error) = asked.key.and_then(|id| self.key_error(self.structure.shape(id), entry.key())) {
            let (shape, keyword, detail) = error;
            self.report(shape, keyword, || Violation {
                span: entry.key_span(),
                ..Violation::of(entry.value(), detail)
            });
        }
        let declared = asked.properties.get(entry.key());
        let mut known = declared.is_some();
        if let Some(id) = declared {
            self.value(*id, entry.value());
        }
        for (pattern, id) in &asked.patterns {
            if pattern.is_match(entry.key()) {
                known = true;
                self.value(*id, entry.value());
            }
        }
        if known {
            return None;
        }
        match asked.additional {
            Additional::None => self.surplus(shape, asked, node, entry),
            Additional::Shape(other) => self.other(shape, asked, node, entry, other),
            Additional::Any | Additional::Open => {
                if let Some(near) = likely(asked, node, entry.key()) {
                    self.advise(shape, MISSPELLED, || unknown(asked, node, entry, &near));
                }
                None
            }
        }
    }

    /// Reports a key that the schema does not have.
    fn surplus(
        &mut self,
        shape: &'s Shape,
        asked: &'s ObjectShape,
        node: Node<'t>,
        entry: Entry<'t>,
    ) -> Option<String> {
        if self.trial {
            self.failed = true;
            return None;
        }
        let near = likely(asked, node, entry.key());
        let shown = near.clone().unwrap_or_default();
        self.report(shape, "additionalProperties", || unknown(asked, node, entry, &shown));
        near
    }

    /// A key that names something of the author's. Where its value cannot be that and the key is similar to a
    /// declared one, the key is misspelled.
    fn other(
        &mut self,
        shape: &'s Shape,
        asked: &'s ObjectShape,
        node: Node<'t>,
        entry: Entry<'t>,
        other: ShapeId,
    ) -> Option<String> {
        let near = if self.trial { None } else { likely(asked, node, entry.key()) };
        if near.is_some() && !self.fits(other, entry.value()) {
            return self.surplus(shape, asked, node, entry);
        }
        self.value(other, entry.value());
        None
    }

    fn size(&mut self, shape: &'s Shape, asked: &ObjectShape, node: Node<'t>) {
        if let Some(least) = asked.min.filter(|least| node.len() < *least) {
            let detail = || format!("must have at least {least} key(s)");
            self.report(shape, "minProperties", || Violation::of(node, detail()).whole());
        }
        if let Some(most) = asked.max.filter(|most| node.len() > *most) {
            let detail = || format!("must have at most {most} key(s)");
            self.report(shape, "maxProperties", || {
                let keys: Vec<&str> = node.entries().map(|entry| entry.key()).collect();
                Violation::of(node, detail()).whole().with("keys", keys)
            });
        }
    }
}

/// A key that is missing, with a similar one that is there.
fn missing<'t>(node: Node<'t>, name: &str, why: &str) -> Violation<'t> {
    let near = nearest(name, node.entries().map(|entry| entry.key())).map(str::to_owned);
    let violation = Violation::of(node, format!("`{name}` {why}")).at_key().property(name);
    Violation { nearest: near, ..violation }
}

/// A key that the schema does not have, with those that it has and the mapping has not.
fn unknown<'t>(asked: &ObjectShape, node: Node<'t>, entry: Entry<'t>, near: &str) -> Violation<'t> {
    let absent = asked.names.iter().filter(|name| node.entry(name).is_none()).cloned();
    let detail = if near.is_empty() {
        format!("`{}` is not allowed here", entry.key())
    } else {
        format!("`{}` is not allowed here; `{near}` is", entry.key())
    };
    let violation = Violation { span: entry.key_span(), ..Violation::of(entry.value(), detail) };
    violation.property(entry.key()).among(entry.key(), absent.collect())
}

/// The declared key that is absent and most similar to one that is not declared.
fn likely(asked: &ObjectShape, node: Node<'_>, key: &str) -> Option<String> {
    let absent = asked.names.iter().filter(|name| node.entry(name).is_none());
    nearest(key, absent.map(String::as_str)).map(str::to_owned)
}

/// The keys that a mapping has more than once, with how often it has them.
fn repeated(node: Node<'_>) -> HashMap<&str, usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for entry in node.entries() {
        *counts.entry(entry.key()).or_default() += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}
