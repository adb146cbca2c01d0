//! What Python code can catch.

use proofmark::{OpenError, OpenErrors, UnknownKind as NoSuchKind};
use pyo3::{PyErr, create_exception, exceptions::PyException};

create_exception!(proofmark_rs, ProofmarkError, PyException, "The base of all errors of this package.");
create_exception!(
    proofmark_rs,
    ConfigurationError,
    ProofmarkError,
    "The configuration, a pack, or an argument of a validator is wrong."
);
create_exception!(
    proofmark_rs,
    UnknownKind,
    ProofmarkError,
    "The kind of a document is not known: no kind has this name, or nothing shows which kind it is."
);
create_exception!(proofmark_rs, InvalidDocument, ProofmarkError, "A document has errors. `report` has them.");
create_exception!(
    proofmark_rs,
    InternalError,
    ProofmarkError,
    "Proofmark itself failed on a document. Please report it with the document."
);

/// Everything for which a project cannot be opened, one line each.
pub(crate) fn of_opening(errors: &OpenErrors) -> PyErr {
    ConfigurationError::new_err(errors.0.iter().map(message).collect::<Vec<_>>().join("\n"))
}

fn message(error: &OpenError) -> String {
    let OpenError::Findings(findings) = error else { return error.to_string() };
    let lines = findings.diagnostics.iter().map(|found| {
        let at = &found.location;
        format!("{}:{}:{}: {} {}: {}", at.file, at.line, at.column, found.severity, found.id, found.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A kind that does not exist, with the one that was likely meant.
pub(crate) fn of_kind(error: &NoSuchKind) -> PyErr {
    UnknownKind::new_err(kind_message(error))
}

/// The message for a kind that does not exist: the kind that was likely meant, and all kinds.
pub(crate) fn kind_message(error: &NoSuchKind) -> String {
    let near = error.nearest.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    format!("{error}; {near}kinds are {}", error.known.join(", "))
}
