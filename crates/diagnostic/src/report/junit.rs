use std::{fmt::Write as _, io};

use super::{FileReport, Outcome, Reporter, Run, escaped_xml::attribute as escape, findings};
use crate::Diagnostic;

/// JUnit XML: one suite per file, one case per finding. A finding below the fail level is a passing case
/// with output; a clean file is a single passing case. Attributes are those of the schema of Jenkins' xUnit plugin, the
/// strictest one: a suite has a `file`, a case has none.
pub(super) struct Junit<'r> {
    run: &'r Run,
}

impl<'r> Junit<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run }
    }

    fn fails(&self, diagnostic: &Diagnostic) -> bool {
        diagnostic.severity >= self.run.options.fail_level && diagnostic.suppressed.is_none()
    }

    fn case(&self, finding: &findings::Finding<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        let diagnostic = finding.diagnostic;
        let place = &diagnostic.location;
        let file = escape(&place.file);
        writeln!(
            out,
            "    <testcase name=\"{} {} ({}:{})\" classname=\"{file}\" time=\"0\">",
            escape(&diagnostic.id),
            escape(&diagnostic.name),
            place.line,
            place.column,
        )?;
        let body = body(finding);
        if diagnostic.suppressed.is_some() {
            let reason = escape(diagnostic.suppressed.as_deref().unwrap_or_default());
            writeln!(out, "      <skipped message=\"{reason}\"/>")?;
        } else if self.fails(diagnostic) {
            let message = escape(&diagnostic.message);
            let kind = diagnostic.severity;
            writeln!(out, "      <failure type=\"{kind}\" message=\"{message}\">{body}</failure>")?;
        } else {
            writeln!(out, "      <system-out>{body}</system-out>")?;
        }
        writeln!(out, "    </testcase>")
    }
}

impl Reporter for Junit<'_> {
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"proofmark\">")
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        let findings = findings::shown(file, &self.run.options);
        let failures = findings.iter().filter(|finding| self.fails(finding.diagnostic)).count();
        let skipped = findings.iter().filter(|finding| finding.diagnostic.suppressed.is_some()).count();
        let name = escape(file.name);
        writeln!(
            out,
            "  <testsuite name=\"{name}\" file=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" \
             skipped=\"{skipped}\" time=\"0\">",
            findings.len().max(1),
        )?;
        if findings.is_empty() {
            writeln!(out, "    <testcase name=\"clean\" classname=\"{name}\" time=\"0\"/>")?;
        }
        for finding in &findings {
            self.case(finding, out)?;
        }
        writeln!(out, "  </testsuite>")
    }

    fn end(&mut self, _: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

/// The finding as text, already escaped.
fn body(finding: &findings::Finding<'_>) -> String {
    let diagnostic = finding.diagnostic;
    let place = &diagnostic.location;
    let mut out = format!("{}:{}:{}: ", escape(&place.file), place.line, place.column);
    let _ =
        write!(out, "{}[{}]: {}", diagnostic.severity, escape(&diagnostic.id), escape(&diagnostic.message));
    for line in diagnostic.context.iter().flat_map(|context| context.lines()) {
        let _ = write!(out, "\n{}", escape(line));
    }
    for line in diagnostic.fix_hint.iter().flat_map(|hint| hint.lines()) {
        let _ = write!(out, "\nhelp: {}", escape(line));
    }
    if finding.followers > 0 {
        let _ = write!(out, "\n+{} that follow from it", finding.followers);
    }
    out
}
