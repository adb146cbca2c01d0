use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use crate::{diagnostic::Diagnostic, text::visible};

/// The findings of earlier calls, so that a later call can report what changed. The oldest result is
/// dropped first.
#[derive(Debug)]
pub(super) struct Results {
    kept: Mutex<VecDeque<Kept>>,
    limit: usize,
}

/// The findings of one earlier call.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    handle: String,
    document: Identity,
    pub(super) findings: Vec<Known>,
}

/// What two versions of a document have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Identity {
    /// Name of its file; nothing for text without a name.
    name: Option<String>,
    kind: String,
    /// Hashes of lines that are long enough to be its own.
    lines: HashSet<u64>,
}

/// Maximum number of lines by which a document without a name is recognized.
const LINES: usize = 256;

/// Fewest bytes of a line by which a document is recognized.
const LINE: usize = 6;

/// Fewest such lines of documents that must share one of them.
const FEW_LINES: usize = 5;

impl Identity {
    /// The identity of a document with a name, such as `<text>` for text without one.
    pub(super) fn of(name: &str, kind: &str, text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| line.len() >= LINE);
        let hash = |line: &str| {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            hasher.finish()
        };
        let name = (!name.starts_with('<')).then(|| name.to_owned());
        Self { name, kind: kind.to_owned(), lines: lines.take(LINES).map(hash).collect() }
    }

    /// Whether both are versions of one document: files by their names, text by a line that both have.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.name, &other.name) {
            (Some(one), Some(other)) => one == other,
            _ => {
                let few = self.lines.len().min(other.lines.len()) < FEW_LINES;
                self.kind == other.kind && (few || !self.lines.is_disjoint(&other.lines))
            }
        }
    }
}

impl Kept {
    /// Why its findings cannot be compared with those of a document: it is of another one.
    pub(super) fn mismatch(&self, document: &Identity) -> Option<String> {
        let described = |one: &Identity| {
            one.name.as_deref().map_or_else(|| "other text".to_owned(), |name| format!("`{}`", visible(name)))
        };
        (!self.document.is_same(document)).then(|| described(&self.document))
    }
}

/// Maximum number of findings kept across all results.
const REMEMBERED: usize = 100_000;

/// What is needed to recognize a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) fingerprint: String,
    /// Id and node; unchanged when the line of a finding was edited without fixing it.
    node: Option<(String, String)>,
}

impl Known {
    /// A finding of which the client names only the fingerprint.
    pub(super) fn by_fingerprint(fingerprint: String) -> Self {
        Self { fingerprint, node: None }
    }

    /// The identity of a finding.
    pub(super) fn of(diagnostic: &Diagnostic) -> Self {
        let path = diagnostic.location.path.clone().filter(|path| !path.is_empty());
        Self {
            fingerprint: diagnostic.fingerprint.clone(),
            node: path.map(|path| (diagnostic.id.clone(), path)),
        }
    }
}

/// How the findings differ from those of an earlier result, as fingerprints.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Delta {
    pub(super) fixed: Vec<String>,
    pub(super) remaining: Vec<String>,
    pub(super) new: Vec<String>,
}

impl Results {
    pub(super) fn new(limit: usize) -> Self {
        Self { kept: Mutex::new(VecDeque::new()), limit }
    }

    /// Keeps the findings of a result under its handle, and gives the handle back.
    pub(super) fn keep(&self, handle: String, document: Identity, diagnostics: &[&Diagnostic]) -> String {
        let findings = diagnostics.iter().map(|diagnostic| Known::of(diagnostic)).collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.handle != handle);
        kept.push_back(Kept { handle: handle.clone(), document, findings });
        let mut total: usize = kept.iter().map(|one| one.findings.len()).sum();
        while kept.len() > self.limit || (total > REMEMBERED && kept.len() > 1) {
            total -= kept.pop_front().map_or(0, |one| one.findings.len());
        }
        handle
    }

    /// The result of a handle.
    pub(super) fn get(&self, handle: &str) -> Option<Kept> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|one| one.handle == handle).cloned()
    }
}

impl Delta {
    /// Compares by fingerprint first, then by rule and node.
    pub(super) fn between(before: &[Known], after: &[&Diagnostic]) -> Self {
        let mut left: Vec<Option<&Known>> = before.iter().map(Some).collect();
        let mut by_fingerprint: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut by_node: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (index, known) in before.iter().enumerate().rev() {
            by_fingerprint.entry(&known.fingerprint).or_default().push(index);
            if let Some((id, path)) = &known.node {
                by_node.entry((id, path)).or_default().push(index);
            }
        }
        let mut delta = Self::default();
        let mut unknown = Vec::new();
        for diagnostic in after {
            match by_fingerprint.get_mut(diagnostic.fingerprint.as_str()).and_then(Vec::pop) {
                Some(index) => {
                    left[index] = None;
                    delta.remaining.push(diagnostic.fingerprint.clone());
                }
                None => unknown.push(diagnostic),
            }
        }
        for diagnostic in unknown {
            let path = diagnostic.location.path.as_deref().unwrap_or_default();
            let same = by_node.get_mut(&(diagnostic.id.as_str(), path));
            let index =
                same.and_then(|same| std::iter::from_fn(|| same.pop()).find(|index| left[*index].is_some()));
            match index {
                Some(index) => {
                    left[index] = None;
                    delta.remaining.push(diagnostic.fingerprint.clone());
                }
                None => delta.new.push(diagnostic.fingerprint.clone()),
            }
        }
        delta.fixed = left.iter().flatten().map(|known| visible(&known.fingerprint).into_owned()).collect();
        delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(id: &str, fingerprint: &str, path: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::default();
        diagnostic.id = id.into();
        diagnostic.fingerprint = fingerprint.into();
        diagnostic.location.path = Some(path.to_owned());
        diagnostic
    }

    #[test]
    fn a_finding_whose_line_was_edited_without_fixing_it_remains() {
        let results = Results::new(2);
        let before = [diagnostic("A1", "1", "/a"), diagnostic("A1", "2", "/b")];
        let handle = results.keep("r1".to_owned(), Identity::default(), &before.iter().collect::<Vec<_>>());
        let after = [diagnostic("A1", "3", "/a"), diagnostic("B1", "4", "/c")];
        let delta =
            Delta::between(&results.get(&handle).unwrap().findings, &after.iter().collect::<Vec<_>>());
        assert_eq!(delta.fixed, ["2"]);
        assert_eq!(delta.remaining, ["3"]);
        assert_eq!(delta.new, ["4"]);
    }

    #[test]
    fn the_oldest_result_is_dropped_first() {
        let results = Results::new(1);
        let first = results.keep("r1".to_owned(), Identity::default(), &[]);
        let second = results.keep("r2".to_owned(), Identity::default(), &[]);
        assert!(results.get(&first).is_none());
        assert!(results.get(&second).is_some());
    }

    #[test]
    fn text_is_another_document_when_it_shares_no_line() {
        let lines = |word: &str| (0..9).map(|n| format!("a line with {word} {n}\n")).collect::<String>();
        let of = |name: &str, text: &str| Identity::of(name, "markdown", text);
        let one = of("<text>", &lines("one"));
        assert!(one.is_same(&of("<text>", &(lines("two") + &lines("one")))));
        assert!(!one.is_same(&of("<text>", &lines("two"))));
        assert!(one.is_same(&of("<text>", "short\n")), "too short to say");
        assert!(one.is_same(&of("a.md", &lines("one"))), "the text was saved");
        assert!(!of("a.md", &lines("one")).is_same(&of("b.md", &lines("one"))));
    }
}
