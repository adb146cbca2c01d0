use std::path::{Path, PathBuf};

use crate::{
    convert::{self, Converted, Engine, Format, Pandoc, Request},
    diagnostic::{
        Diagnostic, Severity,
        report::{self, FileReport, Format as ReportFormat},
    },
    files,
    project::{Input, NotOpened, Overrides, Project},
    text::Source,
};

use super::{
    Global,
    arguments::RuleArguments,
    check,
    console::Console,
    exit::{Exit, Fault, shown},
    project::open,
    sink::Sink,
};

/// Convert a Quarto document to another format
///
/// The document is checked first, and not converted while it has errors. Code is shown and never executed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark convert report.qmd --to html                      report.html beside it
  proofmark convert talk.qmd -o talk.pptx --template acme.pptx
  proofmark convert report.qmd --to docx --option toc=true
  proofmark convert --formats                                 what documents are converted to, and by what

Formats without a writer of our own need pandoc 3.1 or later: `pip install pypandoc_binary`. Options of
the command line win over those of the document.")]
pub(super) struct Arguments {
    /// The document; - for standard input
    #[arg(value_name = "FILE", required_unless_present = "formats")]
    path: Option<PathBuf>,
    /// The format; by the name of the output when absent
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Where to, or - for standard output; beside the document when absent
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// A presentation whose layouts, colors and fonts are used, or its id in templates.yaml, for pptx
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// An option such as toc=true or crossref.fig-title=Abb.; may be given several times
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    /// What writes the format
    #[arg(long, value_enum, value_name = "ENGINE")]
    engine: Option<EngineName>,
    /// List the formats
    #[arg(long)]
    formats: bool,
    /// Format of the report on findings, which goes to standard error
    #[arg(
        long, value_name = "FORMAT", default_value = "pretty", value_parser = check::format,
        hide_default_value = true
    )]
    report: ReportFormat,
    #[command(flatten)]
    rules: RuleArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EngineName {
    /// This program
    Embedded,
    /// Pandoc 3.1 or later
    Pandoc,
}

fn option(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write an option as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let pandoc = Pandoc::new(None, None);
    if arguments.formats {
        return list(&pandoc);
    }
    let overrides = Overrides { rules: arguments.rules.overrides(), ..Overrides::default() };
    let project = open(global, overrides)?;
    let path = arguments.path.as_deref().unwrap_or(Path::new("-"));
    let format = format(arguments)?;
    let target = target(arguments, path, format);
    let stdin = path == Path::new("-");
    let input = if stdin { Input::stdin() } else { Input::file(path) };
    let quarto = project.kinds().get("quarto").cloned();
    let listed = project.listed(input.of_kind(quarto));
    let report = Report { arguments, project: &project, console };
    let subject = match project.subject(listed.input.clone()) {
        Ok(subject) => subject,
        Err(NotOpened::Unreadable { outcome, .. }) => {
            report.write(outcome.document.source(), &outcome.diagnostics)?;
            return Ok(Exit::Findings);
        }
        Err(NotOpened::UnknownKind) => return Err(Fault::usage("the kind of the document is not known")),
    };
    let template = arguments.template.as_deref().map(|named| template(named, &project)).transpose()?;
    let engine = arguments.engine.map(|engine| match engine {
        EngineName::Embedded => Engine::Embedded,
        EngineName::Pandoc => Engine::Pandoc,
    });
    let source = target.as_deref().and_then(Path::extension).is_some_and(|extension| extension == "typ");
    let request = Request {
        format,
        engine,
        options: &arguments.options,
        pandoc: &pandoc,
        template: template.as_deref(),
        source,
    };
    match convert::convert(&subject, &request) {
        Ok(Converted { bytes, diagnostics, .. }) => {
            report.write(subject.source(), &diagnostics)?;
            match target {
                None => {
                    use std::io::Write as _;
                    let mut out = Console::stdout();
                    out.write_all(&bytes)?;
                    out.flush()?;
                }
                Some(target) if target == path => {
                    return Err(Fault::usage(format!("`{}` is the document itself", shown(&target))));
                }
                Some(target) => {
                    files::put(&target, &bytes).map_err(|error| Fault::write(&target, error))?;
                    Console::print(&format!("{}\n", shown(&target)))?;
                }
            }
            Ok(Exit::Clean)
        }
        Err(failed) => {
            report.write(subject.source(), &failed.diagnostics)?;
            let error = failed.error;
            if failed.diagnostics.iter().any(|found| found.severity == Severity::Error) {
                if matches!(arguments.report, ReportFormat::Pretty | ReportFormat::Concise) {
                    Console::note("nothing is written: a document is converted when it has no errors");
                }
                return Ok(Exit::Findings);
            }
            let detail = if error.output.is_empty() { String::new() } else { format!("\n{}", error.output) };
            Err(Fault::with_hint(format!("{}{detail}", error.message), error.details))
        }
    }
}

/// The bytes of a template: a file, or one that `templates.yaml` names.
fn template(named: &Path, project: &Project) -> Result<Vec<u8>, Fault> {
    let id = named.to_str().filter(|_| !named.is_file() && named.extension().is_none());
    match id {
        Some(id) => {
            convert::template(project, id).map_err(|error| Fault::with_hint(error.message, error.details))
        }
        None => std::fs::read(named).map_err(|error| Fault::read(named, error)),
    }
}

/// The format that is asked for, or that the name of the output has.
fn format(arguments: &Arguments) -> Result<&'static Format, Fault> {
    if let Some(name) = &arguments.to {
        return convert::format_named(name).ok_or_else(|| {
            let near = convert::similar_format(name).map(|near| format!("did you mean `{near}`? "));
            let hint = format!("{}`proofmark convert --formats` lists the formats", near.unwrap_or_default());
            Fault::with_hint(format!("there is no format `{name}`"), hint)
        });
    }
    let extension = arguments.output.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    let by_name = extension.and_then(|extension| {
        if extension == "md" {
            return convert::format_named("gfm");
        }
        convert::formats().iter().find(|format| format.extension == extension)
    });
    by_name.ok_or_else(|| Fault::with_hint("no format is given", "name it with `--to`, such as `--to html`"))
}

/// Where the result goes; nothing for standard output.
fn target(arguments: &Arguments, path: &Path, format: &Format) -> Option<PathBuf> {
    let stdout = Path::new("-");
    match &arguments.output {
        Some(output) if output == stdout => None,
        Some(output) => Some(output.clone()),
        None if path == stdout => None,
        None => Some(path.with_extension(&format.extension)),
    }
}

fn list(pandoc: &Pandoc) -> Result<Exit, Fault> {
    let found = pandoc.find();
    let mut text = String::new();
    for format in convert::formats() {
        use std::fmt::Write as _;
        let engine = match (format.engine, &found) {
            (Engine::Embedded, _) => "embedded".to_owned(),
            (Engine::Pandoc, Ok(program)) => format!("pandoc {}", program.version()),
            (Engine::Pandoc, Err(_)) => "needs pandoc".to_owned(),
        };
        let _ =
            writeln!(text, "{:14} .{:10} {engine:16} {}", format.id, format.extension, format.description);
    }
    Console::print(&text)?;
    if let Err(error) = found {
        Console::note(&format!("{}: {}", error.message, error.details));
    }
    Ok(Exit::Clean)
}

struct Report<'r> {
    arguments: &'r Arguments,
    project: &'r Project,
    console: Console,
}

impl Report<'_> {
    /// Says on standard error what was found.
    fn write(&self, source: &std::sync::Arc<Source>, diagnostics: &[Diagnostic]) -> Result<(), Fault> {
        let format = self.arguments.report;
        let human = matches!(format, ReportFormat::Pretty | ReportFormat::Concise);
        if diagnostics.is_empty() && human {
            return Ok(());
        }
        let options = report::ReportOptions {
            color: self.console.error_color(),
            width: Console::error_width(),
            fail_level: Severity::Error,
            fix_command: "proofmark fix".to_owned(),
            ..report::ReportOptions::default()
        };
        let run = self.project.run(format, options);
        let mut reporter = report::reporter(format, &run);
        let mut sink = Sink::stderr();
        reporter.begin(&mut sink)?;
        let sources = [std::sync::Arc::clone(source)];
        reporter.file(&FileReport { name: source.name(), sources: &sources, diagnostics }, &mut sink)?;
        let failed = diagnostics.iter().any(|found| found.severity == Severity::Error);
        let exit = Exit::findings(failed);
        reporter.end(&report::Outcome { exit_code: exit.code(), truncated: None }, &mut sink)?;
        sink.finish()?;
        Ok(())
    }
}
