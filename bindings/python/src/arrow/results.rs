//! Results as columns.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Int32Array, LargeStringArray, ListArray, RecordBatch, StringArray, StructArray,
    builder::{BooleanBuilder, Int32Builder, Int64Builder, LargeStringBuilder, StringBuilder},
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use proofmark::{Applicability, Diagnostic, Severity};

use crate::verdict::standing;

/// Version of the columns: `schemas/results.schema.json` describes them. Columns are added without a new version.
pub(crate) const RESULT_VERSION: u32 = 2;

fn diagnostic_fields() -> Fields {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let number = |name: &str| Field::new(name, DataType::Int32, false);
    Fields::from(vec![
        text("id", false),
        text("severity", false),
        text("message", false),
        number("line"),
        number("column"),
        number("byte_start"),
        number("byte_end"),
        text("hint", true),
        text("fingerprint", false),
        text("fixable", true),
    ])
}

fn diagnostics_item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(diagnostic_fields()), false))
}

/// The columns of results after those that are kept of the input.
pub(super) fn schema(kept: &[Field], fixed: bool, timed: bool) -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int32, false);
    let mut fields = kept.to_vec();
    fields.extend([
        Field::new("kind", DataType::Utf8, true),
        Field::new("valid", DataType::Boolean, false),
        number("errors"),
        number("warnings"),
        number("notes"),
        Field::new("diagnostics", DataType::List(diagnostics_item()), false),
    ]);
    if fixed {
        fields.push(Field::new("fixed", DataType::LargeUtf8, true));
    }
    if timed {
        fields.push(Field::new("micros", DataType::Int64, false));
    }
    fields.extend([
        Field::new("error", DataType::Utf8, true),
        Field::new("ruleset", DataType::Utf8, false),
        Field::new("engine", DataType::Utf8, false),
    ]);
    versioned(fields.into())
}

/// A schema of results with these columns.
pub(super) fn versioned(fields: Fields) -> SchemaRef {
    let metadata = [("proofmark.results".to_owned(), RESULT_VERSION.to_string())];
    Arc::new(Schema::new(fields).with_metadata(HashMap::from(metadata)))
}

/// Results of rows that follow each other.
#[derive(Default)]
pub(super) struct Builder {
    rows: usize,
    kind: StringBuilder,
    valid: BooleanBuilder,
    errors: Int32Builder,
    warnings: Int32Builder,
    notes: Int32Builder,
    /// How many diagnostics each row has.
    lengths: Vec<usize>,
    diagnostics: DiagnosticsBuilder,
    fixed: LargeStringBuilder,
    micros: Int64Builder,
    error: StringBuilder,
}

#[derive(Default)]
struct DiagnosticsBuilder {
    id: StringBuilder,
    severity: StringBuilder,
    message: StringBuilder,
    line: Int32Builder,
    column: Int32Builder,
    byte_start: Int32Builder,
    byte_end: Int32Builder,
    hint: StringBuilder,
    fingerprint: StringBuilder,
    fixable: StringBuilder,
}

/// A number of Rust as one of Arrow.
fn int32<T: TryInto<i32>>(number: T) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

impl DiagnosticsBuilder {
    fn append(&mut self, found: &Diagnostic) {
        let fixable = found.fixes.iter().map(|fix| fix.applicability).max().map(Applicability::name);
        self.id.append_value(&found.id);
        self.severity.append_value(found.severity.name());
        self.message.append_value(&found.message);
        self.line.append_value(int32(found.location.line));
        self.column.append_value(int32(found.location.column));
        self.byte_start.append_value(int32(found.location.byte_start));
        self.byte_end.append_value(int32(found.location.byte_end));
        self.hint.append_option(found.fix_hint.as_deref());
        self.fingerprint.append_value(&found.fingerprint);
        self.fixable.append_option(fixable);
    }

    fn finish(mut self) -> Result<StructArray, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.severity.finish()),
            Arc::new(self.message.finish()),
            Arc::new(self.line.finish()),
            Arc::new(self.column.finish()),
            Arc::new(self.byte_start.finish()),
            Arc::new(self.byte_end.finish()),
            Arc::new(self.hint.finish()),
            Arc::new(self.fingerprint.finish()),
            Arc::new(self.fixable.finish()),
        ];
        StructArray::try_new(diagnostic_fields(), columns, None)
    }
}

/// What is said of one row.
#[derive(Default)]
pub(super) struct Row {
    /// The kind that it was read as.
    pub(super) kind: Option<String>,
    /// The findings.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The text with fixes.
    pub(super) fixed: Option<String>,
    /// Why it was not validated, or not to its end.
    pub(super) error: Option<String>,
    /// How long it took, in microseconds.
    pub(super) micros: i64,
}

impl Builder {
    pub(super) fn append(&mut self, row: &Row) {
        let mut counts = [0_i32; 3];
        let mut length = 0;
        for found in standing(&row.diagnostics) {
            counts[found.severity as usize] += 1;
            length += 1;
            self.diagnostics.append(found);
        }
        let of = |severity: Severity| counts[severity as usize];
        self.rows += 1;
        self.lengths.push(length);
        self.kind.append_option(row.kind.as_deref());
        self.valid.append_value(row.error.is_none() && of(Severity::Error) == 0);
        self.errors.append_value(of(Severity::Error));
        self.warnings.append_value(of(Severity::Warning));
        self.notes.append_value(of(Severity::Note));
        self.fixed.append_option(row.fixed.as_deref());
        self.micros.append_value(row.micros);
        self.error.append_option(row.error.as_deref());
    }

    /// The batch of these rows, with the columns that are kept of the input.
    pub(super) fn finish(
        mut self,
        schema: &SchemaRef,
        kept: Vec<ArrayRef>,
        (with_fixed, timed): (bool, bool),
        ruleset: &str,
    ) -> Result<RecordBatch, ArrowError> {
        let offsets = OffsetBuffer::from_lengths(self.lengths);
        let diagnostics =
            ListArray::try_new(diagnostics_item(), offsets, Arc::new(self.diagnostics.finish()?), None)?;
        let repeated = |text: &str| -> ArrayRef { Arc::new(StringArray::new_repeated(text, self.rows)) };
        let (valid, errors): (BooleanArray, Int32Array) = (self.valid.finish(), self.errors.finish());
        let fixed: LargeStringArray = self.fixed.finish();
        let mut columns = kept;
        columns.push(Arc::new(self.kind.finish()));
        columns.push(Arc::new(valid));
        columns.push(Arc::new(errors));
        columns.push(Arc::new(self.warnings.finish()));
        columns.push(Arc::new(self.notes.finish()));
        columns.push(Arc::new(diagnostics));
        if with_fixed {
            columns.push(Arc::new(fixed));
        }
        if timed {
            columns.push(Arc::new(self.micros.finish()));
        }
        columns.push(Arc::new(self.error.finish()));
        columns.push(repeated(ruleset));
        columns.push(repeated(env!("CARGO_PKG_VERSION")));
        RecordBatch::try_new(Arc::clone(schema), columns)
    }
}
