//! The sources that citations can name.

use std::{
    collections::{BTreeSet, HashSet},
    io::ErrorKind,
};

use regex::Regex;

use super::files::ProjectFile;
use crate::{
    Observation, ReadFile,
    budget::{self, Once},
    markdown::page::Findings,
    tree::{Node, NodeId, TreeBuilder},
};

/// What a document can cite.
#[derive(Debug, Default)]
pub(super) struct Bibliography {
    /// Whether the header or the project names a bibliography.
    pub(super) present: bool,
    /// Whether all of its keys are known.
    pub(super) complete: bool,
    pub(super) keys: BTreeSet<String>,
}

/// Reads the bibliographies that the header names.
pub(super) fn read(
    header: Option<NodeId>,
    builder: &TreeBuilder,
    project: &ProjectFile,
    read: Option<ReadFile<'_>>,
    findings: &mut Findings,
) -> Bibliography {
    let mut found = Bibliography {
        present: project.has_bibliography,
        complete: !project.has_bibliography,
        keys: BTreeSet::new(),
    };
    let Some(header) = header.map(|header| builder.node(header)) else { return found };
    let references = header.get("references").into_iter().flat_map(Node::items);
    let ids = references.filter_map(|item| item.get("id")?.scalar_text());
    found.keys.extend(ids.map(std::borrow::Cow::into_owned));
    found.present |= header.get("references").is_some();
    let mut known = HashSet::new();
    for file in header.get("bibliography").into_iter().flat_map(one_or_many) {
        found.present = true;
        if !budget::is_left() {
            found.complete = false;
            break;
        }
        let Some(path) = file.as_str().filter(|path| !path.contains("://")) else {
            found.complete = false;
            continue;
        };
        let Some(read) = read else {
            found.complete = false;
            continue;
        };
        let resolved = project.resolve("", path);
        // Once, however often it is named.
        if known.contains(&resolved) {
            continue;
        }
        match read(&resolved) {
            Ok(bytes) => {
                budget::allocate(bytes.len());
                let text = String::from_utf8_lossy(&bytes);
                let all = budget::measure(bytes.len() as u64, || keys(path, &text, &mut found.keys));
                found.complete &= all;
                budget::free(bytes.len());
                known.insert(resolved);
            }
            Err(error) => {
                found.complete = false;
                let outside = error.kind() == ErrorKind::PermissionDenied;
                let observation = Observation::new("bibliography-not-found", file.span());
                findings.add(observation.with("file", path).with("outside", outside).on(file.id()));
            }
        }
    }
    found
}

fn one_or_many(node: Node<'_>) -> Vec<Node<'_>> {
    if node.is_sequence() { node.items().collect() } else { vec![node] }
}

/// Adds the keys of a bibliography; gives whether its format is known.
fn keys(path: &str, text: &str, keys: &mut BTreeSet<String>) -> bool {
    static BIB: Once<Option<Regex>> = Once::new();
    static CSL: Once<Option<Regex>> = Once::new();
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let pattern = match extension.as_str() {
        "bib" | "bibtex" | "biblatex" => {
            BIB.get_or_init(|| Regex::new(r"(?m)^\s*@\s*(?<kind>\w+)\s*[{(]\s*(?<key>[^\s,{}()=]+)\s*,").ok())
        }
        "json" | "yaml" | "yml" => {
            CSL.get_or_init(|| Regex::new(r#"(?m)["']?\bid["']?\s*:\s*["']?(?<key>[^\s"',}]+)"#).ok())
        }
        _ => return false,
    };
    let Some(pattern) = pattern else { return false };
    // Entries of these kinds are not works, whatever is in them.
    let is_work =
        |kind: &str| !["comment", "preamble", "string"].iter().any(|other| kind.eq_ignore_ascii_case(other));
    let works = pattern
        .captures_iter(text)
        .filter(|found| found.name("kind").is_none_or(|kind| is_work(kind.as_str())));
    keys.extend(works.filter_map(|found| Some(found.name("key")?.as_str().to_owned())));
    // Keys can have further names.
    !text.contains("ids = ") && !text.contains("ids=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_in_every_format() {
        let all = |path, text: &str| {
            let mut found = BTreeSet::new();
            assert!(keys(path, text, &mut found));
            found.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(all("a.bib", "@article{knuth84,\n title={A, b}}\n@Book( x:1 ,\n"), ["knuth84", "x:1"]);
        assert_eq!(all("a.bib", "@comment{old,\n title={A}}\n@Comment(x, y)\n@misc{new,\n"), ["new"]);
        assert_eq!(all("a.json", "[{\"id\": \"a1\", \"type\": \"book\"}]"), ["a1"]);
        assert_eq!(all("a.yaml", "references:\n- id: b2\n  type: book\n"), ["b2"]);
        assert!(!keys("a.ris", "", &mut BTreeSet::new()));
    }
}
