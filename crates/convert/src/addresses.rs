//! Addresses of files beside a document, from the folder of its result, where that is another one.

use std::path::{Component, Path, absolute};

use super::model::{Block, Inline, Rewrite};
use crate::{budget, files};

/// The size of a file by its path from the document's folder; nothing where it cannot be read.
pub(super) type SizeOf<'f> = &'f dyn Fn(&str) -> Option<usize>;

/// Steps that looking for a file takes.
const FILE: u64 = 1_000;

/// The way from the folder of a result to that of its document, such as `../`; nothing where these are the same, or where no relative
/// path leads from one to the other.
pub fn way_back(result: &Path, document: &Path) -> Option<String> {
    let folder = |path: &Path| Some(files::plain(&absolute(path).ok()?).parent()?.to_path_buf());
    let (from, to) = (folder(result)?, folder(document)?);
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let down: Vec<Component<'_>> = to.components().skip(common).collect();
    let up = from.components().count() - common;
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    if up == 0 && down.is_empty() || !from.components().skip(common).all(|part| is_name(&part)) {
        return None;
    }
    let mut out = "../".repeat(up);
    for part in down {
        out.push_str(&encoded(part.as_os_str().to_str().filter(|_| is_name(&part))?));
        out.push('/');
    }
    Some(out)
}

/// The name of a folder in an address.
fn encoded(name: &str) -> String {
    name.replace('%', "%25").replace('#', "%23").replace('?', "%3F").replace(' ', "%20")
}

/// The address of a file beside the document, from the folder of the result; nothing for other addresses, such as those of
/// pages that are written beside the result.
pub(super) fn moved(url: &str, back: &str, size: SizeOf<'_>) -> Option<String> {
    if url.is_empty() || url.contains(':') || url.starts_with(['/', '#', '?']) {
        return None;
    }
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let found = if budget::charge(FILE) { size(&crate::text::percent_decoded(path)) } else { None };
    found.filter(|size| budget::charge(*size as u64)).map(|_| format!("{back}{url}"))
}

/// The links of a document that lead to files beside it.
struct Links<'a> {
    back: &'a str,
    size: SizeOf<'a>,
}

impl Rewrite for Links<'_> {
    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &mut inlines {
            if let Inline::Link(_, _, target) = inline
                && let Some(url) = moved(&target.url, self.back, self.size)
            {
                target.url = url;
            }
        }
        inlines
    }
}

/// The blocks with links that lead from the folder of the result to files beside the document.
pub(super) fn with_links(blocks: Vec<Block>, back: &str, size: SizeOf<'_>) -> Vec<Block> {
    Links { back, size }.rewrite(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_leads_from_the_result_to_the_document() {
        let way = |result: &str, document: &str| way_back(Path::new(result), Path::new(document));
        for (result, document, expected) in [
            ("out/a.html", "a.qmd", Some("../")),
            ("/site/x/a.html", "/docs/my notes/a.qmd", Some("../../docs/my%20notes/")),
            ("a.html", "docs/a.qmd", Some("docs/")),
            ("b.html", "./a.qmd", None),
            ("docs/../b.html", "a.qmd", None),
        ] {
            assert_eq!(way(result, document).as_deref(), expected, "{result}");
        }
    }

    #[test]
    fn only_files_beside_the_document_are_moved() {
        let size = |path: &str| (path == "a b.png").then_some(1);
        let moved = |url: &str| moved(url, "../", &size);
        assert_eq!(moved("a%20b.png#x").as_deref(), Some("../a%20b.png#x"));
        for other in ["c.html", "https://example.org/a b.png", "#a", "/a b.png", "data:x", ""] {
            assert_eq!(moved(other), None, "{other}");
        }
    }
}
