use std::io;

use super::{FileReport, Outcome, Reporter, Run, escaped::write_json, findings};
use crate::Diagnostic;
use crate::{Envelope, Summary, Truncated};

/// One finding per line as JSON; the last line is the envelope without its `diagnostics`.
pub(super) struct Jsonl<'r> {
    run: &'r Run,
    totals: findings::Totals,
}

impl<'r> Jsonl<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, totals: findings::Totals::default() }
    }
}

impl Reporter for Jsonl<'_> {
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        let options = &self.run.options;
        for diagnostic in
            file.diagnostics.iter().filter(|d| options.show_suppressed || d.suppressed.is_none())
        {
            write_json(diagnostic, out)?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        self.totals.more(diagnostics);
    }

    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        let last = Last {
            tool: Envelope::TOOL,
            version: &self.run.version,
            ruleset: &self.run.ruleset,
            valid: self.totals.valid(),
            summary: &self.totals.summary,
            truncated: outcome.truncated,
        };
        write_json(&last, out)?;
        writeln!(out)
    }
}

#[derive(serde::Serialize)]
struct Last<'r> {
    tool: &'static str,
    version: &'r str,
    ruleset: &'r str,
    valid: bool,
    summary: &'r Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<Truncated>,
}
