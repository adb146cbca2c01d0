//! Validating the rows of a stream.

use std::{sync::Arc, time::Instant};

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::{DataType, Field};
use proofmark::{Applicability, Input, Kind, Project};
use pyo3::{exceptions::PyValueError, prelude::*};

use super::{
    capsule::{Results, Stream, invalid},
    results::{self, Builder, Row},
    strings::Strings,
};
use crate::{
    error::kind_message,
    parallel::in_parallel,
    signals::Signals,
    verdict::{self, Verdict, verdict},
};

/// Rows of a batch of the result.
const ROWS: usize = 2048;

/// Rows of a batch of the result where threads share the work: fewer than [`ROWS`], so that no thread waits long for
/// the last batch.
const SHARED_ROWS: usize = 512;

/// Batches for each thread that are read before they are validated. Data may come in batches that are too small to be
/// shared.
const PARTS: usize = 64;

/// Which columns have the documents, and what is wanted of them.
pub(crate) struct Columns {
    /// The column with the documents; not used for data that is an array and not a table.
    pub(crate) text: String,
    /// The kind of all documents.
    pub(crate) kind: Option<Arc<dyn Kind>>,
    /// The column with their kinds.
    pub(crate) kind_column: Option<String>,
    /// The column with their file names.
    pub(crate) name_column: Option<String>,
    /// Columns that become part of the result.
    pub(crate) keep: Vec<String>,
    /// How safe fixes have to be that are applied; none are when absent.
    pub(crate) fix: Option<Applicability>,
    /// Whether the result says how long each row took.
    pub(crate) timed: bool,
}

/// Validates every row.
pub(crate) fn check(project: &Project, stream: Stream, columns: &Columns, jobs: usize) -> PyResult<Results> {
    let ruleset = project.ruleset().fingerprint();
    let signals = Signals::of_this_thread();
    let schema = results::schema(&columns.kept(&stream.data_type)?, columns.fix.is_some(), columns.timed);
    let checked = |part: &Part| {
        let mut builder = Builder::default();
        for row in part.start..part.end {
            if signals.stopped() {
                return None;
            }
            let start = Instant::now();
            let done = part.rows.row(project, columns, row);
            let micros = start.elapsed().as_micros().try_into().unwrap_or(i64::MAX);
            builder.append(&Row { micros, ..done });
        }
        Some(builder.finish(&schema, part.kept(), (columns.fix.is_some(), columns.timed), ruleset))
    };
    let mut batches = Vec::new();
    let mut check = |parts: &mut Vec<Part>| -> PyResult<()> {
        for batch in in_parallel(parts, jobs, 1, &signals, checked).into_iter().flatten() {
            batches.push(batch.map_err(invalid)?);
        }
        signals.raised()?;
        parts.clear();
        Ok(())
    };
    let length = if jobs > 1 { SHARED_ROWS } else { ROWS };
    let mut parts = Vec::new();
    for array in stream.arrays {
        let rows = Arc::new(Rows::new(&array.map_err(invalid)?, columns)?);
        parts.extend(Part::of(&rows, length));
        if parts.len() >= jobs * PARTS {
            check(&mut parts)?;
        }
    }
    check(&mut parts)?;
    Ok(Results::new(schema, batches))
}

/// Rows that one thread validates, and that become a batch of the result.
struct Part {
    rows: Arc<Rows>,
    start: usize,
    end: usize,
}

impl Part {
    /// All rows in parts of this length.
    fn of(rows: &Arc<Rows>, length: usize) -> impl Iterator<Item = Self> {
        let part = move |start| Self { rows: Arc::clone(rows), start, end: rows.len.min(start + length) };
        (0..rows.len).step_by(length).map(part)
    }

    /// The columns that become part of the result.
    fn kept(&self) -> Vec<ArrayRef> {
        self.rows.kept.iter().map(|column| column.slice(self.start, self.end - self.start)).collect()
    }
}

impl Columns {
    /// The fields of the columns that become part of the result. Fails where a column is missing.
    fn kept(&self, data_type: &DataType) -> PyResult<Vec<Field>> {
        let Self { text, kind_column, name_column, keep, .. } = self;
        let further = [kind_column, name_column].into_iter().flatten().chain(keep);
        let DataType::Struct(fields) = data_type else {
            return match further.into_iter().next() {
                None => Ok(Vec::new()),
                Some(name) => {
                    let message = format!("the data is an array, not a table with a column `{name}`");
                    Err(PyValueError::new_err(message))
                }
            };
        };
        let known = |name: &String| fields.iter().any(|field| field.name() == name);
        if let Some(missing) = [text].into_iter().chain(further).find(|name| !known(name)) {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name())).collect();
            let message = format!("there is no column `{missing}`; columns are {}", names.join(", "));
            return Err(PyValueError::new_err(message));
        }
        let own = results::schema(&[], self.fix.is_some(), self.timed);
        if let Some(clash) = keep.iter().find(|name| own.field_with_name(name).is_ok()) {
            let message = format!("`{clash}` is also a column of the result: rename the column that is kept");
            return Err(PyValueError::new_err(message));
        }
        let kept = |name: &String| fields.iter().find(|field| field.name() == name);
        Ok(keep.iter().filter_map(kept).map(|field| field.as_ref().clone().with_nullable(true)).collect())
    }
}

/// The rows of an array, or of a table that is an array of structures.
struct Rows {
    len: usize,
    texts: Strings,
    kinds: Option<Strings>,
    names: Option<Strings>,
    kept: Vec<ArrayRef>,
}

impl Rows {
    fn new(array: &ArrayRef, columns: &Columns) -> PyResult<Self> {
        let Some(table) = array.as_struct_opt() else {
            let texts = texts(array, "the data")?;
            return Ok(Self { len: array.len(), texts, kinds: None, names: None, kept: Vec::new() });
        };
        let of_texts = |name: &String| {
            let missing = || PyValueError::new_err(format!("there is no column `{name}`"));
            texts(table.column_by_name(name).ok_or_else(missing)?, &format!("column `{name}`"))
        };
        Ok(Self {
            len: table.len(),
            texts: of_texts(&columns.text)?,
            kinds: columns.kind_column.as_ref().map(of_texts).transpose()?,
            names: columns.name_column.as_ref().map(of_texts).transpose()?,
            kept: columns.keep.iter().filter_map(|name| table.column_by_name(name).cloned()).collect(),
        })
    }

    /// What is said of a row.
    fn row(&self, project: &Project, columns: &Columns, row: usize) -> Row {
        let input = match self.input(project, columns, row) {
            Ok(input) => input,
            Err(error) => return Row { error: Some(error), ..Row::default() },
        };
        let Verdict { result, error } = verdict(project, input, |validated| {
            let kind = validated.subject.map(|subject| subject.kind().name().to_owned());
            let Some(least) = columns.fix else {
                return Row { kind, diagnostics: validated.outcome.diagnostics, ..Row::default() };
            };
            let diagnostics = validated.outcome.diagnostics.clone();
            let fixed = verdict::fixed(validated, least).map(|fixed| fixed.text);
            Row { kind, diagnostics, fixed, ..Row::default() }
        });
        Row { error, ..result.unwrap_or_default() }
    }

    fn input(&self, project: &Project, columns: &Columns, row: usize) -> Result<Input, String> {
        let text = present(self.texts.get(row), "text")?.ok_or("null: the row has no document")?;
        let kind = match &self.kinds {
            Some(kinds) => present(kinds.get(row), "kind")?,
            None => None,
        };
        let kind = kind.map(|name| project.kind_named(name)).transpose();
        let kind = kind.map_err(|unknown| format!("unknown-kind: {}", kind_message(&unknown)))?;
        let input = Input::text(text).called("<stdin>").of_kind(kind.or(columns.kind.as_ref()).cloned());
        let name = match &self.names {
            Some(names) => present(names.get(row), "name")?,
            None => None,
        };
        Ok(match name {
            Some(name) => input.at(name),
            None => input,
        })
    }
}

/// The strings of a column.
fn texts(array: &ArrayRef, what: &str) -> PyResult<Strings> {
    let other = || PyValueError::new_err(format!("{what} has the type {}, not strings", array.data_type()));
    Strings::new(array).ok_or_else(other)
}

fn present<'t>(
    value: Option<Result<&'t str, std::str::Utf8Error>>,
    what: &str,
) -> Result<Option<&'t str>, String> {
    value.transpose().map_err(|error| format!("not-utf8: the {what} is not UTF-8: {error}"))
}
