use std::io;

use super::{FileReport, Outcome, Reporter, Run, findings, summary};
use crate::Diagnostic;
use crate::text::visible;

/// `file:line:column: error: message [ID name]`, the form that compilers use and editors understand.
pub(super) struct Concise<'r> {
    run: &'r Run,
    totals: findings::Totals,
}

impl<'r> Concise<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, totals: findings::Totals::default() }
    }
}

impl Reporter for Concise<'_> {
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        for finding in findings::shown(file, &self.run.options) {
            let diagnostic = finding.diagnostic;
            let place = &diagnostic.location;
            write!(
                out,
                "{}:{}:{}: {}: {} [{} {}]",
                visible(&place.file),
                place.line,
                place.column,
                diagnostic.severity,
                visible(&diagnostic.message),
                diagnostic.id,
                diagnostic.name,
            )?;
            if finding.followers > 0 {
                write!(out, " (+{} that follow)", finding.followers)?;
            }
            if let Some(reason) = &diagnostic.suppressed {
                write!(out, " (suppressed: {})", visible(reason))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        self.totals.more(diagnostics);
    }

    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        if self.run.options.quiet {
            return Ok(());
        }
        let mut line = summary::counts(&self.totals);
        for remark in summary::remarks(&self.totals, &self.run.options, outcome) {
            line.push_str("; ");
            line.push_str(&remark);
        }
        writeln!(out, "{line}")
    }
}
