//! The names that files of a project declare, and which content of open files they are from.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::kinds::{SharedName, SharedNames};

/// A file of the project with the names that it declares.
#[derive(Debug)]
pub(super) struct File {
    /// How fingerprints call it.
    pub(super) key: String,
    /// How reports call it.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) names: Arc<Vec<SharedName>>,
}

/// A file that is open in an editor, with its content there.
pub(super) type OpenFile = (PathBuf, Arc<String>);

/// An open file with the names that its content declares.
#[derive(Debug)]
pub(super) struct Reread {
    pub(super) path: PathBuf,
    pub(super) text: Arc<String>,
    /// Nothing where the file is not a document of the project.
    pub(super) names: Option<Arc<Vec<SharedName>>>,
}

impl Reread {
    /// Whether this is the content of a file.
    pub(super) fn is(&self, path: &Path, text: &Arc<String>) -> bool {
        self.path == path && Arc::ptr_eq(&self.text, text)
    }
}

/// What open files declare for those that refer to them, with the content that it is from.
pub(super) type OpenNames = HashMap<PathBuf, (Arc<String>, Option<Arc<SharedNames>>)>;

/// The names that the documents of a project share.
#[derive(Debug)]
pub(super) struct Gathered {
    /// When the files were read.
    pub(super) at: Instant,
    pub(super) files: Vec<File>,
    pub(super) open: Vec<Reread>,
    pub(super) names: Arc<SharedNames>,
}

impl Gathered {
    /// Whether the open files are as they were, but for the one that asks: its own names are those of the text that is
    /// validated.
    pub(super) fn agrees(&self, open: &[OpenFile], own: Option<&Path>) -> bool {
        let others = open.iter().filter(|(path, _)| Some(path.as_path()) != own);
        let before = self.open.iter().filter(|open| Some(open.path.as_path()) != own);
        others
            .map(|(path, text)| (path, Arc::as_ptr(text)))
            .eq(before.map(|open| (&open.path, Arc::as_ptr(&open.text))))
    }
}
