//! What holds for every document: validation ends within its budget, and findings and fixes are inside the text.

use std::sync::{Arc, LazyLock};

use proofmark::{ParseOptions, Ruleset, Settings, Source, Validator, internals::budget::Budget};

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| Validator::new(Ruleset::builtin(), Settings::default()));

/// Validates a document of a kind.
pub fn validate(kind: &str, name: &str, text: &str) {
    let Some(kind) = VALIDATOR.ruleset().kind(kind) else { return };
    let source = Arc::new(Source::new(name, text));
    let budget = Budget { steps: Some(200_000_000), ..Budget::default() };
    let run = || VALIDATOR.validate(&source, kind.as_ref(), &ParseOptions::default());
    let (outcome, spent) = budget.spend(run);
    assert_eq!(spent.exceeded, None);
    for found in outcome.diagnostics.iter().filter(|found| found.location.source.0 == 0) {
        assert_ne!(found.id, "PM016", "{}", found.message);
        let bytes = found.location.byte_start as usize..found.location.byte_end as usize;
        assert!(text.get(bytes).is_some(), "{} is nowhere", found.id);
        for edit in found.fixes.iter().flat_map(|fix| &fix.edits).filter(|edit| edit.file.is_none()) {
            let old = text.get(edit.byte_start as usize..edit.byte_end as usize);
            assert_eq!(old, Some(edit.old.as_str()), "{}", found.id);
        }
    }
}
