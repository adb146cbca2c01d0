//! What a result depends on besides the text and the project.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::text::Fingerprint;

/// Files that were read for a result, environment variables that were asked for and files that the document refers
/// to, by name, with a hash of what they held.
#[derive(Debug, Default)]
pub(super) struct Dependencies {
    files: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
    links: BTreeMap<String, String>,
}

/// Notes what is read while a document is validated, from any thread.
#[derive(Debug, Default)]
pub(super) struct Recorder(Mutex<Dependencies>);

impl Recorder {
    /// Notes what a file held.
    pub(super) fn file(&self, path: &str, read: &io::Result<Vec<u8>>) {
        let held = match read {
            Ok(bytes) => Fingerprint::new().add_bytes(bytes.iter().copied()).hex(),
            Err(error) => error.kind().to_string(),
        };
        locked(&self.0).files.insert(path.to_owned(), held);
    }

    /// Notes the value of a variable.
    pub(super) fn variable(&self, name: &str, value: Option<&str>) {
        let held = value.map(|value| Fingerprint::new().add(value).hex()).unwrap_or_default();
        locked(&self.0).variables.insert(name.to_owned(), held);
    }

    /// Notes what is at a path that the document refers to.
    pub(super) fn link(&self, path: &str, held: String) {
        locked(&self.0).links.insert(path.to_owned(), held);
    }

    /// All that was read; `None` when nothing was read.
    pub(super) fn finish(self) -> Option<Dependencies> {
        let read = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Dependencies { files, variables, links } = &read;
        let is_empty = [files, variables, links].into_iter().all(BTreeMap::is_empty);
        (!is_empty).then_some(read)
    }
}

impl Dependencies {
    /// The paths that the document refers to, from its folder.
    pub(super) fn links(&self) -> impl Iterator<Item = &str> {
        self.links.keys().map(String::as_str)
    }

    /// Adds all dependencies to a hash.
    pub(super) fn add_to(&self, hash: &mut Fingerprint) {
        for (what, read) in [("files", &self.files), ("variables", &self.variables), ("links", &self.links)] {
            hash.add(what);
            for (name, held) in read {
                hash.add(name).add(held);
            }
        }
    }
}

/// What a lock holds, also after a panic of the thread that held it.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
