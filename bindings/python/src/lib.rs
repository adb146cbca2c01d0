//! The native part of the Python package `proofmark_rs`: everything that validates, over the sessions of the
//! library, so that results are those of the command line.
//!
//! `validator` opens a project and validates strings, `report` and `diagnostic` are what Python sees of the
//! results, `arrow` validates columns of data frames without copying them, `pickle` and `restore` take results to other processes.
//! What needs no speed is written in Python, in `python/proofmark_rs/`.

mod arrow;
mod command;
mod diagnostic;
mod error;
mod fixed;
mod json;
mod origin;
mod panics;
mod parallel;
mod pickle;
mod report;
mod restore;
mod signals;
mod validator;
mod verdict;

use pyo3::prelude::*;

/// The module `proofmark_rs._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        arrow::{Results, results_of},
        command::main,
        diagnostic::{Diagnostic, Edit, Fix, Location, Related},
        error::{ConfigurationError, InternalError, InvalidDocument, ProofmarkError, UnknownKind},
        fixed::{Applied, Fixed},
        report::Report,
        restore::restore,
        validator::Validator,
    };

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::panics::keep_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("RESULT_VERSION", crate::arrow::RESULT_VERSION)
    }
}
