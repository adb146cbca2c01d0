//! What a schema asks of values by themselves: enumerations, strings, numbers.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use serde_json::Value;

use super::{Number, Violation, Walk, equal, shown};
use crate::{
    schema::{
        Shape, ShapeId, format,
        shape::{Allowed, NumberShape, TextShape},
    },
    tree::Node,
};

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn scalar(&mut self, shape: &'s Shape, node: Node<'t>) {
        if let Some(constant) = shape.constant.as_ref().filter(|constant| !equal(node, constant)) {
            self.not_among(shape, "const", vec![shown(constant)], node);
        }
        if let Some(allowed) = &shape.allowed {
            self.allowed(shape, allowed, node);
        }
        if let (Some(asked), Some(text)) = (&shape.text, node.as_str())
            && let Some((keyword, detail)) = text_error(asked, text)
        {
            let part = || asked.format.as_deref().filter(|_| keyword == "format");
            self.report(shape, keyword, || {
                let violation = Violation::of(node, detail);
                let span = part().and_then(|name| format::part(name, text)).map(|part| node.part(part));
                Violation { span: span.unwrap_or(violation.span), ..violation }
            });
        }
        if let (Some(asked), Some(number)) = (&shape.number, Number::of(node)) {
            self.number(shape, asked, number, node);
        }
    }

    fn allowed(&mut self, shape: &'s Shape, allowed: &Allowed, node: Node<'t>) {
        let expected = match allowed {
            Allowed::Values(values) if values.iter().any(|value| equal(node, value)) => return,
            Allowed::Values(values) => values.iter().map(shown).collect(),
            Allowed::Data(levels, pointer) => {
                let base = node.ancestors().nth(*levels);
                let list =
                    base.and_then(|base| node.tree().at_pointer(&format!("{}{pointer}", base.pointer())));
                let Some(list) = list.filter(|list| list.is_sequence()) else { return };
                let value = node.to_json();
                if list.items().any(|item| equal(item, &value)) {
                    return;
                }
                list.items().map(|item| shown(&item.to_json())).collect()
            }
        };
        self.not_among(shape, "enum", expected, node);
    }

    fn not_among(&mut self, shape: &'s Shape, keyword: &'static str, expected: Vec<String>, node: Node<'t>) {
        self.report(shape, keyword, || {
            let quoted: Vec<String> = expected.iter().take(12).map(|word| format!("`{word}`")).collect();
            let word = node.scalar_text().unwrap_or_default();
            let violation = Violation::of(node, format!("must be {}", quoted.join(" or ")));
            violation.with("allowed", expected.clone()).among(&word, expected)
        });
    }

    fn number(&mut self, shape: &'s Shape, asked: &NumberShape, number: Number, node: Node<'t>) {
        let beyond = |bound: Option<Number>, wrong: &[Ordering]| {
            bound.filter(|bound| number.compare(*bound).is_some_and(|order| wrong.contains(&order)))
        };
        let bounds = [
            ("minimum", "must be at least", beyond(asked.minimum, &[Less])),
            ("exclusiveMinimum", "must be greater than", beyond(asked.above, &[Less, Equal])),
            ("maximum", "must be at most", beyond(asked.maximum, &[Greater])),
            ("exclusiveMaximum", "must be less than", beyond(asked.below, &[Greater, Equal])),
            (
                "multipleOf",
                "must be a multiple of",
                asked.multiple_of.filter(|divisor| !number.is_multiple_of(*divisor)),
            ),
        ];
        for (keyword, clause, bound) in bounds {
            let Some(bound) = bound else { continue };
            self.report(shape, keyword, || {
                let violation = Violation::of(node, format!("{clause} {bound}"));
                let violation = violation.with("bound", bound.to_string());
                let text = |bound: Option<Number>| bound.map(|bound| bound.to_string());
                violation.with("minimum", text(asked.minimum)).with("maximum", text(asked.maximum))
            });
        }
    }

    /// What is wrong with a key, for `propertyNames`: the shape that says so, the keyword, a clause.
    pub(super) fn key_error(&self, shape: &'s Shape, key: &str) -> Option<(&'s Shape, &'static str, String)> {
        if !self.effort.step() {
            return None;
        }
        if shape.refused {
            return Some((shape, "false", "is not allowed here".to_owned()));
        }
        if shape.types.as_ref().is_some_and(|types| !types.contains(&crate::tree::NodeType::String)) {
            return Some((shape, "type", "must not be a key".to_owned()));
        }
        let is = |value: &Value| value.as_str() == Some(key);
        if let Some(value) = shape.constant.as_ref().filter(|value| !is(value)) {
            return Some((shape, "const", format!("must be `{}`", shown(value))));
        }
        if let Some(Allowed::Values(values)) = &shape.allowed
            && !values.iter().any(is)
        {
            let quoted: Vec<String> = values.iter().map(|value| format!("`{}`", shown(value))).collect();
            return Some((shape, "enum", format!("must be {}", quoted.join(" or "))));
        }
        if let Some((keyword, detail)) = shape.text.as_ref().and_then(|text| text_error(text, key)) {
            return Some((shape, keyword, detail));
        }
        let error = |id: &ShapeId| self.key_error(self.structure.shape(*id), key);
        if let Some(error) = shape.reference.iter().chain(&shape.all_of).find_map(error) {
            return Some(error);
        }
        if !shape.any_of.is_empty() && shape.any_of.iter().all(|id| error(id).is_some()) {
            return Some((shape, "anyOf", "has none of the allowed forms".to_owned()));
        }
        if !shape.one_of.is_empty() && shape.one_of.iter().filter(|id| error(id).is_none()).count() != 1 {
            return Some((shape, "oneOf", "does not have exactly one of the allowed forms".to_owned()));
        }
        if shape.not.as_ref().is_some_and(|not| error(not).is_none()) {
            return Some((shape, "not", "has a form that is not allowed".to_owned()));
        }
        let (condition, then, otherwise) = shape.condition?;
        let branch = if error(&condition).is_none() { then } else { otherwise };
        error(&branch?)
    }
}

/// The keyword that a string fails, with a clause that says what must hold.
fn text_error(asked: &TextShape, text: &str) -> Option<(&'static str, String)> {
    let characters = || text.chars().count();
    if let Some(least) = asked.min_length.filter(|least| characters() < *least) {
        return Some(("minLength", format!("must have at least {least} characters")));
    }
    if let Some(most) = asked.max_length.filter(|most| characters() > *most) {
        return Some(("maxLength", format!("must have at most {most} characters")));
    }
    if let Some(pattern) = asked.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
        return Some(("pattern", format!("must match `{}`", pattern.as_str())));
    }
    let name = asked.format.as_deref()?;
    let why = format::fault(name, text)?;
    let about = format::FORMATS.iter().find(|(known, _)| *known == name).map_or(name, |(_, about)| *about);
    Some(("format", if why.is_empty() { format!("must be: {about}") } else { why }))
}
