//! What a schema asks of sequences.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
};

use super::{Number, Violation, Walk};
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
    node.items().find(|item| {
        let mut written = String::new();
        write(*item, &mut written);
        !seen.insert(written)
    })
}

/// Writes a value in the way that all equal values are written: numbers by value, members by name.
fn write(node: Node<'_>, out: &mut String) {
    if let Some(number) = Number::of(node) {
        let _ = write!(out, "{number}");
    } else if let Some(text) = node.as_str() {
        let _ = write!(out, "{text:?}");
    } else if node.is_sequence() {
        out.push('[');
        for item in node.items() {
            write(item, out);
            out.push(',');
        }
        out.push(']');
    } else if node.is_mapping() {
        let members: BTreeMap<&str, Node<'_>> =
            node.entries().map(|entry| (entry.key(), entry.value())).collect();
        out.push('{');
        for (key, value) in members {
            let _ = write!(out, "{key:?}:");
            write(value, out);
            out.push(',');
        }
        out.push('}');
    } else {
        out.push_str(&node.to_json().to_string());
    }
}
