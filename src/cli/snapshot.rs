use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Global,
    arguments::RunArguments,
    console::Console,
    exit::{Exit, Fault},
    explain::diff,
    in_order::in_order,
    input::InputArguments,
    outputs::outputs,
    progress::Progress,
    project::{open, report_left_out},
    style::Style,
    validate::{Verdict, validate},
};
use crate::{
    diagnostic::{Diagnostic, Related},
    files::{self, Outputs},
    project::{Listed, Project, shown},
    text::visible,
};

/// Pin the findings of documents as text files that people review
///
/// The snapshot of `a.md` is `a.md.proofmark.txt`, beside it or in --folder. Without --update, the
/// current findings are compared with it: differences, missing snapshots, and snapshots without a
/// document are shown, and the run fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark snapshot docs                       compare, for a gate in CI
  proofmark snapshot docs --update              accept what is there now
  proofmark snapshot docs --folder snapshots    keep snapshots apart from documents")]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    run: RunArguments,
    /// Folder of the snapshots [default: next to each document]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Write the snapshots again, and remove those without a document
    #[arg(long)]
    update: bool,
}

/// How the name of a snapshot ends.
const SUFFIX: &str = ".proofmark.txt";

/// The name of the finding about a file that cannot be read.
const UNREADABLE: &str = "unreadable-file";

/// Most bytes of a snapshot.
const LARGEST: usize = 64 << 20;

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open(global, arguments.input.with(arguments.run.overrides()))?;
    report_left_out(&project);
    let documents = arguments.input.documents(&project)?;
    if documents.iter().any(|listed| listed.input.is_stdin()) {
        return Err(Fault::usage("standard input has no snapshot"));
    }
    let base = base(arguments, &project);
    let outside = documents.iter().find(|listed| relative(&listed.name, &base).is_none());
    if let (Some(_), Some(listed)) = (&arguments.folder, outside) {
        let what = format!("`{}` is outside `{}`", listed.name, shown(&base));
        return Err(Fault::with_hint(
            what,
            "snapshots in a folder are named after documents beside that folder",
        ));
    }
    let mut album = Album {
        project: &project,
        arguments,
        base,
        style: Style::new(console.color()),
        tally: Tally::default(),
        unknown: Vec::new(),
        unread: Vec::new(),
        outputs: outputs(&project, &documents, None, false),
    };
    let progress = Progress::new(documents.len());
    in_order(
        arguments.run.jobs(documents.len()),
        documents.iter(),
        |listed| (listed, validate(&project, listed, true, None)),
        |(listed, verdict)| {
            progress.aside(|| album.take(listed, verdict))?;
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    progress.finish();
    album.stale()?;
    album.end()
}

/// The folder that names of snapshots in a folder are relative to, whatever the working directory: that of the
/// configuration, or the one that the folder is in.
fn base(arguments: &Arguments, project: &Project) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let configured = project.config_file().map(&absolute);
    let folder =
        arguments.folder.as_deref().map(|folder| folder.canonicalize().unwrap_or_else(|_| absolute(folder)));
    let anchor = configured.or(folder).unwrap_or_else(|| absolute(Path::new("x")));
    anchor.parent().unwrap_or(&anchor).components().collect()
}

/// The path of a document below a folder.
fn relative(document: &str, base: &Path) -> Option<PathBuf> {
    let path = Path::new(document);
    let found = path.canonicalize().or_else(|_| std::path::absolute(path)).ok()?;
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    found.strip_prefix(base).ok().map(Path::to_owned)
}

/// Snapshots with what was found about them.
struct Album<'a> {
    project: &'a Project,
    arguments: &'a Arguments,
    /// The folder that names of snapshots in a folder are relative to.
    base: PathBuf,
    style: Style,
    tally: Tally,
    unknown: Vec<String>,
    /// Documents that cannot be read, whose snapshots stay as they are.
    unread: Vec<String>,
    outputs: Outputs,
}

#[derive(Default)]
struct Tally {
    same: usize,
    changed: usize,
    missing: usize,
    stale: usize,
    crashed: bool,
}

impl Album<'_> {
    /// Where the snapshot of a document is.
    fn place(&self, document: &str) -> PathBuf {
        match &self.arguments.folder {
            Some(folder) => {
                let name = relative(document, &self.base).unwrap_or_else(|| document.into());
                folder.join(format!("{}{SUFFIX}", name.display()))
            }
            None => PathBuf::from(format!("{document}{SUFFIX}")),
        }
    }

    fn take(&mut self, listed: &Listed, verdict: Verdict) -> Result<(), Fault> {
        let Verdict::Validated(validated) = verdict else {
            self.unknown.extend(listed.explicit.then(|| listed.name.clone()));
            return Ok(());
        };
        self.tally.crashed |= validated.crashed;
        // An error of reading says nothing about the document, and may be another one the next time.
        if validated.outcome.diagnostics.iter().any(|found| found.name == UNREADABLE) {
            self.unread.push(listed.name.clone());
            return Ok(());
        }
        let path = self.place(&listed.name);
        if path.is_symlink() {
            let what = format!("the snapshot `{}` is a symbolic link", shown(&path));
            return Err(Fault::with_hint(what, "replace it with a file"));
        }
        let now = render(&validated.outcome.diagnostics);
        let pinned = match files::read_small(&path, LARGEST) {
            Ok(text) => Some(text.replace("\r\n", "\n")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Fault::read(&path, error)),
        };
        match &pinned {
            Some(pinned) if *pinned == now => {
                self.tally.same += 1;
                return Ok(());
            }
            Some(_) => self.tally.changed += 1,
            None => self.tally.missing += 1,
        }
        if self.arguments.update {
            self.outputs.take(&path, &["txt"]).map_err(|error| Fault::output(&error))?;
            let write = || {
                fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
                files::put(&path, now.as_bytes())
            };
            return write().map_err(|error| Fault::write(&path, error));
        }
        let what = if pinned.is_some() { "changed" } else { "missing" };
        let changes = diff(pinned.as_deref().unwrap_or_default(), &now);
        let text = format!("{what}: {}\n{}\n\n", shown(&path), self.style.diff(&changes));
        Ok(Console::print(&text)?)
    }

    /// Finds snapshots whose document is gone.
    fn stale(&mut self) -> Result<(), Fault> {
        for snapshot in self.snapshots() {
            let name = snapshot.to_string_lossy();
            let document = PathBuf::from(name.strip_suffix(SUFFIX).unwrap_or(&name));
            let document = match &self.arguments.folder {
                None => document,
                Some(folder) => self.base.join(document.strip_prefix(folder).unwrap_or(&document)),
            };
            if document.symlink_metadata().is_ok() || !self.is_asked_for(&document) {
                continue;
            }
            self.tally.stale += 1;
            if self.arguments.update {
                fs::remove_file(&snapshot).map_err(|error| Fault::write(&snapshot, error))?;
            } else {
                let document = shown(&document);
                Console::print(&format!("stale: {}: there is no `{document}`\n\n", shown(&snapshot)))?;
            }
        }
        Ok(())
    }

    /// Whether a document is among the files, or below the folders, that the run is about.
    fn is_asked_for(&self, document: &Path) -> bool {
        let absolute = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            path.components().collect::<PathBuf>()
        };
        let here = [PathBuf::from(".")];
        let paths =
            if self.arguments.input.paths.is_empty() { &here[..] } else { &self.arguments.input.paths };
        let document = absolute(document);
        paths.iter().any(|path| {
            document.starts_with(absolute(path))
                || path.canonicalize().is_ok_and(|path| document.starts_with(path))
        })
    }

    /// All snapshots in the folder, or below the folders that were named.
    fn snapshots(&self) -> BTreeSet<PathBuf> {
        let here = [PathBuf::from(".")];
        let named =
            if self.arguments.input.paths.is_empty() { &here[..] } else { &self.arguments.input.paths };
        let folders = match &self.arguments.folder {
            Some(folder) => vec![folder.clone()],
            None => named.iter().filter(|path| path.is_dir()).cloned().collect(),
        };
        let is_snapshot = |path: &Path| path.to_string_lossy().ends_with(SUFFIX);
        let mut found = BTreeSet::new();
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            let (walker, _) = files::walker(folder, self.project.config().files.gitignore, |_| false);
            let files = walker.build().flatten().filter(|entry| is_snapshot(entry.path()));
            found.extend(
                files.map(|entry| entry.path().strip_prefix("./").unwrap_or(entry.path()).to_owned()),
            );
        }
        found
    }

    fn end(self) -> Result<Exit, Fault> {
        let Tally { same, changed, missing, stale, crashed } = self.tally;
        let differ = changed + missing + stale > 0;
        let counts = if self.arguments.update {
            format!("{} written, {stale} removed, {same} as they were", changed + missing)
        } else {
            format!("{same} as pinned, {changed} changed, {missing} missing, {stale} stale")
        };
        let next =
            if differ && !self.arguments.update { "; accept what is there now with --update" } else { "" };
        Console::print(&format!("{counts}{next}\n"))?;
        if !self.unread.is_empty() {
            let what = format!("not read, so their snapshots stay as they are: {}", self.unread.join(", "));
            Fault::with_hint(what, "check that the files exist and that you have permission to read them")
                .report();
            return Ok(Exit::Usage);
        }
        if !self.unknown.is_empty() {
            Fault::unknown_kind(&self.unknown.join(", "), "--kind", self.project).report();
            return Ok(Exit::Usage);
        }
        let exit = Exit::findings(differ && !self.arguments.update);
        Ok(if crashed { Exit::Internal } else { exit })
    }
}

/// Findings as text for review: nothing in it depends on time, machine or working directory.
fn render(diagnostics: &[Diagnostic]) -> String {
    if diagnostics.is_empty() {
        return "no findings\n".to_owned();
    }
    let mut text = String::new();
    for diagnostic in diagnostics {
        let _ = write_finding(&mut text, diagnostic);
    }
    text
}

fn write_finding(text: &mut String, diagnostic: &Diagnostic) -> std::fmt::Result {
    let Diagnostic { id, name, severity, message, location, .. } = diagnostic;
    let end = if location.end_line == location.line {
        location.end_column.to_string()
    } else {
        format!("{}:{}", location.end_line, location.end_column)
    };
    writeln!(text, "{}:{}-{end} {severity} {id} {name}", location.line, location.column)?;
    writeln!(text, "  {message}")?;
    if let Some(context) = &diagnostic.context {
        writeln!(text, "  > {}", context.trim())?;
    }
    if let Some(hint) = &diagnostic.fix_hint {
        writeln!(text, "  hint: {hint}")?;
    }
    for Related { label, location, .. } in &diagnostic.related {
        writeln!(text, "  see {}:{} {label}", location.line, location.column)?;
    }
    for fix in &diagnostic.fixes {
        writeln!(text, "  fix ({}): {}", fix.applicability.name(), visible(&fix.title))?;
        for edit in &fix.edits {
            writeln!(
                text,
                "    {}..{} `{}` -> `{}`",
                edit.byte_start,
                edit.byte_end,
                visible(&edit.old),
                visible(&edit.new)
            )?;
        }
    }
    if let Some(reason) = &diagnostic.suppressed {
        writeln!(text, "  suppressed: {reason}")?;
    }
    Ok(())
}
