//! The files that a document refers to.

use std::path::Path;

use serde::Serialize;

use crate::{
    files::plain,
    protocol::{Range, Uri},
    text::Span,
    uri::uri_of,
};

use super::{diagnostics::uri_of_name, snapshot::Snapshot};

/// A part of a document that leads to a file.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    range: Range,
    target: Uri,
}

/// The references that lead to files which exist, and those to the files that the document includes.
pub(crate) fn links(snapshot: &Snapshot) -> Vec<Link> {
    let (Some(reading), Some(subject)) = (snapshot.reading(), snapshot.subject()) else { return Vec::new() };
    let mut links = Vec::new();
    let folder = snapshot.path.as_deref().and_then(Path::parent);
    for reference in &reading.survey.links {
        let found = reference.candidates.iter().find(|path| subject.neighbor(path).is_ok());
        if let (Some(path), Some(folder)) = (found, folder) {
            let target = uri_of(&plain(&folder.join(path)));
            links.push(Link { range: snapshot.range(reference.span), target });
        }
    }
    for source in reading.document.tree.sources().iter().skip(1) {
        let target = uri_of_name(snapshot.owner(), source.name());
        let spans = mentions(&snapshot.text, source.name());
        links.extend(spans.map(|span| Link { range: snapshot.range(span), target: target.clone() }));
    }
    links
}

/// Where the text names a file by the end of its path.
fn mentions(text: &str, name: &str) -> impl Iterator<Item = Span> {
    let file = name.rsplit('/').next().unwrap_or(name).to_owned();
    let length = file.len();
    let is_path = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | '[' | ']');
    let found: Vec<usize> = text.match_indices(&file).map(|(at, _)| at).collect();
    found.into_iter().filter(move |_| length > 0).map(move |at| {
        let start = text[..at].trim_end_matches(is_path).len();
        Span::new(start, at + length)
    })
}
