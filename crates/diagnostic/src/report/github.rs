use std::{fmt::Write as _, io};

use super::{FileReport, Outcome, Reporter, Run, findings, summary};
use crate::{Diagnostic, Severity, text::visible};

/// Workflow commands: `::error file=…,line=…,title=…::message`.
pub(super) struct Github<'r> {
    run: &'r Run,
    totals: findings::Totals,
}

impl<'r> Github<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, totals: findings::Totals::default() }
    }
}

impl Reporter for Github<'_> {
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        for finding in findings::shown(file, &self.run.options) {
            let diagnostic = finding.diagnostic;
            let command = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "notice",
            };
            let properties = properties(diagnostic, &self.run.options.prefix);
            writeln!(out, "::{command} {properties}::{}", escape_data(&findings::annotation(&finding)))?;
        }
        Ok(())
    }

    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        self.totals.more(diagnostics);
    }

    fn end(&mut self, _: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "{}", summary::counts(&self.totals))
    }
}

/// Columns only for a finding on a single line: otherwise the service ignores the whole location.
fn properties(diagnostic: &Diagnostic, prefix: &str) -> String {
    let place = &diagnostic.location;
    let file = escape_property(&format!("{prefix}{}", visible(&place.file)));
    let mut out = format!("file={file},line={},endLine={}", place.line, place.end_line.max(place.line));
    if place.line == place.end_line {
        let _ = write!(out, ",col={},endColumn={}", place.column, place.end_column.max(place.column));
    }
    let _ = write!(out, ",title={}", escape_property(&format!("{} {}", diagnostic.id, diagnostic.name)));
    out
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}
