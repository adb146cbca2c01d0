use std::io;

use super::{FileReport, Outcome, Reporter, Run, escaped::write_json, findings};
use crate::Diagnostic;
use crate::{Envelope, Summary, Truncated};

/// The [`Envelope`] as one JSON object, with one finding per line; totals are at the end.
pub(super) struct Json<'r> {
    run: &'r Run,
    totals: findings::Totals,
    first: bool,
}

impl<'r> Json<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, totals: findings::Totals::default(), first: true }
    }
}

impl Reporter for Json<'_> {
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        let head = Head { tool: Envelope::TOOL, version: &self.run.version, ruleset: &self.run.ruleset };
        let head = serde_json::to_string(&head)?;
        write!(out, "{},\"diagnostics\":[", head.trim_end_matches('}'))
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        let options = &self.run.options;
        for diagnostic in
            file.diagnostics.iter().filter(|d| options.show_suppressed || d.suppressed.is_none())
        {
            out.write_all(if self.first { b"\n" } else { b",\n" })?;
            self.first = false;
            write_json(diagnostic, out)?;
        }
        Ok(())
    }

    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        self.totals.more(diagnostics);
    }

    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        let tail =
            Tail { valid: self.totals.valid(), summary: &self.totals.summary, truncated: outcome.truncated };
        let tail = serde_json::to_string(&tail)?;
        writeln!(out, "{}],{}", if self.first { "" } else { "\n" }, tail.trim_start_matches('{'))
    }
}

#[derive(serde::Serialize)]
struct Head<'r> {
    tool: &'static str,
    version: &'r str,
    ruleset: &'r str,
}

#[derive(serde::Serialize)]
struct Tail<'r> {
    valid: bool,
    summary: &'r Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<Truncated>,
}
