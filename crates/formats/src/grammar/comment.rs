use crate::{
    Comment,
    text::{Fragment, Span},
};

/// How a kind writes a comment: what is before its text and what is after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentPattern {
    before: String,
    after: String,
}

impl Default for CommentPattern {
    /// `# {}`.
    fn default() -> Self {
        Self { before: "# ".to_owned(), after: String::new() }
    }
}

impl CommentPattern {
    /// The pattern of a comment with `{}` for its text, such as `# {}` or `/* {} */`; nothing where there is
    /// no `{}` or nothing before it.
    pub fn new(pattern: &str) -> Option<Self> {
        let (before, after) = pattern.split_once("{}")?;
        let marked = !before.trim().is_empty() && !after.contains("{}") && !pattern.contains(['\n', '\r']);
        marked.then(|| Self { before: before.to_owned(), after: after.to_owned() })
    }

    /// A comment with this text.
    pub(super) fn write(&self, text: &str) -> String {
        format!("{}{text}{}", self.before, self.after)
    }

    /// The comments that may hold suppressions: those that begin with `proofmark-ignore`.
    pub(super) fn suppressions(&self, fragment: &Fragment<'_>) -> Vec<Comment> {
        const WORD: &str = "proofmark-ignore";
        let (opener, closer) = (self.before.trim(), self.after.trim());
        let mut found = Vec::new();
        let mut start = 0;
        for line in fragment.text().split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r']);
            for (at, _) in body.match_indices(WORD) {
                let before = body[..at].trim_end();
                let Some(mark) = before.strip_suffix(opener) else { continue };
                let end = match closer {
                    "" => body.len(),
                    closer => body[at..].find(closer).map_or(body.len(), |end| at + end),
                };
                let text = body[at..end].trim_end();
                let whole =
                    if closer.is_empty() { at + text.len() } else { (end + closer.len()).min(body.len()) };
                let span = |from: usize, to: usize| fragment.host(Span::new(start + from, start + to));
                found.push(Comment { span: span(mark.len(), whole), text: span(at, at + text.len()) });
            }
            start += line.len();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(pattern: &str, text: &str) -> Vec<(String, String)> {
        let pattern = CommentPattern::new(pattern).unwrap();
        let fragment = Fragment::contiguous(text, Span::new(0, text.len()));
        let found = pattern.suppressions(&fragment);
        found.iter().map(|c| (c.span.of(text).to_owned(), c.text.of(text).to_owned())).collect()
    }

    #[test]
    fn a_suppression_is_found_after_the_mark() {
        let text = "a\n# proofmark-ignore A1: why\nb #proofmark-ignore-file A1  \nproofmark-ignore no\n";
        assert_eq!(
            comments("# {}", text),
            [
                ("# proofmark-ignore A1: why".into(), "proofmark-ignore A1: why".into()),
                ("#proofmark-ignore-file A1".into(), "proofmark-ignore-file A1".into()),
            ]
        );
    }

    #[test]
    fn a_comment_ends_where_its_pattern_ends() {
        let text = "a /* proofmark-ignore A1: why */ b";
        assert_eq!(
            comments("/* {} */", text),
            [("/* proofmark-ignore A1: why */".into(), "proofmark-ignore A1: why".into())]
        );
    }

    #[test]
    fn a_pattern_has_a_mark_and_one_text() {
        for wrong in ["", "#", "{}", " {}", "{} #", "# {} {}", "#\n{}"] {
            assert_eq!(CommentPattern::new(wrong), None, "{wrong}");
        }
        assert_eq!(CommentPattern::new("// {}").unwrap().write("x"), "// x");
    }
}
