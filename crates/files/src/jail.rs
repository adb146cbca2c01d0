use std::{
    io,
    path::{Component, Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};

use super::{
    read::{Unreadable, failed, open_below, read_below, read_open, unreadable},
    replace::{ReplaceError, create_in, put_in, replace_in},
    together::Place,
};
use crate::{syntax::Observation, text::Source};

/// What a document may read besides itself: files below a folder, by paths relative to its own.
#[derive(Debug, Clone)]
pub struct Jail {
    root: PathBuf,
    /// Folder of the document below the root.
    folder: PathBuf,
    limit: usize,
}

impl Jail {
    /// What the document at `path` may read: the first of `roots` that it is below, or its own folder.
    pub fn around(path: &Path, roots: &[&Path], limit: usize) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = plain(path.parent().unwrap_or(&path));
        let root = roots.iter().find(|root| folder.starts_with(root));
        let root = root.map_or_else(|| folder.clone(), |root| (*root).to_owned());
        let folder = folder.strip_prefix(&root).map(Path::to_owned).unwrap_or_default();
        Self { root, folder, limit }
    }

    /// Reads a file. Neither `..` nor a symbolic link leads out of the root.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let root = Dir::open_ambient_dir(&self.root, ambient_authority())?;
        read_below(&root, &self.folder.join(path), self.limit)
    }

    /// Whether there is a folder at a path, and not a file.
    pub fn is_folder(&self, path: &str) -> io::Result<bool> {
        let root = Dir::open_ambient_dir(&self.root, ambient_authority())?;
        Ok(root.metadata(self.folder.join(path))?.is_dir())
    }
}

/// Folders below which files may be read, held open: no path leads out of them.
#[derive(Debug, Default)]
pub struct Roots {
    roots: Vec<Root>,
}

#[derive(Debug)]
struct Root {
    /// Ways to write it as an absolute path: as it was named, and without symbolic links.
    names: Vec<PathBuf>,
    folder: Dir,
}

/// A folder that cannot be a root.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the folder `{}`: {source}", .path.display())]
pub struct RootsError {
    path: PathBuf,
    source: io::Error,
}

impl RootsError {
    /// A folder that a configuration may not open because the user did not name it.
    #[doc(hidden)]
    pub fn outside(path: &Path) -> Self {
        let reason = "it is outside the folder of the configuration that was found: name the folder with `--root`, or \
                      the configuration with `--config`";
        Self { path: path.to_owned(), source: io::Error::new(io::ErrorKind::PermissionDenied, reason) }
    }
}

impl Roots {
    /// Opens the folders.
    pub fn open(paths: &[PathBuf]) -> Result<Self, RootsError> {
        let open = |path: &PathBuf| {
            let folder = Dir::open_ambient_dir(path, ambient_authority())?;
            let names = vec![plain(&std::path::absolute(path)?), path.canonicalize()?];
            Ok(Root { names, folder })
        };
        let roots =
            paths.iter().map(|path| open(path).map_err(|source| RootsError { path: path.clone(), source }));
        Ok(Self { roots: roots.collect::<Result<_, _>>()? })
    }

    /// Whether there is no folder to read from.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The first folder, as an absolute path.
    pub fn first(&self) -> Option<&Path> {
        self.roots.first()?.names.first().map(PathBuf::as_path)
    }

    /// The folders, as absolute paths.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().filter_map(|root| root.names.first().map(PathBuf::as_path))
    }

    /// The files beside a document that is, or is to be, at `path`, which is read as in [`Self::read`].
    /// Nothing when that is outside the roots.
    pub fn beside(&self, path: &Path, here: &Path, limit: usize) -> Option<Beside<'_>> {
        let full = plain(&here.join(path));
        let (root, below) = self.locate(path, &full)?;
        Some(Beside::new(root, &below, limit))
    }

    /// Reads a file by an absolute path, one relative to the folder `here`, or one relative to a root.
    /// Its name in reports is the path relative to `here` or, where it is not below, to the root.
    ///
    /// # Errors
    /// [`Unreadable`], also for a path that leaves the roots.
    pub fn read(&self, path: &Path, here: &Path, limit: usize) -> Result<(Source, Beside<'_>), Unreadable> {
        let full = plain(&here.join(path));
        let Some((root, below)) = self.locate(path, &full) else {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let fact = Observation::about_file("unreadable-file").with("detail", OUTSIDE);
            return Err(unreadable(&name.unwrap_or_default(), fact));
        };
        let document = root.names.first().map_or_else(|| below.clone(), |name| name.join(&below));
        let named = document.strip_prefix(here).unwrap_or(&below);
        let name = named.to_string_lossy().replace('\\', "/");
        let fail = |error: &io::Error| {
            let escape = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
            if escape {
                return unreadable(&name, Observation::about_file("unreadable-file").with("detail", OUTSIDE));
            }
            failed(&name, error)
        };
        let metadata = root.folder.metadata(&below).map_err(|error| fail(&error))?;
        if metadata.is_dir() {
            return Err(unreadable(
                &name,
                Observation::about_file("not-a-file").with("what", "this is a folder"),
            ));
        }
        if !metadata.is_file() {
            return Err(unreadable(
                &name,
                Observation::about_file("not-a-file").with("what", "this is a device"),
            ));
        }
        // The file may have become something else in between.
        let (file, size) = open_below(&root.folder, &below).map_err(|error| fail(&error))?;
        let source = read_open(file, &name, Some(size), limit)?;
        Ok((source, Beside::new(root, &below, limit)))
    }

    /// Writes a file in one step, at a path that is read as in [`Self::read`].
    ///
    /// # Errors
    /// Also for a path that leaves the roots.
    pub fn put(&self, path: &Path, here: &Path, bytes: &[u8]) -> io::Result<()> {
        let (root, below) =
            self.locate(path, &plain(&here.join(path))).ok_or(io::ErrorKind::PermissionDenied)?;
        put_in(&root.folder, &below, bytes)
    }

    /// Makes a file in one step, if there is none, at a path that is read as in [`Self::read`].
    ///
    /// # Errors
    /// Also for a path that leaves the roots.
    pub fn create(&self, path: &Path, here: &Path, bytes: &[u8]) -> io::Result<()> {
        let (root, below) =
            self.locate(path, &plain(&here.join(path))).ok_or(io::ErrorKind::PermissionDenied)?;
        create_in(&root.folder, &below, bytes)
    }

    /// Whether something exists at a path that is read as in [`Self::read`]; false for a path that leaves the roots.
    pub fn exists(&self, path: &Path, here: &Path) -> bool {
        let found = self.locate(path, &plain(&here.join(path)));
        found.is_some_and(|(root, below)| root.folder.symlink_metadata(below).is_ok())
    }

    /// The file at an absolute path, which need not exist, below a root.
    ///
    /// # Errors
    /// Also for a path that leaves the roots.
    pub fn place(&self, path: &Path) -> io::Result<Place> {
        let found = if path.is_absolute() { self.locate(path, &plain(path)) } else { None };
        let (root, below) = found.ok_or(io::ErrorKind::PermissionDenied)?;
        place(&root.folder, &below, path)
    }

    /// The root that a path is below, and the path from there.
    fn locate(&self, path: &Path, full: &Path) -> Option<(&Root, PathBuf)> {
        let below = |root: &Root| root.names.iter().find_map(|name| full.strip_prefix(name).ok());
        let found = self.roots.iter().find_map(|root| Some((root, below(root)?.to_owned())));
        if found.is_some() || path.is_absolute() {
            return found;
        }
        let exists = |root: &&Root| root.folder.symlink_metadata(path).is_ok();
        let root = self.roots.iter().find(exists).or(self.roots.first())?;
        Some((root, path.to_owned()))
    }
}

/// What is wrong with a path that leaves the roots.
const OUTSIDE: &str = "it is not below an allowed folder";

/// The files beside a document that was read below a root.
#[derive(Debug)]
pub struct Beside<'r> {
    root: &'r Dir,
    /// Absolute path of the document.
    document: PathBuf,
    folder: PathBuf,
    limit: usize,
}

impl<'r> Beside<'r> {
    fn new(root: &'r Root, document: &Path, limit: usize) -> Self {
        let folder = document.parent().map(Path::to_owned).unwrap_or_default();
        let named = root.names.first().map_or_else(|| document.to_owned(), |name| name.join(document));
        Self { root: &root.folder, document: named, folder, limit }
    }

    /// Absolute path of the document itself.
    pub fn document(&self) -> &Path {
        &self.document
    }

    /// Reads a file by its path relative to the document's folder, below the same root.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        read_below(self.root, &self.folder.join(path), self.limit)
    }

    /// Whether there is a folder at a path relative to the document's folder, and not a file.
    pub fn is_folder(&self, path: &str) -> io::Result<bool> {
        Ok(self.root.metadata(self.folder.join(path))?.is_dir())
    }

    /// Replaces the content of the file of this name in one step, if it still has the content `expected`:
    /// whoever reads it sees the old text or the new one. Its owner, permissions and attributes stay, and so do
    /// symbolic links that lead to it.
    pub fn replace(&self, name: &str, expected: &str, text: &str) -> Result<(), ReplaceError> {
        replace_in(self.root, &without_links(self.root, &self.folder.join(name))?, expected, text)
    }

    /// The document itself, which need not exist.
    pub fn place(&self) -> io::Result<Place> {
        let name = self.document.file_name().unwrap_or_default();
        place(self.root, &self.folder.join(name), &self.document)
    }
}

/// A file below an open folder, with its absolute path.
fn place(root: &Dir, below: &Path, full: &Path) -> io::Result<Place> {
    let path = match without_links(root, below) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = below.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = root.canonicalize(folder.unwrap_or(Path::new(".")))?;
            plain(&folder).join(below.file_name().unwrap_or_default())
        }
        other => other?,
    };
    Ok(Place::new(root.try_clone()?, path, full))
}

/// Most symbolic links from the path of a file to the file, as in Linux.
const MOST_LINKS: usize = 40;

/// The path of a file below a folder, without symbolic links and `..`; none of them leads out of the folder.
///
/// The folder of the file is looked up by the system, and its name is the one that was given: the system would give
/// the name that the file has after it was found, which is another one where it is replaced at that moment.
fn without_links(root: &Dir, path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        let Some(name) = path.file_name() else { return root.canonicalize(path) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = plain(&root.canonicalize(folder)?);
        let found = folder.join(name);
        if !root.symlink_metadata(&found)?.is_symlink() {
            return Ok(found);
        }
        path = folder.join(root.read_link(&found)?);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// A path without `.` and `..`, by its text alone: what is left names the same file unless a symbolic
/// link comes before a `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        collections::BTreeSet,
        fs,
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, AtomicUsize, Ordering},
        thread,
    };

    use super::{super::replace::exchange, *};

    fn open(folder: &Path) -> Dir {
        Dir::open_ambient_dir(folder, ambient_authority()).unwrap()
    }

    #[test]
    fn a_file_keeps_its_name_while_others_replace_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = open(folder.path());
        let (name, hidden) = (Path::new("a.md"), Path::new(".a.md.proofmark-new"));
        fs::write(folder.path().join(name), "old").unwrap();
        fs::write(folder.path().join(hidden), "new").unwrap();
        symlink("a.md", folder.path().join("link.md")).unwrap();
        let done = AtomicBool::new(false);
        let found = thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    exchange(&root, name, hidden).unwrap();
                }
            });
            let look = |_| {
                ["a.md", "link.md"]
                    .map(|path| without_links(&root, Path::new(path)).map_err(|e| e.to_string()))
            };
            let found: BTreeSet<_> = (0..5_000).flat_map(look).collect();
            done.store(true, Ordering::Relaxed);
            found
        });
        assert_eq!(found, BTreeSet::from([Ok(name.to_owned())]));
    }

    #[test]
    fn each_of_many_concurrent_changes_is_made_or_finds_that_the_file_has_changed() {
        const THREADS: usize = 4;
        const CHANGES: usize = 150;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "0").unwrap();
        symlink("a.md", folder.path().join("link.md")).unwrap();
        let roots = Roots::open(&[folder.path().to_owned()]).unwrap();
        let made = AtomicUsize::new(0);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (roots, made) = (&roots, &made);
                let name = if number == 0 { "link.md" } else { "a.md" };
                scope.spawn(move || {
                    for _ in 0..CHANGES {
                        let (source, beside) =
                            roots.read(Path::new(name), roots.first().unwrap(), 100).unwrap();
                        let count: usize = source.text().parse().unwrap();
                        match beside.replace(name, source.text(), &(count + 1).to_string()) {
                            Ok(()) => _ = made.fetch_add(1, Ordering::Relaxed),
                            Err(ReplaceError::Changed) => {}
                            Err(ReplaceError::Io(error)) => panic!("{error}"),
                        }
                    }
                });
            }
        });
        // Each change counts: none was made in another file or over another change.
        let made = made.into_inner();
        assert!(made >= CHANGES, "{made}");
        assert_eq!(fs::read_to_string(&path).unwrap(), made.to_string());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn the_path_of_a_file_has_no_links_and_stays_below_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("root");
        fs::create_dir_all(folder.join("sub/deep")).unwrap();
        for file in ["outside.md", "root/a.md", "root/sub/b.md"] {
            fs::write(outer.path().join(file), "").unwrap();
        }
        let links = [
            ("one.md", "sub/two.md"),
            ("sub/two.md", "deep/three.md"),
            ("sub/deep/three.md", "../../a.md"),
            ("away", "sub/deep"),
            ("out.md", "../outside.md"),
            ("sub/out.md", "../../outside.md"),
            ("sideways.md", "away/../../a.md"),
            ("up", ".."),
            ("circle.md", "circle.md"),
            ("absolute.md", "/etc/passwd"),
            ("gone.md", "nowhere.md"),
        ];
        for (link, target) in links {
            symlink(target, folder.join(link)).unwrap();
        }
        symlink(folder.join("a.md"), folder.join("absolute-inside.md")).unwrap();
        let root = open(&folder);
        let found = |path: &str| without_links(&root, Path::new(path));
        for (path, file) in [
            ("a.md", "a.md"),
            ("./a.md", "a.md"),
            ("sub/../a.md", "a.md"),
            ("one.md", "a.md"),
            ("away/three.md", "a.md"),
            ("away/../b.md", "sub/b.md"),
            ("sideways.md", "a.md"),
        ] {
            assert_eq!(found(path).unwrap(), Path::new(file), "{path}");
        }
        for path in [
            "out.md",
            "sub/out.md",
            "../outside.md",
            "up/outside.md",
            "absolute.md",
            "absolute-inside.md",
            "/etc/passwd",
        ] {
            assert_eq!(found(path).unwrap_err().kind(), io::ErrorKind::PermissionDenied, "{path}");
        }
        for path in ["gone.md", "nowhere.md", "no/a.md"] {
            assert_eq!(found(path).unwrap_err().kind(), io::ErrorKind::NotFound, "{path}");
        }
        assert!(found("circle.md").is_err());
    }
}
