//! Evaluation: rules against a document, findings to diagnostics.
//!
//! A [`Validator`] holds the rules that are on, indexed by what they can select, so that a document
//! visits only those; it is made once and shared by all threads.

mod baseline;
mod compose;
mod contract;
mod controls;
mod coverage;
mod examples;
mod fired;
mod first;
mod keep;
mod links;
mod lookups;
mod mutation;
mod pass;
mod passes;
mod plan;
mod secrets;
mod settings;
mod shared;
mod shown;
mod suppression;
mod survey;
mod trace;
mod validator;

pub use baseline::{Baseline, BaselineError, Known};
pub use compose::shown_line;
pub use contract::Contract;
pub use controls::{Adopted, RefusedOption, adopt};
pub use coverage::{Branch, BranchResult, coverage};
pub use examples::{run_example, try_examples};
pub use mutation::{Mutation, try_mutants};
pub use secrets::Secrets;
pub use settings::{Selection, Settings};
pub use survey::{Asked, FileReference, Occurrence, Survey};
pub use trace::{Step, Trace};
pub use validator::InProject;
pub use validator::{Outcome, Validator};
