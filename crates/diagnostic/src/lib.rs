//! Diagnostics: what is wrong, where, why and how to fix it; [`report`] writes them.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::text;
use proofmark_tree::schema;

mod client;
mod model;
pub mod report;

pub use client::{ClientDiagnostic, ClientFindings};
pub use model::{
    Applicability, Diagnostic, Envelope, Fix, FixEdit, Location, Related, Severity, Summary, Truncated,
};

/// The JSON Schema of [`Envelope`], which `--format json` writes. It includes the schema of a
/// [`Diagnostic`] (`#/$defs/Diagnostic`), a line of `--format jsonl`.
pub fn schema() -> schemars::Schema {
    crate::schema::of::<Envelope>()
}
