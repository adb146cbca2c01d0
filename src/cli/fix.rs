mod review;

use std::{fmt::Write as _, io::Write, path::PathBuf};

use crate::{
    diagnostic::{
        Applicability, Severity,
        report::{self, FileReport, Fixable, Format},
    },
    engine::Outcome,
    fix::{Applied, Fixed, ROUNDS},
    project::{Listed, NotOpened, Project, Subject},
    text::visible,
};

use self::review::Review;
use super::{
    Global,
    arguments::{FailArguments, RunArguments},
    check::ReportArguments,
    console::{Console, plural},
    exit::{Exit, Fault},
    explain::diff,
    in_order::in_order,
    input::InputArguments,
    outputs::outputs,
    panics,
    progress::Progress,
    project::{fails, open, report_later_warnings, report_left_out, report_templates},
    reports::Reports,
    style::Style,
};

/// Fix documents
///
/// Applies fixes until none is left, at most ten rounds, and writes the files in one step each: with
/// their encoding, line endings, owner, permissions and extended attributes. Other names of a file (hard
/// links) keep the old content. Fixes that would introduce errors are left out. Reports what was applied
/// and what remains.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark fix docs                       apply the safe fixes
  proofmark fix --diff docs                show them and change nothing
  proofmark fix --unsafe docs/a.md         also those that are likely right
  proofmark fix --select FM docs           only those of some rules
  proofmark fix --unsafe --diff --review review.html docs
                                           a page that shows what would change
  proofmark fix - --kind markdown < a.md   the fixed text goes to standard output")]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    report: ReportArguments,
    /// Show what would change without changing it; fails if anything would
    #[arg(long)]
    diff: bool,
    /// Also apply fixes that are likely right but may change what a document means
    #[arg(long = "unsafe")]
    unsafe_fixes: bool,
    /// Write a page to look at the changes: what was fixed and left out, and repaired diagrams drawn next to the faulty
    /// ones
    #[arg(long, value_name = "FILE.html")]
    review: Option<PathBuf>,
    #[command(flatten)]
    fail: FailArguments,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open(global, arguments.input.with(arguments.run.overrides()))?;
    report_left_out(&project);
    let documents = arguments.input.documents(&project)?;
    let fail_level = arguments.fail.fail_level.unwrap_or(project.config().rules.fail_level);
    let format = arguments.report.findings()?;
    let mut outputs = outputs(&project, &documents, None, arguments.report.force);
    let targets = arguments.report.targets(format, &mut outputs)?;
    let review = match &arguments.review {
        Some(path) => {
            outputs.take(path, &["html", "htm"]).map_err(|error| Fault::output(&error))?;
            Some(Review::new(&project))
        }
        None => None,
    };
    let mut runs = arguments.report.runs(&targets, &project, console, fail_level);
    if arguments.unsafe_fixes {
        // What is left was tried, and why it was left out is reported.
        for run in &mut runs {
            run.options.fix_command.clear();
        }
    }
    let reports = Reports::new(&targets, &runs);
    let from_stdin = documents.iter().any(|listed| listed.input.is_stdin());
    let mut desk = Desk {
        project: &project,
        arguments,
        style: Style::new(console.color()),
        reports: if from_stdin { reports.aside() } else { reports },
        fail_level,
        review,
        totals: Totals::default(),
    };
    if !arguments.diff {
        desk.reports.begin()?;
    }
    let least = if arguments.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let progress = Progress::new(documents.len());
    in_order(
        arguments.run.jobs(documents.len()),
        documents.iter(),
        |listed| (listed, panics::caught(|| fix(&project, listed, least))),
        |(listed, result)| {
            let result = result.unwrap_or_else(|panic| Attempt::Left {
                outcome: project.crashed(&listed.name, &panic),
                crashed: true,
            });
            progress.aside(|| desk.take(listed, result))?;
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    progress.finish();
    report_later_warnings(&project);
    desk.end()
}

/// The result of fixing a document.
enum Attempt<'p> {
    Fixed {
        subject: Box<Subject<'p>>,
        fixed: Fixed,
    },
    /// It cannot be fixed, and these are the findings about that.
    Left {
        outcome: Outcome,
        crashed: bool,
    },
    UnknownKind,
}

/// Fixes a document, and writes nothing.
fn fix<'p>(project: &'p Project, listed: &Listed, least: Applicability) -> Attempt<'p> {
    match project.subject(listed.input.clone()) {
        Ok(subject) => Attempt::Fixed { fixed: subject.fix(least), subject: Box::new(subject) },
        Err(NotOpened::Unreadable { outcome, .. }) => Attempt::Left { outcome: *outcome, crashed: false },
        Err(NotOpened::UnknownKind) => Attempt::UnknownKind,
    }
}

/// Where fixed documents are written and reported.
struct Desk<'r> {
    project: &'r Project,
    arguments: &'r Arguments,
    style: Style,
    reports: Reports<'r>,
    fail_level: Severity,
    /// The page with the changes, where one is asked for.
    review: Option<Review<'r>>,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    applied: usize,
    files: usize,
    failed: bool,
    crashed: bool,
    unknown: Vec<String>,
    /// What is left to fix, where nothing is written.
    left: Fixable,
    /// Files that were read as templates.
    templates: usize,
}

impl Desk<'_> {
    fn take(&mut self, listed: &Listed, attempt: Attempt<'_>) -> Result<(), Fault> {
        match attempt {
            Attempt::UnknownKind => {
                self.totals.unknown.extend(listed.explicit.then(|| listed.name.clone()));
                Ok(())
            }
            Attempt::Left { outcome, crashed } => {
                self.totals.crashed |= crashed;
                self.report(&listed.name, &outcome)
            }
            Attempt::Fixed { subject, fixed } => {
                let changed = fixed.text != subject.text();
                self.totals.templates += usize::from(fixed.outcome.document.template.is_some());
                self.totals.applied += fixed.applied.len();
                self.totals.files += usize::from(changed);
                if let Some(review) = &mut self.review {
                    review.add(&subject, &fixed);
                }
                if self.arguments.diff {
                    return self.show(&subject, &fixed);
                }
                if subject.is_file() {
                    subject.write(&fixed.text)?;
                } else {
                    // What came on standard input goes to standard output.
                    Console::print(&fixed.text)?;
                }
                self.note(&account(subject.name(), &fixed))?;
                self.report(subject.name(), &fixed.outcome)
            }
        }
    }

    /// Shows what would change.
    fn show(&mut self, subject: &Subject<'_>, fixed: &Fixed) -> Result<(), Fault> {
        let (name, old) = (subject.name(), subject.text());
        self.totals.failed |= fixed.text != old || fails(&fixed.outcome.diagnostics, self.fail_level);
        if !self.arguments.unsafe_fixes {
            self.totals.left.count(&fixed.outcome.diagnostics);
        }
        if fixed.text != old {
            let shown = visible(name);
            let text = format!("--- a/{shown}\n+++ b/{shown}\n{}", diff(old, &fixed.text));
            let mut out = Console::stdout();
            writeln!(out, "{}", self.style.diff(&text))?;
            out.flush()?;
        }
        let refused = listed("left out", name, &fixed.refused);
        if !refused.is_empty() {
            Console::note(refused.trim_end());
        }
        Ok(())
    }

    /// Reports what was done: in the report where people read it, otherwise on standard error.
    fn note(&mut self, account: &str) -> Result<(), Fault> {
        if matches!(self.arguments.report.findings(), Ok(Format::Pretty | Format::Concise)) {
            self.reports.write(account)?;
        } else if !account.is_empty() {
            Console::note(account.trim_end());
        }
        Ok(())
    }

    fn report(&mut self, name: &str, outcome: &Outcome) -> Result<(), Fault> {
        self.totals.failed |= fails(&outcome.diagnostics, self.fail_level);
        if self.arguments.diff {
            return Ok(());
        }
        let shown = outcome.shown(self.project.ruleset().kinds());
        let file = FileReport { name, sources: &shown.sources, diagnostics: &shown.diagnostics };
        self.reports.file(&file, &[])
    }

    fn end(mut self) -> Result<Exit, Fault> {
        if let (Some(review), Some(path)) = (&self.review, &self.arguments.review) {
            review.write(path, !self.arguments.diff)?;
            if let Some(reason) = review.undrawn() {
                Console::note(&format!("diagrams are not drawn: {reason}"));
            }
        }
        let Totals { applied, files, failed, crashed, unknown, left, templates } =
            std::mem::take(&mut self.totals);
        let exit = match (crashed, unknown.is_empty()) {
            (true, _) => Exit::Internal,
            (_, false) => Exit::Usage,
            _ => Exit::findings(failed && !self.arguments.fail.exit_zero),
        };
        let done = format!("{} in {}", plural(applied, "fix"), plural(files, "file"));
        if self.arguments.diff {
            // Safe fixes that are left were tried, and why they were left out was said.
            let more = Fixable { safe: 0, ..left }.sentence("proofmark fix");
            let more = more.map(|more| format!("; {more}")).unwrap_or_default();
            Console::note(&format!("{done} would be applied{more}"));
        } else {
            self.note(&format!("{done} applied\n"))?;
        }
        if !self.arguments.diff {
            self.reports.end(&report::Outcome { exit_code: exit.code(), truncated: None })?;
        }
        self.reports.finish()?;
        if templates > 0 && !self.arguments.report.quiet {
            report_templates(templates);
        }
        if !unknown.is_empty() {
            Fault::unknown_kind(&unknown.join(", "), "--kind", self.project).report();
        }
        Ok(exit)
    }
}

/// Fixes in lines, each with the reason why it was left out.
fn listed(verb: &str, name: &str, fixes: &[Applied]) -> String {
    let name = visible(name);
    let mut text = String::new();
    for fix in fixes {
        let reason = fix.refused_because.as_ref().map(|reason| format!("; {reason}")).unwrap_or_default();
        let _ = writeln!(text, "{verb} {name}:{}: {} [{} {}]{reason}", fix.line, fix.title, fix.id, fix.name);
    }
    text
}

/// What was done to a document, in lines.
fn account(name: &str, fixed: &Fixed) -> String {
    let mut text = listed("fixed", name, &fixed.applied) + &listed("left out", name, &fixed.refused);
    if !fixed.settled {
        let name = visible(name);
        let _ = writeln!(text, "{name}: fixes still find something to do after {ROUNDS} rounds");
    }
    text
}
