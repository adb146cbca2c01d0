use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use cap_std::{ambient_authority, fs::Dir};

use crate::files;

/// Most files of a quill.
const MOST_FILES: usize = 2_000;

/// Most bytes of all files of a quill.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Deepest folder of a quill.
const DEEPEST: usize = 16;

/// The files of a quill: all that its layout can read.
#[derive(Debug)]
pub struct Bundle {
    /// Number by which workers know it; no two of a process are the same.
    id: u64,
    /// Bytes by path relative to the quill's folder, with `/`.
    files: BTreeMap<String, Arc<[u8]>>,
    /// Paths of symbolic links and other things that were not read.
    skipped: Vec<String>,
}

/// Why the files of a quill cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The folder or a file of it cannot be read.
    #[error("`{path}` cannot be read: {}", source.kind())]
    Unreadable {
        /// Path relative to the quill's folder.
        path: String,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// There are too many files.
    #[error("it has more than {MOST_FILES} files")]
    TooManyFiles,
    /// The files are too large.
    #[error("its files have more than {} MiB", MOST_BYTES / 1024 / 1024)]
    TooLarge,
    /// The folders are nested too deeply.
    #[error("its folders are nested more than {DEEPEST} deep")]
    TooDeep,
}

impl Bundle {
    /// A bundle of these files.
    pub fn new(files: BTreeMap<String, Arc<[u8]>>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), files, skipped: Vec::new() }
    }

    /// Reads the files below a folder. Symbolic links and hidden files are left out, so that nothing
    /// outside of the folder can become part of a document.
    pub fn load(folder: &Path) -> Result<Self, BundleError> {
        let open = Dir::open_ambient_dir(folder, ambient_authority());
        let root = open.map_err(|source| BundleError::Unreadable { path: ".".to_owned(), source })?;
        let mut bundle = Self::new(BTreeMap::new());
        let mut left = MOST_BYTES;
        bundle.add_folder(&root, &PathBuf::new(), 0, &mut left)?;
        Ok(bundle)
    }

    /// Reads the files of a folder that is below another one, which no link leads out of.
    ///
    /// # Errors
    /// [`BundleError`]
    pub fn load_below(root: &Path, folder: &Path) -> Result<Self, BundleError> {
        let unreadable = |source| BundleError::Unreadable { path: ".".to_owned(), source };
        let root = Dir::open_ambient_dir(root, ambient_authority()).map_err(unreadable)?;
        let below = root.open_dir(folder).map_err(unreadable)?;
        let mut bundle = Self::new(BTreeMap::new());
        let mut left = MOST_BYTES;
        bundle.add_folder(&below, &PathBuf::new(), 0, &mut left)?;
        Ok(bundle)
    }

    fn add_folder(
        &mut self,
        folder: &Dir,
        path: &Path,
        depth: usize,
        left: &mut u64,
    ) -> Result<(), BundleError> {
        if depth > DEEPEST {
            return Err(BundleError::TooDeep);
        }
        let unreadable = |path: &Path, source| BundleError::Unreadable { path: written(path), source };
        for entry in folder.entries().map_err(|error| unreadable(path, error))? {
            let entry = entry.map_err(|error| unreadable(path, error))?;
            let name = entry.file_name();
            let path = path.join(&name);
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            let metadata = folder.symlink_metadata(&name).map_err(|error| unreadable(&path, error))?;
            if metadata.is_dir() {
                let inner = folder.open_dir(&name).map_err(|error| unreadable(&path, error))?;
                self.add_folder(&inner, &path, depth + 1, left)?;
            } else if metadata.is_file() && name.to_str().is_some() {
                if self.files.len() == MOST_FILES {
                    return Err(BundleError::TooManyFiles);
                }
                let opened = files::open_below(folder, Path::new(&name));
                let (file, _) = opened.map_err(|error| unreadable(&path, error))?;
                let mut bytes = Vec::with_capacity(metadata.len().min(*left) as usize + 1);
                file.take(*left + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&path, error))?;
                *left = left.checked_sub(bytes.len() as u64).ok_or(BundleError::TooLarge)?;
                self.files.insert(written(&path), bytes.into());
            } else {
                self.skipped.push(written(&path));
            }
        }
        Ok(())
    }

    /// Number by which workers know it.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The files, by path.
    pub fn files(&self) -> &BTreeMap<String, Arc<[u8]>> {
        &self.files
    }

    /// Paths of the files below `assets/` that are not fonts.
    pub fn assets(&self) -> Vec<String> {
        let is_shown = |path: &&String| path.starts_with("assets/") && !path.starts_with("assets/fonts/");
        self.files.keys().filter(is_shown).cloned().collect()
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// Paths of symbolic links and devices, which are not part of it.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }
}

/// A path with `/`.
pub(super) fn written(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
