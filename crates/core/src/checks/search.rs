use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany};
use crate::{
    expressions::LazyRegex,
    text::Span,
    tree::{JsonPath, Node},
};

/// A regular expression matches nowhere in the source text of the selected nodes. Every match is a finding at the match,
/// or at its group `at`.
///
/// ```yaml
/// check: {search: {pattern: '(?m)[ \t]+$', outside: '$.code[*]'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// The regular expression (of the linear-time engine).
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    pattern: String,
    /// Path, or paths, to nodes whose text is not searched.
    outside: Option<OneOrMany<String>>,
}

impl CheckKind for Search {
    const NAME: &'static str = "search";
    const PLACES: &'static [(&'static str, &'static str)] = &[("match", "all that matches")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let outside = compiler.paths(self.outside.as_ref(), &at.key("outside"));
        Some(Arc::new(Absent { regex: LazyRegex::new(self.pattern), outside }))
    }
}

#[derive(Debug)]
struct Absent {
    regex: LazyRegex,
    outside: Vec<JsonPath>,
}

/// The spans of the nodes that paths lead to, sorted.
pub(super) fn spans_of<'p>(paths: impl IntoIterator<Item = &'p JsonPath>, node: Node<'_>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for path in paths {
        path.visit(node, &mut |found| {
            if found.source_id() == node.source_id() && !found.span().is_empty() {
                spans.push(found.span());
            }
        });
    }
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    // Spans within others add nothing, and without them the ends are sorted, too.
    spans.dedup_by(|inner, outer| inner.end <= outer.end);
    spans
}

/// Whether a span overlaps one of others, which are sorted.
pub(super) fn is_within(span: Span, others: &[Span]) -> bool {
    let first = others.partition_point(|other| other.end <= span.start);
    others.get(first).is_some_and(|other| other.start < span.end)
}

impl Evaluate for Absent {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let Some(regex) = self.regex.get() else { return Vec::new() };
        let mut findings = Vec::new();
        for node in nodes {
            let text = node.source().slice(node.span());
            if !regex.is_match(text) {
                continue;
            }
            let outside = spans_of(&self.outside, *node);
            let start = node.span().start as usize;
            let found = regex.captures_iter(text).filter_map(|found| {
                let whole = found.get(0)?;
                let at = found.name("at").unwrap_or(whole);
                let span = Span::new(start + at.start(), start + at.end());
                let whole = Span::new(start + whole.start(), start + whole.end());
                let finding = Finding { span, ..Finding::at(*node) }.place("match", whole);
                (!is_within(span, &outside)).then_some(finding)
            });
            context.keep(found, &mut findings);
        }
        findings
    }

    fn sought(&self) -> Option<&LazyRegex> {
        Some(&self.regex)
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn every_match_outside_is_a_finding() {
        let text = "a: x-1 y-2\nb: z-3\n";
        assert_eq!(findings("{search: {pattern: '[a-z]-[0-9]'}}", "$", text), [" x-1", " y-2", " z-3"]);
        let many = "- x-1\n- y\n- [z-2]\n- z\n- '3'\n";
        assert_eq!(findings("{search: {pattern: '[a-z]-[0-9]'}}", "$[*]", many), ["/0 x-1", "/2 z-2"]);
        assert_eq!(findings("{search: {pattern: '^[xz]$'}}", "$[*]", many), ["/3 z"]);
        assert!(findings("{search: {pattern: 'x-2'}}", "$[*]", many).is_empty());
        let check = "{search: {pattern: '[a-z]-(?P<at>[0-9])', outside: '$.b'}}";
        assert_eq!(findings(check, "$", text), [" 1", " 2"]);
    }
}
