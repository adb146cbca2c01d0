//! What is wrong, where, why and how to mend it – and, in [`report`], how that is shown.

mod model;

pub use model::{
    Applicability, Diagnostic, Envelope, Fix, FixEdit, Location, Related, Severity, Summary, Truncated,
};
