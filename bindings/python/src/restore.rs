//! Results from the state that `pickle` has kept.

use pyo3::{IntoPyObjectExt, exceptions::PyValueError, prelude::*};

use crate::{
    diagnostic::{Diagnostic, Edit, Fix, Location, Related},
    fixed::{Applied, Fixed},
    pickle::{Kept, invalid},
    report::Report,
};

/// The result with this name and state, which `pickle` has kept.
#[pyfunction]
#[pyo3(name = "_restore")]
pub(crate) fn restore(py: Python<'_>, name: &str, state: &[u8]) -> PyResult<Py<PyAny>> {
    fn restored<T: Kept>(state: &[u8]) -> PyResult<T> {
        serde_json::from_slice(state).map(T::restored).map_err(invalid)
    }
    match name {
        Report::NAME => restored::<Report>(state)?.into_py_any(py),
        Diagnostic::NAME => restored::<Diagnostic>(state)?.into_py_any(py),
        Location::NAME => restored::<Location>(state)?.into_py_any(py),
        Related::NAME => restored::<Related>(state)?.into_py_any(py),
        Fix::NAME => restored::<Fix>(state)?.into_py_any(py),
        Edit::NAME => restored::<Edit>(state)?.into_py_any(py),
        Fixed::NAME => restored::<Fixed>(state)?.into_py_any(py),
        Applied::NAME => restored::<Applied>(state)?.into_py_any(py),
        _ => Err(PyValueError::new_err(format!("`{name}` is not a result of this version of proofmark_rs"))),
    }
}
