//! What the examples of a rule exercise: which of its parts came to which result.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Mutex,
};

use crate::expressions::Gap;

/// Notes the results of the parts of rules: conditions, selectors, checks and fixes. A part is known by its address,
/// which stays the same as long as its rule lives.
#[derive(Debug, Default)]
pub struct Recorder {
    results: Mutex<HashSet<(usize, bool)>>,
    /// The paths that expressions and templates follow: whether one is a template, its source, and the path; with what was
    /// missing as long as none has led to a value.
    paths: Mutex<BTreeMap<(bool, String, String), Option<Gap>>>,
}

/// A path of an expression or a template that never leads to a value.
#[derive(Debug, Clone)]
pub struct Unmet {
    /// Whether a template follows it; otherwise a condition.
    pub in_template: bool,
    /// The expression or the template as it is written.
    pub source: String,
    /// The path, and what is missing.
    pub gap: Gap,
}

impl Recorder {
    /// Notes that a part came to a result.
    pub fn note<T>(&self, part: &T, result: bool) {
        if let Ok(mut results) = self.results.lock() {
            results.insert((address(part), result));
        }
    }

    /// Whether a part ever came to a result.
    pub fn has<T>(&self, part: &T, result: bool) -> bool {
        self.results.lock().is_ok_and(|results| results.contains(&(address(part), result)))
    }

    /// Notes where a path of an expression or a template led: to a value, or to nothing.
    pub fn follow(&self, in_template: bool, source: &str, path: &str, gap: Option<Gap>) {
        if let Ok(mut paths) = self.paths.lock() {
            let known = paths.entry((in_template, source.to_owned(), path.to_owned()));
            let known = known.or_insert_with(|| gap.clone());
            match gap {
                None => *known = None,
                Some(gap) => {
                    if let Some(known) = known.as_mut().filter(|known| known.missing == gap.missing) {
                        let more: Vec<String> =
                            gap.known.into_iter().filter(|name| !known.known.contains(name)).collect();
                        known.known.extend(more);
                    }
                }
            }
        }
    }

    /// The paths that never led to a value.
    pub fn unmet(&self) -> Vec<Unmet> {
        let Ok(paths) = self.paths.lock() else { return Vec::new() };
        let unmet = |((in_template, source, _), gap): (&(bool, String, String), &Option<Gap>)| {
            Some(Unmet { in_template: *in_template, source: source.clone(), gap: gap.clone()? })
        };
        paths.iter().filter_map(unmet).collect()
    }
}

fn address<T>(part: &T) -> usize {
    std::ptr::from_ref(part) as usize
}
