use std::{collections::HashMap, fmt::Write as _};

use super::{FileReport, ReportOptions, fixable::Fixable};
use crate::{Applicability, Diagnostic, Fix, Severity, Summary, text::visible};

/// A finding to show, with the number of its hidden consequences.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding<'a> {
    pub(super) diagnostic: &'a Diagnostic,
    /// Number of findings that are consequences of this one and not shown.
    pub(super) followers: usize,
}

/// The findings of a file to show, in order. Suppressed findings and consequences of other findings are
/// omitted unless the options include them.
pub(super) fn shown<'a>(file: &FileReport<'a>, options: &ReportOptions) -> Vec<Finding<'a>> {
    let visible: Vec<&Diagnostic> =
        file.diagnostics.iter().filter(|d| options.show_suppressed || d.suppressed.is_none()).collect();
    let plain = |diagnostic| Finding { diagnostic, followers: 0 };
    if options.show_caused || visible.iter().all(|d| d.caused_by.is_none()) {
        return visible.into_iter().map(plain).collect();
    }
    let index: HashMap<&str, usize> =
        visible.iter().enumerate().rev().map(|(at, d)| (d.fingerprint.as_str(), at)).collect();
    let roots: Vec<usize> = (0..visible.len()).map(|at| root(at, &visible, &index)).collect();
    let mut followers = vec![0; visible.len()];
    for (_, root) in roots.iter().enumerate().filter(|(at, root)| at != *root) {
        followers[*root] += 1;
    }
    let shown = visible.into_iter().enumerate().filter(|(at, _)| roots[*at] == *at);
    shown.map(|(at, diagnostic)| Finding { diagnostic, followers: followers[at] }).collect()
}

/// Follows `caused_by` to a finding without a cause in the list; a cycle ends where it started.
fn root(start: usize, all: &[&Diagnostic], index: &HashMap<&str, usize>) -> usize {
    let mut at = start;
    for _ in 0..all.len() {
        let cause = all[at].caused_by.as_deref().and_then(|cause| index.get(cause));
        match cause {
            Some(next) if *next != at => at = *next,
            _ => return at,
        }
    }
    start
}

/// What services show of a finding at its line: the message, the hint and the first fix.
pub(super) fn annotation(finding: &Finding<'_>) -> String {
    let diagnostic = finding.diagnostic;
    let mut out = visible(&diagnostic.message).into_owned();
    for line in diagnostic.fix_hint.iter().flat_map(|hint| hint.lines()) {
        let _ = write!(out, "\nhelp: {}", visible(line));
    }
    if let Some(fix) = diagnostic.fixes.first() {
        let _ = write!(out, "\n{}: {}", fix_label(fix), visible(&fix.title));
    }
    if finding.followers > 0 {
        let _ = write!(out, "\n+{} that follow from it", finding.followers);
    }
    out
}

/// Totals of all files.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// Findings that count, including consequences.
    pub(super) summary: Summary,
    /// Files with a finding that counts.
    pub(super) files_with_findings: usize,
    /// Whether the file that was added last has a finding that counts.
    in_file: bool,
    /// Findings that are consequences of others.
    pub(super) followers: usize,
    /// Suppressed findings.
    pub(super) suppressed: usize,
    /// Findings with fixes.
    pub(super) fixable: Fixable,
}

impl Totals {
    /// Adds a file.
    pub(super) fn count(&mut self, file: &FileReport<'_>) {
        self.summary.files += 1;
        self.in_file = false;
        self.more(file.diagnostics);
    }

    /// Adds findings of the file that was added last.
    pub(super) fn more(&mut self, diagnostics: &[Diagnostic]) {
        let counted = || diagnostics.iter().filter(|d| d.suppressed.is_none());
        self.summary.count(counted());
        let found = counted().next().is_some();
        self.files_with_findings += usize::from(found && !self.in_file);
        self.in_file |= found;
        self.suppressed += diagnostics.iter().filter(|d| d.suppressed.is_some()).count();
        self.followers += counted().filter(|d| d.caused_by.is_some()).count();
        self.fixable.count(diagnostics);
    }

    /// Number of findings that count.
    pub(super) fn total(&self) -> usize {
        self.summary.errors + self.summary.warnings + self.summary.notes
    }

    /// Whether there are no errors.
    pub(super) fn valid(&self) -> bool {
        self.summary.errors == 0
    }

    /// The highest severity of a finding.
    pub(super) fn worst(&self) -> Option<Severity> {
        let Summary { errors, warnings, notes, .. } = self.summary;
        let by_severity = [(errors, Severity::Error), (warnings, Severity::Warning), (notes, Severity::Note)];
        by_severity.into_iter().find(|(count, _)| *count > 0).map(|(_, severity)| severity)
    }
}

/// The label of a fix, which depends on its applicability.
pub(super) fn fix_label(fix: &Fix) -> &'static str {
    match fix.applicability {
        Applicability::Safe => "fix",
        Applicability::Unsafe => "fix (unsafe)",
        Applicability::Manual => "suggestion",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(fingerprint: &str, caused_by: Option<&str>) -> Diagnostic {
        Diagnostic {
            fingerprint: fingerprint.into(),
            caused_by: caused_by.map(Into::into),
            ..Diagnostic::default()
        }
    }

    fn fold(diagnostics: &[Diagnostic]) -> Vec<(&str, usize)> {
        let file = FileReport { name: "", sources: &[], diagnostics };
        shown(&file, &ReportOptions::default())
            .into_iter()
            .map(|finding| (finding.diagnostic.fingerprint.as_str(), finding.followers))
            .collect()
    }

    #[test]
    fn consequences_are_counted_at_the_root_of_their_chain() {
        let diagnostics = [
            diagnostic("b", Some("a")),
            diagnostic("a", None),
            diagnostic("c", Some("b")),
            diagnostic("d", Some("not shown")),
        ];
        assert_eq!(fold(&diagnostics), [("a", 2), ("d", 0)]);
    }

    #[test]
    fn no_finding_of_a_cause_cycle_is_dropped() {
        let diagnostics = [diagnostic("a", Some("b")), diagnostic("b", Some("a"))];
        assert_eq!(fold(&diagnostics).len(), 2);
    }
}
