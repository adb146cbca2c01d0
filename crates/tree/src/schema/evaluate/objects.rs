//! What a schema asks of mappings.

use std::cell::OnceCell;

use foldhash::{HashMap, HashMapExt};

use super::{Violation, Walk};
use crate::{
    schema::{Additional, MISSPELLED, Shape, ShapeId, shape::ObjectShape},
    text::{nearest, words},
    tree::{Entry, Node},
};

/// An entry of a mapping, and what a schema asks of the mapping.
#[derive(Clone, Copy)]
struct Member<'m, 's, 't> {
    shape: &'s Shape,
    asked: &'s ObjectShape,
    node: Node<'t>,
    entry: Entry<'t>,
    /// The keys that the schema has and the mapping has not, once they were needed.
    unused: &'m OnceCell<Vec<&'s String>>,
}

impl<'s, 't> Member<'_, 's, 't> {
    /// The keys that the schema has and the mapping has not.
    fn unused(&self) -> &[&'s String] {
        let absent = |name: &&String| self.node.entry(name).is_none();
        self.unused.get_or_init(|| self.asked.names.iter().filter(absent).collect())
    }

    /// Its key as one that the schema does not have, with those that it has and the mapping has not.
    fn unknown(&self, near: &str) -> Violation<'t> {
        let key = self.entry.key();
        let unused = self.unused().iter().copied().cloned();
        let detail = if near.is_empty() {
            format!("`{key}` is not allowed here")
        } else {
            format!("`{key}` is not allowed here; `{near}` is")
        };
        let violation = Violation::of(self.entry.value(), detail);
        let violation = Violation { span: self.entry.key_span(), ..violation }.property(key);
        violation.among(key, unused.collect()).meaning(near)
    }

    /// The only required key that is absent, where its words are among those of the own key or the other way around.
    fn renamed(&self) -> Option<&'s str> {
        let mut absent = self.asked.required.iter().filter(|name| self.node.entry(name).is_none());
        let only = absent.next().filter(|_| absent.next().is_none())?;
        let (own, other) = (words::words(self.entry.key()), words::words(only));
        let (fewer, more) = if own.len() < other.len() { (own, other) } else { (other, own) };
        let is_part = !fewer.is_empty() && fewer.iter().all(|word| more.contains(word));
        is_part.then_some(&**only)
    }

    /// The declared key that is absent and most similar to its own, which is not declared.
    fn likely(&self) -> Option<String> {
        nearest(self.entry.key(), self.unused().iter().map(|name| name.as_str())).map(str::to_owned)
    }
}

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn object(&mut self, shape: &'s Shape, asked: &'s ObjectShape, node: Node<'t>) {
        if is_reference(node) && !takes_reference(asked, node) {
            return self.referred(shape, asked, node.target());
        }
        let mut misspelled: Vec<String> = Vec::new();
        let mut repeated = node.has_repeated_key().then(|| repeated(node));
        let unused = OnceCell::new();
        for entry in node.entries() {
            // The last value of a repeated key is the one that is used.
            if let Some(more) = repeated.as_mut().and_then(|repeated| repeated.get_mut(entry.key())) {
                *more -= 1;
                if *more > 0 {
                    continue;
                }
            }
            misspelled.extend(self.entry(Member { shape, asked, node, entry, unused: &unused }));
        }
        for name in asked.required.iter().filter(|name| node.entry_of(name).is_none()) {
            // What is missing is there misspelled, and reported already.
            if !misspelled.iter().any(|other| **other == **name) {
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

    /// What a reference stands for, once, where the schema asks for the value itself. Nothing is known about a
    /// reference that leads nowhere, which is an error of its own.
    fn referred(&mut self, shape: &'s Shape, asked: &'s ObjectShape, target: Node<'t>) {
        let once = (std::ptr::from_ref(asked) as usize, target.id());
        if target.is_mapping() && !is_reference(target) && self.followed.insert(once) {
            self.object(shape, asked, target);
        }
    }

    /// One entry; gives the key that was likely meant by one that is not known.
    fn entry(&mut self, member: Member<'_, 's, 't>) -> Option<String> {
        let Member { shape, asked, entry, .. } = member;
        if let Some(error) = asked.key.and_then(|id| self.key_error(self.structure.shape(id), entry.key())) {
            let (shape, keyword, detail) = error;
            self.report(shape, keyword, || Violation {
                span: entry.key_span(),
                ..Violation::of(entry.value(), detail)
            });
        }
        let declared = asked.properties.of(entry);
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
            Additional::None => self.surplus(member),
            Additional::Shape(other) => self.other(member, other),
            Additional::Any | Additional::Open => {
                if self.advises
                    && !self.trial
                    && let Some(near) = member.likely()
                {
                    self.advise(shape, MISSPELLED, || member.unknown(&near));
                }
                None
            }
        }
    }

    /// Reports a key that the schema does not have.
    fn surplus(&mut self, member: Member<'_, 's, 't>) -> Option<String> {
        if self.trial {
            self.failed = true;
            return None;
        }
        let fits = |name: &&str| {
            let shape = member.asked.properties.get(name);
            shape.is_some_and(|shape| self.fits(*shape, member.entry.value()))
        };
        let near = member.likely().or_else(|| member.renamed().filter(fits).map(str::to_owned));
        let shown = near.clone().unwrap_or_default();
        self.report(member.shape, "additionalProperties", || member.unknown(&shown));
        near
    }

    /// A key that names something of the author's. Where its value cannot be that and the key is similar to a
    /// declared one, the key is misspelled.
    fn other(&mut self, member: Member<'_, 's, 't>, other: ShapeId) -> Option<String> {
        let near = if self.trial { None } else { member.likely() };
        if near.is_some() && !self.fits(other, member.entry.value()) {
            return self.surplus(member);
        }
        self.value(other, member.entry.value());
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

/// Whether a value stands for another one, or would if it led anywhere.
pub(super) fn is_reference(node: Node<'_>) -> bool {
    let is_named = || node.get(REFERENCE).is_some_and(|value| value.as_str().is_some());
    node.tree().has_references() && node.is_mapping() && is_named()
}

/// Whether a schema says itself what a reference may be. A mapping whose keys are names of the author's may have
/// the name of a reference, as long as it does not lead anywhere.
fn takes_reference(asked: &ObjectShape, node: Node<'_>) -> bool {
    asked.properties.contains_key(REFERENCE)
        || asked.patterns.iter().any(|(pattern, _)| pattern.is_match(REFERENCE))
        || match asked.additional {
            Additional::None => false,
            Additional::Shape(_) => node.target().id() == node.id(),
            Additional::Any | Additional::Open => true,
        }
}

/// The key of a reference of JSON Schema and OpenAPI.
const REFERENCE: &str = "$ref";

/// A key that is missing, with a similar one that is there.
fn missing<'t>(node: Node<'t>, name: &str, why: &str) -> Violation<'t> {
    let near = nearest(name, node.entries().map(|entry| entry.key())).map(str::to_owned);
    let violation = Violation::of(node, format!("`{name}` {why}")).at_key().property(name);
    Violation { nearest: near, ..violation }
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
