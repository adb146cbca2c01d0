//! Folders that packs and quills are read from: on disk (`proofmark-files`), or in memory where there is no disk.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
};

/// A folder whose files can be read, and no others.
pub trait Folder: Debug {
    /// Its path, as messages show it.
    fn path(&self) -> &Path;

    /// Where it is on disk; nothing for one that is somewhere else.
    fn on_disk(&self) -> Option<&Path>;

    /// Reads a file of UTF-8 by its path in the folder, with `/` between names.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] where there is none, [`ErrorKind::PermissionDenied`] for a path that leaves the folder,
    /// [`ErrorKind::FileTooLarge`], [`ErrorKind::InvalidData`] for bytes that are not UTF-8, and errors of the file system.
    fn read(&self, path: &str) -> io::Result<String>;

    /// What is directly in it, in the order of the names.
    ///
    /// # Errors
    /// Errors of the file system.
    fn entries(&self) -> io::Result<Vec<Entry>>;

    /// A folder that is directly in it.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    fn below(&self, name: &str) -> io::Result<Box<dyn Folder + '_>>;
}

/// What is in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, without a path.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// Whether a path with `/` leads nowhere but into the folder that it starts at.
pub fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The error for a path that leaves a folder.
pub fn leaves() -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, "the path leaves the pack's folder")
}

/// A folder in memory: text by path.
#[derive(Debug, Clone, Default)]
pub struct MemoryFolder {
    path: PathBuf,
    files: BTreeMap<String, String>,
}

impl MemoryFolder {
    /// A folder with these files, by their paths in it with `/` between names.
    pub fn new(path: impl Into<PathBuf>, files: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { path: path.into(), files: files.into_iter().collect() }
    }

    /// The files below a folder that is in it, by their paths there.
    fn inside<'f>(&'f self, name: &'f str) -> impl Iterator<Item = (&'f str, &'f str)> {
        self.files.iter().filter_map(move |(path, text)| {
            Some((path.strip_prefix(name)?.strip_prefix('/')?, text.as_str()))
        })
    }
}

impl Folder for MemoryFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn on_disk(&self) -> Option<&Path> {
        None
    }

    fn read(&self, path: &str) -> io::Result<String> {
        if !stays_inside(Path::new(path)) {
            return Err(leaves());
        }
        let path: PathBuf = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
        let text = self.files.get(path.to_string_lossy().replace('\\', "/").as_str());
        text.cloned().ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries: Vec<Entry> = self.files.keys().map(|path| direct(path)).collect();
        entries.sort();
        entries.dedup();
        Ok(entries)
    }

    fn below(&self, name: &str) -> io::Result<Box<dyn Folder + '_>> {
        let files: BTreeMap<String, String> =
            self.inside(name).map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        if files.is_empty() {
            return Err(ErrorKind::NotFound.into());
        }
        Ok(Box::new(Self { path: self.path.join(name), files }))
    }
}

/// What a path of a file begins with.
fn direct(path: &str) -> Entry {
    match path.split_once('/') {
        Some((name, _)) => Entry { name: name.to_owned(), is_folder: true },
        None => Entry { name: path.to_owned(), is_folder: false },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_memory_has_files_and_folders() {
        let files = ["pack.yaml", "rules.yaml", "kinds/a.pest", "kinds/b.pest"];
        let folder = MemoryFolder::new("mine", files.map(|path| (path.to_owned(), path.to_uppercase())));
        let shown = |folder: &dyn Folder| -> Vec<(String, bool)> {
            folder.entries().unwrap().into_iter().map(|entry| (entry.name, entry.is_folder)).collect()
        };
        let expected = [("kinds", true), ("pack.yaml", false), ("rules.yaml", false)];
        assert_eq!(shown(&folder), expected.map(|(name, is_folder)| (name.to_owned(), is_folder)));
        assert_eq!(folder.read("./kinds/a.pest").unwrap(), "KINDS/A.PEST");
        let below = folder.below("kinds").unwrap();
        assert_eq!(
            (below.path(), below.read("b.pest").unwrap()),
            (Path::new("mine/kinds"), "KINDS/B.PEST".into())
        );
        let error = |path: &str| folder.read(path).unwrap_err().kind();
        assert_eq!(error("kinds"), ErrorKind::NotFound);
        assert_eq!(
            (error("../pack.yaml"), error("/etc/passwd")),
            (ErrorKind::PermissionDenied, ErrorKind::PermissionDenied)
        );
        assert!(folder.below("nowhere").is_err());
    }
}
