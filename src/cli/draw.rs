use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    diagnostic::{
        Severity,
        report::{self, FileReport, Format as ReportFormat},
    },
    files,
    kinds::mermaid::Mermaid,
    project::{Input, NotOpened, Overrides, config},
    render::Format,
};

use super::{
    Global,
    arguments::RuleArguments,
    check,
    console::Console,
    exit::{Exit, Fault, shown},
    library::{library, renderer},
    project::{fails, open},
    sink::Sink,
};

/// Draw a Mermaid diagram
///
/// The diagram is validated first, and not drawn while it has errors.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark draw flow.mmd                  flow.svg beside it
  proofmark draw flow.mmd -o out/flow.png  as PNG
  proofmark draw - -o - <flow.mmd          from standard input to standard output")]
pub(super) struct Arguments {
    /// The diagram; - for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Output file, or - for standard output [default: next to the diagram]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Output format: svg, png or pdf [default: from the output's extension, else svg]
    #[arg(long, value_name = "FORMAT", value_parser = drawing)]
    format: Option<Format>,
    /// Pixels per inch, for png
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(18..=600))]
    ppi: Option<u16>,
    /// Replace an existing output even if it is a file of another type
    #[arg(long)]
    force: bool,
    /// Format of the report on findings, which goes to standard error
    #[arg(
        long, value_name = "FORMAT", default_value = "pretty", value_parser = check::format,
        hide_default_value = true
    )]
    report: ReportFormat,
    #[command(flatten)]
    rules: RuleArguments,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let stdin = arguments.path == Path::new("-");
    let format = format(arguments)?;
    let target = match &arguments.output {
        Some(path) if path == Path::new("-") => None,
        Some(path) => Some(path.clone()),
        None if stdin => None,
        None => Some(arguments.path.with_extension(format.name())),
    };
    if let Some(path) = &target {
        let mut outputs = files::Outputs::new([arguments.path.as_path()], arguments.force);
        outputs.take(path, &[format.name()]).map_err(|error| Fault::output(&error))?;
    }
    let project = open(global, Overrides { rules: arguments.rules.overrides(), ..Overrides::default() })?;
    let input = if stdin { Input::stdin() } else { Input::file(&arguments.path) };
    let listed = project.listed(input.of_kind(Some(Arc::new(Mermaid))));
    let (subject, outcome) = match project.subject(listed.input.clone()) {
        Ok(subject) => {
            let outcome = subject.validate();
            (Some(subject), outcome)
        }
        Err(NotOpened::Unreadable { outcome, .. }) => (None, *outcome),
        Err(NotOpened::UnknownKind) => return Err(Fault::usage("this is not a diagram")),
    };
    let mut outcome = outcome;
    let fails = fails(&outcome.diagnostics, Severity::Error);
    let drawn = match &subject {
        Some(subject) if !fails => {
            let config = config::Render { workers: 1, ..project.config().render.clone() };
            let renderer = renderer(Arc::new(library(&project)), &config)?;
            Some(renderer.draw_subject(subject, format, arguments.ppi.map(f32::from)))
        }
        _ => None,
    };
    if let Some(Ok(drawn)) = &drawn {
        outcome.diagnostics.extend(drawn.diagnostics.iter().cloned());
    }
    if !outcome.diagnostics.is_empty() {
        let options = report::ReportOptions {
            color: console.error_color(),
            width: Console::error_width(),
            fail_level: project.config().rules.fail_level,
            ..report::ReportOptions::default()
        };
        let run = project.run(arguments.report, options);
        let mut reporter = report::reporter(arguments.report, &run);
        let mut sink = Sink::stderr();
        reporter.begin(&mut sink)?;
        let sources = [Arc::clone(outcome.document.source())];
        let file = FileReport { name: &listed.name, sources: &sources, diagnostics: &outcome.diagnostics };
        reporter.file(&file, &mut sink)?;
        reporter.end(&report::Outcome { exit_code: Exit::Findings.code(), truncated: None }, &mut sink)?;
        sink.finish()?;
    }
    let Some(drawn) = drawn else { return Ok(Exit::Findings) };
    let drawn = drawn.map_err(|reason| {
        Fault::with_hint(
            format!("the diagram cannot be drawn: {reason}"),
            "simplify the diagram, or draw it with Mermaid",
        )
    })?;
    let bytes: &[u8] = drawn.artifacts.first().map_or(&[], |artifact| &artifact.bytes);
    match target {
        None => {
            let mut out = Console::stdout();
            out.write_all(bytes)?;
            out.flush()?;
        }
        Some(path) => {
            files::put(&path, bytes).map_err(|error| Fault::write(&path, error))?;
            Console::print(&format!("{}\n", shown(&path)))?;
        }
    }
    Ok(Exit::Clean)
}

fn drawing(name: &str) -> Result<Format, String> {
    let found = Format::named(name).filter(|format| *format != Format::Html);
    found.ok_or_else(|| "formats are svg, png and pdf".to_owned())
}

/// The format that is asked for, or that the name of the output shows.
fn format(arguments: &Arguments) -> Result<Format, Fault> {
    let output = arguments.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = output {
        super::render::known_extension(path, arguments.format)?;
    }
    let by_name = output.and_then(|path| Format::named(path.extension()?.to_str()?));
    match arguments.format.or(by_name) {
        Some(Format::Html) => {
            let hint = "end the name with .svg, .png or .pdf";
            Err(Fault::with_hint("a drawing cannot be HTML", hint))
        }
        format => Ok(format.unwrap_or(Format::Svg)),
    }
}
