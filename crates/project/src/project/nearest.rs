//! The configuration nearest to each file: files below a folder with a `proofmark.toml` of its own have that one.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{config, error::OpenErrors};
use crate::budget::Once;

/// Opens the project of a configuration file.
type Open<P> = Box<dyn Fn(&Path) -> Result<P, OpenErrors> + Send + Sync>;

/// The projects of other configurations that files of a run have, opened when first asked for.
pub(super) struct Nearest<P> {
    /// Nothing where one configuration holds for all files.
    open: Option<Open<P>>,
    /// The configuration of each folder that was asked for.
    folders: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
    /// A list that only grows, so that projects can be lent from it.
    first: Once<Box<Entry<P>>>,
}

/// A configuration, its project or why it cannot be opened, and the rest of the list.
struct Entry<P> {
    file: PathBuf,
    opened: Result<P, OpenErrors>,
    next: Once<Box<Entry<P>>>,
}

impl<P> Default for Nearest<P> {
    fn default() -> Self {
        Self { open: None, folders: Mutex::default(), first: Once::new() }
    }
}

impl<P> fmt::Debug for Nearest<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nearest").finish_non_exhaustive()
    }
}

impl<P> Nearest<P> {
    /// Has each file use the configuration nearest to it.
    pub(super) fn with(open: impl Fn(&Path) -> Result<P, OpenErrors> + Send + Sync + 'static) -> Self {
        Self { open: Some(Box::new(open)), ..Self::default() }
    }

    /// The configuration nearest to the file at an absolute path, where that matters, and its project. `own` is the
    /// file of the configuration that holds otherwise.
    pub(super) fn of(&self, path: &Path, own: Option<&Path>) -> Option<(PathBuf, &Result<P, OpenErrors>)> {
        let open = self.open.as_ref()?;
        let file = self.above(path.parent()?).filter(|file| own != Some(file.as_path()))?;
        let opened = self.project(&file, open);
        Some((file, opened))
    }

    /// The nearest configuration upward from a folder.
    fn above(&self, folder: &Path) -> Option<PathBuf> {
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(folder) {
            return found.clone();
        }
        let found = config::find(folder);
        known.insert(folder.to_owned(), found.clone());
        found
    }

    fn project(&self, file: &Path, open: &Open<P>) -> &Result<P, OpenErrors> {
        let mut place = &self.first;
        loop {
            let entry = place.get_or_init(|| {
                Box::new(Entry { file: file.to_owned(), opened: open(file), next: Once::new() })
            });
            if entry.file == file {
                return &entry.opened;
            }
            place = &entry.next;
        }
    }
}
