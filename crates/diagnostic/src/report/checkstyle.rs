use std::io;

use super::{FileReport, Outcome, Reporter, Run, escaped_xml::attribute, findings};
use crate::{Severity, text::visible};

/// XML of Checkstyle 4.3, which many tools for code review read: a `file` for each file with findings.
pub(super) struct Checkstyle<'r> {
    run: &'r Run,
}

impl<'r> Checkstyle<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run }
    }
}

impl Reporter for Checkstyle<'_> {
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">")
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        let findings = findings::shown(file, &self.run.options);
        if findings.is_empty() {
            return Ok(());
        }
        let mut open: Option<&str> = None;
        for finding in &findings {
            let diagnostic = finding.diagnostic;
            // A finding may be in a file that the document includes.
            let within = diagnostic.location.file.as_str();
            if open != Some(within) {
                if open.is_some() {
                    writeln!(out, "  </file>")?;
                }
                let name = format!("{}{}", self.run.options.prefix, visible(within));
                writeln!(out, "  <file name=\"{}\">", attribute(&name))?;
                open = Some(within);
            }
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "info",
            };
            let hint = diagnostic.fix_hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let message = format!("{}{hint}", diagnostic.message);
            writeln!(
                out,
                "    <error line=\"{}\" column=\"{}\" severity=\"{severity}\" message=\"{}\" source=\"proofmark.{}\"/>",
                diagnostic.location.line,
                diagnostic.location.column,
                attribute(&visible(&message)),
                attribute(&diagnostic.id),
            )?;
        }
        writeln!(out, "  </file>")
    }

    fn end(&mut self, _: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "</checkstyle>")
    }
}
