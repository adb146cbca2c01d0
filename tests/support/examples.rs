//! The examples of all rules.

use std::sync::Arc;

use proofmark::{Kind, Ruleset};

/// An example of a rule.
pub(crate) struct Example {
    /// Id of the rule.
    #[allow(dead_code, reason = "not every test that includes this module needs it")]
    pub(crate) rule: String,
    pub(crate) kind: Arc<dyn Kind>,
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The examples that have text of an ordinary size: a few are as large as the limits that they show.
pub(crate) fn all(ruleset: &Ruleset) -> Vec<Example> {
    let mut examples = Vec::new();
    for rule in ruleset.rules() {
        for example in ruleset.help(rule).examples {
            let raw = &example.sample.raw;
            let kind = raw.kind.clone().or_else(|| rule.kinds.first().cloned());
            let kind = kind.and_then(|kind| ruleset.kind(&kind));
            let name = raw.name.clone().unwrap_or_else(|| "example".into());
            let text = example.sample.text.filter(|text| text.len() < 20_000);
            if let (Some(kind), Some(text)) = (kind, text) {
                examples.push(Example { rule: rule.id.clone(), kind: Arc::clone(kind), name, text });
            }
        }
    }
    assert!(examples.len() > 1000, "{} examples", examples.len());
    examples
}
