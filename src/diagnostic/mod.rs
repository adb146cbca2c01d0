//! Diagnostics: what is wrong, where, why and how to fix it; [`report`] writes them.

mod client;
mod model;
pub(crate) mod report;

pub(crate) use client::{ClientDiagnostic, ClientFindings};
pub use model::{
    Applicability, Diagnostic, Envelope, Fix, FixEdit, Location, Related, Severity, Summary, Truncated,
};

/// The JSON Schema of [`Envelope`], which `--format json` writes. It includes the schema of a
/// [`Diagnostic`] (`#/$defs/Diagnostic`), a line of `--format jsonl`.
pub fn schema() -> schemars::Schema {
    crate::schema::of::<Envelope>()
}
