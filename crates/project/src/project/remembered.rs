//! What was read from files, and need not be read again while they stay as they are.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use crate::budget;

/// Time of the last change and size of a file.
pub(super) type Stamp = (SystemTime, u64);

/// Looks at a file; nothing where there is none.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Values by file, for the settings that a string stands for. It outlives projects: `--watch` opens one after each
/// change.
pub(super) struct Remembered<T>(Mutex<Option<Table<T>>>);

struct Table<T> {
    settings: String,
    files: HashMap<PathBuf, (Stamp, T)>,
}

impl<T: Clone> Remembered<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The value of a file, made where the file has changed since it was made last; nothing where there is no file. A value
    /// that the budget may have cut short is not kept.
    pub(super) fn get(&self, settings: &str, path: &Path, make: impl FnOnce() -> T) -> Option<T> {
        let now = stamp(path)?;
        if let Some((_, known)) = self.known(settings, path).filter(|(then, _)| *then == now) {
            return Some(known);
        }
        let value = make();
        if !budget::is_left() {
            return Some(value);
        }
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let table = match table.as_mut().filter(|table| table.settings == settings) {
            Some(table) => table,
            None => table.insert(Table { settings: settings.to_owned(), files: HashMap::new() }),
        };
        table.files.insert(path.to_owned(), (now, value.clone()));
        Some(value)
    }

    fn known(&self, settings: &str, path: &Path) -> Option<(Stamp, T)> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.as_ref().filter(|table| table.settings == settings)?.files.get(path).cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, fs};

    use super::*;

    #[test]
    fn a_value_is_made_again_where_its_file_or_the_settings_have_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let (table, made) = (Remembered::new(), Cell::new(0));
        let get = |settings: &str| {
            table.get(settings, &path, || {
                made.set(made.get() + 1);
                made.get()
            })
        };
        assert_eq!(get("a"), None, "there is no file");
        fs::write(&path, "x").unwrap();
        assert_eq!([get("a"), get("a")], [Some(1), Some(1)]);
        fs::write(&path, "xy").unwrap();
        assert_eq!([get("a"), get("a")], [Some(2), Some(2)]);
        assert_eq!(get("b"), Some(3));
    }
}
