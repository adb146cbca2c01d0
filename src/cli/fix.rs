use std::{fmt::Write as _, io::Write, sync::Arc};

use proofmark::{
    diagnostic::{
        Applicability, Severity,
        report::{self, FileReport, Format, Reporter},
    },
    engine::Outcome,
    files,
    fix::{Applied, Fixer, Mended, ROUNDS},
    rules::Ruleset,
    text::Source,
};

use super::{
    Global,
    check::{ReportArguments, severity},
    console::{Console, Sink, plural},
    exit::{Exit, Fault},
    explain::diff,
    in_order::{default_jobs, in_order},
    input::{Input, InputArguments, Place},
    judge::{EnvironmentArguments, Judge, Opened, crashed},
    known_kinds, panics,
    progress::Progress,
    project::{Project, RuleArguments, fails},
    style::Style,
};

/// Mend documents
///
/// Applies fixes until none is left, at most ten rounds, and writes the files in one step each: with
/// their encoding, line ends and permissions. Fixes that would bring new errors are left out. Says
/// what was applied and what remains.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark fix docs                       apply the safe fixes
  proofmark fix --diff docs                show them and change nothing
  proofmark fix --unsafe docs/a.md         also those that are likely right
  proofmark fix --select FM docs           only those of some rules
  proofmark fix - --kind markdown < a.md   the fixed text goes to standard output")]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    environment: EnvironmentArguments,
    /// Show what would change and change nothing; fails when there is something
    #[arg(long)]
    diff: bool,
    /// Also apply fixes that are likely right but may change what a document means
    #[arg(long = "unsafe")]
    unsafe_fixes: bool,
    /// Least severity of what remains that makes the run fail [default: error]
    #[arg(long, value_name = "LEVEL", value_parser = severity)]
    fail_level: Option<Severity>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = Project::load(global, &arguments.rules)?;
    project.choose_quills(&arguments.input);
    let inputs = arguments.input.inputs(&project.workspace)?;
    let judge = Judge {
        project: &project,
        kind: arguments.input.kind(&project.ruleset)?,
        dialect: arguments.input.dialect.clone(),
        environment: arguments.environment.load()?,
    };
    let fail_level = arguments.fail_level.unwrap_or(project.workspace.config.rules.fail_level);
    let format = arguments.report.findings()?;
    let run = project.run(format, arguments.report.options(console, fail_level));
    let from_stdin = inputs.iter().any(|input| input.place == Place::Stdin);
    let mut desk = Desk {
        ruleset: &project.ruleset,
        arguments,
        style: Style::new(console.color()),
        reporter: (!arguments.diff).then(|| report::reporter(format, &run)),
        sink: if from_stdin { Sink::stderr() } else { Sink::new(arguments.report.output.as_deref()) },
        fail_level,
        totals: Totals::default(),
    };
    if let Some(reporter) = &mut desk.reporter {
        reporter.begin(&mut desk.sink)?;
    }
    let least = if arguments.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let progress = Progress::new(inputs.len());
    in_order(
        arguments.jobs.unwrap_or_else(default_jobs).min(inputs.len().max(1)),
        inputs.iter(),
        |input| (input, panics::caught(|| mend(&judge, input, least))),
        |(input, result)| {
            let result = result.unwrap_or_else(|panic| Attempt::crash(&project, input, &panic));
            progress.aside(|| desk.take(input, result))?;
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    progress.finish();
    desk.end()
}

/// What came of a document.
enum Attempt {
    Mended {
        source: Arc<Source>,
        mended: Mended,
    },
    /// It cannot be mended, and these are the findings about that.
    Left {
        outcome: Outcome,
        crashed: bool,
    },
    UnknownKind,
}

impl Attempt {
    fn crash(project: &Project, input: &Input, panic: &str) -> Self {
        let source = Arc::new(Source::new(input.name.as_str(), ""));
        Self::Left { outcome: crashed(project.base(), &source, panic), crashed: true }
    }
}

/// Mends a text, and writes nothing.
fn mend(judge: &Judge<'_>, input: &Input, least: Applicability) -> Attempt {
    let text = match judge.open(input) {
        Opened::UnknownKind => return Attempt::UnknownKind,
        Opened::Unreadable(outcome) => return Attempt::Left { outcome: *outcome, crashed: false },
        Opened::Text(text) => text,
    };
    let validate = |new: &str| judge.validate(&text, input, &Arc::new(Source::new(input.name.as_str(), new)));
    let fixer = Fixer { judge: &validate, ruleset: text.validator.ruleset(), least };
    let mended = fixer.mend(text.source.text());
    Attempt::Mended { source: text.source, mended }
}

/// Where mended documents are written and told of.
struct Desk<'r> {
    ruleset: &'r Ruleset,
    arguments: &'r Arguments,
    style: Style,
    reporter: Option<Box<dyn Reporter + 'r>>,
    sink: Sink,
    fail_level: Severity,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    applied: usize,
    files: usize,
    failed: bool,
    crashed: bool,
    unknown: Vec<String>,
}

impl Desk<'_> {
    fn take(&mut self, input: &Input, attempt: Attempt) -> Result<(), Fault> {
        match attempt {
            Attempt::UnknownKind => {
                self.totals.unknown.extend(input.explicit.then(|| input.name.clone()));
                Ok(())
            }
            Attempt::Left { outcome, crashed } => {
                self.totals.crashed |= crashed;
                self.report(input, &outcome)
            }
            Attempt::Mended { source, mended } => {
                let changed = mended.text != source.text();
                self.totals.applied += mended.applied.len();
                self.totals.files += usize::from(changed);
                if self.arguments.diff {
                    return self.show(input, source.text(), &mended);
                }
                if changed || input.place == Place::Stdin {
                    write(input, &mended.text)?;
                }
                self.tell(&account(&input.name, &mended))?;
                self.report(input, &mended.outcome)
            }
        }
    }

    /// Shows what would change.
    fn show(&mut self, input: &Input, old: &str, mended: &Mended) -> Result<(), Fault> {
        self.totals.failed |= mended.text != old || fails(&mended.outcome.diagnostics, self.fail_level);
        if mended.text != old {
            let (name, changes) = (&input.name, diff(old, &mended.text));
            let text = format!("--- a/{name}\n+++ b/{name}\n{changes}");
            let mut out = Console::stdout();
            writeln!(out, "{}", self.style.diff(&text))?;
            out.flush()?;
        }
        Ok(())
    }

    /// Tells what was done: in the report where people read it, else on standard error.
    fn tell(&mut self, account: &str) -> Result<(), Fault> {
        if matches!(self.arguments.report.findings(), Ok(Format::Pretty | Format::Concise)) {
            self.sink.write_all(account.as_bytes())?;
        } else if !account.is_empty() {
            Console::note(account.trim_end());
        }
        Ok(())
    }

    fn report(&mut self, input: &Input, outcome: &Outcome) -> Result<(), Fault> {
        self.totals.failed |= fails(&outcome.diagnostics, self.fail_level);
        let Some(reporter) = &mut self.reporter else { return Ok(()) };
        let sources = outcome.document.tree.sources();
        let file = FileReport { name: &input.name, sources, diagnostics: &outcome.diagnostics };
        Ok(reporter.file(&file, &mut self.sink)?)
    }

    fn end(mut self) -> Result<Exit, Fault> {
        let Totals { applied, files, failed, crashed, unknown } = std::mem::take(&mut self.totals);
        let exit = match (crashed, unknown.is_empty()) {
            (true, _) => Exit::Internal,
            (_, false) => Exit::Usage,
            _ => Exit::findings(failed),
        };
        let done = format!("{} in {}", plural(applied, "fix"), plural(files, "file"));
        if self.arguments.diff {
            Console::note(&format!("{done} would be applied"));
        } else {
            self.tell(&format!("{done} applied\n"))?;
        }
        if let Some(reporter) = &mut self.reporter {
            reporter.end(&report::Outcome { exit_code: exit.code(), truncated: None }, &mut self.sink)?;
        }
        self.sink.finish()?;
        if !unknown.is_empty() {
            known_kinds::unknown(&unknown.join(", "), "--kind", self.ruleset).tell();
        }
        Ok(exit)
    }
}

/// Writes a mended document where it came from; what came on standard input goes to standard output.
fn write(input: &Input, text: &str) -> Result<(), Fault> {
    match input.path() {
        None => Console::print(text),
        Some(path) => files::replace(path, text).map_err(|error| Fault::write(path, error)),
    }
}

/// What was done to a document, in lines.
fn account(name: &str, mended: &Mended) -> String {
    let mut text = String::new();
    let mut list = |verb: &str, fixes: &[Applied]| {
        for fix in fixes {
            let reason = fix.refused_because.as_ref().map(|reason| format!("; {reason}")).unwrap_or_default();
            let _ =
                writeln!(text, "{verb} {name}:{}: {} [{} {}]{reason}", fix.line, fix.title, fix.id, fix.name);
        }
    };
    list("fixed", &mended.applied);
    list("left out", &mended.refused);
    if !mended.settled {
        let _ = writeln!(text, "{name}: fixes still find something to do after {ROUNDS} rounds");
    }
    text
}
