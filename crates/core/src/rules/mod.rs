//! Rules as data: what rule files say ([`raw`]) turned, once, into what the engine runs ([`Rule`]).
//!
//! A pack is a folder with a `pack.yaml` and rule files; the built-in ones are embedded. Errors in a
//! rule file are facts of a document of kind `rulefile`, and the rules of that kind have the messages.

mod builder;
mod embedded;
mod files;
mod lint;
mod list;
mod loader;
mod mutants;
pub mod raw;
mod rule;
mod ruleset;
mod schemas;
mod statistics;

pub use builder::RulesetBuilder;
pub use lint::{LintedFile, lint};
pub use loader::LoadError;
pub use mutants::mutants;
pub use raw::Which;
pub use rule::{Example, Expectation, Fix, Pack, Pick, Status};
pub use rule::{Rule, Sample};
pub use ruleset::Ruleset;
pub use schemas::{document_schema, kind_schema, pack_schema, rule_file_schema};
pub use statistics::PackStatistics;

pub use crate::kinds::run::{NAME as ENGINE_KIND, OBSERVABLES as ENGINE_OBSERVABLES};
