//! Validators: a configuration that was resolved once, and the documents that are validated with it.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, thread};

use proofmark::{Applicability, Input, Kind, Project};
use pyo3::{
    exceptions::{PyTypeError, PyUnicodeEncodeError},
    prelude::*,
    types::{PyDict, PyString, PyTuple},
};

use crate::{
    arrow::{self, Columns, Results},
    error::{self, ConfigurationError, InternalError, UnknownKind},
    fixed::Fixed,
    json,
    origin::{Arguments, Origin},
    parallel::in_parallel,
    report::Report,
    signals::Signals,
    verdict::{UNKNOWN_KIND, Verdict, verdict},
};

/// How documents without a file are called in reports.
const UNNAMED: &str = "<stdin>";

/// Documents that a thread takes at once.
const CHUNK: usize = 16;

/// Validates documents with one configuration: resolved once, used from any number of threads.
///
/// Without arguments it has the built-in rules and reads no configuration file. `config` is a `proofmark.toml`.
/// `select`, `extend` and `ignore` name rules by ids, starts of ids (`FM`), names, tags or packs. `packs` are folders
/// of packs besides the configured ones. `env` are the environment variables that documents may refer to; any other
/// reference is then an error. Documents may read files below `roots`. `deadline` is the time in seconds that one
/// document may take: 10 by default, and no limit with `None`.
///
/// A validator can be pickled: the other process resolves the same arguments again.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Validator {
    project: Arc<Project>,
    arguments: Arguments,
    origin: Arc<Origin>,
}

impl Validator {
    fn kind(&self, name: Option<&str>) -> PyResult<Option<Arc<dyn Kind>>> {
        let found = name.map(|name| self.project.kind_named(name)).transpose();
        Ok(found.map_err(|error| error::of_kind(&error))?.cloned())
    }

    /// Validates a document, and fixes it with `fix`.
    fn report(&self, input: Input) -> Verdict<Report> {
        let project = &self.project;
        let name = input.path().map_or_else(|| UNNAMED.into(), |path| path.to_string_lossy().into_owned());
        let result = verdict(project, input, |validated| Report::new(&self.origin, &name, validated));
        let error = result.error.clone();
        Verdict { result: result.result.map(|report| report.with_error(error)), error: result.error }
    }
}

/// A string with what is said about it.
fn input(text: &str, kind: Option<Arc<dyn Kind>>, name: Option<PathBuf>) -> Input {
    let input = Input::text(text).called(UNNAMED).of_kind(kind);
    match name {
        Some(name) => input.at(name),
        None => input,
    }
}

/// A result that has to be there.
fn expected<T>(verdict: Verdict<T>) -> PyResult<T> {
    let Verdict { result, error } = verdict;
    result.ok_or_else(|| match error {
        Some(error) if error == UNKNOWN_KIND => {
            UnknownKind::new_err("name the kind with `kind`, or the file with `name`")
        }
        error => InternalError::new_err(error.unwrap_or_default()),
    })
}

#[pymethods]
impl Validator {
    #[new]
    #[pyo3(signature = (
        config = None, *, select = Vec::new(), extend = Vec::new(), ignore = Vec::new(), packs = Vec::new(),
        env = None, dialect = None, roots = Vec::new(), deadline = Some(10.0)
    ), text_signature = "(config=None, *, select=(), extend=(), ignore=(), packs=(), env=None, dialect=None, roots=(), \
        deadline=10.0)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        config: Option<PathBuf>,
        select: Vec<String>,
        extend: Vec<String>,
        ignore: Vec<String>,
        packs: Vec<PathBuf>,
        env: Option<BTreeMap<String, String>>,
        dialect: Option<String>,
        roots: Vec<PathBuf>,
        deadline: Option<f64>,
    ) -> PyResult<Self> {
        let arguments = Arguments { config, select, extend, ignore, packs, env, dialect, roots, deadline };
        let project = Arc::new(py.detach(|| arguments.open())?);
        let origin = Arc::new(Origin::new(&arguments, Arc::clone(&project)));
        Ok(Self { project, arguments, origin })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let Arguments { config, select, extend, ignore, packs, env, dialect, roots, deadline } =
            &self.arguments;
        let keywords = PyDict::new(py);
        keywords.set_item("select", select)?;
        keywords.set_item("extend", extend)?;
        keywords.set_item("ignore", ignore)?;
        keywords.set_item("packs", packs)?;
        keywords.set_item("env", env.clone())?;
        keywords.set_item("dialect", dialect)?;
        keywords.set_item("roots", roots)?;
        keywords.set_item("deadline", deadline)?;
        Ok(((config.clone(),).into_pyobject(py)?, keywords))
    }

    fn __repr__(&self) -> String {
        format!("<Validator ruleset={} of proofmark {}>", self.ruleset(), env!("CARGO_PKG_VERSION"))
    }

    /// Fingerprint of the rules, as in every report and result: sixteen hexadecimal digits.
    #[getter]
    fn ruleset(&self) -> &str {
        self.project.ruleset().fingerprint()
    }

    /// What results depend on besides documents, files beside them, and the deadline: sixteen hexadecimal digits that
    /// stay the same as long as the rules, the configuration, and the arguments do.
    #[getter]
    fn results_key(&self) -> String {
        self.project.results_key()
    }

    /// Validate a document.
    ///
    /// `kind` is the name of its kind (`markdown`, `mermaid`, `yaml`, ...). Without it, `name` shows the kind: the path
    /// that the document has or is to have; the configuration may have settings for it. Without both, the text itself
    /// may show it, as the first words of a diagram do.
    ///
    /// Raises `UnknownKind` if nothing shows the kind.
    #[pyo3(signature = (text, *, kind = None, name = None))]
    fn validate(
        &self,
        py: Python<'_>,
        text: &str,
        kind: Option<&str>,
        name: Option<PathBuf>,
    ) -> PyResult<Report> {
        let input = input(text, self.kind(kind)?, name);
        expected(py.detach(|| self.report(input)))
    }

    /// Validate many documents at once, on `threads` threads (one per CPU by default).
    ///
    /// The reports are in the order of the documents. One that cannot be validated has its reason in `error`; the others
    /// are not affected. That includes `None`, and a string with a surrogate, which is not Unicode text. Ctrl-C ends the
    /// call after the documents that are being validated.
    #[pyo3(signature = (texts, *, kind = None, threads = None))]
    fn validate_many(
        &self,
        py: Python<'_>,
        texts: Vec<Bound<'_, PyAny>>,
        kind: Option<&str>,
        threads: Option<i64>,
    ) -> PyResult<Vec<Report>> {
        let (kind, jobs) = (self.kind(kind)?, jobs(threads)?);
        let texts: Vec<_> = texts.iter().enumerate().map(text_of_row).collect::<PyResult<_>>()?;
        let report = |text: &Result<String, String>| {
            let Verdict { result, error } = match text {
                Ok(text) => self.report(input(text, kind.clone(), None)),
                Err(error) => Verdict { result: None, error: Some(error.clone()) },
            };
            result.unwrap_or_else(|| Report::failed(&self.origin, UNNAMED, error))
        };
        let signals = Signals::of_this_thread();
        let reports = py.detach(|| in_parallel(&texts, jobs, CHUNK, &signals, report));
        signals.raised()?;
        Ok(reports)
    }

    /// Fix a document: apply the safe fixes, with `unsafe` also those that are likely right but may change what it
    /// means.
    ///
    /// No fix introduces an error or discards what the author wrote. Raises like `validate`.
    #[pyo3(signature = (text, *, kind = None, name = None, r#unsafe = false))]
    fn fix(
        &self,
        py: Python<'_>,
        text: &str,
        kind: Option<&str>,
        name: Option<PathBuf>,
        r#unsafe: bool,
    ) -> PyResult<Fixed> {
        let least = if r#unsafe { Applicability::Unsafe } else { Applicability::Safe };
        let label = name.as_ref().map_or_else(|| UNNAMED.into(), |path| path.to_string_lossy().into_owned());
        let input = input(text, self.kind(kind)?, name);
        let made = py.detach(|| {
            verdict(&self.project, input, |validated| match validated.subject {
                None => Fixed::unusable(text, Report::new(&self.origin, &label, validated)),
                Some(subject) => {
                    let kind = subject.kind().name().to_owned();
                    let fixed = subject.fix_validated(least, validated.outcome);
                    Fixed::new(&self.origin, &label, kind, text, fixed)
                }
            })
        });
        expected(made)
    }

    /// Validate a column of strings, without copying it.
    ///
    /// `data` is anything with the `PyCapsule` interface of Arrow: tables, record batches and arrays of pyarrow, polars,
    /// pandas or `DuckDB`. Of a table, `text` names the column with the documents; `kind` is the kind of all of them, or
    /// `kind_column` names a column of kinds and `name_column` one of file names. `id` names the column that identifies
    /// the documents: it is the first column of the result. The columns in `keep` become part of the result, too. With
    /// `fix` (`"safe"` or `"unsafe"`) the result has the fixed text. With `timed` it has the microseconds that each row
    /// took.
    ///
    /// The result has the same interface and one row for each: `pyarrow.table(result)`, `polars.DataFrame(result)`. Its
    /// columns are those of `schemas/results.schema.json`. A row that cannot be validated has its reason in `error`.
    /// Ctrl-C ends the call after the documents that are being validated.
    #[pyo3(signature = (
        data, *, text = "text".to_owned(), kind = None, kind_column = None, name_column = None, id = None,
        keep = Vec::new(), fix = None, threads = None, timed = false
    ), text_signature = "($self, data, *, text='text', kind=None, kind_column=None, name_column=None, id=None, keep=(), \
        fix=None, threads=None, timed=False)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn check_arrow(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        text: String,
        kind: Option<&str>,
        kind_column: Option<String>,
        name_column: Option<String>,
        id: Option<String>,
        keep: Vec<String>,
        fix: Option<&str>,
        threads: Option<i64>,
        timed: bool,
    ) -> PyResult<Results> {
        let columns = Columns {
            text,
            kind: self.kind(kind)?,
            kind_column,
            name_column,
            keep: kept(id, keep),
            fix: fix.map(applicability).transpose()?,
            timed,
        };
        let stream = arrow::stream_of(data)?;
        let jobs = jobs(threads)?;
        py.detach(|| arrow::check(&self.project, stream, &columns, jobs))
    }

    /// Everything about a rule: what it checks, why, how to fix what it finds, with examples. `rule` is its id or its
    /// name. As `proofmark explain --format json` writes it.
    ///
    /// Raises `LookupError` if there is no such rule.
    fn explain<'py>(&self, py: Python<'py>, rule: &str) -> PyResult<Bound<'py, PyAny>> {
        let unknown = || {
            let near = self.project.ruleset().nearest(rule);
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            pyo3::exceptions::PyLookupError::new_err(format!("there is no rule `{rule}`{near}"))
        };
        json::object(py, &self.project.explain(rule).ok_or_else(unknown)?)
    }

    /// The rules, as `proofmark rules list --format json` writes them: those for documents of a kind and with a tag, where
    /// these are named.
    #[pyo3(signature = (*, kind = None, tag = None))]
    fn rules<'py>(
        &self,
        py: Python<'py>,
        kind: Option<&str>,
        tag: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if kind != Some("engine") {
            self.kind(kind)?;
        }
        json::object(py, &self.project.describe_rules(kind, tag))
    }

    /// The kinds of document, as `proofmark kinds --format json` writes them.
    fn kinds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.project.describe_kinds())
    }
}

/// The columns that become part of a result: the one with the ids first, and none twice.
fn kept(id: Option<String>, keep: Vec<String>) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for name in id.into_iter().chain(keep) {
        if !columns.contains(&name) {
            columns.push(name);
        }
    }
    columns
}

fn applicability(name: &str) -> PyResult<Applicability> {
    let known = [Applicability::Safe, Applicability::Unsafe];
    let found = known.into_iter().find(|known| known.name() == name);
    found.ok_or_else(|| ConfigurationError::new_err("`fix` is \"safe\" or \"unsafe\""))
}

/// Threads for a call.
fn jobs(asked: Option<i64>) -> PyResult<usize> {
    let Some(asked) = asked else {
        return Ok(thread::available_parallelism().map_or(1, std::num::NonZero::get));
    };
    usize::try_from(asked)
        .ok()
        .filter(|threads| *threads > 0)
        .ok_or_else(|| ConfigurationError::new_err(format!("`threads` is {asked}: give 1 or more")))
}

/// The text of a document among many, or why there is none. Fails for what can only be a mistake in the program.
fn text_of_row((row, text): (usize, &Bound<'_, PyAny>)) -> PyResult<Result<String, String>> {
    if text.is_none() {
        return Ok(Err("null: the row has no document".to_owned()));
    }
    let Ok(string) = text.cast::<PyString>() else {
        let name = text.get_type().name()?;
        return Err(PyTypeError::new_err(format!("`texts[{row}]` has the type `{name}`, not `str`")));
    };
    match string.to_str() {
        Ok(text) => Ok(Ok(text.to_owned())),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(text.py()) => {
            Ok(Err(format!("not-utf8: the text is not UTF-8: {}", error.value(text.py()))))
        }
        Err(error) => Err(error),
    }
}
