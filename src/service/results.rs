use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use crate::{
    diagnostic::Diagnostic,
    text::{Fingerprint, visible},
};

/// The findings of earlier calls, so that a later one can say what has changed. The oldest goes first.
#[derive(Debug)]
pub(super) struct Results {
    kept: Mutex<VecDeque<(String, Vec<Known>)>>,
    limit: usize,
}

/// Most findings of one result that are remembered.
const REMEMBERED: usize = 1_000;

/// As much of a finding as it takes to know it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) fingerprint: String,
    /// Id and node; the same for a finding whose line was changed without mending it.
    place: Option<(String, String)>,
}

impl Known {
    /// What is known of a finding when a client names its fingerprint only.
    pub(super) fn by_fingerprint(fingerprint: String) -> Self {
        Self { fingerprint, place: None }
    }

    /// What is known of a finding.
    pub(super) fn of(diagnostic: &Diagnostic) -> Self {
        let path = diagnostic.location.path.clone().filter(|path| !path.is_empty());
        Self {
            fingerprint: diagnostic.fingerprint.clone(),
            place: path.map(|path| (diagnostic.id.clone(), path)),
        }
    }

    /// Whether this is the finding `diagnostic`, perhaps worded anew.
    fn is_at(&self, diagnostic: &Diagnostic) -> bool {
        let path = diagnostic.location.path.as_deref();
        self.place.as_ref().is_some_and(|(id, place)| *id == diagnostic.id && Some(place.as_str()) == path)
    }
}

/// What has become of the findings of an earlier result, as fingerprints.
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

    /// Keeps the findings of a text and gives the handle that leads to them: the same for the same
    /// text, name and kind.
    pub(super) fn keep(&self, name: &str, kind: &str, text: &str, diagnostics: &[&Diagnostic]) -> String {
        let handle = format!("r{}", Fingerprint::new().add(name).add(kind).add(text).hex());
        let known = diagnostics.iter().take(REMEMBERED).map(|diagnostic| Known::of(diagnostic)).collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != handle);
        kept.push_back((handle.clone(), known));
        while kept.len() > self.limit {
            kept.pop_front();
        }
        handle
    }

    /// The findings behind a handle.
    pub(super) fn get(&self, handle: &str) -> Option<Vec<Known>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == handle).map(|(_, known)| known.clone())
    }
}

impl Delta {
    /// Compares: by fingerprint first, then by rule and node.
    pub(super) fn between(before: &[Known], after: &[&Diagnostic]) -> Self {
        let mut left: Vec<&Known> = before.iter().collect();
        let mut delta = Self::default();
        let mut unknown = Vec::new();
        for diagnostic in after {
            match left.iter().position(|known| known.fingerprint == diagnostic.fingerprint) {
                Some(at) => {
                    left.remove(at);
                    delta.remaining.push(diagnostic.fingerprint.clone());
                }
                None => unknown.push(diagnostic),
            }
        }
        for diagnostic in unknown {
            match left.iter().position(|known| known.is_at(diagnostic)) {
                Some(at) => {
                    left.remove(at);
                    delta.remaining.push(diagnostic.fingerprint.clone());
                }
                None => delta.new.push(diagnostic.fingerprint.clone()),
            }
        }
        delta.fixed = left.iter().map(|known| visible(&known.fingerprint).into_owned()).collect();
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
    fn a_finding_whose_line_was_changed_in_vain_remains() {
        let results = Results::new(2);
        let before = [diagnostic("A1", "1", "/a"), diagnostic("A1", "2", "/b")];
        let handle = results.keep("t", "k", "x", &before.iter().collect::<Vec<_>>());
        let after = [diagnostic("A1", "3", "/a"), diagnostic("B1", "4", "/c")];
        let delta = Delta::between(&results.get(&handle).unwrap(), &after.iter().collect::<Vec<_>>());
        assert_eq!(delta.fixed, ["2"]);
        assert_eq!(delta.remaining, ["3"]);
        assert_eq!(delta.new, ["4"]);
    }

    #[test]
    fn the_oldest_result_goes_first() {
        let results = Results::new(1);
        let first = results.keep("t", "k", "x", &[]);
        let second = results.keep("t", "k", "y", &[]);
        assert!(results.get(&first).is_none());
        assert_eq!(results.get(&second), Some(Vec::new()));
    }
}
