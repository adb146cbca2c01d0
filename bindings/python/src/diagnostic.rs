//! Findings as Python objects, made when they are asked for.

use std::sync::Arc;

use proofmark::Diagnostic as Found;
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    json,
    pickle::{Kept, Numbered, reduced},
};

/// A finding: what is wrong, where, why and how to fix it.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Diagnostic {
    all: Arc<Vec<Found>>,
    index: usize,
}

impl Diagnostic {
    /// The finding with this index, which exists.
    pub(crate) fn new(all: Arc<Vec<Found>>, index: usize) -> Self {
        Self { all, index }
    }

    fn found(&self) -> &Found {
        &self.all[self.index]
    }
}

#[pymethods]
impl Diagnostic {
    /// Stable id of the rule, such as `FM101`.
    #[getter]
    fn id(&self) -> &str {
        &self.found().id
    }

    /// Name of the rule, such as `unclosed-frontmatter`.
    #[getter]
    fn name(&self) -> &str {
        &self.found().name
    }

    /// `error`, `warning` or `note`.
    #[getter]
    fn severity(&self) -> &'static str {
        self.found().severity.name()
    }

    /// What is wrong, with the actual value.
    #[getter]
    fn message(&self) -> &str {
        &self.found().message
    }

    /// What to do about it.
    #[getter]
    fn hint(&self) -> Option<&str> {
        self.found().fix_hint.as_deref()
    }

    /// The smallest part that is wrong.
    #[getter]
    fn location(&self) -> Location {
        Location(self.found().location.clone())
    }

    /// Line of the first character, from 1.
    #[getter]
    fn line(&self) -> u32 {
        self.found().location.line
    }

    /// Column of the first character, from 1, in code points.
    #[getter]
    fn column(&self) -> u32 {
        self.found().location.column
    }

    /// The bytes of the UTF-8 text that are wrong: the first one and the one after the last.
    #[getter]
    fn span(&self) -> (u32, u32) {
        (self.found().location.byte_start, self.found().location.byte_end)
    }

    /// The text at the location.
    #[getter]
    fn found_text(&self) -> Option<&str> {
        self.found().found.as_deref()
    }

    /// What is expected there, the most likely first.
    #[getter]
    fn expected(&self) -> Vec<String> {
        self.found().expected.clone()
    }

    /// Further locations that explain it.
    #[getter]
    fn related(&self) -> Vec<Related> {
        self.found().related.iter().cloned().map(Related).collect()
    }

    /// Ways to fix it, the best first.
    #[getter]
    fn fixes(&self) -> Vec<Fix> {
        self.found().fixes.iter().cloned().map(Fix).collect()
    }

    /// The source line with its number.
    #[getter]
    fn context(&self) -> Option<&str> {
        self.found().context.as_deref()
    }

    /// Key that stays the same when other lines of the document change.
    #[getter]
    fn fingerprint(&self) -> &str {
        &self.found().fingerprint
    }

    /// Fingerprint of the finding that causes this one.
    #[getter]
    fn caused_by(&self) -> Option<&str> {
        self.found().caused_by.as_deref()
    }

    /// Why it does not count, if a comment or a baseline suppresses it.
    #[getter]
    fn suppressed(&self) -> Option<&str> {
        self.found().suppressed.as_deref()
    }

    /// As in the `diagnostics` of `proofmark check --format json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, self.found())
    }

    fn __str__(&self) -> String {
        let Found { id, name, severity, message, location, .. } = self.found();
        format!("{}:{}:{}: {severity} {id} {name}: {message}", location.file, location.line, location.column)
    }

    fn __repr__(&self) -> String {
        let Found { id, message, location, .. } = self.found();
        format!("<Diagnostic {id} {}:{} {message:?}>", location.line, location.column)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.found() == other.found()
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.found().fingerprint, 16).unwrap_or_default()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}

impl Kept for Diagnostic {
    const NAME: &'static str = "Diagnostic";
    type State = Numbered<Found>;

    fn state(&self) -> Self::State {
        Numbered::diagnostic(self.found())
    }

    fn restored(state: Self::State) -> Self {
        Self::new(Arc::new(vec![state.restored()]), 0)
    }
}

/// A part of a file. Lines and columns count from 1, columns in code points; bytes count from 0.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Location(proofmark::Location);

#[pymethods]
impl Location {
    /// Name of the file, or `<stdin>`.
    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    /// First line.
    #[getter]
    fn line(&self) -> u32 {
        self.0.line
    }

    /// First column.
    #[getter]
    fn column(&self) -> u32 {
        self.0.column
    }

    /// Line of the end.
    #[getter]
    fn end_line(&self) -> u32 {
        self.0.end_line
    }

    /// Column after the last character.
    #[getter]
    fn end_column(&self) -> u32 {
        self.0.end_column
    }

    /// Offset of the first byte.
    #[getter]
    fn byte_start(&self) -> u32 {
        self.0.byte_start
    }

    /// Offset after the last byte.
    #[getter]
    fn byte_end(&self) -> u32 {
        self.0.byte_end
    }

    /// JSON Pointer to the node in the tree of the document, if the location is a node.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<Location {}:{}:{}>", self.0.file, self.0.line, self.0.column)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}

impl Kept for Location {
    const NAME: &'static str = "Location";
    type State = Numbered<proofmark::Location>;

    fn state(&self) -> Self::State {
        Numbered::location(&self.0)
    }

    fn restored(state: Self::State) -> Self {
        Self(state.restored())
    }
}

/// Another location that explains a finding.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Related(proofmark::Related);

#[pymethods]
impl Related {
    /// How the location is related.
    #[getter]
    fn label(&self) -> &str {
        &self.0.label
    }

    /// The location.
    #[getter]
    fn location(&self) -> Location {
        Location(self.0.location.clone())
    }

    fn __repr__(&self) -> String {
        format!("<Related {:?} {}:{}>", self.0.label, self.0.location.line, self.0.location.column)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}

impl Kept for Related {
    const NAME: &'static str = "Related";
    type State = Numbered<proofmark::Related>;

    fn state(&self) -> Self::State {
        Numbered::related(&self.0)
    }

    fn restored(state: Self::State) -> Self {
        Self(state.restored())
    }
}

/// A way to fix a finding: edits that are applied together.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Fix(proofmark::Fix);

#[pymethods]
impl Fix {
    /// Its id among all fixes of the document.
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    /// What it does, in the imperative.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// `safe`, `unsafe` or `manual`: whether it can be applied without review.
    #[getter]
    fn applicability(&self) -> &'static str {
        self.0.applicability.name()
    }

    /// The edits, ordered by position, without overlap.
    #[getter]
    fn edits(&self) -> Vec<Edit> {
        self.0.edits.iter().cloned().map(Edit).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Fix {} {:?}>", self.applicability(), self.0.title)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}

impl Kept for Fix {
    const NAME: &'static str = "Fix";
    type State = proofmark::Fix;

    fn state(&self) -> Self::State {
        self.0.clone()
    }

    fn restored(state: Self::State) -> Self {
        Self(state)
    }
}

/// A replacement of bytes of the UTF-8 text.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Edit(proofmark::FixEdit);

#[pymethods]
impl Edit {
    /// Offset of the first replaced byte.
    #[getter]
    fn byte_start(&self) -> u32 {
        self.0.byte_start
    }

    /// Offset after the last replaced byte.
    #[getter]
    fn byte_end(&self) -> u32 {
        self.0.byte_end
    }

    /// The replaced text.
    #[getter]
    fn old(&self) -> &str {
        &self.0.old
    }

    /// The replacement.
    #[getter(new)]
    fn replacement(&self) -> &str {
        &self.0.new
    }

    /// File, if it is not that of the finding.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<Edit {}..{} {:?} -> {:?}>", self.0.byte_start, self.0.byte_end, self.0.old, self.0.new)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }
}

impl Kept for Edit {
    const NAME: &'static str = "Edit";
    type State = proofmark::FixEdit;

    fn state(&self) -> Self::State {
        self.0.clone()
    }

    fn restored(state: Self::State) -> Self {
        Self(state)
    }
}
