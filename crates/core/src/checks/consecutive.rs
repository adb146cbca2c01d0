use std::{borrow::Cow, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, FilePart, Finding, evaluate, scope::Scope};
use crate::{
    budget,
    expressions::LazyRegex,
    kinds::SharedNames,
    text::{SourceId, Span},
    tree::{JsonPath, Node},
};

/// The numbers of the selected nodes have no gaps: for each number but the smallest, there is the one before it. The
/// finding is at the number after the gap. With `ordered`, each number is one more than that of the node before it. Values
/// without a number pass.
///
/// ```yaml
/// check: {consecutive: {by: file.name, pattern: '^0*([0-9]+)', scope: project}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Consecutive {
    /// Path to the number (default: the node itself), or a part of the document's file: `file.path`, `file.name`, `file.stem` or
    /// `file.folder`.
    by: Option<String>,
    /// Regular expression (of the linear-time engine) for the number in longer text: its first group, or all of the match.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    pattern: Option<String>,
    /// The smallest number (default: that of the nodes).
    start: Option<u64>,
    /// Whether the numbers are in order, too.
    #[serde(default)]
    ordered: bool,
    /// `project`: the numbers are those of all documents of the project.
    #[serde(default)]
    scope: Scope,
}

impl CheckKind for Consecutive {
    const NAME: &'static str = "consecutive";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("number", "the number"),
        ("missing", "the number that is missing before it"),
        ("previous", "the largest number that is smaller; with `ordered`, the number before it"),
    ];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let file = self.by.as_deref().and_then(FilePart::of);
        let by = self.by.filter(|_| file.is_none());
        let by = by.and_then(|by| compiler.path(&by, &at.key("by")));
        if self.ordered && self.scope == Scope::Project {
            let detail = "the documents of a project have no order: use `ordered` without `scope: project`";
            compiler.report(super::Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        }
        let pattern = self.pattern.map(LazyRegex::new);
        let Self { start, ordered, scope, .. } = self;
        Some(Arc::new(Numbered { by, file, pattern, start, ordered, scope }))
    }
}

#[derive(Debug)]
struct Numbered {
    by: Option<JsonPath>,
    file: Option<FilePart>,
    pattern: Option<LazyRegex>,
    start: Option<u64>,
    ordered: bool,
    scope: Scope,
}

/// A number and where it is.
#[derive(Debug, Clone, Copy)]
struct Number<'t> {
    node: Node<'t>,
    span: Span,
    value: u64,
}

impl Evaluate for Numbered {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let numbers: Vec<Number<'t>> = nodes.iter().filter_map(|node| self.number(*node)).collect();
        if self.ordered {
            let pairs = numbers.windows(2).map(|pair| (pair[1], Some(pair[0].value)));
            let first = numbers.first().filter(|_| self.start.is_some()).map(|first| (*first, None));
            let late = first.into_iter().chain(pairs).filter_map(|(one, before)| {
                let wanted = before.map_or(self.start, |before| before.checked_add(1))?;
                (one.value != wanted).then(|| finding(one, wanted, before))
            });
            return context.kept(late);
        }
        let own = numbers.iter().map(|one| one.value);
        let others = match (self.scope, context.state.document.project.as_deref()) {
            (Scope::Document, _) => Vec::new(),
            // The other documents are not known.
            (Scope::Project, None) => return Vec::new(),
            (Scope::Project, Some(project)) => {
                let own = context.state.document.source().key();
                let names = project.names(context.rule).take_while(|_| budget::charge(1));
                let others = names.filter(|name| project.is_declared(context.rule, name, own));
                others.filter_map(|name| name.parse().ok()).collect()
            }
        };
        let mut all: Vec<u64> = own.chain(others).collect();
        all.sort_unstable();
        let gaps = numbers.iter().filter_map(|one| self.gap(*one, &all, context));
        context.kept(gaps)
    }

    fn compares_documents(&self) -> bool {
        self.scope == Scope::Project
    }

    fn declared<'t>(&self, nodes: &[Node<'t>], _: &Context<'_, 't>) -> Vec<(String, Node<'t>, Span)> {
        if self.scope == Scope::Document {
            return Vec::new();
        }
        let numbers = nodes.iter().filter_map(|node| self.number(*node));
        numbers.map(|one| (one.value.to_string(), one.node, one.span)).collect()
    }
}

impl Numbered {
    fn number<'t>(&self, node: Node<'t>) -> Option<Number<'t>> {
        let node = self.by.as_ref().map_or(Some(node), |by| by.first(node))?;
        let text = match self.file {
            Some(part) => Cow::Borrowed(part.in_path(node.tree().source(SourceId(0)).key())),
            None => node.scalar_text()?,
        };
        let (text, part) = match &self.pattern {
            None => (text.as_ref(), None),
            Some(pattern) => {
                let (found, part) = evaluate::matched(pattern, &text).into_iter().next()?;
                (found, Some(part))
            }
        };
        let number = text.trim().parse().ok()?;
        let span = match (self.file, part) {
            (Some(_), _) => node.start(),
            (None, Some(part)) => node.part(part),
            (None, None) => node.span(),
        };
        Some(Number { node, span, value: number })
    }

    /// The finding about a number whose predecessor is not among all numbers, which are in order.
    fn gap<'t>(&self, one: Number<'t>, all: &[u64], context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let missing =
            one.value.checked_sub(1).filter(|number| self.start.is_none_or(|start| *number >= start))?;
        let smaller = &all[..all.partition_point(|number| *number < one.value)];
        if smaller.last() == Some(&missing) {
            return None;
        }
        // Other documents of the same file.
        let beside = context.state.document.siblings().filter(|_| self.scope == Scope::Project);
        let is_beside = |(names, part): (&SharedNames, Span)| {
            names.outside(context.rule, &missing.to_string(), part).is_some()
        };
        if beside.is_some_and(is_beside) {
            return None;
        }
        let previous = smaller.last().copied();
        if previous.is_none() && self.start.is_none() {
            return None;
        }
        Some(finding(one, missing, previous))
    }
}

fn finding(one: Number<'_>, missing: u64, previous: Option<u64>) -> Finding<'_> {
    let finding = Finding { span: one.span, ..Finding::at(one.node) };
    finding.with("number", one.value).with("missing", missing).with("previous", previous)
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn a_gap_is_found_at_the_number_after_it() {
        assert_eq!(findings("{consecutive: {}}", "$[*]", "[3, 5, 4, 8, x]"), ["/3 8"]);
        assert_eq!(findings("{consecutive: {start: 1}}", "$[*]", "[3, 1]"), ["/0 3"]);
        let steps = "['Step 1', 'Step 2', 'Step 4', 'Step 3']";
        assert_eq!(findings("{consecutive: {pattern: '[0-9]+'}}", "$[*]", steps), [""; 0]);
        let ordered = "{consecutive: {pattern: '[0-9]+', ordered: true}}";
        assert_eq!(findings(ordered, "$[*]", steps), ["/2 4", "/3 3"]);
        assert_eq!(faults("{consecutive: {ordered: true, scope: project}}"), ["bad-bounds"]);
    }
}
