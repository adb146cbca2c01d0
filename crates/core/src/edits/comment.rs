use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Apply, Change, EditKind, Site};
use crate::{
    checks::{Compiler, Field},
    expressions::{Place, Suffix},
    text::Span,
};

/// Makes the lines of a place a comment, written as the document's kind writes comments. Indentation, and the `>`
/// of a block quote around the document, stay outside of it.
///
/// ```yaml
/// fix: {applicability: unsafe, comment: self}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Comment {
    /// The place whose lines become a comment.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    comment: String,
}

impl EditKind for Comment {
    const NAME: &'static str = "comment";
    const FIELDS: &'static [&'static str] = &["comment"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let place = compiler.place(&self.comment, &at.key("comment"))?;
        Some(Arc::new(Commenting(Place { suffix: Some(Suffix::Text), ..place })))
    }
}

#[derive(Debug)]
struct Commenting(Place);

impl Apply for Commenting {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let (begin, end) = site.state.comment_marks()?;
        let mut changes = Vec::new();
        for (span, text) in site.texts(&self.0) {
            let mut at = span.start as usize;
            for line in text.split_inclusive('\n') {
                let content = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
                let start = at + line.len() - content.len();
                let content = content.trim_end();
                at += line.len();
                if content.is_empty() {
                    continue;
                }
                if !end.is_empty() && content.contains(end.trim()) {
                    return None;
                }
                changes.push((Span::at(start), begin.clone()));
                if !end.is_empty() {
                    changes.push((Span::at(start + content.len()), end.clone()));
                }
            }
        }
        (!changes.is_empty()).then_some(changes)
    }

    fn title(&self) -> Option<String> {
        Some("make the line a comment".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::edits::tests::edited;

    #[test]
    fn the_lines_of_a_place_become_a_comment_of_the_kind() {
        let text = "a:\n  b: 1\n\n  c: 2\n";
        assert_eq!(edited("{comment: self}", "$.a.b", text), "a:\n  # b: 1\n\n  c: 2\n");
        assert_eq!(edited("{comment: entry}", "$.a", text), "# a:\n  # b: 1\n\n  # c: 2\n");
    }
}
