//! Comments that may hold suppressions.

use memchr::memmem;

use super::page::Page;
use crate::{Comment, syntax::commonmark::Outline};

/// What makes a comment worth keeping.
const MARK: &str = "proofmark-ignore";

/// The comments of the text and, of those given, the ones that speak to us. Costs one search in
/// documents without any.
pub(crate) fn suppressions(page: &Page<'_>, outline: &Outline, yaml: Vec<Comment>) -> Vec<Comment> {
    let text = page.text();
    let finder = memmem::Finder::new(MARK);
    if finder.find(text.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut comments: Vec<Comment> =
        yaml.into_iter().filter(|comment| page.source.slice(comment.text).contains(MARK)).collect();
    for html in &outline.html {
        let mut from = html.start;
        while let Some(at) = text[from..html.end].find("<!--") {
            let start = from + at;
            let inner = start + 4;
            let end = text[inner..html.end].find("-->").map_or(html.end, |end| inner + end);
            from = (end + 3).min(html.end);
            if text[inner..end].contains(MARK) {
                let words = page.trimmed(inner..end);
                comments.push(Comment { span: page.span(start..from), text: page.span(words) });
            }
        }
    }
    comments.sort_by_key(|comment| comment.span);
    comments
}
