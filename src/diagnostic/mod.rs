//! What is wrong, where, why and how to mend it – and, in [`report`], how that is shown.

mod client;
mod model;
pub mod report;

pub use client::{ClientDiagnostic, ClientLocation};
pub use model::{
    Applicability, Diagnostic, Envelope, Fix, FixEdit, Location, Related, Severity, Summary, Truncated,
};

/// The JSON Schema of [`Envelope`]: what `--format json` writes, and with it the schema of a
/// [`Diagnostic`] (`#/$defs/Diagnostic`), which is a line of `--format jsonl`.
pub fn schema() -> schemars::Schema {
    crate::schema::of::<Envelope>()
}
