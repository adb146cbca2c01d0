//! Evaluation of schemas with variants on the tree: no conversion, and one error a mistake.

use serde_json::Value;

use crate::{
    checks::Finding,
    schema::{Additional, Shape, ShapeId, Structure, Variants},
    tree::{Entry, Node, NodeType},
};

/// Everything that is wrong below a node, each with the name that rules know it by.
pub(super) fn evaluate<'t>(structure: &Structure, node: Node<'t>) -> Vec<(String, Finding<'t>)> {
    let mut walk = Walk::new(structure, None);
    walk.value(structure.root(), node);
    walk.found
}

struct Walk<'s, 't> {
    structure: &'s Structure,
    found: Vec<(String, Finding<'t>)>,
    /// Title of the innermost shape that has one.
    owner: Option<&'s str>,
    /// Whether only the verdict counts: nothing is found, and the walk ends at the first error.
    trial: bool,
    failed: bool,
}

impl<'s, 't> Walk<'s, 't> {
    fn new(structure: &'s Structure, owner: Option<&'s str>) -> Self {
        Self { structure, found: Vec::new(), owner, trial: false, failed: false }
    }

    fn fits(&self, id: ShapeId, node: Node<'t>) -> bool {
        let mut trial = Walk { trial: true, ..Walk::new(self.structure, None) };
        trial.value(id, node);
        !trial.failed
    }

    fn report(&mut self, shape: &Shape, keyword: &'static str, finding: impl FnOnce() -> Finding<'t>) {
        self.failed = true;
        if self.trial {
            return;
        }
        let finding = finding();
        let name = shape.faults.get(keyword).map_or(keyword, String::as_str).to_owned();
        let owner = self.owner.map_or(Value::Null, Value::from);
        self.found.push((name, finding.with("keyword", keyword).with("owner", owner)));
    }

    fn value(&mut self, id: ShapeId, node: Node<'t>) {
        if self.trial && self.failed {
            return;
        }
        let shape = self.structure.shape(id);
        let outer = self.owner;
        self.owner = shape.title.as_deref().or(outer);
        if self.kind_of_value(shape, node) {
            if let Some(reference) = shape.reference {
                self.value(reference, node);
            }
            self.scalar(shape, node);
            if node.is_mapping() {
                self.mapping(shape, node);
            } else if node.is_sequence() {
                self.sequence(shape, node);
            }
            self.combined(shape, node);
        }
        self.owner = outer;
    }

    /// Whether the value has a type that the shape takes; reports it otherwise.
    fn kind_of_value(&mut self, shape: &'s Shape, node: Node<'t>) -> bool {
        let Some(types) = &shape.types else { return true };
        let found = node.node_type();
        let whole = |t: &NodeType| *t == NodeType::Integer && is_whole(node);
        if types.iter().any(|t| t.accepts(found) || whole(t)) {
            return true;
        }
        self.report(shape, "type", || {
            let expected: Vec<String> = types.iter().map(|t| t.name().to_owned()).collect();
            let finding = Finding::at(node).with("expects", expected.join(" "));
            let finding = finding.with("property", node.key().map_or(Value::Null, Value::from));
            Finding { expected, ..finding.with("detail", found.name()) }
        });
        false
    }

    fn scalar(&mut self, shape: &'s Shape, node: Node<'t>) {
        if let Some(allowed) = &shape.allowed
            && !allowed.iter().any(|value| equal(node, value))
        {
            self.report(shape, "enum", || {
                let expected: Vec<String> =
                    allowed.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).collect();
                let word = node.scalar_text().unwrap_or_default();
                Finding::at(node).with("property", key_of(node)).among(&word, expected)
            });
        }
        if let (Some(pattern), Some(text)) = (&shape.pattern, node.as_str())
            && !pattern.is_match(text)
        {
            self.report(shape, "pattern", || Finding::at(node).with("property", key_of(node)));
        }
        let Some(number) = node.as_f64() else { return };
        let bounds = [
            ("minimum", shape.minimum.filter(|bound| number < *bound)),
            ("exclusiveMinimum", shape.above.filter(|bound| number <= *bound)),
            ("maximum", shape.maximum.filter(|bound| number > *bound)),
        ];
        for (keyword, bound) in bounds {
            if let Some(bound) = bound {
                self.report(shape, keyword, || {
                    Finding::at(node).with("property", key_of(node)).with("detail", bound.to_string())
                });
            }
        }
    }

    fn sequence(&mut self, shape: &'s Shape, node: Node<'t>) {
        if let Some(items) = shape.items {
            for item in node.items() {
                self.value(items, item);
            }
        }
        if shape.min_items.is_some_and(|least| node.len() < least) {
            self.report(shape, "minItems", || Finding::at(node).with("property", key_of(node)));
        }
        if shape.contains.is_some_and(|wanted| !node.items().any(|item| self.fits(wanted, item))) {
            self.report(shape, "contains", || Finding::at(node));
        }
    }

    fn mapping(&mut self, shape: &'s Shape, node: Node<'t>) {
        let mut misspelt: Vec<String> = Vec::new();
        for entry in node.entries().filter(|entry| counts(node, *entry)) {
            match (shape.properties.get(entry.key()), shape.additional) {
                (Some(property), _) => self.value(*property, entry.value()),
                (None, Additional::Shape(other)) => self.value(other, entry.value()),
                (None, Additional::Any) => {}
                (None, Additional::None) => misspelt.extend(self.surplus(shape, node, entry)),
            }
        }
        for name in shape.required.iter().filter(|name| node.entry(name).is_none()) {
            // What is missing stands there misspelt, and that is told already.
            if !misspelt.contains(name) {
                self.report(shape, "required", || Finding::at_key(node).with("property", name.as_str()));
            }
        }
        if shape.min_properties.is_some_and(|least| node.len() < least) {
            self.report(shape, "minProperties", || Finding::at(node).with("property", key_of(node)));
        }
    }

    /// Reports a key that nobody knows; gives the one that was likely meant.
    fn surplus(&mut self, shape: &'s Shape, node: Node<'t>, entry: Entry<'t>) -> Option<String> {
        if self.trial {
            self.failed = true;
            return None;
        }
        let absent = shape.names.iter().filter(|name| node.entry(name).is_none()).cloned();
        let finding = Finding { span: entry.key_span(), ..Finding::at(entry.value()) };
        let finding = finding.with("property", entry.key()).among(entry.key(), absent);
        let near = finding.nearest.clone();
        self.report(shape, "additionalProperties", || finding);
        near
    }

    fn combined(&mut self, shape: &'s Shape, node: Node<'t>) {
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
        if !shape.any_of.is_empty() && !shape.any_of.iter().any(|branch| self.fits(*branch, node)) {
            self.no_branch(shape, node);
        }
    }

    /// The branch that the discriminator names, or what is wrong with the discriminator.
    fn variant(&mut self, shape: &'s Shape, variants: &'s Variants, node: Node<'t>) {
        if !node.is_mapping() {
            self.report(shape, "type", || {
                let finding = Finding { expected: vec!["object".into()], ..Finding::at(node) };
                finding.with("property", key_of(node)).with("detail", node.node_type().name())
            });
            return;
        }
        let Some(tag) = node.get(&variants.property) else {
            let nearest = if self.trial { None } else { self.likely(variants, node) };
            self.report(shape, "discriminator-missing", || {
                let finding = Finding::at_key(node).with("property", variants.property.as_str());
                let expected = variants.branches.iter().map(|(name, _)| name.clone()).collect();
                Finding { expected, nearest, ..inside(finding, node) }
            });
            return;
        };
        let text = tag.as_str();
        if let Some((_, branch)) = variants.branches.iter().find(|(name, _)| text == Some(name)) {
            self.value(*branch, node);
            return;
        }
        self.report(shape, "discriminator", || {
            let word = tag.scalar_text().unwrap_or_default();
            let names = variants.branches.iter().map(|(name, _)| name.clone());
            Finding::at(tag).with("property", variants.property.as_str()).among(&word, names)
        });
    }

    /// The only branch that fits best: whose required keys are there and which knows the most keys.
    fn likely(&self, variants: &Variants, node: Node<'t>) -> Option<String> {
        let score = |id: ShapeId| {
            let mut shape = self.structure.shape(id);
            while let Some(next) = shape.reference {
                shape = self.structure.shape(next);
            }
            let has = |name: &&String| *name == &variants.property || node.entry(name).is_some();
            let complete = shape.required.iter().all(|name| has(&name));
            let known = node.entries().filter(|entry| shape.properties.contains_key(entry.key())).count();
            (known == node.len() && complete).then_some(shape.required.len())
        };
        let scores: Vec<_> =
            variants.branches.iter().filter_map(|(name, id)| Some((score(*id)?, name))).collect();
        let best = scores.iter().map(|(score, _)| *score).max()?;
        let mut leading = scores.iter().filter(|(score, _)| *score == best);
        let first = leading.next().map(|(_, name)| (*name).clone());
        first.filter(|_| leading.next().is_none())
    }

    /// None of a union's branches fits: the errors of the one that fails least below the value
    /// itself, or that none fits.
    fn no_branch(&mut self, shape: &'s Shape, node: Node<'t>) {
        if self.trial {
            self.failed = true;
            return;
        }
        let mut best: Option<Vec<(String, Finding<'t>)>> = None;
        for branch in &shape.any_of {
            let mut trial = Walk::new(self.structure, self.owner);
            trial.value(*branch, node);
            let own_type = trial.found.iter().any(|(name, finding)| {
                name == "type" && finding.node.is_some_and(|found| found.id() == node.id())
            });
            let fewer = best.as_ref().is_none_or(|best| trial.found.len() < best.len());
            if !own_type && fewer && !shape.faults.contains_key("anyOf") {
                best = Some(trial.found);
            }
        }
        match best {
            Some(errors) => {
                self.failed = true;
                self.found.extend(errors);
            }
            None => self.report(shape, "anyOf", || Finding::at(node).with("property", key_of(node))),
        }
    }
}

/// The same with the place before the mapping's first key and, in block style, the blanks that a
/// further key needs.
fn inside<'t>(finding: Finding<'t>, node: Node<'t>) -> Finding<'t> {
    let Some(first) = node.entries().next().map(|entry| entry.key_span()) else { return finding };
    let finding = finding.place("inside", first);
    let source = node.source();
    let line = source.line_span(first);
    let before = source.slice(crate::text::Span { start: line.start, end: first.start });
    let block = !node.raw().starts_with('{') && before.bytes().all(|byte| byte == b' ' || byte == b'-');
    if block { finding.with("indent", " ".repeat(before.len())) } else { finding }
}

fn key_of(node: Node<'_>) -> Value {
    node.key().map_or(Value::Null, Value::from)
}

/// Whether the entry is the last one of its key.
fn counts(node: Node<'_>, entry: Entry<'_>) -> bool {
    node.entry(entry.key()).is_some_and(|last| last.value().id() == entry.value().id())
}

/// Whether a float is a whole number, which JSON Schema counts among the integers.
fn is_whole(node: Node<'_>) -> bool {
    node.node_type() == NodeType::Number && node.as_f64().is_some_and(|value| value.fract() == 0.0)
}

#[allow(clippy::float_cmp, reason = "JSON numbers are equal when their values are")]
fn equal(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::String(text) => node.as_str() == Some(text),
        Value::Number(number) => node.as_f64().is_some_and(|found| number.as_f64() == Some(found)),
        Value::Bool(value) => node.as_bool() == Some(*value),
        Value::Null => node.is_null(),
        other => node.to_json() == *other,
    }
}
