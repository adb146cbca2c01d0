//! The files that a document refers to by their paths, as far as its rules ask for them.

use std::{collections::HashMap, sync::Arc};

use super::SharedNames;

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// Nothing.
    Missing,
    /// Something that may not be read, so that nothing is known of it.
    Unknown,
    /// A folder.
    Folder,
    /// A file.
    File,
}

/// A reference to a file that a rule asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRequest {
    /// What the answer is known by.
    pub key: String,
    /// Paths relative to the document's folder that the reference may mean, the most likely first.
    pub candidates: Vec<String>,
    /// Files that a folder stands for.
    pub index: Vec<String>,
    /// Whether the names that the file declares are asked for.
    pub wants_names: bool,
}

/// What a reference to a file leads to.
#[derive(Debug, Clone)]
pub enum Linked {
    /// Nothing.
    Missing,
    /// Something of which nothing is known.
    Unknown,
    /// A file or folder; for a document of a kind that declares names, with these names.
    Found(Option<Arc<SharedNames>>),
}

/// What the references of a document lead to, by the key of their request.
pub type LinkedFiles = HashMap<String, Linked>;

/// The files around a document.
pub trait Surroundings {
    /// What is at a path, relative to the document's folder.
    fn state(&self, path: &str) -> FileState;

    /// The names that the document in a file declares; nothing where its kind declares none.
    fn names(&self, path: &str) -> Option<Arc<SharedNames>>;
}

impl LinkRequest {
    /// What the reference leads to.
    pub fn resolve(&self, around: &dyn Surroundings) -> Linked {
        for path in &self.candidates {
            match around.state(path) {
                FileState::Missing => {}
                FileState::Unknown => return Linked::Unknown,
                FileState::File => return Linked::Found(self.names(path, around)),
                FileState::Folder => {
                    let inside = |name: &String| format!("{}/{name}", path.trim_end_matches('/'));
                    let mut index = self.index.iter().map(inside);
                    let index = index.find(|path| around.state(path) == FileState::File);
                    return Linked::Found(index.and_then(|path| self.names(&path, around)));
                }
            }
        }
        Linked::Missing
    }

    fn names(&self, path: &str, around: &dyn Surroundings) -> Option<Arc<SharedNames>> {
        if self.wants_names { around.names(path) } else { None }
    }
}
