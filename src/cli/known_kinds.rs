//! Kinds by the names that people give.

use std::sync::Arc;

use proofmark::{kinds::Kind, rules::Ruleset, text::nearest};

use super::exit::Fault;

/// The names of all kinds, for a sentence.
pub(super) fn names(ruleset: &Ruleset) -> String {
    ruleset.kinds().names().collect::<Vec<_>>().join(", ")
}

/// The kind of this name.
pub(super) fn named(name: &str, ruleset: &Ruleset) -> Result<Arc<dyn Kind>, Fault> {
    ruleset.kind(name).cloned().ok_or_else(|| {
        let near = nearest(name, ruleset.kinds().names());
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let hint = format!("{near}kinds are {}", names(ruleset));
        Fault::with_hint(format!("there is no kind `{name}`"), hint)
    })
}

/// The fault of a document whose kind nobody knows, and the option that says it.
pub(super) fn unknown(document: &str, option: &str, ruleset: &Ruleset) -> Fault {
    let hint = format!("say it with {option}; kinds are {}", names(ruleset));
    Fault::with_hint(format!("{document}: its kind is not known"), hint)
}
