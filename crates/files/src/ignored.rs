//! What a walk through folders leaves out: hidden files, and what `.ignore`, `.gitignore` and their like name.
//!
//! The crate `ignore` has the patterns and the walk. Left to itself it would also open the files of patterns, whatever
//! they are and however large, and compile all of their patterns. So they are read here, with limits.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ignore::{
    DirEntry, Match, WalkBuilder,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

use super::read::read_bytes;

/// Most bytes of a file of patterns.
const LARGEST: usize = 1 << 20;

/// Most patterns of one file.
const PATTERNS: usize = 10_000;

/// Most patterns of all files of a walk.
const PATTERNS_OF_A_WALK: usize = 40_000;

/// Longest pattern: no path is longer.
const LONGEST: usize = 4_096;

/// Hidden folders with documents that people write: those of services that keep repositories and run their checks.
const SHOWN_FOLDERS: [&str; 5] = [".circleci", ".forgejo", ".gitea", ".github", ".gitlab"];

/// A walk through a folder. Where `respected`, it leaves out what files of patterns name; those that it cannot use are
/// given by [`IgnoreFiles::refused`] when it has ended. Hidden files and folders are left out, except folders such as
/// `.github` and what `shows` says of their names.
pub fn walker(
    folder: &Path,
    respected: bool,
    shows: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> (WalkBuilder, Arc<IgnoreFiles>) {
    let files = Arc::new(IgnoreFiles::above(folder, respected));
    let mut walker = WalkBuilder::new(folder);
    walker.standard_filters(false).follow_links(false);
    let filter = Arc::clone(&files);
    walker.filter_entry(move |entry| !filter.leaves_out(entry, &shows));
    (walker, files)
}

/// The files of patterns that count where a walk is.
pub struct IgnoreFiles(Mutex<State>);

struct State {
    respected: bool,
    /// The folder of the walk as it was named, and without symbolic links.
    named: PathBuf,
    real: PathBuf,
    /// Patterns of the user.
    user: Gitignore,
    /// The folders from the topmost one to the one that the walk is in.
    folders: Vec<Folder>,
    /// How many more patterns may be read.
    left: usize,
    refused: Vec<(PathBuf, String)>,
}

/// The patterns in a folder.
struct Folder {
    path: PathBuf,
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
}

impl IgnoreFiles {
    /// The patterns of the folders above a folder, and of the user.
    fn above(folder: &Path, respected: bool) -> Self {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut state = State {
            respected,
            named: folder.to_owned(),
            real,
            user: Gitignore::empty(),
            folders: Vec::new(),
            left: PATTERNS_OF_A_WALK,
            refused: Vec::new(),
        };
        if respected {
            let here = std::env::current_dir().unwrap_or_default();
            state.user =
                gitconfig_excludes_path().map_or_else(Gitignore::empty, |file| state.patterns(&here, &file));
            state.enter(&state.real.clone());
        }
        Self(Mutex::new(state))
    }

    /// Files of patterns that could not be used as a whole, and why.
    pub fn refused(&self) -> Vec<(PathBuf, String)> {
        self.state().refused.clone()
    }

    fn leaves_out(&self, entry: &DirEntry, shows: &impl Fn(&str) -> bool) -> bool {
        let is_folder = entry.file_type().is_some_and(|found| found.is_dir());
        let mut state = self.state();
        let found = if state.respected { state.matched(entry.path(), is_folder) } else { Match::None };
        match found {
            Match::Ignore(()) => true,
            Match::Whitelist(()) => false,
            Match::None => {
                let name = entry.file_name().to_string_lossy();
                let is_shown = is_folder && SHOWN_FOLDERS.contains(&&*name) || shows(&name);
                is_hidden(entry) && !is_shown
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What the patterns say about a file or folder of the walk: those of the nearest folder decide, and `.ignore` decides
    /// before `.gitignore`.
    fn matched(&mut self, path: &Path, is_folder: bool) -> Match<()> {
        let path = self.real.join(path.strip_prefix(&self.named).unwrap_or(path));
        self.enter(path.parent().unwrap_or(&path));
        let first = |of: fn(&Folder) -> &Gitignore| {
            let found =
                self.folders.iter().rev().map(|folder| of(folder).matched(&path, is_folder).map(drop));
            found.into_iter().find(|found| !found.is_none()).unwrap_or(Match::None)
        };
        first(|folder| &folder.ignore)
            .or(first(|folder| &folder.git))
            .or(first(|folder| &folder.exclude))
            .or(self.user.matched(&path, is_folder).map(drop))
    }

    /// Reads the files of a folder and of those above it, unless they are known; forgets those of other folders.
    fn enter(&mut self, folder: &Path) {
        while self.folders.last().is_some_and(|last| !folder.starts_with(&last.path)) {
            self.folders.pop();
        }
        let known = self.folders.last().map(|last| last.path.clone());
        let missing = folder.ancestors().take_while(|above| known.as_deref() != Some(*above));
        let missing: Vec<&Path> = missing.collect();
        for path in missing.into_iter().rev() {
            let ignore = self.patterns(path, &path.join(".ignore"));
            let git = self.patterns(path, &path.join(".gitignore"));
            let exclude = repository(path).map(|repository| repository.join("info").join("exclude"));
            let exclude = exclude.map_or_else(Gitignore::empty, |file| self.patterns(path, &file));
            self.folders.push(Folder { path: path.to_owned(), ignore, git, exclude });
        }
    }

    /// The patterns of a file for what is below a folder, as far as the limits allow.
    fn patterns(&mut self, folder: &Path, file: &Path) -> Gitignore {
        let bytes = match read_bytes(file, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) => {
                let is_usual = matches!(
                    error.kind(),
                    io::ErrorKind::NotFound
                        | io::ErrorKind::IsADirectory
                        | io::ErrorKind::NotADirectory
                        | io::ErrorKind::PermissionDenied
                );
                if !is_usual {
                    self.refuse(file, crate::text::io_reason(&error));
                }
                return Gitignore::empty();
            }
        };
        let mut builder = GitignoreBuilder::new(folder);
        let most = PATTERNS.min(self.left);
        let mut count = 0;
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let lines = text.split(|byte| *byte == b'\n').filter(|line| line.len() <= LONGEST);
        let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
        for line in lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            if count == most {
                self.refuse(file, format!("it has more than {most} patterns: further ones have no effect"));
                break;
            }
            count += 1;
            // A pattern that is not valid leaves nothing out.
            let _ = builder.add_line(None, line);
        }
        self.left -= count;
        if count == 0 { Gitignore::empty() } else { builder.build().unwrap_or_else(|_| Gitignore::empty()) }
    }

    fn refuse(&mut self, file: &Path, why: String) {
        let named = file.strip_prefix(&self.real).map(|below| self.named.join(below));
        self.refused.push((named.unwrap_or_else(|_| file.to_owned()), why));
    }
}

/// The folder of the repository whose working tree is in `folder`: `.git`, or what this file names.
fn repository(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if fs::metadata(&git).ok()?.is_dir() {
        return Some(git);
    }
    let first_line = |path: &Path| {
        let text = String::from_utf8(read_bytes(path, LONGEST).ok()?).ok()?;
        text.lines().next().map(str::to_owned)
    };
    let own = folder.join(first_line(&git)?.strip_prefix("gitdir: ")?);
    let common = first_line(&own.join("commondir"))?;
    Some(own.join(common))
}

/// Whether an entry is hidden as its system has it.
fn is_hidden(entry: &DirEntry) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        const HIDDEN: u32 = 2;
        if entry.metadata().is_ok_and(|found| found.file_attributes() & HIDDEN != 0) {
            return true;
        }
    }
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folder: &Path) -> (Vec<String>, Vec<(PathBuf, String)>) {
        let (mut walker, files) = walker(folder, true, |name| name == ".named");
        let entries = walker.sort_by_file_name(Ord::cmp).build().flatten();
        let files_of = entries.filter(|entry| entry.path().is_file());
        let names = files_of
            .map(|entry| entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/"));
        (names.collect(), files.refused())
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn the_nearest_file_decides_and_ignore_before_gitignore() {
        let folder = folder(&[
            (".gitignore", "*.md\n/out/\n# no comment\n\n!kept.md\n!.shown.md\n"),
            (".git/info/exclude", "excluded.txt\n"),
            ("a.md", ""),
            ("kept.md", ""),
            (".shown.md", ""),
            (".hidden.txt", ""),
            (".github/a.txt", ""),
            (".github/.hidden/b.txt", ""),
            (".named/c.txt", ""),
            ("excluded.txt", ""),
            ("out/x.txt", ""),
            ("deep/out/x.txt", ""),
            ("deep/.gitignore", "!b.md\nx.txt\n"),
            ("deep/.ignore", "!x.txt\n"),
            ("deep/b.md", ""),
            ("deep/c.md", ""),
        ]);
        let (names, refused) = found(folder.path());
        assert_eq!(
            names,
            [".github/a.txt", ".named/c.txt", ".shown.md", "deep/b.md", "deep/out/x.txt", "kept.md"]
        );
        assert!(refused.is_empty(), "{refused:?}");
        let (below, _) = found(&folder.path().join("deep"));
        assert_eq!(below, ["b.md", "out/x.txt"], "files above count too");
    }

    /// The crate's own reading of these files is the oracle.
    #[test]
    fn a_walk_finds_what_the_crate_finds() {
        let folder = folder(&[
            (".gitignore", "target\n*.log\n!important.log\n/a/*.txt\nb/**/c\n"),
            ("a/x.txt", ""),
            ("a/d/x.txt", ""),
            ("a/important.log", ""),
            ("a/other.log", ""),
            ("b/e/c/f.md", ""),
            ("b/e/g.md", ""),
            ("target/h.md", ""),
            ("a/.ignore", "d/\n"),
            (".x/i.md", ""),
        ]);
        let mut other = WalkBuilder::new(folder.path());
        other.require_git(false).sort_by_file_name(Ord::cmp);
        let other = other.build().flatten().filter(|entry| entry.path().is_file());
        let other = other.map(|entry| {
            entry.path().strip_prefix(folder.path()).unwrap().to_string_lossy().replace('\\', "/")
        });
        assert_eq!(found(folder.path()).0, other.collect::<Vec<_>>());
    }

    #[test]
    fn the_patterns_of_a_file_are_limited() {
        let many: String = (0..PATTERNS + 5).map(|number| format!("{number}.md\n")).collect();
        let last = format!("{}.md", PATTERNS + 1);
        let folder = folder(&[(".gitignore", &many), ("7.md", ""), (&last, "")]);
        let (names, refused) = found(folder.path());
        assert_eq!(names, [last], "patterns up to the limit have their effect");
        assert_eq!(refused[0].0, folder.path().join(".gitignore"));
        assert!(refused[0].1.contains("more than 10000 patterns"), "{refused:?}");
    }

    // macOS makes no pipes this way.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_patterns_that_are_devices_pipes_or_too_large_are_refused() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = folder(&[("a.md", ""), ("sub/b.md", "")]);
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(".ignore")).unwrap();
        mknodat(CWD, folder.path().join(".gitignore"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        fs::File::create(folder.path().join("sub/.gitignore")).unwrap().set_len(1 << 30).unwrap();
        let (names, refused) = found(folder.path());
        assert_eq!(names, ["a.md", "sub/b.md"]);
        let why: Vec<&str> = refused.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(why, ["not a regular file", "not a regular file", "file too large"]);
    }
}
