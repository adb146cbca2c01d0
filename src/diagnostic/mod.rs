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
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let plain = schemars::transform::RecursiveTransform(without_integer_formats);
    settings.with_transform(plain).into_generator().into_root_schema_for::<Envelope>()
}

/// `"format": "uint32"` is no format of JSON Schema, and validators warn about it.
fn without_integer_formats(schema: &mut schemars::Schema) {
    let integer = |format: &serde_json::Value| format.as_str().is_some_and(|name| name.contains("int"));
    if schema.get("format").is_some_and(integer) {
        schema.remove("format");
    }
}
