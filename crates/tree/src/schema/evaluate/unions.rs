//! What a schema says by other schemas: `allOf`, `anyOf`, `oneOf`, `not`, `if`, variants.

use std::collections::HashSet;

use super::{Violation, Walk, shown};
use crate::{
    schema::{Shape, ShapeId, Variants},
    text::Span,
    tree::{Key, Node, NodeType},
};

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn combined(&mut self, shape: &'s Shape, node: Node<'t>) {
        for all in &shape.all_of {
            self.value(*all, node);
        }
        if let Some((condition, then, otherwise)) = shape.condition
            && let Some(branch) = if self.fits(condition, node) { then } else { otherwise }
        {
            self.value(branch, node);
        }
        if let Some(variants) = &shape.variants {
            self.variant(shape, variants, node);
        }
        let mut has_form = true;
        if !shape.any_of.is_empty() && !shape.any_of.iter().any(|branch| self.fits(*branch, node)) {
            has_form = false;
            self.no_branch(shape, "anyOf", &shape.any_of, node);
        }
        if !shape.one_of.is_empty() {
            match shape.one_of.iter().filter(|branch| self.fits(**branch, node)).count() {
                1 => {}
                0 => {
                    has_form = false;
                    self.no_branch(shape, "oneOf", &shape.one_of, node);
                }
                _ => self.report(shape, "oneOf", || {
                    Violation::of(node, "has several of the allowed forms instead of exactly one").whole()
                }),
            }
        }
        if shape.not.is_some_and(|not| self.fits(not, node)) {
            self.report(shape, "not", || Violation::of(node, "has a form that is not allowed here").whole());
        }
        // What the branches ask of a value is not known where none of them fits.
        if has_form {
            self.unevaluated(shape, node);
        }
    }

    /// The branch that the discriminator names, or what is wrong with the discriminator.
    fn variant(&mut self, shape: &'s Shape, variants: &'s Variants, node: Node<'t>) {
        if !node.is_mapping() {
            self.report(shape, "type", || {
                let actual = node.node_type();
                let violation =
                    Violation::of(node, format!("must be a mapping, not {}", super::noun(actual)));
                let violation = violation.with("expects", "object").with("actual", actual.name());
                Violation { expected: vec!["object".into()], ..violation }
            });
            return;
        }
        let Some(tag) = node.get_of(&variants.property) else {
            let nearest = if self.trial { None } else { self.likely(variants, node) };
            self.report(shape, "discriminator-missing", || {
                let violation = Violation::of(node, format!("`{}` must be there", variants.property));
                let violation = violation.at_key().property(&variants.property);
                let expected = variants.branches.iter().map(|(name, _)| name.clone()).collect();
                Violation { expected, nearest, ..inside(violation, node) }
            });
            return;
        };
        if let Some(branch) = variants.chosen(node) {
            self.value(branch, node);
            return;
        }
        let likely = if self.trial { None } else { self.likely(variants, node) };
        self.report(shape, "discriminator", || {
            let word = tag.scalar_text().unwrap_or_default();
            let names = variants.branches.iter().map(|(name, _)| name.clone());
            let violation = Violation::of(tag, format!("`{word}` is not one of the allowed values"));
            let violation = violation.property(&variants.property).among(&word, names.collect());
            match likely {
                Some(likely) => violation.with("likely", likely),
                None => violation,
            }
        });
    }

    /// The only branch that fits best: whose required keys are there and which knows the most keys.
    fn likely(&self, variants: &Variants, node: Node<'t>) -> Option<String> {
        let score = |id: ShapeId| {
            let object = self.structure.resolve(id).object.as_deref()?;
            let has = |name: &Key| *name == variants.property || node.entry_of(name).is_some();
            let complete = object.required.iter().all(has);
            let known = node.entries().filter(|entry| object.properties.of(*entry).is_some()).count();
            (known == node.len() && complete).then_some(object.required.len())
        };
        let scores: Vec<_> =
            variants.branches.iter().filter_map(|(name, id)| Some((score(*id)?, name))).collect();
        let best = scores.iter().map(|(score, _)| *score).max()?;
        let mut leading = scores.iter().filter(|(score, _)| *score == best);
        let first = leading.next().map(|(_, name)| (*name).clone());
        first.filter(|_| leading.next().is_none())
    }

    /// Reports that none of a union's branches fits: the errors of the branch that was likely meant, or that none fits.
    fn no_branch(
        &mut self,
        shape: &'s Shape,
        keyword: &'static str,
        branches: &'s [ShapeId],
        node: Node<'t>,
    ) {
        self.failed = true;
        if self.trial {
            return;
        }
        if let Some(constants) = self.constants(branches) {
            let word = node.scalar_text().unwrap_or_default();
            self.report(shape, "enum", || {
                let quoted: Vec<String> = constants.iter().map(|word| format!("`{word}`")).collect();
                let violation = Violation::of(node, format!("must be {}", quoted.join(" or ")));
                violation.with("allowed", constants.clone()).among(&word, constants)
            });
            return;
        }
        let named = shape.faults.contains_key(keyword);
        let meant = if named { None } else { self.meant(branches, node) };
        match meant {
            Some(errors) => self.found.extend(errors),
            None => {
                let detail = self.forms(branches, node);
                self.report(shape, keyword, || Violation::of(node, detail).whole());
            }
        }
    }

    /// That a value has none of the forms of a union: for a list or a mapping, the types that it may have where it has none
    /// of them.
    fn forms(&self, branches: &[ShapeId], node: Node<'t>) -> String {
        let types = if node.scalar().is_none() { self.types(branches) } else { None }.unwrap_or_default();
        // What may be left out is not what one would write.
        let written = types.iter().filter(|one| **one != NodeType::Null);
        let nouns: Vec<&str> = written.map(|one| super::noun(*one)).collect();
        if nouns.is_empty() || super::has_type(&types, node) {
            return "has none of the allowed forms".to_owned();
        }
        format!("must be {}, not {}", nouns.join(" or "), super::noun(node.node_type()))
    }

    /// The types that the branches of a union take, each once, where every branch says so. Unions in unions are looked into
    /// once: references can lead in circles, and many ways to the same union.
    fn types(&self, branches: &[ShapeId]) -> Option<Vec<NodeType>> {
        let mut types = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting: Vec<ShapeId> = branches.iter().rev().copied().collect();
        while let Some(id) = waiting.pop() {
            if !self.effort.step() {
                return None;
            }
            if !seen.insert(id) {
                continue;
            }
            let shape = self.structure.resolve(id);
            match &shape.types {
                Some(own) => own.iter().for_each(|one| {
                    if !types.contains(one) {
                        types.push(*one);
                    }
                }),
                None if shape.any_of.is_empty() && shape.one_of.is_empty() => return None,
                None => waiting.extend(shape.any_of.iter().chain(&shape.one_of).rev()),
            }
        }
        Some(types)
    }

    /// Whether a branch is a union that takes no such list or mapping. It would report its own types alone, unless it has a
    /// name for that. A scalar may be one of its words, misspelled.
    fn is_for_others(&self, branch: ShapeId, node: Node<'t>) -> bool {
        if node.scalar().is_some() {
            return false;
        }
        let shape = self.structure.resolve(branch);
        let is_union = !shape.any_of.is_empty() || !shape.one_of.is_empty();
        let is_named = ["anyOf", "oneOf"].iter().any(|keyword| shape.faults.contains_key(*keyword));
        let types = if is_union && !is_named { self.types(&[branch]) } else { None };
        types.is_some_and(|types| !super::has_type(&types, node))
    }

    /// The errors of the branch that was likely meant: not one for another type of value or with another constant
    /// in it, and of the others the one with the fewest errors.
    fn meant(&self, branches: &[ShapeId], node: Node<'t>) -> Option<Vec<Violation<'t>>> {
        let other_than_null =
            |id: &&ShapeId| self.structure.resolve(**id).types.as_deref() != Some(&[NodeType::Null]);
        let mut candidates = branches.iter().filter(other_than_null);
        if let (Some(only), None) = (candidates.next(), candidates.next()) {
            return Some(self.errors(*only, node));
        }
        let mut best: Option<Vec<Violation<'t>>> = None;
        for branch in branches {
            if self.is_for_others(*branch, node) {
                continue;
            }
            let errors = self.errors(*branch, node);
            let unlikely = errors.iter().any(|error| {
                let own = error.node.id() == node.id();
                let constant = matches!(error.keyword, "const" | "enum");
                (own && (error.keyword == "type" || constant && node.scalar().is_none()))
                    || (!own && error.keyword == "const")
            });
            if !unlikely && best.as_ref().is_none_or(|best| errors.len() < best.len()) {
                best = Some(errors);
            }
        }
        best
    }

    /// The values of a union of constants, which is how an enumeration with documented values is written.
    fn constants(&self, branches: &[ShapeId]) -> Option<Vec<String>> {
        let constant = |id: &ShapeId| self.structure.resolve(*id).constant.as_ref().map(shown);
        branches.iter().map(constant).collect()
    }
}

/// Adds the place before the mapping's first key and, in block style, the spaces that a further key needs.
fn inside<'t>(mut violation: Violation<'t>, node: Node<'t>) -> Violation<'t> {
    let Some(first) = node.entries().next().map(|entry| entry.key_span()) else { return violation };
    violation.places.push(("inside", first));
    let source = node.source();
    let line = source.line_span(first);
    let before = source.slice(Span { start: line.start, end: first.start });
    let block = !node.raw().starts_with('{') && before.bytes().all(|byte| byte == b' ' || byte == b'-');
    if block { violation.with("indent", " ".repeat(before.len())) } else { violation }
}
