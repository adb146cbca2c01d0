//! The only way in: configuration, files and sessions; and running other programs.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, folder, text};
use proofmark_core::{engine, fix, rules};
use proofmark_diagnostic as diagnostic;
use proofmark_files as files;
use proofmark_formats as kinds;
use proofmark_syntax as syntax;
use proofmark_tree::{expressions, tree};

pub mod diagrams;
pub mod programs;
pub mod project;
