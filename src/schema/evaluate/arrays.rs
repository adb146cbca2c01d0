//! What a schema asks of sequences.

use std::collections::HashSet;

use serde_json::Value;

use super::{Violation, Walk};
use crate::{
    schema::{Shape, shape::ArrayShape},
    tree::Node,
};

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn array(&mut self, shape: &'s Shape, asked: &'s ArrayShape, node: Node<'t>) {
        for (id, item) in asked.prefix.iter().zip(node.items()) {
            self.value(*id, item);
        }
        if let Some(items) = asked.items {
            for item in node.items().skip(asked.prefix.len()) {
                self.value(items, item);
            }
        }
        self.length(shape, asked, node);
        if let Some((wanted, least, most)) = asked.contains {
            let count = node.items().filter(|item| self.fits(wanted, *item)).count();
            if count < least || most.is_some_and(|most| count > most) {
                self.report(shape, "contains", || {
                    Violation::of(node, format!("must contain {} such item(s)", bounds(least, most)))
                });
            }
        }
        if asked.unique
            && let Some(repeated) = repeated(node)
        {
            self.report(shape, "uniqueItems", || Violation::of(repeated, "is in the list twice"));
        }
    }

    fn length(&mut self, shape: &'s Shape, asked: &ArrayShape, node: Node<'t>) {
        if let Some(least) = asked.min.filter(|least| node.len() < *least) {
            let detail = || format!("must have at least {least} item(s)");
            self.report(shape, "minItems", || Violation::of(node, detail()).with("bound", least.to_string()));
        }
        if let Some(most) = asked.max.filter(|most| node.len() > *most) {
            let detail = || format!("must have at most {most} item(s)");
            self.report(shape, "maxItems", || Violation::of(node, detail()).with("bound", most.to_string()));
        }
    }
}

fn bounds(least: usize, most: Option<usize>) -> String {
    match most {
        Some(most) => format!("{least} to {most}"),
        None => format!("at least {least}"),
    }
}

/// The first item that equals one before it.
fn repeated(node: Node<'_>) -> Option<Node<'_>> {
    let mut seen = HashSet::new();
    node.items().find(|item| !seen.insert(canonical(&item.to_json())))
}

/// A text that equal values share: numbers by value, members by name.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |n| n.to_string()),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(entries) => {
            let mut members: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}
