//! The bibliography of a document, for Pandoc's citation processor.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::super::{error::ConvertError, metadata::Metadata, project_files::ReadFile, xml};
use crate::budget;

/// Formats of bibliographies, by the endings of their files.
const ENDINGS: [&str; 6] = ["bib", "bibtex", "json", "yaml", "yml", "ris"];

/// Most files of one document.
const MOST: usize = 32;

/// What citations are resolved with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct Citations {
    /// Bibliographies: the ending of the file, and its bytes.
    bibliographies: Vec<(&'static str, Arc<[u8]>)>,
    /// The works that the header describes, as a bibliography.
    inline: Option<Vec<u8>>,
    /// The style.
    style: Option<Arc<[u8]>>,
    /// Keys of the metadata whose files have no effect.
    pub(in super::super) refused: Vec<String>,
}

impl Citations {
    /// The files that a document names, read from the folders that it may read.
    pub(in super::super) fn find(metadata: &Metadata, read: ReadFile<'_>) -> Self {
        let mut out = Self::default();
        let mut named = HashSet::new();
        let paths: Vec<&str> = match metadata.at("bibliography") {
            Some(Value::Array(items)) => {
                let once = items.iter().filter_map(Value::as_str).filter(|path| named.insert(*path));
                once.take(MOST).collect()
            }
            Some(Value::String(path)) => vec![path],
            _ => vec![],
        };
        for path in paths {
            let ending = path.rsplit('.').next().unwrap_or_default();
            let ending = ENDINGS.into_iter().find(|known| known.eq_ignore_ascii_case(ending));
            if !budget::is_left() {
                break;
            }
            match ending.zip(read(path)) {
                Some(found) => {
                    budget::allocate(found.1.len());
                    out.bibliographies.push(found);
                }
                None => out.refused.push("bibliography".to_owned()),
            }
        }
        if let Some(works) = metadata.at("references").filter(|works| works.is_array()) {
            let bytes = serde_json::to_vec(&serde_json::json!({"references": works})).unwrap_or_default();
            budget::allocate(bytes.len());
            out.inline = Some(bytes);
        }
        if let Some(path) = metadata.text("csl") {
            out.style = read(path).filter(|bytes| is_style(bytes));
            if out.style.is_none() {
                out.refused.push("csl".to_owned());
            }
        }
        out
    }

    /// The bibliographies: the endings of their names, and their bytes.
    pub(in super::super) fn files(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.bibliographies.iter().map(|(ending, bytes)| (*ending, bytes.as_ref()))
    }

    /// The style.
    pub(in super::super) fn style(&self) -> Option<&[u8]> {
        self.style.as_deref()
    }

    /// Whether there is nothing to resolve citations with.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.bibliographies.is_empty() && self.inline.is_none()
    }

    /// Puts the files beside a run; gives its arguments.
    pub(super) fn arguments(&self, run: &mut super::process::Run<'_>) -> Result<Vec<String>, ConvertError> {
        let mut out = Vec::new();
        if self.is_empty() {
            return Ok(out);
        }
        out.push("--citeproc".to_owned());
        for (index, (ending, bytes)) in self.bibliographies.iter().enumerate() {
            let path = run.add_file(&format!("bibliography-{index}"), ending, bytes)?;
            out.push(format!("--bibliography={}", path.display()));
        }
        if let Some(bytes) = &self.inline {
            // JSON is YAML.
            let path = run.add_file("references", "yaml", bytes)?;
            out.push(format!("--bibliography={}", path.display()));
        }
        if let Some(bytes) = &self.style {
            let path = run.add_file("style", "csl", bytes)?;
            out.push(format!("--csl={}", path.display()));
        }
        Ok(out)
    }
}

/// Whether a file is a citation style. Pandoc quotes what is not one in its message.
fn is_style(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    xml::parse(text).is_ok_and(|document| document.root_element().has_tag_name((CSL, "style")))
}

/// The namespace of citation styles.
const CSL: &str = "http://purl.org/net/xbiblio/csl";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    #[test]
    fn only_bibliographies_and_styles_are_given_to_the_program() {
        let style = format!("<style xmlns=\"{CSL}\"/>");
        let read = move |path: &str| match path {
            "a.bib" => Some(Arc::from(&b"@book{a}"[..])),
            "ok.csl" => Some(style.clone().into_bytes().into()),
            "secret.csl" | "secret.txt" => Some(Arc::from(&b"TOP-SECRET"[..])),
            _ => None,
        };
        let find = |header: Value| {
            let metadata = Metadata::new(Value::Null, header, &[], &formats::all()[0]);
            Citations::find(&metadata, &read)
        };
        let found = find(json!({"bibliography": ["a.bib", "secret.txt", "../b.bib"], "csl": "secret.csl"}));
        assert_eq!(found.bibliographies, [("bib", Arc::from(&b"@book{a}"[..]))]);
        assert_eq!(found.style, None);
        assert_eq!(found.refused, ["bibliography", "bibliography", "csl"]);
        assert!(find(json!({"bibliography": "a.bib", "csl": "ok.csl"})).style.is_some());
    }
}
