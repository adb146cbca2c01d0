//! Converting Quarto projects as a whole: websites and books.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use crate::{
    convert::{Connected, Facts, NotAWebsite, PageResult, Pandoc, Settings, Website, WebsiteKind},
    diagnostic::{Diagnostic, Severity},
    files::OutputFolder,
    project::Project,
    syntax::Observation,
    text::Fingerprint,
};

use super::{
    super::{
        console::{Console, plural},
        exit::{Exit, Fault, shown},
        in_order::{default_jobs, in_order},
        panics,
        progress::Progress,
    },
    Arguments, EngineName, OPTIONS, Report, book, worker,
};

/// What an earlier run wrote to an output folder: the paths and the fingerprints of the files.
const MANIFEST: &str = ".proofmark-site.json";

/// Largest manifest.
const MANIFEST_BYTES: usize = 32 << 20;

/// Largest file of an earlier run that is compared.
const COMPARED: usize = 256 << 20;

/// Most files that are copied, and most bytes of them.
const COPIED: usize = 20_000;
const COPIED_BYTES: usize = 2 << 30;

/// After how many files the list of what was written is written again.
const NOTED: usize = 100;

/// Most paths that a message lists.
const LISTED: usize = 5;

/// Whether a folder is that of a Quarto project.
pub(super) fn is_project(path: &Path) -> bool {
    path.is_dir() && ["_quarto.yml", "_quarto.yaml"].iter().any(|name| path.join(name).is_file())
}

/// Converts the project in a folder; nothing where it is neither a website nor a book, or where something else is asked
/// for.
pub(super) fn run(
    path: &Path,
    arguments: &Arguments,
    project: &Project,
    report: &Report<'_>,
) -> Result<Option<Exit>, Fault> {
    let output = arguments.output.as_deref();
    let website = match Website::open(project, path, output) {
        Ok(Some(website)) => website,
        Ok(None) => return Ok(None),
        Err(NotAWebsite { source, failed }) => {
            report.write(&source, &failed.diagnostics)?;
            if failed.diagnostics.is_empty() {
                return Err(Fault::with_hint(failed.error.message, failed.error.details));
            }
            return Ok(Some(Exit::Findings));
        }
    };
    let kind = website.kind().name();
    if website.kind() == WebsiteKind::Book
        && let Some(format) = book::format(&website, arguments)
    {
        return book::run(&website, format, arguments, report).map(Some);
    }
    if arguments.to.iter().any(|to| to != "html") {
        let to = arguments.to.join("`, `");
        let what =
            format!("the {kind} is not converted as a whole: each page becomes a file of the format `{to}`");
        if report.is_for_people() {
            Console::note(&what);
        }
        return Ok(None);
    }
    if arguments.engine == Some(EngineName::Pandoc) || arguments.template.is_some() {
        let what = format!("a {kind} is converted without pandoc and without a template");
        return Err(Fault::with_hint(what, "leave out `--engine` and `--template`"));
    }
    if website.pages().is_empty() {
        let hint = "write documents (*.qmd), or correct `project: render:`";
        return Err(Fault::with_hint(format!("the {kind} has no pages"), hint));
    }
    let (source, found) = website.findings_in_options(&arguments.options, OPTIONS);
    report.write(&source, &found)?;
    if has_errors(&found) {
        return Ok(Some(Exit::Findings));
    }
    let mut written = Written::open(&website, output, arguments.force)?;
    let pages = website.pages().len();
    let progress = Progress::converting(2 * pages);
    let mut facts: Vec<Facts> = Vec::with_capacity(pages);
    in_order(
        default_jobs().min(pages),
        0..pages,
        |index| panics::caught(|| website.survey(index)).unwrap_or_default(),
        |found| {
            facts.push(found);
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    let site = website.connected(facts);
    let exit = convert(&site, arguments, report, &progress, &mut written)?;
    progress.finish();
    Ok(Some(exit))
}

/// The result of converting the pages.
#[derive(Default)]
struct Outcome {
    written: usize,
    failed: usize,
    resources: BTreeSet<String>,
    exit: Option<Exit>,
}

impl Outcome {
    fn raise(&mut self, exit: Exit) {
        self.exit = Some(self.exit.map_or(exit, |own| own.max(exit)));
    }
}

fn convert(
    site: &Connected<'_>,
    arguments: &Arguments,
    report: &Report<'_>,
    progress: &Progress,
    written: &mut Written,
) -> Result<Exit, Fault> {
    let project = report.project;
    let pandoc = Pandoc::of(&project.config().convert);
    let worker = worker(project);
    let settings = Settings {
        options: &arguments.options,
        options_name: OPTIONS,
        pandoc: &pandoc,
        worker: worker.as_deref(),
    };
    let pages: Vec<usize> =
        (0..site.website().pages().len()).filter(|index| !site.is_draft(*index)).collect();
    let shared = site.shared();
    // Before anything is written.
    let planned = pages.iter().map(|index| site.output_of(*index));
    written.check(planned.chain(shared.iter().map(|(path, _)| path.clone())))?;
    for (path, bytes) in &shared {
        written.put(path, bytes)?;
    }
    let (resources, mut facts) = site.resources();
    let mut outcome = Outcome { resources, ..Outcome::default() };
    in_order(
        default_jobs().min(pages.len()),
        pages.iter().copied(),
        |index| (index, panics::caught(|| site.convert(index, settings))),
        |(index, page)| {
            progress.aside(|| take(site, index, page, report, written, &mut outcome))?;
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    let copied = copy(site, &outcome.resources, written, &mut facts)?;
    written.finish()?;
    let findings = site.findings(facts);
    progress.aside(|| report.write(site.website().source(), &findings))?;
    if has_errors(&findings) {
        outcome.raise(Exit::Findings);
    }
    let first = pages.first().map(|index| site.output_of(*index)).unwrap_or_default();
    let first = if written.current.contains_key("index.html") { "index.html" } else { &first };
    Console::print(&format!("{}\n", shown(&written.shown.join(first))))?;
    if report.is_for_people() {
        let failed = match outcome.failed {
            0 => String::new(),
            count => format!("; {} not converted", plural(count, "page")),
        };
        let drafts = match site.website().pages().len() - pages.len() {
            0 => String::new(),
            count => format!("; {} left out", plural(count, "draft")),
        };
        let files = if copied == 0 { String::new() } else { format!(", copied {}", plural(copied, "file")) };
        Console::note(&format!("wrote {}{files}{failed}{drafts}", plural(outcome.written, "page")));
        written.report_stale();
    }
    Ok(outcome.exit.unwrap_or(Exit::Clean))
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error && found.suppressed.is_none())
}

/// Reports what was found in a page, and writes it. A page that fails does not keep the others from being written.
fn take(
    site: &Connected<'_>,
    index: usize,
    page: Result<PageResult, String>,
    report: &Report<'_>,
    written: &mut Written,
    outcome: &mut Outcome,
) -> Result<(), Fault> {
    let name = &site.website().pages()[index];
    let page = match page {
        Ok(page) => page,
        Err(panic) => {
            outcome.failed += 1;
            outcome.raise(Fault::Internal(format!("{name}: {panic}")).report());
            return Ok(());
        }
    };
    match page.result {
        Ok(converted) => {
            report.write(&page.source, &converted.diagnostics)?;
            if has_errors(&converted.diagnostics) {
                outcome.raise(Exit::Findings);
            }
            outcome.resources.extend(page.resources);
            written.put(&site.output_of(index), &converted.bytes)?;
            outcome.written += 1;
        }
        Err(failed) => {
            report.write(&page.source, &failed.diagnostics)?;
            if report.is_for_people() {
                Console::note(&format!("{name} is not converted: {}", failed.error.message));
            }
            outcome.failed += 1;
            outcome.raise(Exit::Findings);
        }
    }
    Ok(())
}

/// Copies the files that pages need; gives their number.
fn copy(
    site: &Connected<'_>,
    resources: &BTreeSet<String>,
    written: &mut Written,
    facts: &mut Vec<Observation>,
) -> Result<usize, Fault> {
    if written.is_project_folder {
        return Ok(0);
    }
    let (mut copied, mut bytes) = (0, 0_usize);
    for path in resources {
        if copied >= COPIED || bytes >= COPIED_BYTES {
            facts.push(site.not_copied(path, "limit"));
            break;
        }
        match site.read_resource(path) {
            Ok(content) => {
                if let Err(Refused) = written.may_write(path, &content) {
                    facts.push(site.not_copied(path, "exists"));
                    continue;
                }
                bytes = bytes.saturating_add(content.len());
                written.put(path, &content)?;
                copied += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                facts.push(site.not_copied(path, "size"));
            }
            Err(_) => facts.push(site.not_copied(path, "unreadable")),
        }
    }
    Ok(copied)
}

/// The output folder, with what an earlier run wrote to it and what this one writes.
struct Written {
    folder: OutputFolder,
    /// How messages call the folder.
    shown: PathBuf,
    /// Whether it is the folder of the project.
    is_project_folder: bool,
    force: bool,
    earlier: BTreeMap<String, String>,
    current: BTreeMap<String, String>,
}

/// A file that this program did not write.
struct Refused;

impl Written {
    fn open(website: &Website<'_>, output: Option<&Path>, force: bool) -> Result<Self, Fault> {
        let (folder, shown) = match output {
            Some(output) => (OutputFolder::open(output), output.to_owned()),
            None => {
                let here = std::env::current_dir().unwrap_or_default();
                let full = website.folder().join(website.output());
                let shown = full.strip_prefix(&here).map_or(full.clone(), Path::to_owned);
                (OutputFolder::below(website.folder(), website.output()), shown)
            }
        };
        let folder = folder.map_err(|error| Fault::write(&shown, error))?;
        let real = |path: &Path| path.canonicalize().ok();
        let is_project_folder = real(&shown).is_some() && real(&shown) == real(website.folder());
        let earlier = folder.read(MANIFEST, MANIFEST_BYTES).ok();
        let earlier = earlier.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Ok(Self { folder, shown, is_project_folder, force, earlier, current: BTreeMap::new() })
    }

    /// Refuses to replace files that an earlier run did not write.
    fn check(&self, paths: impl Iterator<Item = String>) -> Result<(), Fault> {
        let refused: Vec<String> = paths.filter(|path| self.may_replace(path).is_err()).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let listed: Vec<String> =
            refused.iter().take(LISTED).map(|path| format!("`{}`", shown(&self.shown.join(path)))).collect();
        let more = refused.len().saturating_sub(LISTED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let (verb, them) = if refused.len() == 1 { ("exists", "it") } else { ("exist", "them") };
        let what = format!("{}{more} {verb} and did not come from an earlier conversion", listed.join(", "));
        Err(Fault::with_hint(
            what,
            format!("name another folder with `--output`, or replace {them} with `--force`"),
        ))
    }

    fn may_replace(&self, path: &str) -> Result<(), Refused> {
        if self.force || !self.folder.has(path) {
            return Ok(());
        }
        let known = self.earlier.get(path).ok_or(Refused)?;
        let now = self.folder.read(path, COMPARED).map_err(|_| Refused)?;
        if fingerprint(&now) == *known { Ok(()) } else { Err(Refused) }
    }

    /// Whether content may be written to a path.
    fn may_write(&self, path: &str, content: &[u8]) -> Result<(), Refused> {
        let is_same = || self.folder.read(path, content.len()).is_ok_and(|now| now == content);
        self.may_replace(path).or_else(|refused| if is_same() { Ok(()) } else { Err(refused) })
    }

    fn put(&mut self, path: &str, content: &[u8]) -> Result<(), Fault> {
        let failed = |error: io::Error| Fault::write(&self.shown.join(path), error);
        self.folder.put(path, content).map_err(failed)?;
        self.current.insert(path.to_owned(), fingerprint(content));
        // A run that is interrupted can be repeated.
        if self.current.len() % NOTED == 1 { self.note() } else { Ok(()) }
    }

    /// Writes down what was written.
    fn note(&self) -> Result<(), Fault> {
        let all: BTreeMap<&String, &String> = self.earlier.iter().chain(&self.current).collect();
        self.write_manifest(&all)
    }

    fn write_manifest(&self, files: &BTreeMap<&String, &String>) -> Result<(), Fault> {
        let text = serde_json::to_string_pretty(files).unwrap_or_default();
        let failed = |error: io::Error| Fault::write(&self.shown.join(MANIFEST), error);
        self.folder.put(MANIFEST, text.as_bytes()).map_err(failed)
    }

    /// Writes down at the end what was written. Files of an earlier run that are still there stay known.
    fn finish(&self) -> Result<(), Fault> {
        let kept = self.earlier.iter().filter(|(path, _)| self.folder.has(path));
        self.write_manifest(&kept.chain(&self.current).collect())
    }

    /// Says which files of an earlier run are not part of the result any more.
    fn report_stale(&self) {
        let is_stale = |path: &&String| !self.current.contains_key(*path) && self.folder.has(path);
        let stale: Vec<&String> = self.earlier.keys().filter(is_stale).collect();
        if let Some(first) = stale.first() {
            let first = shown(&self.shown.join(first));
            let (what, are) = if stale.len() == 1 {
                ("file".to_owned(), "is")
            } else {
                (format!("files, such as `{first}`,"), "are")
            };
            let name = if stale.len() == 1 { format!(" `{first}`") } else { String::new() };
            Console::note(&format!(
                "note: {} {what}{name} of an earlier conversion {are} not part of it any more and can be deleted",
                stale.len()
            ));
        }
    }
}

fn fingerprint(bytes: &[u8]) -> String {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add_bytes(bytes.iter().copied());
    format!("{}-{}", bytes.len(), fingerprint.hex())
}
