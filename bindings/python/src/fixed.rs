//! A document with fixes applied.

use std::sync::Arc;

use proofmark::Applicability;
use pyo3::{prelude::*, types::PyTuple};
use serde::{Deserialize, Serialize};

use crate::{
    json,
    origin::Origin,
    pickle::{Kept, reduced},
    report::{self, Report},
};

/// A document with fixes applied.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Fixed {
    text: String,
    changed: bool,
    applied: Vec<Applied>,
    refused: Vec<Applied>,
    remaining: Report,
}

impl Fixed {
    /// What came of fixing a document.
    pub(crate) fn new(
        origin: &Arc<Origin>,
        name: &str,
        kind: String,
        text: &str,
        fixed: proofmark::Fixed,
    ) -> Self {
        let proofmark::Fixed { text: new, outcome, applied, refused, .. } = fixed;
        let remaining = Report::of(origin, name, Some(kind), outcome);
        let all = |fixes: Vec<proofmark::Applied>| fixes.into_iter().map(Applied::from).collect();
        Self { changed: new != text, text: new, applied: all(applied), refused: all(refused), remaining }
    }

    /// A document whose text cannot be used.
    pub(crate) fn unusable(text: &str, remaining: Report) -> Self {
        Self { text: text.to_owned(), changed: false, applied: Vec::new(), refused: Vec::new(), remaining }
    }
}

#[pymethods]
impl Fixed {
    /// The text with the fixes.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Whether anything was changed.
    #[getter]
    fn changed(&self) -> bool {
        self.changed
    }

    /// The fixes that were applied.
    #[getter]
    fn applied(&self) -> Vec<Applied> {
        self.applied.clone()
    }

    /// The fixes that were not applied because they would do harm.
    #[getter]
    fn refused(&self) -> Vec<Applied> {
        self.refused.clone()
    }

    /// What is found in the fixed text.
    #[getter]
    fn remaining(&self) -> Report {
        self.remaining.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Fixed {} applied, {} refused>", self.applied.len(), self.refused.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}

/// What is kept of a fixed document.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    text: String,
    changed: bool,
    applied: Vec<Applied>,
    refused: Vec<Applied>,
    remaining: report::State,
}

impl Kept for Fixed {
    const NAME: &'static str = "Fixed";
    type State = State;

    fn state(&self) -> State {
        State {
            text: self.text.clone(),
            changed: self.changed,
            applied: self.applied.clone(),
            refused: self.refused.clone(),
            remaining: self.remaining.state(),
        }
    }

    fn restored(state: State) -> Self {
        Self {
            text: state.text,
            changed: state.changed,
            applied: state.applied,
            refused: state.refused,
            remaining: Report::restored(state.remaining),
        }
    }
}

/// A fix that was applied, or refused.
#[pyclass(frozen, module = "proofmark_rs")]
#[derive(Clone, Serialize, Deserialize)]
#[expect(
    clippy::unsafe_derive_deserialize,
    reason = "the unsafe methods are those of pyo3, and any values are valid"
)]
pub(crate) struct Applied {
    id: String,
    name: String,
    title: String,
    applicability: Applicability,
    line: u32,
    fingerprint: String,
    fix: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    refused_because: Option<String>,
}

impl From<proofmark::Applied> for Applied {
    fn from(applied: proofmark::Applied) -> Self {
        let proofmark::Applied {
            id,
            name,
            title,
            applicability,
            line,
            fingerprint,
            fix,
            refused_because,
            ..
        } = applied;
        Self { id, name, title, applicability, line, fingerprint, fix, refused_because }
    }
}

impl Kept for Applied {
    const NAME: &'static str = "Applied";
    type State = Self;

    fn state(&self) -> Self {
        self.clone()
    }

    fn restored(state: Self) -> Self {
        state
    }
}

#[pymethods]
impl Applied {
    /// Id of the rule.
    #[getter]
    fn id(&self) -> &str {
        &self.id
    }

    /// Name of the rule.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What the fix does.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// `safe`, `unsafe` or `manual`.
    #[getter]
    fn applicability(&self) -> &'static str {
        self.applicability.name()
    }

    /// Line of the finding in the text as it was in that round.
    #[getter]
    fn line(&self) -> u32 {
        self.line
    }

    /// Why the fix was refused, if it was.
    #[getter]
    fn refused_because(&self) -> Option<&str> {
        self.refused_because.as_deref()
    }

    /// As in the `applied` of `proofmark batch`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, self)
    }

    fn __repr__(&self) -> String {
        format!("<Applied {} line {} {:?}>", self.id, self.line, self.title)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}
