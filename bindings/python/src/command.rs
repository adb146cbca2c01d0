//! The command line, for the console script of the wheel.

use std::{
    ffi::OsString,
    io::{self, Write as _},
};

use pyo3::prelude::*;

/// main(arguments)
/// --
///
/// Run the command line with these arguments, of which the first is the name of the program. Returns the number to
/// exit with.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let status = proofmark::status_with(arguments);
        // Rust writes out what it has buffered when its own `main` ends; this one is Python's.
        let _ = io::stdout().flush();
        status
    })
}
