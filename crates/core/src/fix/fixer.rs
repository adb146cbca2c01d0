//! What fixes documents, and how much of it may be tried on copies.

use crate::{diagnostic::Applicability, engine::Outcome, rules::Ruleset};

/// Most fixes that are tried before the best of each finding is known, and most bytes of text that are validated
/// for that.
const TRIALS: usize = 200;
const TRIED_BYTES: usize = 4 << 20;

/// Steps after which no further fix is tried before it is offered: some tenths of a second.
pub(super) const TRIED_STEPS: u64 = 20_000_000;

/// How many fixes of this text may be tried.
pub(super) fn trials(text: &str) -> usize {
    TRIALS.min(TRIED_BYTES / text.len().max(1)).max(1)
}

/// Fixes documents. The caller provides the validation, and with it kind, settings and neighboring files.
pub struct Fixer<'v> {
    /// Validates the text of a document.
    pub validate: &'v dyn Fn(&str) -> Outcome,
    /// The same without fixes, for versions that are only tried.
    pub check: &'v dyn Fn(&str) -> Outcome,
    /// The rules of the validation.
    pub ruleset: &'v Ruleset,
    /// Least applicability of fixes that are applied.
    pub least: Applicability,
}
