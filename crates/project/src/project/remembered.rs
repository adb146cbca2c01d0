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

/// For how many settings at most values are kept: projects of several configurations take turns.
const SETTINGS: usize = 8;

/// Values by file, for the settings that a string stands for; those that were added to last are at the end.
pub(super) struct Remembered<T>(Mutex<Vec<Table<T>>>);

struct Table<T> {
    settings: String,
    files: HashMap<PathBuf, (Stamp, T)>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Remembered<T> {
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
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = match tables.iter().position(|table| table.settings == settings) {
            Some(at) => tables.remove(at),
            None => Table { settings: settings.to_owned(), files: HashMap::new() },
        };
        table.files.insert(path.to_owned(), (now, value.clone()));
        tables.push(table);
        if tables.len() > SETTINGS {
            tables.remove(0);
        }
        Some(value)
    }

    fn known(&self, settings: &str, path: &Path) -> Option<(Stamp, T)> {
        let tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tables.iter().find(|table| table.settings == settings)?.files.get(path).cloned()
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
        let (table, made) = (Remembered::default(), Cell::new(0));
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
        assert_eq!([get("b"), get("a"), get("b")], [Some(3), Some(2), Some(3)], "both are kept");
        for other in 0..SETTINGS {
            get(&other.to_string());
        }
        assert_eq!(get("a"), Some(4 + SETTINGS), "others were used since");
    }
}
