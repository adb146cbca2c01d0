use std::{
    io::ErrorKind,
    ops::Deref,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use super::{config, error::Findings, names::shown};
use crate::{
    budget::Once,
    engine::Validator,
    files::{DiskFolder, Links},
    kinds::quill::{LARGEST_FILE, Problem, QuillSet},
    text::{Fingerprint, io_reason},
};

impl config::Quills {
    /// The quills that documents may name, and why others were left out: those of [`Self::load`], and the built-in
    /// ones unless they are turned off.
    pub fn nameable(&self) -> (QuillSet, Vec<Problem>) {
        let (quills, problems) = self.load();
        (if self.builtin { quills.with_builtin() } else { quills }, problems)
    }

    /// The quills of the folders, and why others were left out.
    pub fn load(&self) -> (QuillSet, Vec<Problem>) {
        let mut quills = QuillSet::default();
        let mut problems = Vec::new();
        if self.auto_register && self.path.is_dir() {
            match quill_folder(&self.path) {
                Ok(folder) => problems = quills.load_all(&folder),
                Err(problem) => problems.push(problem),
            }
        }
        for (name, folder) in &self.manual {
            let loaded = quill_folder(folder).and_then(|folder| quills.load(&folder, Some(name)));
            problems.extend(loaded.err());
        }
        (quills, problems)
    }
}

/// Opens the folder of a quill, or of quills.
///
/// # Errors
/// [`Problem::NoManifest`] where there is no such folder, [`Problem::Unreadable`] where it cannot be opened.
pub fn quill_folder(path: &Path) -> Result<DiskFolder, Problem> {
    DiskFolder::open(path, LARGEST_FILE, Links::Followed).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Problem::NoManifest(path.to_owned()),
        _ => Problem::Unreadable(path.to_owned(), error),
    })
}

/// The quills that documents may name, at one time.
#[derive(Debug, Default)]
pub struct KnownQuills {
    set: QuillSet,
    fingerprint: Once<String>,
}

impl KnownQuills {
    /// A hash of what the quills ask of documents.
    pub(super) fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| Fingerprint::new().add(&format!("{:?}", self.set)).hex())
    }
}

impl Deref for KnownQuills {
    type Target = QuillSet;

    fn deref(&self) -> &QuillSet {
        &self.set
    }
}

impl From<QuillSet> for KnownQuills {
    fn from(set: QuillSet) -> Self {
        Self { set, fingerprint: Once::new() }
    }
}

/// Quills that many read and that are replaced as a whole when their files change. Copies share them.
#[derive(Debug, Clone, Default)]
pub struct SharedQuills(Arc<RwLock<Arc<KnownQuills>>>);

impl SharedQuills {
    /// The quills there are now.
    pub fn now(&self) -> Arc<KnownQuills> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the quills for every later reader.
    pub fn replace(&self, quills: QuillSet) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(quills.into());
    }
}

impl From<QuillSet> for SharedQuills {
    fn from(quills: QuillSet) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(quills.into()))))
    }
}

/// Why a quill was left out, for people.
#[derive(Debug)]
pub enum LeftOut {
    /// Its manifest has these findings.
    Findings(Findings),
    /// In one line.
    Because(String),
}

impl LeftOut {
    /// What a validator says of a problem.
    pub(super) fn new(problem: &Problem, validator: &Validator) -> Self {
        let (folder, why): (&Path, String) = match problem {
            Problem::Faults(document) => {
                let (diagnostics, sources) =
                    (validator.validate_document(document), document.tree.sources().to_vec());
                return Self::Findings(Findings { diagnostics, sources });
            }
            Problem::NoManifest(folder) => (folder, "it has no Quill.yaml or Quill.toml".to_owned()),
            Problem::Unreadable(path, error) => (path, io_reason(error)),
            Problem::Duplicate { name, folder } => (folder, format!("there is another `{name}`")),
            Problem::BadName { name, folder } => (folder, format!("`{name}` is not a valid name")),
        };
        Self::Because(format!("the quill in `{}` is left out: {why}", shown(folder)))
    }
}
