use std::sync::Arc;

use regex::Regex;

use crate::{budget::Once, text::pattern};

/// A regular expression, compiled when first used.
#[derive(Debug, Clone)]
pub(crate) struct LazyRegex {
    source: String,
    compiled: Arc<Once<Option<Regex>>>,
}

impl LazyRegex {
    /// An expression with this source; see [`Self::fault`] for whether it compiles.
    pub(crate) fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), compiled: Arc::default() }
    }

    /// The expression as it is written.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The compiled expression; nothing when it does not compile. It serves all documents, so the budget of the first one
    /// does not decide about it.
    pub(crate) fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| pattern(&self.source).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{self, Budget};

    #[test]
    fn a_used_up_budget_leaves_expressions_usable() {
        let regex = LazyRegex::new("^a$");
        let used_up = Budget { steps: Some(1), ..Budget::default() };
        used_up.spend(|| {
            assert!(!budget::charge(1) && pattern("^b$").is_err());
            assert!(regex.get().is_some_and(|regex| regex.is_match("a")));
        });
        assert!(regex.get().is_some());
    }
}
