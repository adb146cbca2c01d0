//! The text of each open file, for documents that include them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use crate::{files::plain, project::Buffers};

/// The text of each open file, by its path.
#[derive(Debug, Default)]
pub(super) struct OpenTexts(RwLock<HashMap<PathBuf, Arc<String>>>);

impl OpenTexts {
    pub(super) fn set(&self, path: &Path, text: Arc<String>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(plain(path), text);
    }

    pub(super) fn remove(&self, path: &Path) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&plain(path));
    }
}

impl Buffers for OpenTexts {
    fn text(&self, path: &Path) -> Option<Arc<String>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn all(&self) -> Vec<(PathBuf, Arc<String>)> {
        let texts = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = texts.iter().map(|(path, text)| (path.clone(), Arc::clone(text))).collect();
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        all
    }
}
