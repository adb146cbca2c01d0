mod book;
mod dialects;
mod preview;
mod website;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    convert::{
        self, ConvertError, Converted, Engine, ErrorCode, Format, NotConverted, Pandoc, RenderWorker, Request,
    },
    diagnostic::{
        Diagnostic, Severity,
        report::{self, FileReport, Format as ReportFormat},
    },
    files,
    project::{Input, Listed, NotOpened, Overrides, Project},
    text::Source,
};

use super::{
    Global,
    arguments::RuleArguments,
    check,
    console::Console,
    exit::{Exit, Fault, shown},
    in_order::{default_jobs, in_order},
    panics,
    progress::Progress,
    project::open,
    sink::Sink,
};

/// Convert Quarto documents to other formats
///
/// Code is shown and never executed. Each document is validated first, and not converted while it has errors. There is one
/// exception: if the header names a file that does not exist, such as a `reference-doc` (QD713) or a `logo` (QD714), the
/// document is converted without that file, the error is reported, and the exit code is 1.
///
/// The folder of a Quarto project (with `_quarto.yml`) whose type is `website` or `book` becomes a site of web pages, with
/// menus, numbered chapters, and references and links between pages. With `--to pdf`, a book becomes one document.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark convert report.qmd --to html                      report.html beside it
  proofmark convert report.qmd --to html,docx                 several formats
  proofmark convert report.qmd                                the formats of its header, or of _quarto.yml
  proofmark convert talk.qmd -o talk.pptx --template acme.pptx
  proofmark convert talk.qmd --to pptx --preview              also pictures of its slides: talk-pptx-1.png, …
  proofmark convert report.qmd --to docx --option toc=true
  proofmark convert chapters/ --to html -o site/              every *.qmd below a folder
  proofmark convert docs/                                     a website or book, to its output-dir (_site, _book)
  proofmark convert docs/ --to pdf                            a book as one PDF, to its output-dir
  proofmark convert --formats                                 what documents are converted to, and by what
  proofmark convert letter.md --to tildes -o new.md           metadata blocks of another Quillmark version

Formats without a writer of our own need pandoc 3.1 or later: `pip install pypandoc_binary`. Options of
the command line win over those of the document.")]
pub(super) struct Arguments {
    /// Documents, and folders of them; - for standard input
    #[arg(value_name = "PATHS", required_unless_present = "formats")]
    paths: Vec<PathBuf>,
    /// Output formats, or the dialect for a document with metadata blocks: seed, c2, cards, tildes [default: from the
    /// output's extension, else the formats of the document's header, else those of its `_quarto.yml`]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',')]
    to: Vec<String>,
    /// Output: a file, a folder, or - for standard output [default: next to each document; for a project, its output-dir]
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
    #[arg(
        long,
        help = "Also write a PNG of each slide or page next to the result, such as talk-pptx-1.png; pptx, docx, odt and rtf need LibreOffice for it"
    )]
    preview: bool,
    /// Replace existing outputs even if they are files of another type, or files of a site that no conversion wrote
    #[arg(long)]
    force: bool,
    /// Dialect to assume for metadata blocks if it cannot be detected
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
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

/// What reports call the options of the command line.
const OPTIONS: &str = "<--option>";

fn option(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write an option as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let overrides = Overrides {
        rules: arguments.rules.overrides(),
        dialect: arguments.dialect.clone(),
        ..Overrides::default()
    };
    let mut project = open(global, overrides)?;
    let projects: Vec<&PathBuf> = arguments.paths.iter().filter(|path| website::is_project(path)).collect();
    for folder in &projects {
        project = project.also_reading(folder);
    }
    if let [to] = arguments.to.as_slice()
        && let Some(to) = dialects::named(to)
        && !arguments.preview
    {
        return dialects::run(arguments, to, &project, &Report { arguments, project: &project, console });
    }
    let pandoc = Pandoc::of(&project.config().convert);
    if arguments.formats {
        return list(&pandoc);
    }
    let report = Report { arguments, project: &project, console };
    let mut exit = Exit::Clean;
    let mut paths = arguments.paths.clone();
    if !projects.is_empty() && paths.len() > 1 && arguments.output.is_some() {
        let hint = "convert the projects one by one, or leave out `--output`";
        return Err(Fault::with_hint("several results would go to one output", hint));
    }
    if arguments.preview && !projects.is_empty() {
        let hint = "name a document of the project, such as talk.qmd";
        return Err(Fault::with_hint("`--preview` is for documents, not for projects", hint));
    }
    for folder in projects {
        if let Some(found) = website::run(folder, arguments, &project, &report)? {
            exit = exit.max(found);
            paths.retain(|path| path != folder);
        }
    }
    if paths.is_empty() {
        return Ok(exit);
    }
    let documents = documents(&paths, &project)?;
    let plans = plans(arguments, &project, documents, &report)?;
    let template = arguments.template.as_deref().map(|named| template(named, &project)).transpose()?;
    let worker = worker(&project);
    let progress = Progress::converting(plans.iter().map(|(_, documents)| documents.len()).sum());
    for (plan, documents) in &plans {
        let batch = Batch {
            arguments,
            project: &project,
            plan,
            pandoc: &pandoc,
            template: template.as_deref(),
            worker: worker.as_deref(),
        };
        in_order(
            default_jobs().min(documents.len()),
            documents.iter(),
            |listed| (listed, panics::caught(|| batch.convert(listed))),
            |(listed, outcome)| {
                let outcome = outcome.unwrap_or_else(|panic| Err(Fault::Internal(panic)));
                exit = exit.max(progress.aside(|| batch.write(listed, outcome, &report))?);
                progress.advance();
                Ok::<(), Fault>(())
            },
        )?;
    }
    progress.finish();
    Ok(exit)
}

/// The documents that are named, and those below folders that are named; files that are only included are not.
fn documents(paths: &[PathBuf], project: &Project) -> Result<Vec<Listed>, Fault> {
    let quarto = convert::source_kind(project);
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            let is_document = |listed: &Listed| {
                let path = listed.input.path().unwrap_or(Path::new(""));
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                path.extension().is_some_and(|extension| extension == "qmd") && !name.starts_with('_')
            };
            out.extend(project.documents(std::slice::from_ref(path), false).into_iter().filter(is_document));
        } else {
            let input = if path == Path::new("-") { Input::stdin() } else { Input::file(path) };
            out.push(project.listed(input.of_kind(quarto.clone())));
        }
    }
    if out.is_empty() {
        let what = "there is no Quarto document below the folder";
        return Err(Fault::with_hint(what, "name documents, or folders with files named *.qmd"));
    }
    Ok(out)
}

/// The plans for the documents with those that each is for, before anything is converted or written.
fn plans(
    arguments: &Arguments,
    project: &Project,
    documents: Vec<Listed>,
    report: &Report<'_>,
) -> Result<Vec<(Plan, Vec<Listed>)>, Fault> {
    let inputs: Vec<PathBuf> =
        documents.iter().filter_map(|listed| listed.input.path()).map(Path::to_owned).collect();
    let inputs = inputs.iter().map(PathBuf::as_path).chain(arguments.template.as_deref());
    let mut outputs = files::Outputs::new(inputs, arguments.force);
    let chosen = formats(arguments, project, documents)?;
    let is_single = chosen.len() == 1;
    let mut plans = Vec::new();
    for Chosen { format, is_named, documents } in chosen {
        let plan = Plan { is_named, ..Plan::new(arguments, format, documents.len())? };
        if !is_single && matches!(plan.target, Target::File(_) | Target::Stdout) {
            let hint = "name a format with `--to`, or a folder with `/` at its end";
            return Err(Fault::with_hint("several formats do not fit into one output", hint));
        }
        if arguments.preview {
            plan.check_preview(project)?;
        }
        plan.take(&documents, arguments, &mut outputs)?;
        if plan.is_named && report.is_for_people() {
            for path in documents.iter().filter_map(|listed| plan.path(listed, &arguments.paths)) {
                let (name, extension) = (shown(&path), &format.extension);
                Console::note(&format!(
                    "{name}: another format of the document has the ending .{extension}, so this name contains the format"
                ));
            }
        }
        plans.push((plan, documents));
    }
    Ok(plans)
}

/// What is made, and where it goes.
struct Plan {
    format: &'static Format,
    /// Whether the names of the results contain the format: `a-revealjs.html`.
    is_named: bool,
    target: Target,
    /// Whether the source of what is typeset is wanted.
    source: bool,
    several: bool,
}

enum Target {
    /// Beside each document.
    Beside,
    File(PathBuf),
    Folder(PathBuf),
    Stdout,
}

impl Plan {
    fn new(arguments: &Arguments, format: &'static Format, documents: usize) -> Result<Self, Fault> {
        let stdout = Path::new("-");
        let target = match &arguments.output {
            None if arguments.paths.iter().any(|path| path == stdout) => Target::Stdout,
            None => Target::Beside,
            Some(path) if path == stdout => Target::Stdout,
            Some(path) if path.is_dir() || path.to_string_lossy().ends_with('/') => {
                std::fs::create_dir_all(path).map_err(|error| Fault::write(path, error))?;
                Target::Folder(path.clone())
            }
            Some(path) => Target::File(path.clone()),
        };
        if documents > 1 && matches!(target, Target::File(_) | Target::Stdout) {
            let hint = "name a folder, with `/` at its end when it is not there yet";
            return Err(Fault::with_hint("many documents do not fit into one output", hint));
        }
        let source = matches!(&target, Target::File(path) if path.extension().is_some_and(|extension| extension == "typ"));
        Ok(Self { format, is_named: false, target, source, several: documents > 1 })
    }

    /// Refuses previews of what has no slides or pages, and of what goes to standard output.
    fn check_preview(&self, project: &Project) -> Result<(), Fault> {
        if self.source || matches!(self.target, Target::Stdout) {
            let hint = "name a file, or a folder, with `--output`; a file that ends in .pdf has pages";
            return Err(Fault::with_hint("this output has no preview", hint));
        }
        preview::check(self.format, project)
    }

    /// Refuses outputs that are inputs, files of other types, or those of several documents.
    fn take(
        &self,
        documents: &[Listed],
        arguments: &Arguments,
        outputs: &mut files::Outputs,
    ) -> Result<(), Fault> {
        let extension = if self.source { "typ" } else { self.format.extension.as_str() };
        for path in documents.iter().filter_map(|listed| self.path(listed, &arguments.paths)) {
            outputs.take(&path, &[extension]).map_err(|error| Fault::output(&error))?;
        }
        Ok(())
    }

    /// Where the result of a document goes; nothing for standard output.
    fn path(&self, listed: &Listed, paths: &[PathBuf]) -> Option<PathBuf> {
        let own = listed.input.path().unwrap_or(Path::new("document"));
        match &self.target {
            Target::Stdout => None,
            Target::Beside => Some(self.named(own)),
            Target::File(path) => Some(path.clone()),
            Target::Folder(folder) => {
                // Documents below a folder keep their places in it.
                let here = Path::new(".");
                let below = paths.iter().filter(|path| path.is_dir()).find_map(|path| {
                    if path == here && own.is_relative() { Some(own) } else { own.strip_prefix(path).ok() }
                });
                let name = below.unwrap_or_else(|| Path::new(own.file_name().unwrap_or_default()));
                Some(self.named(&folder.join(name)))
            }
        }
    }

    /// The name of the result of a document, in its folder.
    fn named(&self, document: &Path) -> PathBuf {
        let extension = &self.format.extension;
        match document.file_stem() {
            Some(stem) if self.is_named => {
                let stem = stem.to_string_lossy();
                document.with_file_name(format!("{stem}-{}.{extension}", self.format.id))
            }
            _ => document.with_extension(extension),
        }
    }
}

/// What the documents of one command share.
struct Batch<'b> {
    arguments: &'b Arguments,
    project: &'b Project,
    plan: &'b Plan,
    pandoc: &'b Pandoc,
    template: Option<&'b [u8]>,
    worker: Option<&'b dyn RenderWorker>,
}

/// What came of a document, with its source.
struct Outcome {
    source: Arc<Source>,
    result: Result<Converted, NotConverted>,
}

impl Batch<'_> {
    fn convert(&self, listed: &Listed) -> Result<Outcome, Fault> {
        let subject = match self.project.subject(listed.input.clone()) {
            Ok(subject) => subject,
            Err(NotOpened::Unreadable { outcome, .. }) => {
                let error = ConvertError::new(ErrorCode::InvalidInput, "the document cannot be read", "");
                let result = Err(NotConverted { error, diagnostics: outcome.diagnostics });
                return Ok(Outcome { source: Arc::clone(outcome.document.source()), result });
            }
            Err(NotOpened::UnknownKind) => return Err(Fault::usage("the kind of the document is not known")),
        };
        let engine = self.arguments.engine.map(|engine| match engine {
            EngineName::Embedded => Engine::Embedded,
            EngineName::Pandoc => Engine::Pandoc,
        });
        let result = self.plan.path(listed, &self.arguments.paths);
        let back = result.and_then(|result| convert::way_back(&result, listed.input.path()?));
        let request = Request {
            format: self.plan.format,
            engine: engine.or_else(|| convert::preferred(&self.project.config().convert)),
            options: &self.arguments.options,
            options_name: OPTIONS,
            pandoc: self.pandoc,
            template: self.template,
            source: self.plan.source,
            back: back.as_deref(),
            worker: self.worker,
        };
        Ok(Outcome { source: Arc::clone(subject.source()), result: convert::convert(&subject, &request) })
    }

    /// Reports what was found in a document, and writes its result.
    fn write(
        &self,
        listed: &Listed,
        outcome: Result<Outcome, Fault>,
        report: &Report<'_>,
    ) -> Result<Exit, Fault> {
        let Outcome { source, result } = match outcome {
            // The other documents are converted.
            Err(Fault::Internal(panic)) if self.plan.several => {
                let fault = Fault::Internal(format!("{}: {panic}", listed.name));
                return Ok(fault.report());
            }
            outcome => outcome?,
        };
        match result {
            Ok(Converted { bytes, diagnostics, .. }) => {
                report.write(&source, &diagnostics)?;
                self.put(listed, &bytes)?;
                // What the conversion did without.
                let is_error =
                    |found: &Diagnostic| found.severity == Severity::Error && found.suppressed.is_none();
                Ok(if diagnostics.iter().any(is_error) { Exit::Findings } else { Exit::Clean })
            }
            Err(failed) => {
                report.write(&source, &failed.diagnostics)?;
                let human = matches!(self.arguments.report, ReportFormat::Pretty | ReportFormat::Concise);
                if failed.diagnostics.iter().any(|found| found.severity == Severity::Error) {
                    if human {
                        Console::note("nothing is written: a document is converted when it has no errors");
                    }
                    return Ok(Exit::Findings);
                }
                let error = failed.error;
                let detail =
                    if error.output.is_empty() { String::new() } else { format!("\n{}", error.output) };
                if self.plan.several && error.code != ErrorCode::DependencyMissing {
                    Console::note(&format!("{}: {}{detail}", listed.name, error.message));
                    return Ok(Exit::Findings);
                }
                Err(Fault::with_hint(format!("{}{detail}", error.message), error.details))
            }
        }
    }

    fn put(&self, listed: &Listed, bytes: &[u8]) -> Result<(), Fault> {
        let Some(path) = self.plan.path(listed, &self.arguments.paths) else {
            use std::io::Write as _;
            let mut out = Console::stdout();
            out.write_all(bytes)?;
            return Ok(out.flush()?);
        };
        if let (Target::Folder(_), Some(folder)) = (&self.plan.target, path.parent()) {
            std::fs::create_dir_all(folder).map_err(|error| Fault::write(folder, error))?;
        }
        files::put(&path, bytes).map_err(|error| Fault::write(&path, error))?;
        Console::print(&format!("{}\n", shown(&path)))?;
        if self.arguments.preview {
            self.preview(&path, bytes)?;
        }
        Ok(())
    }

    /// Puts pictures of the slides or pages of a result next to it.
    fn preview(&self, path: &Path, bytes: &[u8]) -> Result<(), Fault> {
        let format = self.plan.format;
        let pictures = preview::pictures(bytes, format, self.project)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let stem = if self.plan.is_named { stem.into_owned() } else { format!("{stem}-{}", format.id) };
        for (index, picture) in pictures.pages.iter().enumerate() {
            let path = path.with_file_name(format!("{stem}-{}.png", index + 1));
            files::put(&path, picture).map_err(|error| Fault::write(&path, error))?;
            Console::print(&format!("{}\n", shown(&path)))?;
        }
        Console::note(&format!("the pictures are made by {}", pictures.made_by));
        Ok(())
    }
}

/// What sets pages and draws diagrams. Its process is started when there is work.
#[cfg(feature = "render")]
#[allow(clippy::unnecessary_wraps, reason = "without the renderer there is none")]
fn worker(project: &Project) -> Option<Box<dyn RenderWorker>> {
    Some(Box::new(renderer(project)))
}

#[cfg(feature = "render")]
fn renderer(project: &Project) -> crate::render::Renderer {
    use crate::render::{Library, Renderer, WorkerProgram};
    let config = project.config().render.clone();
    let worker = WorkerProgram::installed(config.worker.as_deref());
    Renderer::new(Arc::new(Library::default()), &config, worker)
}

/// Without the renderer there are no pages and no drawings.
#[cfg(not(feature = "render"))]
fn worker(_: &Project) -> Option<Box<dyn RenderWorker>> {
    None
}

/// The bytes of a template: a file, or one that `templates.yaml` names.
fn template(named: &Path, project: &Project) -> Result<Vec<u8>, Fault> {
    let id = named.to_str().filter(|_| !named.is_file() && named.extension().is_none());
    match id {
        Some(id) => {
            convert::template(project, id).map_err(|error| Fault::with_hint(error.message, error.details))
        }
        None => convert::read_template(named).map_err(|error| Fault::read(named, error)),
    }
}

/// A format with the documents that are converted to it.
struct Chosen {
    format: &'static Format,
    /// Whether the documents have another format before it with the same file extension.
    is_named: bool,
    documents: Vec<Listed>,
}

/// The formats with the documents that are converted to each: the one that is asked for, or those of the documents.
fn formats(arguments: &Arguments, project: &Project, documents: Vec<Listed>) -> Result<Vec<Chosen>, Fault> {
    if !arguments.to.is_empty() {
        let mut out: Vec<Chosen> = Vec::new();
        for name in &arguments.to {
            let format = named(name)?;
            if out.iter().all(|chosen| chosen.format != format) {
                let is_named = out.iter().any(|chosen| chosen.format.extension == format.extension);
                out.push(Chosen { format, is_named, documents: documents.clone() });
            }
        }
        return Ok(out);
    }
    let is_open = arguments.output.as_deref().is_none_or(|path| path.is_dir() || path.extension().is_none());
    if !is_open {
        return Ok(vec![Chosen { format: format(arguments)?, is_named: false, documents }]);
    }
    let mut out: Vec<Chosen> = Vec::new();
    for listed in documents {
        let own = project.subject(listed.input.clone()).ok().map(|subject| convert::formats_of(&subject));
        let own = own.unwrap_or_default();
        for (index, format) in own.iter().copied().enumerate() {
            let is_named = own[..index].iter().any(|other| other.extension == format.extension);
            let is_same = |chosen: &&mut Chosen| (chosen.format, chosen.is_named) == (format, is_named);
            match out.iter_mut().find(is_same) {
                Some(chosen) => chosen.documents.push(listed.clone()),
                None => out.push(Chosen { format, is_named, documents: vec![listed.clone()] }),
            }
        }
    }
    if out.is_empty() {
        return Ok(vec![Chosen { format: format(arguments)?, is_named: false, documents: Vec::new() }]);
    }
    Ok(out)
}

/// The format of a name.
fn named(name: &str) -> Result<&'static Format, Fault> {
    convert::format_named(name).ok_or_else(|| {
        let near = convert::similar_format(name).map(|near| format!("did you mean `{near}`? "));
        let hint = format!("{}`proofmark convert --formats` lists the formats", near.unwrap_or_default());
        Fault::with_hint(format!("there is no format `{name}`"), hint)
    })
}

/// The format that the name of the output has.
fn format(arguments: &Arguments) -> Result<&'static Format, Fault> {
    let extension = arguments.output.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    let by_name = extension.and_then(|extension| {
        match extension {
            "md" => return convert::format_named("gfm"),
            "typ" => return convert::format_named("typst"),
            _ => {}
        }
        convert::formats().iter().find(|format| format.extension == extension)
    });
    by_name.ok_or_else(|| Fault::with_hint("no format is given", "name it with `--to`, such as `--to html`"))
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
    /// Whether people read the report, and not a program.
    fn is_for_people(&self) -> bool {
        matches!(self.arguments.report, ReportFormat::Pretty | ReportFormat::Concise)
    }

    /// Says on standard error what was found.
    fn write(&self, source: &Arc<Source>, diagnostics: &[Diagnostic]) -> Result<(), Fault> {
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
        let sources = [Arc::clone(source)];
        reporter.file(&FileReport { name: source.name(), sources: &sources, diagnostics }, &mut sink)?;
        let failed = diagnostics.iter().any(|found| found.severity == Severity::Error);
        let exit = Exit::findings(failed);
        reporter.end(&report::Outcome { exit_code: exit.code(), truncated: None }, &mut sink)?;
        sink.finish()?;
        Ok(())
    }
}
