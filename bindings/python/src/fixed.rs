//! A document with fixes applied.

use std::sync::Arc;

use proofmark::Project;
use pyo3::prelude::*;

use crate::{json, report::Report};

/// A document with fixes applied.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Fixed {
    text: String,
    changed: bool,
    applied: Vec<proofmark::Applied>,
    refused: Vec<proofmark::Applied>,
    remaining: Report,
}

impl Fixed {
    /// What came of fixing a document.
    pub(crate) fn new(
        project: &Arc<Project>,
        name: &str,
        kind: String,
        text: &str,
        fixed: proofmark::Fixed,
    ) -> Self {
        let proofmark::Fixed { text: new, outcome, applied, refused, .. } = fixed;
        let remaining = Report::of(project, name, Some(kind), outcome);
        Self { changed: new != text, text: new, applied, refused, remaining }
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
        self.applied.iter().cloned().map(Applied).collect()
    }

    /// The fixes that were not applied because they would do harm.
    #[getter]
    fn refused(&self) -> Vec<Applied> {
        self.refused.iter().cloned().map(Applied).collect()
    }

    /// What is found in the fixed text.
    #[getter]
    fn remaining(&self) -> Report {
        self.remaining.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Fixed {} applied, {} refused>", self.applied.len(), self.refused.len())
    }
}

/// A fix that was applied, or refused.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Applied(proofmark::Applied);

#[pymethods]
impl Applied {
    /// Id of the rule.
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    /// Name of the rule.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What the fix does.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// `safe`, `unsafe` or `manual`.
    #[getter]
    fn applicability(&self) -> &'static str {
        self.0.applicability.name()
    }

    /// Line of the finding in the text as it was in that round.
    #[getter]
    fn line(&self) -> u32 {
        self.0.line
    }

    /// Why the fix was refused, if it was.
    #[getter]
    fn refused_because(&self) -> Option<&str> {
        self.0.refused_because.as_deref()
    }

    /// As in the `applied` of `proofmark batch`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!("<Applied {} line {} {:?}>", self.0.id, self.0.line, self.0.title)
    }
}
