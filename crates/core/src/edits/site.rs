use minijinja::Value;

use super::Change;
use crate::{
    checks::{Finding, State},
    expressions::{Place, Template},
    text::Span,
    tree::Node,
};

/// The finding that an edit is for, with the document around it.
pub struct Site<'s, 't> {
    /// The document under the names of the rule's pack.
    pub state: &'s State<'t>,
    /// What the rule found.
    pub finding: &'s Finding<'t>,
    /// What `self` is: the span of the diagnostic.
    pub own: Span,
    /// What templates see.
    pub values: &'s Value,
}

impl<'t> Site<'_, 't> {
    /// The node at a place; nothing where there is none in the file of the finding.
    pub(super) fn node(&self, place: &Place) -> Option<Node<'t>> {
        self.state.node_of(place, self.finding)
    }

    /// A change at each of the spans of a place; nothing where it has none.
    pub(super) fn everywhere(&self, place: &Place, change: impl Fn(Span) -> Change) -> Option<Vec<Change>> {
        let spans = self.state.spans_of(place, self.finding, self.own);
        (!spans.is_empty()).then(|| spans.into_iter().map(change).collect())
    }

    /// The spans of a place with the text that each one covers.
    pub(super) fn texts(&self, place: &Place) -> Vec<(Span, &'t str)> {
        let source = self.state.tree().source(self.finding.source);
        let spans = self.state.spans_of(place, self.finding, self.own);
        spans.into_iter().map(|span| (span, source.slice(span))).collect()
    }

    /// The place; where it is an empty last line, the end of the line before it.
    pub(super) fn or_line_end_before(&self, span: Span) -> Span {
        let text = self.state.tree().source(self.finding.source).text();
        let end = text.len();
        if !span.is_empty() || span.start as usize != end || !text.ends_with('\n') {
            return span;
        }
        let line_end = if text.ends_with("\r\n") { 2 } else { 1 };
        Span::new(end - line_end, end)
    }

    /// A template filled in; nothing where a value that it needs is missing.
    pub(super) fn render(&self, template: &Template) -> Option<String> {
        template.render_complete(self.values)
    }
}
