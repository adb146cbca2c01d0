//! Passes: a second look at a document that is already read, by code that knows more than its text.
//!
//! A kind reads one text and knows nothing else. What takes more to see, such as whether the rules that a
//! configuration names exist, is observed by a pass of that kind before the rules run.

mod configuration;
mod contract;
mod quill_folder;
mod rule_file;

use std::sync::Arc;

use super::{pass::Pass, settings::Settings, validator::Validator};
use crate::rules::Ruleset;

/// All passes; those of a kind run in this order, each seeing what the ones before it observed.
const PASSES: &[&dyn Pass] = &[
    &rule_file::RuleFilePass,
    &configuration::ConfigurationPass,
    &contract::ContractPass,
    &quill_folder::QuillFolderPass,
];

impl Validator {
    /// A validator with these rules and settings.
    pub fn new(ruleset: Arc<Ruleset>, settings: Settings) -> Self {
        Self::with_passes(ruleset, settings, PASSES)
    }
}
