//! The reports of a run: one for the reader of the terminal or of `--output`, others in files.

use std::{io::Write as _, path::PathBuf};

use crate::diagnostic::{
    Diagnostic,
    report::{self, FileReport, Format, Outcome, Reporter, Run},
};

use super::{exit::Fault, sink::Sink};

/// A report that is asked for: its format, and its file if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) format: Format,
    pub(super) file: Option<PathBuf>,
}

/// The reports of a run, the main one first. All receive the same findings.
pub(super) struct Reports<'r>(Vec<(Option<Box<dyn Reporter + 'r>>, Sink)>);

impl<'r> Reports<'r> {
    /// The reports for these targets, with what each says about the run.
    pub(super) fn new(targets: &[Target], runs: &'r [Run]) -> Self {
        let reports = targets.iter().zip(runs).map(|(target, run)| {
            (Some(report::reporter(target.format, run)), Sink::new(target.file.as_deref()))
        });
        Self(reports.collect())
    }

    /// Like [`Self::new`], without the main report, whose text [`Self::main`] takes.
    pub(super) fn of_others(targets: &[Target], runs: &'r [Run]) -> Self {
        let mut reports = Self::new(targets, runs);
        if let Some((reporter, _)) = reports.0.first_mut() {
            *reporter = None;
        }
        reports
    }

    /// Sends the main report to standard error.
    pub(super) fn aside(mut self) -> Self {
        if let Some((_, sink)) = self.0.first_mut() {
            *sink = Sink::stderr();
        }
        self
    }

    pub(super) fn begin(&mut self) -> Result<(), Fault> {
        self.each(|reporter, sink| Ok(reporter.begin(sink)?))
    }

    /// Adds a file with the findings that are shown and those that are only counted.
    pub(super) fn file(&mut self, file: &FileReport<'_>, hidden: &[Diagnostic]) -> Result<(), Fault> {
        self.each(|reporter, sink| {
            reporter.file(file, sink)?;
            reporter.hidden(hidden);
            Ok(())
        })
    }

    pub(super) fn end(&mut self, outcome: &Outcome) -> Result<(), Fault> {
        self.each(|reporter, sink| Ok(reporter.end(outcome, sink)?))
    }

    fn each(
        &mut self,
        mut work: impl FnMut(&mut (dyn Reporter + 'r), &mut Sink) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let reports = self.0.iter_mut();
        let mut written = reports.filter_map(|(reporter, sink)| Some((reporter.as_deref_mut()?, sink)));
        written.try_for_each(|(reporter, sink)| work(reporter, sink))
    }

    /// Adds text to the main report.
    pub(super) fn write(&mut self, text: &str) -> Result<(), Fault> {
        self.0.first_mut().map_or(Ok(()), |(_, sink)| Ok(sink.write_all(text.as_bytes())?))
    }

    /// Where the main report goes.
    pub(super) fn main(&mut self) -> Option<&mut Sink> {
        self.0.first_mut().map(|(_, sink)| sink)
    }

    /// Completes all reports.
    pub(super) fn finish(self) -> Result<(), Fault> {
        self.0.into_iter().try_for_each(|(_, sink)| sink.finish())
    }
}
