//! The index of git: what the next commit has.

use std::{
    collections::HashMap,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use crate::files;

/// Options with which git starts no other program, whatever the configuration of the checkout says.
const ALONE: &[&str] = &[
    "--no-pager",
    // An index that is written again calls a hook.
    "--no-optional-locks",
    // No value is off in all versions of git; `false` is a program in old ones.
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
];

/// Lists the files that differ between the index and the last commit. A renamed file is one that was added.
const CHANGED: &[&str] = &[
    "diff",
    "--cached",
    "--name-only",
    "--relative",
    "--diff-filter=ACM",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "-O/dev/null",
];

/// Why the documents of the next commit are not known.
#[derive(Debug, thiserror::Error)]
pub enum StagedError {
    /// Git cannot be started.
    #[error("cannot run `git`: {0}")]
    Git(#[from] io::Error),
    /// Git refuses.
    #[error("{0}")]
    Refused(String),
}

/// Files of a repository that git reads to list what is staged.
const READ_BY_GIT: [&str; 6] = ["HEAD", "index", "config", "packed-refs", "info/exclude", "info/attributes"];

/// The next commit: what git has in its index.
#[derive(Debug)]
pub struct Index {
    /// The working directory.
    pub(super) folder: PathBuf,
    /// The folder of the checkout.
    top: PathBuf,
    /// The files that were added or changed since the last commit, relative to the working directory.
    pub(super) changed: Vec<PathBuf>,
    /// The objects of all files, by absolute path.
    objects: HashMap<PathBuf, String>,
    /// Folders that are checkouts of other repositories.
    modules: Vec<PathBuf>,
    /// Reads objects; started when it is first needed.
    reader: Mutex<Option<Reader>>,
}

/// What a commit of the index would have at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexed {
    /// What the checkout has: the path does not belong to the repository.
    Same,
    /// A file.
    File,
    /// Nothing, or a folder.
    Absent,
}

impl Index {
    /// Asks git for the index of the repository around a folder, the working directory.
    ///
    /// # Errors
    /// [`StagedError`] where git has no answer.
    pub fn read(folder: &Path) -> Result<Self, StagedError> {
        check_repository(folder)?;
        let top = git(folder, &["rev-parse", "--show-toplevel"])?;
        let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end().to_owned());
        let changed = listed(&git(folder, CHANGED)?).map(PathBuf::from).collect();
        let (mut objects, mut modules) = (HashMap::new(), Vec::new());
        for entry in listed(&git(&top, &["ls-files", "--stage", "-z"])?) {
            let Some((about, name)) = entry.split_once('\t') else { continue };
            let path = files::plain(&top.join(name));
            let mut words = about.split(' ');
            let (mode, object) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            if mode == "160000" {
                modules.push(path);
            } else {
                objects.insert(path, object.to_owned());
            }
        }
        Ok(Self { folder: folder.to_owned(), top, changed, objects, modules, reader: Mutex::default() })
    }

    /// What a commit of the index would have at an absolute path.
    pub(super) fn file(&self, path: &Path) -> Indexed {
        if self.objects.contains_key(path) {
            return Indexed::File;
        }
        let is_foreign =
            !path.starts_with(&self.top) || self.modules.iter().any(|module| path.starts_with(module));
        if is_foreign { Indexed::Same } else { Indexed::Absent }
    }

    /// Whether there is a file below an absolute path.
    pub(super) fn has_files_below(&self, folder: &Path) -> bool {
        self.objects.keys().any(|file| file.starts_with(folder))
    }

    /// The content of the file at an absolute path.
    pub(super) fn content(&self, path: &Path) -> Option<Vec<u8>> {
        let object = self.objects.get(path)?;
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if reader.is_none() {
            *reader = Reader::start(&self.folder).ok();
        }
        let content = reader.as_mut()?.read(object);
        if content.is_err() {
            *reader = None;
        }
        content.ok().flatten()
    }

    /// The text of the file at an absolute path.
    pub(super) fn text(&self, path: &Path) -> Option<String> {
        String::from_utf8(self.content(path)?).ok()
    }

    /// All files.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.objects.keys()
    }
}

/// A process of git that reads objects.
#[derive(Debug)]
struct Reader {
    process: Child,
    /// Nothing when it was closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reader {
    fn start(folder: &Path) -> io::Result<Self> {
        let mut process = command(folder, &["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let output = BufReader::new(output.ok_or(io::ErrorKind::BrokenPipe)?);
        Ok(Self { process, input, output })
    }

    /// The content of an object; nothing where it is not a file.
    fn read(&mut self, object: &str) -> io::Result<Option<Vec<u8>>> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{object}\n").as_bytes())?;
        input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let mut words = line.trim_end().split(' ').skip(1);
        let (kind, size) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let Ok(size) = size.parse::<usize>() else { return Ok(None) };
        let mut content = vec![0; size + 1];
        self.output.read_exact(&mut content)?;
        content.pop();
        Ok((kind == "blob").then_some(content))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // The process ends when there is nothing more to read.
        self.input = None;
        let _ = self.process.wait();
    }
}

/// The names that git has separated by NUL.
fn listed(output: &[u8]) -> impl Iterator<Item = String> {
    let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Vec<_>>().into_iter()
}

/// Refuses a repository whose files git would wait for without an end.
fn check_repository(folder: &Path) -> Result<(), StagedError> {
    let folders = folder.ancestors().map(|folder| folder.join(".git"));
    let Some(git) = folders.into_iter().find(|git| git.symlink_metadata().is_ok()) else { return Ok(()) };
    for name in READ_BY_GIT {
        if git.join(name).metadata().is_ok_and(|found| !found.is_file()) {
            return Err(StagedError::Refused(format!("`.git/{name}` is not a regular file")));
        }
    }
    Ok(())
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(ALONE)
        .args(arguments)
        // Objects that a partial clone lacks are not fetched: its configuration names the program for that.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .current_dir(folder);
    command
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, StagedError> {
    let output = command(folder, arguments).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(StagedError::Refused(why.lines().next().unwrap_or("git failed").to_owned()))
}
