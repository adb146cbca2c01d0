//! What the examples of a rule exercise: which of its parts came to which result.

use std::{collections::HashSet, sync::Mutex};

/// Notes the results of the parts of rules: conditions, selectors, checks and fixes. A part is known by its address,
/// which stays the same as long as its rule lives.
#[derive(Debug, Default)]
pub struct Recorder {
    results: Mutex<HashSet<(usize, bool)>>,
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
}

fn address<T>(part: &T) -> usize {
    std::ptr::from_ref(part) as usize
}
