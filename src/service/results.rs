use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use crate::{diagnostic::Diagnostic, text::visible};

/// The findings of earlier calls, so that a later call can report what changed. The oldest result is
/// dropped first.
#[derive(Debug)]
pub(super) struct Results {
    kept: Mutex<VecDeque<(String, Vec<Known>)>>,
    limit: usize,
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
    pub(super) fn keep(&self, handle: String, diagnostics: &[&Diagnostic]) -> String {
        let known = diagnostics.iter().map(|diagnostic| Known::of(diagnostic)).collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != handle);
        kept.push_back((handle.clone(), known));
        let mut findings: usize = kept.iter().map(|(_, known)| known.len()).sum();
        while kept.len() > self.limit || (findings > REMEMBERED && kept.len() > 1) {
            findings -= kept.pop_front().map_or(0, |(_, known)| known.len());
        }
        handle
    }

    /// The findings of a handle.
    pub(super) fn get(&self, handle: &str) -> Option<Vec<Known>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == handle).map(|(_, known)| known.clone())
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
    use crate::diagnostic::Location;

    fn diagnostic(id: &str, fingerprint: &str, path: &str) -> Diagnostic {
        let location = Location { path: Some(path.to_owned()), ..Location::default() };
        Diagnostic { id: id.into(), fingerprint: fingerprint.into(), location, ..Diagnostic::default() }
    }

    #[test]
    fn a_finding_whose_line_was_edited_without_fixing_it_remains() {
        let results = Results::new(2);
        let before = [diagnostic("A1", "1", "/a"), diagnostic("A1", "2", "/b")];
        let handle = results.keep("r1".to_owned(), &before.iter().collect::<Vec<_>>());
        let after = [diagnostic("A1", "3", "/a"), diagnostic("B1", "4", "/c")];
        let delta = Delta::between(&results.get(&handle).unwrap(), &after.iter().collect::<Vec<_>>());
        assert_eq!(delta.fixed, ["2"]);
        assert_eq!(delta.remaining, ["3"]);
        assert_eq!(delta.new, ["4"]);
    }

    #[test]
    fn the_oldest_result_is_dropped_first() {
        let results = Results::new(1);
        let first = results.keep("r1".to_owned(), &[]);
        let second = results.keep("r2".to_owned(), &[]);
        assert!(results.get(&first).is_none());
        assert_eq!(results.get(&second), Some(Vec::new()));
    }
}
