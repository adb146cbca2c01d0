//! What was found in a document.

use std::sync::Arc;

use proofmark::{
    Severity, Source,
    report::{self, FileReport, Format, ReportOptions},
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyTuple};
use serde::{Deserialize, Serialize};

use crate::{
    diagnostic::Diagnostic,
    error::InvalidDocument,
    json,
    origin::Origin,
    pickle::{Kept, Numbered, reduced},
    verdict::{Validated, count, is_valid, standing},
};

/// What was found in a document. It is true if the document is valid, and iterates over its diagnostics.
#[pyclass(frozen, module = "proofmark_rs")]
#[derive(Clone)]
pub(crate) struct Report {
    origin: Arc<Origin>,
    name: String,
    kind: Option<String>,
    sources: Vec<Arc<Source>>,
    diagnostics: Arc<Vec<proofmark::Diagnostic>>,
    error: Option<String>,
}

impl Report {
    /// The findings of a document.
    pub(crate) fn new(origin: &Arc<Origin>, name: &str, validated: Validated<'_, '_>) -> Self {
        let kind = validated.subject.map(|subject| subject.kind().name().to_owned());
        Self::of(origin, name, kind, validated.outcome)
    }

    /// The findings in an outcome.
    pub(crate) fn of(
        origin: &Arc<Origin>,
        name: &str,
        kind: Option<String>,
        outcome: proofmark::Outcome,
    ) -> Self {
        Self {
            origin: Arc::clone(origin),
            name: name.to_owned(),
            kind,
            sources: outcome.document.tree.sources().to_vec(),
            diagnostics: Arc::new(outcome.diagnostics),
            error: None,
        }
    }

    /// A document that was not validated.
    pub(crate) fn failed(origin: &Arc<Origin>, name: &str, error: Option<String>) -> Self {
        Self {
            origin: Arc::clone(origin),
            name: name.to_owned(),
            kind: None,
            sources: Vec::new(),
            diagnostics: Arc::default(),
            error,
        }
    }

    /// Sets the reason why the document was not validated, or not to its end.
    pub(crate) fn with_error(self, error: Option<String>) -> Self {
        Self { error, ..self }
    }

    fn write(&self, format: Format, color: bool) -> PyResult<String> {
        let run = self.origin.run(format, ReportOptions { color, ..ReportOptions::default() })?;
        let file = FileReport { name: &self.name, sources: &self.sources, diagnostics: &self.diagnostics };
        let outcome = report::Outcome { exit_code: u8::from(!self.valid()), truncated: None };
        let mut text = Vec::new();
        report::write(format, &run, &[file], &outcome, &mut text)?;
        String::from_utf8(text).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn at(&self, index: usize) -> Diagnostic {
        Diagnostic::new(Arc::clone(&self.diagnostics), index)
    }

    fn list(&self, suppressed: bool) -> Vec<Diagnostic> {
        let all = self.diagnostics.iter().enumerate();
        all.filter(|(_, found)| found.suppressed.is_some() == suppressed)
            .map(|(index, _)| self.at(index))
            .collect()
    }
}

#[pymethods]
impl Report {
    /// Whether the document was validated and has no errors.
    #[getter]
    fn valid(&self) -> bool {
        self.error.is_none() && is_valid(&self.diagnostics)
    }

    /// The diagnostics that count, ordered by position.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.list(false)
    }

    /// The diagnostics that a comment or a baseline suppresses.
    #[getter]
    fn suppressed(&self) -> Vec<Diagnostic> {
        self.list(true)
    }

    /// Number of errors.
    #[getter]
    fn errors(&self) -> usize {
        count(&self.diagnostics, Severity::Error)
    }

    /// Number of warnings.
    #[getter]
    fn warnings(&self) -> usize {
        count(&self.diagnostics, Severity::Warning)
    }

    /// Number of notes.
    #[getter]
    fn notes(&self) -> usize {
        count(&self.diagnostics, Severity::Note)
    }

    /// The name of the document in the report.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The kind that the document was read as; `None` if its text cannot be used.
    #[getter]
    fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Why the document was not validated, or not to its end: a code, a colon and details. `None` if it was.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The report in a format of the command line: `pretty`, `concise`, `json`, `jsonl`, `sarif`, `github`, `gitlab`,
    /// `junit`, `markdown`, `checkstyle`, `rdjson` or `azure`.
    #[pyo3(signature = (format = "pretty", *, color = false))]
    fn render(&self, format: &str, color: bool) -> PyResult<String> {
        let format = format.parse::<Format>().map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.write(format, color)
    }

    /// The report as `proofmark check --format json` writes it.
    fn to_json(&self) -> PyResult<String> {
        self.write(Format::Json, false)
    }

    /// The report as a dictionary of the shape of `proofmark check --format json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value: serde_json::Value = serde_json::from_str(&self.to_json()?)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        json::object(py, &value)
    }

    /// The report in SARIF 2.1.0, for code scanning.
    fn sarif(&self) -> PyResult<String> {
        self.write(Format::Sarif, false)
    }

    /// Raise `InvalidDocument` if the document is not valid. Its `report` is this one.
    fn raise_for_errors(slf: Bound<'_, Self>) -> PyResult<()> {
        let report = slf.get();
        if report.valid() {
            return Ok(());
        }
        let text = match &report.error {
            Some(error) if report.diagnostics.is_empty() => error.clone(),
            _ => report.write(Format::Concise, false)?,
        };
        let error = InvalidDocument::new_err(text.trim_end().to_owned());
        error.value(slf.py()).setattr("report", &slf)?;
        Err(error)
    }

    fn __bool__(&self) -> bool {
        self.valid()
    }

    fn __len__(&self) -> usize {
        standing(&self.diagnostics).count()
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<pyo3::types::PyIterator>> {
        let list = slf.get().diagnostics().into_pyobject(slf.py())?;
        Ok(list.try_iter()?.unbind())
    }

    fn __str__(&self) -> PyResult<String> {
        match &self.error {
            Some(error) if self.diagnostics.is_empty() => Ok(format!("{}: {error}", self.name)),
            _ => Ok(self.write(Format::Concise, false)?.trim_end().to_owned()),
        }
    }

    fn __repr__(&self) -> String {
        let (errors, warnings, notes) = (self.errors(), self.warnings(), self.notes());
        let state = if self.valid() { "valid" } else { "invalid" };
        format!("<Report {} {state}: {errors} errors, {warnings} warnings, {notes} notes>", self.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }

    /// The report as a table for notebooks.
    fn _repr_html_(&self) -> String {
        let state = if self.valid() { "valid" } else { "not valid" };
        let error = self.error.as_ref().map(|error| format!("<p>{}</p>", escaped(error))).unwrap_or_default();
        let head = "<tr><th>line</th><th>rule</th><th>severity</th><th>message</th><th>hint</th></tr>";
        let rows: Vec<String> = standing(&self.diagnostics).map(row).collect();
        let table =
            if rows.is_empty() { String::new() } else { format!("<table>{head}{}</table>", rows.concat()) };
        format!("<p><b>{}</b> is {state}</p>{error}{table}", escaped(&self.name))
    }
}

/// What is kept of a report.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    origin: Origin,
    name: String,
    kind: Option<String>,
    sources: Vec<SourceState>,
    diagnostics: Vec<Numbered<proofmark::Diagnostic>>,
    error: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SourceState {
    name: String,
    key: String,
    text: String,
}

impl Kept for Report {
    const NAME: &'static str = "Report";
    type State = State;

    fn state(&self) -> State {
        let source = |source: &Arc<Source>| SourceState {
            name: source.name().to_owned(),
            key: source.key().to_owned(),
            text: source.text().to_owned(),
        };
        State {
            origin: self.origin.described(),
            name: self.name.clone(),
            kind: self.kind.clone(),
            sources: self.sources.iter().map(source).collect(),
            diagnostics: self.diagnostics.iter().map(Numbered::diagnostic).collect(),
            error: self.error.clone(),
        }
    }

    fn restored(state: State) -> Self {
        let source = |state: SourceState| Arc::new(Source::new(state.name, state.text).with_key(state.key));
        Self {
            origin: Arc::new(state.origin),
            name: state.name,
            kind: state.kind,
            sources: state.sources.into_iter().map(source).collect(),
            diagnostics: Arc::new(
                state.diagnostics.into_iter().map(Numbered::<proofmark::Diagnostic>::restored).collect(),
            ),
            error: state.error,
        }
    }
}

/// A finding as a row of a table.
fn row(found: &proofmark::Diagnostic) -> String {
    format!(
        "<tr><td>{}:{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        found.location.line,
        found.location.column,
        escaped(&found.id),
        found.severity,
        escaped(&found.message),
        escaped(found.fix_hint.as_deref().unwrap_or_default())
    )
}

/// Text with the characters of HTML escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
