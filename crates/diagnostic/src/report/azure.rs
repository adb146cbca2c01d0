use std::io;

use super::{FileReport, Outcome, Reporter, Run, findings, summary};
use crate::{Diagnostic, Severity, text::visible};

/// Logging commands: `##vso[task.logissue type=error;sourcepath=…;linenumber=…;code=…;]message`.
pub(super) struct Azure<'r> {
    run: &'r Run,
    totals: findings::Totals,
}

impl<'r> Azure<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, totals: findings::Totals::default() }
    }
}

impl Reporter for Azure<'_> {
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        for finding in findings::shown(file, &self.run.options) {
            let message = escape_data(&findings::annotation(&finding));
            writeln!(out, "{}{message}", command(finding.diagnostic, &self.run.options.prefix))?;
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

/// The command for a finding, up to its message. The service knows errors and warnings only, so a note is a warning
/// that says so; as a plain line of the log, its text could contain a command.
fn command(diagnostic: &Diagnostic, prefix: &str) -> String {
    let (kind, note) = match diagnostic.severity {
        Severity::Error => ("error", ""),
        Severity::Warning => ("warning", ""),
        Severity::Note => ("warning", "note: "),
    };
    let place = &diagnostic.location;
    let file = escape_property(&format!("{prefix}{}", visible(&place.file)));
    let code = escape_property(&format!("{} {}", diagnostic.id, diagnostic.name));
    let (line, column) = (place.line, place.column);
    format!(
        "##vso[task.logissue type={kind};sourcepath={file};linenumber={line};columnnumber={column};code={code};]{note}"
    )
}

/// The service reads `%AZP25` as a percent sign.
fn escape_data(text: &str) -> String {
    text.replace('%', "%AZP25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(']', "%5D").replace(';', "%3B")
}
