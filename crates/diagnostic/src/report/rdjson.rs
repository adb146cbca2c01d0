use std::io;

use serde_json::{Value, json};

use super::{FileReport, Outcome, Reporter, Run, escaped::write_json, findings};
use crate::{
    Envelope, Fix, Severity,
    text::{Source, visible},
};

/// The Reviewdog Diagnostic Format as one JSON object. Positions are lines and columns of UTF-8 bytes; a fix
/// in the file itself is a list of suggestions.
pub(super) struct Rdjson<'r> {
    run: &'r Run,
    first: bool,
}

impl<'r> Rdjson<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, first: true }
    }
}

impl Reporter for Rdjson<'_> {
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        write!(out, "{{\"source\":{{\"name\":\"{}\"}},\"diagnostics\":[", Envelope::TOOL)
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        for finding in findings::shown(file, &self.run.options) {
            let diagnostic = finding.diagnostic;
            let place = &diagnostic.location;
            let source = file.sources.get(usize::from(place.source.0));
            let severity = match diagnostic.severity {
                Severity::Error => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Note => "INFO",
            };
            let hint = diagnostic.fix_hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
            let mut value = json!({
                "message": format!("{}{hint}", diagnostic.message),
                "location": {
                    "path": format!("{}{}", self.run.options.prefix, visible(&place.file)),
                    "range": range(source.map(AsRef::as_ref), (place.byte_start, place.byte_end)),
                },
                "severity": severity,
                "code": {"value": diagnostic.id},
            });
            let fix = diagnostic.fixes.first().filter(|fix| fix.edits.iter().all(|edit| edit.file.is_none()));
            if let Some(fix) = fix {
                value["suggestions"] = suggestions(fix, source.map(AsRef::as_ref));
            }
            out.write_all(if self.first { b"\n" } else { b",\n" })?;
            self.first = false;
            write_json(&value, out)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "{}]}}", if self.first { "" } else { "\n" })
    }
}

fn suggestions(fix: &Fix, source: Option<&Source>) -> Value {
    let edits = fix.edits.iter();
    edits
        .map(|edit| json!({"range": range(source, (edit.byte_start, edit.byte_end)), "text": edit.new}))
        .collect()
}

/// Both ends of a span as line and column of bytes, from 1; the start of the file where its text is not known.
fn range(source: Option<&Source>, (start, end): (u32, u32)) -> Value {
    let position = |offset: u32| {
        let Some(source) = source else { return json!({"line": 1, "column": 1}) };
        let line = source.lines().line(offset);
        let first = source.lines().span(source.text(), line).start;
        json!({"line": line, "column": offset - first + 1})
    };
    json!({"start": position(start), "end": position(end)})
}
