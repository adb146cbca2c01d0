//! Checks, edits, rules, evaluation and fixing.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, folder, text};
use proofmark_diagnostic as diagnostic;
use proofmark_formats as kinds;
use proofmark_peg as peg;
use proofmark_syntax as syntax;
use proofmark_tree::{expressions, schema, tree};

pub mod checks;
pub mod edits;
pub mod engine;
pub mod fix;
pub mod rules;
