use std::{io::Write, path::PathBuf, time::Instant};

use crate::{
    diagnostic::{
        Diagnostic, Severity, Summary, Truncated,
        report::{self, FileReport, Format, ReportOptions, Reporter},
    },
    engine::Baseline,
    project::{Baselines, Listed, Overrides, Project},
};

use super::{
    Global,
    arguments::{FailArguments, RunArguments},
    console::Console,
    exit::{Exit, Fault},
    in_order::in_order,
    input::InputArguments,
    mermaid_report::{DiagramArguments, DiagramReporter},
    progress::Progress,
    project::{fails, open, run_of},
    sink::Sink,
    statistics,
    timing::Timing,
    validate::{Validated, Verdict, validate},
    watch,
};

/// Check documents
///
/// Walks folders as git sees them (.gitignore is respected, hidden files are left out) and checks every
/// document of a known kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark check                                  everything below the working directory
  proofmark check docs/a.md --format concise       one line a finding
  proofmark check - --kind markdown < a.md         standard input
  proofmark check --select FM,QL --ignore FM104    some rules only
  proofmark check --format sarif --output out.sarif
  proofmark check --write-baseline known.json      accept what is there,
  proofmark check --baseline known.json            and report only what is new")]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    diagrams: DiagramArguments,
    #[command(flatten)]
    fail: FailArguments,
    /// File of findings that are known and do not count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings into a baseline file, and succeed
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Count the findings of every rule
    #[arg(long)]
    statistics: bool,
    /// Say where the time went: phases, slowest rules, slowest files
    #[arg(long)]
    timing: bool,
    /// Check again whenever a document, the configuration or a pack changes
    #[arg(long)]
    watch: bool,
}

/// How findings are shown.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ReportArguments {
    /// Form of the report: pretty, concise, json, jsonl, sarif, github, gitlab, junit, markdown, or (of
    /// `check`) mermaid-report
    #[arg(
        long, value_name = "FORMAT", default_value = "pretty", value_parser = form,
        hide_default_value = true, help_heading = "Report"
    )]
    format: Form,
    /// Write the report into a file
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(super) output: Option<PathBuf>,
    /// Show at most this many findings
    #[arg(long, value_name = "N", help_heading = "Report")]
    pub(super) max_diagnostics: Option<usize>,
    /// Show findings that a comment or the baseline suppresses
    #[arg(long, help_heading = "Report")]
    pub(super) show_suppressed: bool,
}

/// What is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// All findings.
    Findings(Format),
    /// The verdict on every diagram.
    Diagrams,
}

impl ReportArguments {
    /// The form of a report on findings.
    pub(super) fn findings(&self) -> Result<Format, Fault> {
        match self.format {
            Form::Findings(format) => Ok(format),
            Form::Diagrams => Err(Fault::usage("`mermaid-report` is a form of `proofmark check`")),
        }
    }

    /// How the report is to look.
    pub(super) fn options(&self, console: Console, fail_level: Severity) -> ReportOptions {
        let to_stdout = self.output.is_none();
        ReportOptions {
            color: to_stdout && console.color(),
            width: if to_stdout { Console::width() } else { None },
            show_suppressed: self.show_suppressed,
            fail_level,
            ..ReportOptions::default()
        }
    }
}

/// Reads the name of a form.
fn form(name: &str) -> Result<Form, String> {
    if name == "mermaid-report" {
        return Ok(Form::Diagrams);
    }
    let found = format(name).map_err(|error| format!("{error}, mermaid-report"));
    found.map(Form::Findings)
}

/// Reads the name of a format.
pub(super) fn format(name: &str) -> Result<Format, String> {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    name.parse().map_err(|error| format!("{error}; formats are {}", names.join(", ")))
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    if arguments.watch {
        return watch::run(&arguments.input, global, || once(arguments, global, console));
    }
    once(arguments, global, console)
}

fn once(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let mut timing = Timing::new(arguments.timing);
    let overrides = Overrides { baseline: arguments.baseline(), ..arguments.run.overrides() };
    let overrides = arguments.input.with(overrides);
    let project = timing.phase("rules and configuration", || open(global, overrides))?;
    arguments.input.choose_quills(&project)?;
    let documents = timing.phase("finding files", || arguments.input.documents(&project))?;
    let fail_level = arguments.fail.fail_level.unwrap_or(project.config().rules.fail_level);
    let (format, diagrams) = match arguments.report.format {
        Form::Findings(format) => (format, None),
        Form::Diagrams => (Format::default(), Some(DiagramReporter::new(arguments.diagrams))),
    };
    let run = run_of(&project, format, arguments.report.options(console, fail_level));
    let mut report = Report {
        project: &project,
        reporter: report::reporter(format, &run),
        diagrams,
        sink: Sink::new(arguments.report.output.as_deref()),
        left: arguments.report.max_diagnostics.unwrap_or(usize::MAX),
        fail_level,
        keep: arguments.write_baseline.is_some(),
        totals: Totals::default(),
    };
    if report.diagrams.is_none() {
        report.reporter.begin(&mut report.sink)?;
    }
    let progress = Progress::new(documents.len());
    let start = Instant::now();
    in_order(
        arguments.run.jobs(documents.len()),
        documents.iter(),
        |listed| (listed, validate(&project, listed)),
        |(listed, verdict)| {
            if let Verdict::Validated(validated) = &verdict {
                timing.document(validated, &project);
            }
            progress.aside(|| report.add(listed, verdict))?;
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    timing.add("reading, validating and reporting", start.elapsed());
    progress.finish();
    let exit = report.end(arguments)?;
    timing.show();
    Ok(exit)
}

impl Arguments {
    /// Which findings are known. A new baseline has all findings in it.
    fn baseline(&self) -> Baselines {
        match &self.baseline {
            Some(path) => Baselines::File(path.clone()),
            None if self.write_baseline.is_some() => Baselines::None,
            None => Baselines::Configured,
        }
    }
}

/// A report in the making.
struct Report<'r> {
    project: &'r Project,
    reporter: Box<dyn Reporter + 'r>,
    /// Reports on diagrams in place of `reporter`.
    diagrams: Option<DiagramReporter>,
    sink: Sink,
    /// How many findings may still be shown.
    left: usize,
    fail_level: Severity,
    /// Whether findings are kept for a new baseline.
    keep: bool,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    summary: Summary,
    kept: Vec<Diagnostic>,
    findings: usize,
    shown: usize,
    failed: bool,
    crashed: bool,
    unknown: Vec<String>,
}

impl Report<'_> {
    fn add(&mut self, listed: &Listed, verdict: Verdict) -> Result<(), Fault> {
        let Validated { name, mut outcome, crashed, validating, .. } = match verdict {
            Verdict::Validated(validated) => *validated,
            Verdict::UnknownKind => {
                self.totals.unknown.extend(listed.explicit.then(|| listed.name.clone()));
                return Ok(());
            }
        };
        let totals = &mut self.totals;
        totals.failed |= self.diagrams.is_none() && fails(&outcome.diagnostics, self.fail_level);
        totals.crashed |= crashed;
        totals.summary.count(outcome.diagnostics.iter().filter(|d| d.suppressed.is_none()));
        totals.findings += outcome.diagnostics.len();
        let count = outcome.diagnostics.len().min(self.left);
        self.left -= count;
        totals.shown += count;
        let shown = outcome.shown(self.project.ruleset().kinds());
        let file =
            FileReport { name: &name, sources: &shown.sources, diagnostics: &shown.diagnostics[..count] };
        match &self.diagrams {
            Some(diagrams) => {
                let right =
                    diagrams.file(&name, &outcome, self.project.ruleset(), validating, &mut self.sink)?;
                totals.failed |= !right;
            }
            None => self.reporter.file(&file, &mut self.sink)?,
        }
        if self.keep {
            totals.kept.append(&mut outcome.diagnostics);
        }
        Ok(())
    }

    fn end(mut self, arguments: &Arguments) -> Result<Exit, Fault> {
        let totals = self.totals;
        let mut exit = Exit::findings(totals.failed && arguments.write_baseline.is_none());
        if !totals.unknown.is_empty() {
            exit = Exit::Usage;
        }
        if totals.crashed {
            exit = Exit::Internal;
        }
        let truncated = (totals.shown < totals.findings)
            .then_some(Truncated { shown: totals.shown, total: totals.findings });
        if self.diagrams.is_none() {
            self.reporter.end(&report::Outcome { exit_code: exit.code(), truncated }, &mut self.sink)?;
        }
        let to_people = matches!(arguments.report.format, Form::Findings(Format::Pretty | Format::Concise));
        if arguments.statistics && to_people {
            self.sink.write_all(statistics::table(&totals.summary, self.project.ruleset()).as_bytes())?;
        }
        self.sink.finish()?;
        if arguments.statistics && !to_people {
            Console::note(statistics::table(&totals.summary, self.project.ruleset()).trim_end());
        }
        if let Some(path) = &arguments.write_baseline {
            let text = Baseline::of(&totals.kept).to_json();
            std::fs::write(path, text).map_err(|error| Fault::write(path, error))?;
        }
        if !totals.unknown.is_empty() {
            Fault::unknown_kind(&totals.unknown.join(", "), "--kind", self.project).report();
        }
        Ok(exit)
    }
}
