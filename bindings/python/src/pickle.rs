//! Results in another process: pickles and copies. What `pickle` keeps of a result is its name here and its state as JSON.

use proofmark::{Diagnostic as Found, SourceId};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyTuple},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What can be pickled by a state.
pub(crate) trait Kept: Sized {
    /// The name that tells the states of types apart.
    const NAME: &'static str;

    /// What is kept of a result: what is pickled.
    type State: Serialize + DeserializeOwned;

    /// The state to pickle.
    fn state(&self) -> Self::State;

    /// Restores a result from its state.
    fn restored(state: Self::State) -> Self;
}

/// What `__reduce__` of a result returns: a function and its arguments.
pub(crate) fn reduced<'py, T: Kept>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyTuple>> {
    let restore = py.import("proofmark_rs._native")?.getattr("_restore")?;
    let state = serde_json::to_vec(&value.state()).map_err(invalid)?;
    let arguments = (T::NAME, PyBytes::new(py, &state)).into_pyobject(py)?;
    (restore, arguments).into_pyobject(py)
}

/// The error for a state that is not one of this version.
pub(crate) fn invalid(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(format!("not a result of this version of proofmark_rs: {error}"))
}

/// A location with the number of its source, which reports do not write.
#[derive(Serialize, Deserialize)]
pub(crate) struct Numbered<T> {
    value: T,
    sources: Vec<u16>,
}

impl Numbered<proofmark::Location> {
    pub(crate) fn location(location: &proofmark::Location) -> Self {
        Self { value: location.clone(), sources: vec![location.source.0] }
    }

    pub(crate) fn restored(self) -> proofmark::Location {
        let source = SourceId(self.sources.first().copied().unwrap_or_default());
        let mut location = self.value;
        location.source = source;
        location
    }
}

impl Numbered<proofmark::Related> {
    pub(crate) fn related(related: &proofmark::Related) -> Self {
        Self { value: related.clone(), sources: vec![related.location.source.0] }
    }

    pub(crate) fn restored(self) -> proofmark::Related {
        let mut related = self.value;
        related.location.source = SourceId(self.sources.first().copied().unwrap_or_default());
        related
    }
}

impl Numbered<Found> {
    pub(crate) fn diagnostic(found: &Found) -> Self {
        let locations = std::iter::once(&found.location).chain(found.related.iter().map(|one| &one.location));
        Self { sources: locations.map(|location| location.source.0).collect(), value: found.clone() }
    }

    pub(crate) fn restored(self) -> Found {
        let mut found = self.value;
        let related = found.related.iter_mut().map(|one| &mut one.location);
        for (location, source) in std::iter::once(&mut found.location).chain(related).zip(self.sources) {
            location.source = SourceId(source);
        }
        found
    }
}
