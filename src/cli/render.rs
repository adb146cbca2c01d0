#[cfg_attr(not(feature = "mcp"), path = "render/no_pages.rs")]
mod pages;

use std::{
    collections::{HashMap, HashSet},
    io::Write,
    iter,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    calendar::{self, is_date},
    diagnostic::{
        Severity,
        report::{self, FileReport, Format as ReportFormat},
    },
    engine, files,
    kinds::{Kind as _, markdown::Markdown},
    project::{Input, Listed, NotOpened, Overrides, Project, config},
    render::{Artifact, Assets, Format, PdfStandard, Rendered, Renderer, Request},
    text::Source,
};

use self::pages::PageServer;
use super::{
    Global,
    arguments::{EnvironmentArguments, RuleArguments},
    check,
    console::{Console, plural},
    exit::{Exit, Fault, shown},
    in_order::{default_jobs, in_order},
    library::{library, renderer},
    panics,
    progress::Progress,
    project::{fails, open},
    sink::Sink,
    watch,
};

/// Render documents
///
/// Each document is checked against its quill first, and not rendered while it has errors.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark render letter.md                       letter.pdf beside it
  proofmark render letter.md -o out/offer.pdf      elsewhere
  proofmark render letter.md --format svg -o -     to standard output
  proofmark render letter.md --format pdf,html     two formats in one run
  proofmark render letter.md --pdf-standard a-2b   PDF for an archive
  proofmark render letters/*.md -o out/            many, on all processors
  proofmark render notes.md --quill report         with another quill than the one it names
  proofmark render letter.md --watch               again after every change, also of the quill
  proofmark render letter.md --watch --serve       the same in a browser

Formats of pages, svg and png, give a file a page: letter-1.svg, letter-2.svg. Rendering is
deterministic with --date or SOURCE_DATE_EPOCH.")]
pub(super) struct Arguments {
    /// Documents, or folders with Markdown documents; - for standard input
    #[arg(value_name = "FILES", required = true)]
    paths: Vec<PathBuf>,
    /// Output: a file, a folder for several documents, or - for standard output [default: next to each document]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Output formats: pdf, svg, png or html, separated by commas [default: from the output's extension, else pdf]
    #[arg(long, value_name = "FORMAT", value_parser = format, value_delimiter = ',')]
    format: Vec<Format>,
    /// Standards that PDF conforms to: a-2b (PDF/A-2b), ua-1 (PDF/UA-1), or both with a comma
    #[arg(long, value_name = "STANDARD", value_parser = standard, value_delimiter = ',')]
    pdf_standard: Vec<PdfStandard>,
    /// Quill to render with, instead of the one that the document names
    #[arg(long, value_name = "NAME")]
    quill: Option<String>,
    /// Render despite errors, and replace existing outputs even if they are files of another type
    #[arg(long)]
    force: bool,
    /// The date of today for layouts, such as 2026-01-31
    #[arg(long, value_name = "DATE", value_parser = date)]
    date: Option<String>,
    /// Pixels per inch, for png
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(18..=600))]
    ppi: Option<u16>,
    /// Number of documents to render in parallel [default: one per CPU]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Format of the report on findings, which goes to standard error
    #[arg(
        long, value_name = "FORMAT", default_value = "pretty", value_parser = check::format,
        hide_default_value = true
    )]
    report: ReportFormat,
    /// Render again whenever a document, a quill or the configuration changes
    #[arg(long)]
    watch: bool,
    /// Show the pages in a browser instead of writing them, at http://127.0.0.1:PORT; any free port by default
    #[arg(
        long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0", require_equals = true,
        requires = "watch", conflicts_with_all = ["output", "format", "pdf_standard", "ppi"]
    )]
    serve: Option<u16>,
    #[command(flatten)]
    rules: RuleArguments,
}

pub(super) fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| "formats are pdf, svg, png and html".to_owned())
}

fn standard(name: &str) -> Result<PdfStandard, String> {
    PdfStandard::named(name).ok_or_else(|| "standards are a-2b and ua-1".to_owned())
}

fn date(text: &str) -> Result<String, String> {
    if is_date(text) { Ok(text.to_owned()) } else { Err("write a day as 2026-01-31".to_owned()) }
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let server = arguments.serve.map(PageServer::start).transpose();
    let server = server.map_err(|error| Fault::usage(format!("the pages cannot be served: {error}")))?;
    if let Some(server) = &server {
        Console::note(&format!("the pages are at {}", server.url()));
    }
    let once = || once(arguments, global, console, server.as_ref());
    if arguments.watch { watch::rendering(&arguments.paths, global, once) } else { once() }
}

fn once(
    arguments: &Arguments,
    global: &Global,
    console: Console,
    server: Option<&PageServer>,
) -> Result<Exit, Fault> {
    let overrides = Overrides {
        rules: arguments.rules.overrides(),
        environment: EnvironmentArguments::default().of_process(),
        ..Overrides::default()
    };
    let project = open(global, overrides)?;
    let inputs = inputs(arguments, &project);
    if inputs.is_empty() {
        return Err(Fault::with_hint("there is no Markdown document below these folders", "name a document"));
    }
    let plan = match server {
        Some(server) => Plan::served(arguments, inputs.len(), server)?,
        None => Plan::new(arguments, inputs.len())?,
    };
    different_outputs(&inputs, &plan, arguments.force)?;
    let jobs = arguments.jobs.unwrap_or_else(default_jobs).clamp(1, inputs.len());
    let config = config::Render { workers: jobs, ..project.config().render.clone() };
    let renderer = renderer(Arc::new(library(&project)), &config)?;
    renderer.start_ahead();
    let fail_level = project.config().rules.fail_level;
    let options = report::ReportOptions {
        color: console.error_color(),
        width: Console::error_width(),
        fail_level,
        ..report::ReportOptions::default()
    };
    let run = project.run(arguments.report, options);
    let mut reporter = report::reporter(arguments.report, &run);
    let mut sink = Sink::stderr();
    let mut said = arguments.report != ReportFormat::Pretty && arguments.report != ReportFormat::Concise;
    if said {
        reporter.begin(&mut sink)?;
    }
    let mut exit = Exit::Clean;
    let progress = Progress::rendering(inputs.len());
    in_order(
        jobs,
        inputs.iter(),
        |listed| (listed, one(listed, arguments, &plan, &project, &renderer)),
        |(listed, outcome)| {
            let Outcome { source, rendered, crashed } = outcome;
            let failed = fails(&rendered.diagnostics, Severity::Error);
            let Rendered { artifacts, diagnostics, layouts, .. } = rendered;
            let sources: Vec<_> = iter::once(source).chain(layouts).collect();
            let file = FileReport { name: &listed.name, sources: &sources, diagnostics: &diagnostics };
            progress.aside(|| {
                if !said && !diagnostics.is_empty() {
                    said = true;
                    reporter.begin(&mut sink)?;
                }
                if said {
                    reporter.file(&file, &mut sink)?;
                }
                match plan.target {
                    Target::Server(server) => {
                        let pages = artifacts.iter().map(|page| Arc::clone(&page.bytes)).collect();
                        server.show(pages, in_browser(&project, &file)?);
                        Ok(())
                    }
                    _ => plan.write(listed, &artifacts),
                }
            })?;
            progress.advance();
            if crashed {
                exit = Exit::Internal;
            } else if failed || fails(&diagnostics, fail_level) {
                exit = exit.max(Exit::Findings);
            }
            Ok::<(), Fault>(())
        },
    )?;
    progress.finish();
    if said {
        reporter.end(&report::Outcome { exit_code: exit.code(), truncated: None }, &mut sink)?;
    }
    sink.finish()?;
    Ok(exit)
}

/// Columns of a report in a browser.
const BROWSER_WIDTH: usize = 100;

/// The findings on a document as people read them beside its pages.
fn in_browser(project: &Project, file: &FileReport<'_>) -> Result<String, Fault> {
    if file.diagnostics.is_empty() {
        return Ok(String::new());
    }
    let options = report::ReportOptions { width: Some(BROWSER_WIDTH), ..report::ReportOptions::default() };
    let run = project.run(ReportFormat::Pretty, options);
    let mut written = Vec::new();
    report::reporter(ReportFormat::Pretty, &run).file(file, &mut written)?;
    Ok(String::from_utf8_lossy(&written).trim().to_owned())
}

/// Whether a path ends as a pattern such as `*.md`.
fn ends(path: &Path, glob: &str) -> bool {
    path.to_string_lossy().to_lowercase().ends_with(glob.trim_start_matches('*'))
}

/// The documents that are named, and the Markdown files below folders that are named, each once.
fn inputs(arguments: &Arguments, project: &Project) -> Vec<Listed> {
    let mut seen = HashSet::new();
    let stdin = Path::new("-");
    let named = |path: &PathBuf| if path == stdin { Input::stdin() } else { Input::file(path) };
    let is_markdown = |listed: &Listed| {
        listed.input.path().is_some_and(|path| Markdown.globs().iter().any(|glob| ends(path, glob)))
    };
    let listed = arguments.paths.iter().flat_map(|path| {
        if path.is_dir() {
            let below = project.documents(std::slice::from_ref(path), false);
            return below.into_iter().filter(is_markdown).collect();
        }
        vec![project.listed(named(path).of_kind(Some(Arc::new(Markdown))))]
    });
    listed.filter(|listed| seen.insert(listed.name.clone())).collect()
}

struct Outcome {
    source: Arc<Source>,
    rendered: Rendered,
    crashed: bool,
}

/// Reads and renders one document. A panic becomes a finding of that document.
fn one(
    listed: &Listed,
    arguments: &Arguments,
    plan: &Plan<'_>,
    project: &Project,
    renderer: &Renderer,
) -> Outcome {
    let subject = match project.subject(listed.input.clone()) {
        Ok(subject) => subject,
        Err(NotOpened::Unreadable { outcome, .. }) => {
            return Outcome {
                source: Arc::clone(outcome.document.source()),
                rendered: Rendered { diagnostics: outcome.diagnostics, ..Rendered::default() },
                crashed: false,
            };
        }
        Err(NotOpened::UnknownKind) => return Outcome::crash(listed, project, "the kind is not known"),
    };
    let request = |format| Request {
        subject: &subject,
        quill: arguments.quill.as_deref(),
        format,
        standards: if format == Format::Pdf { &arguments.pdf_standard } else { &[] },
        assets: &NO_ASSETS,
        ppi: arguments.ppi.map(f32::from),
        date: &plan.date,
        force: arguments.force,
        check_only: false,
    };
    let rendered = panics::caught(|| {
        let formats = plan.formats.iter().map(|format| renderer.render(&request(*format)));
        formats.reduce(Rendered::and).unwrap_or_default()
    });
    match rendered {
        Ok(rendered) => Outcome { source: Arc::clone(subject.source()), rendered, crashed: false },
        Err(panic) => Outcome::crash(listed, project, &panic),
    }
}

/// Documents of files have their pictures beside them.
static NO_ASSETS: Assets = Assets::new();

impl Outcome {
    /// The program failed on the document.
    fn crash(listed: &Listed, project: &Project, panic: &str) -> Self {
        let engine::Outcome { document, diagnostics, .. } = project.crashed(&listed.name, panic);
        let rendered = Rendered { diagnostics, ..Rendered::default() };
        Self { source: Arc::clone(document.source()), rendered, crashed: true }
    }
}

/// What is made, and where it goes.
struct Plan<'s> {
    /// At least one.
    formats: Vec<Format>,
    date: String,
    target: Target<'s>,
}

enum Target<'s> {
    /// Beside each document.
    Beside,
    File(PathBuf),
    Folder(PathBuf),
    Stdout,
    /// A browser.
    Server(&'s PageServer),
}

impl<'s> Plan<'s> {
    /// One document as pages for a browser.
    fn served(arguments: &Arguments, documents: usize, server: &'s PageServer) -> Result<Self, Fault> {
        if documents > 1 {
            return Err(Fault::with_hint("`--serve` shows one document", "name one document"));
        }
        let date = arguments.date.clone().unwrap_or_else(calendar::today);
        Ok(Self { formats: vec![Format::Svg], date, target: Target::Server(server) })
    }

    fn new(arguments: &Arguments, documents: usize) -> Result<Self, Fault> {
        let target = match &arguments.output {
            None if arguments.paths.iter().any(|path| path == Path::new("-")) => Target::Stdout,
            None => Target::Beside,
            Some(path) if path == Path::new("-") => Target::Stdout,
            Some(path) if path.is_dir() || path.to_string_lossy().ends_with('/') => {
                std::fs::create_dir_all(path).map_err(|error| Fault::write(path, error))?;
                Target::Folder(path.clone())
            }
            Some(path) => Target::File(path.clone()),
        };
        if let Target::File(path) = &target {
            known_extension(path, arguments.format.first().copied())?;
        }
        if documents > 1 && matches!(target, Target::File(_) | Target::Stdout) {
            let hint = "name a folder, with `/` at its end when it is not there yet";
            return Err(Fault::with_hint("many documents do not fit into one output", hint));
        }
        if arguments.format.len() > 1 && matches!(target, Target::File(_) | Target::Stdout) {
            let hint = "name a folder, with `/` at its end when it is not there yet";
            return Err(Fault::with_hint("several formats do not fit into one output", hint));
        }
        let by_name = || match &target {
            Target::File(path) => path.extension().and_then(|extension| Format::named(extension.to_str()?)),
            _ => None,
        };
        let mut formats = arguments.format.clone();
        if formats.is_empty() {
            formats.push(by_name().unwrap_or_default());
        }
        if !arguments.pdf_standard.is_empty() && !formats.contains(&Format::Pdf) {
            let hint = "add `--format pdf`, or leave out `--pdf-standard`";
            return Err(Fault::with_hint("`--pdf-standard` is for PDF", hint));
        }
        let date = arguments.date.clone().unwrap_or_else(calendar::today);
        Ok(Self { formats, date, target })
    }

    /// The file that a document is rendered to; that of the first page has a number where there are more.
    fn path_of(&self, listed: &Listed, format: Format) -> Option<PathBuf> {
        let own = listed.input.path().unwrap_or(Path::new("document"));
        match &self.target {
            Target::Stdout | Target::Server(_) => None,
            Target::Beside => Some(own.with_extension(format.name())),
            Target::File(path) => Some(path.clone()),
            Target::Folder(folder) => {
                Some(folder.join(own.file_name().unwrap_or_default()).with_extension(format.name()))
            }
        }
    }

    /// Writes a document in all formats and says where.
    fn write(&self, listed: &Listed, artifacts: &[Artifact]) -> Result<(), Fault> {
        for format in &self.formats {
            let of_format: Vec<&Artifact> =
                artifacts.iter().filter(|artifact| artifact.format == *format).collect();
            self.write_format(listed, *format, &of_format)?;
        }
        Ok(())
    }

    fn write_format(&self, listed: &Listed, format: Format, artifacts: &[&Artifact]) -> Result<(), Fault> {
        if artifacts.is_empty() {
            return Ok(());
        }
        let own = listed.input.path().unwrap_or(Path::new("document"));
        let path = match &self.target {
            Target::Stdout => {
                let [artifact] = artifacts else {
                    let what = format!("{} do not fit into one output", plural(artifacts.len(), "page"));
                    return Err(Fault::with_hint(what, "name a file or a folder with `--output`"));
                };
                let mut out = Console::stdout();
                out.write_all(&artifact.bytes)?;
                return Ok(out.flush()?);
            }
            Target::Beside | Target::File(_) | Target::Folder(_) | Target::Server(_) => {
                self.path_of(listed, format).unwrap_or_else(|| own.to_owned())
            }
        };
        for (index, artifact) in artifacts.iter().enumerate() {
            let path = if artifacts.len() == 1 { path.clone() } else { numbered(&path, index + 1) };
            files::put(&path, &artifact.bytes).map_err(|error| Fault::write(&path, error))?;
            Console::print(&format!("{}\n", shown(&path)))?;
        }
        if format.is_of_pages() && path != own {
            name_stale(&path, artifacts.len());
        }
        Ok(())
    }
}

/// Makes sure that the name of the output says what it is.
pub(super) fn known_extension(path: &Path, format: Option<Format>) -> Result<(), Fault> {
    let Some(extension) = path.extension() else { return Ok(()) };
    let named = extension.to_str().and_then(Format::named);
    if named.is_some() && format.is_none_or(|format| named == Some(format)) {
        return Ok(());
    }
    let what = match format {
        Some(format) if named.is_some() => format!("`{}` is not a name for {format}", shown(path)),
        _ => format!("`.{}` is not a format of pages", extension.to_string_lossy()),
    };
    Err(Fault::with_hint(
        what,
        "end the name with .pdf, .svg, .png or .html, or choose a folder with `/` at its end",
    ))
}

/// Makes sure that no two documents are rendered to the same file.
fn different_outputs(inputs: &[Listed], plan: &Plan<'_>, force: bool) -> Result<(), Fault> {
    let own = inputs.iter().filter_map(|listed| listed.input.path());
    let mut outputs = files::Outputs::new(own, force);
    let mut known: HashMap<PathBuf, &str> = HashMap::new();
    for listed in inputs {
        for format in &plan.formats {
            let Some(path) = plan.path_of(listed, *format) else { continue };
            if let Some(other) = known.insert(path.clone(), &listed.name) {
                let what =
                    format!("`{other}` and `{}` would both be rendered to `{}`", listed.name, shown(&path));
                return Err(Fault::with_hint(
                    what,
                    "rename one of them, or render them to different folders",
                ));
            }
            outputs.take(&path, &[format.name()]).map_err(|error| Fault::output(&error))?;
        }
    }
    Ok(())
}

/// Names pages that an earlier rendering of a longer document left: `letter-3.svg` after two pages.
fn name_stale(path: &Path, pages: usize) {
    let first = if pages == 1 { 1 } else { pages + 1 };
    let of_before = (first..).map(|page| numbered(path, page)).take_while(|path| path.is_file());
    let whole = (pages > 1).then(|| path.to_owned()).filter(|path| path.is_file());
    for path in of_before.chain(whole) {
        Console::note(&format!("note: `{}` is a page of an earlier rendering", shown(&path)));
    }
}

/// `letter.svg` as `letter-2.svg`.
fn numbered(path: &Path, page: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{page}.{extension}"))
}
