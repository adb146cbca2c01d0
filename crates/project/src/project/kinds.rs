//! Which kind a document is of.

use std::{path::Path, sync::Arc};

use crate::{
    kinds::{Kind, Kinds, Templating},
    text::nearest,
};

/// A name that no kind of document has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no kind `{name}`")]
#[non_exhaustive]
pub struct UnknownKind {
    /// The name.
    pub name: String,
    /// The most similar name.
    pub nearest: Option<String>,
    /// All names.
    pub known: Vec<String>,
}

/// The kind of this name, or the kind that reads the fence language of this name.
pub(super) fn named<'k>(kinds: &'k Kinds, name: &str) -> Result<&'k Arc<dyn Kind>, UnknownKind> {
    kinds.get(name).or_else(|| kinds.for_language(name)).ok_or_else(|| UnknownKind {
        name: name.to_owned(),
        nearest: nearest(name, kinds.names()).map(str::to_owned),
        known: kinds.names().map(str::to_owned).collect(),
    })
}

/// A name that no dialect of a kind has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no dialect `{name}`")]
#[non_exhaustive]
pub struct UnknownDialect {
    /// The name.
    pub name: String,
    /// The most similar name.
    pub nearest: Option<String>,
    /// All names.
    pub known: Vec<String>,
}

/// Fails where no kind has a dialect of this name.
pub(super) fn check_dialect(kinds: &Kinds, name: &str) -> Result<(), UnknownDialect> {
    let known: Vec<&str> = kinds.iter().flat_map(|kind| kind.dialects()).copied().collect();
    if known.contains(&name) {
        return Ok(());
    }
    let nearest = nearest(name, known.iter().copied()).map(str::to_owned);
    let known = known.into_iter().map(str::to_owned).collect();
    Err(UnknownDialect { name: name.to_owned(), nearest, known })
}

/// The kind of a document: that of its file's name and content, or for text without a name, what it looks like.
pub(super) fn of_text<'k>(kinds: &'k Kinds, path: Option<&Path>, text: &str) -> Option<&'k Arc<dyn Kind>> {
    match path {
        Some(path) => kinds.for_path(path, text),
        None => unnamed(kinds, text),
    }
}

/// The kind of a file that is certainly a template: one whose documents are made by template engines. The usual name of a file
/// of the kind says nothing where it is the name of a template.
pub(super) fn as_template<'k>(
    kinds: &'k Kinds,
    kind: &'k Arc<dyn Kind>,
    path: Option<&Path>,
    templating: Templating,
) -> &'k Arc<dyn Kind> {
    let extension = path.and_then(Path::extension).filter(|_| matches!(templating, Templating::Always(_)));
    let plain = extension.filter(|_| !kind.has_templates()).and_then(|extension| {
        let name = Path::new("document").with_extension(extension);
        kinds.for_name(&name).filter(|kind| kind.has_templates())
    });
    plain.unwrap_or(kind)
}

/// Names for text without one, so that kinds can recognize it.
const NAMES: [&str; 3] = ["document.yaml", "document.md", "document.toml"];

fn unnamed<'k>(kinds: &'k Kinds, text: &str) -> Option<&'k Arc<dyn Kind>> {
    let sure = NAMES.into_iter().find_map(|name| kinds.detect(Path::new(name), text));
    let text = text.trim_start_matches('\u{feff}');
    sure.or_else(|| kinds.iter().find(|kind| kind.resembles(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_a_name_is_recognized_by_its_first_line() {
        let kinds = Kinds::builtin();
        let kind = |text| of_text(&kinds, None, text).map(|kind| kind.name());
        assert_eq!(kind("---\ntitle: x\n---\n"), Some("markdown"));
        assert_eq!(kind("\n  graph TD\n A-->B"), Some("mermaid"));
        assert_eq!(kind("pie\n \"A\" : 1"), Some("mermaid"));
        assert_eq!(kind("see below\n```rust\n```\n"), Some("markdown"));
        assert_eq!(kind("hello\n"), None);
    }

    #[test]
    fn a_name_takes_precedence_over_the_content() {
        let kinds = Kinds::builtin();
        let kind = |name, text| of_text(&kinds, Some(Path::new(name)), text).map(|kind| kind.name());
        assert_eq!(kind("a.yaml", "# a comment\nx: 1\n"), Some("yaml"));
        assert_eq!(kind("notes.xyz", "# Heading\n"), None);
    }
}
