//! Faces that layouts get besides the built-in ones and those of their quill: of configured folders, and of
//! the machine.
//!
//! A worker reads no files, so faces travel to it with the files of the quill. All faces of configured
//! folders do; of the faces of the machine, which are many, those that a layout turned out to need.

mod face;
mod index;
mod script;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use self::index::Index;
pub(super) use self::script::{by_script, is_built_in, is_shared, letters_of};
use super::Bundle;
use crate::{budget::Once, files};

/// Folder of a bundle where the engine looks for faces. The name sorts after those that quills choose, so that
/// faces of a quill win.
const FOLDER: &str = "assets/fonts/~added";

/// Most bytes of all faces that are added to a quill.
const MOST_BYTES: usize = 96 * 1024 * 1024;

/// Most bundles with added faces that are kept.
const MOST_COMPLETED: usize = 8;

/// A bundle, by its id, with the files of the faces that are added to it.
type Faces = (u64, BTreeSet<PathBuf>);

/// The faces that a configuration adds.
#[derive(Debug)]
pub(super) struct Fonts {
    folders: Vec<PathBuf>,
    system: bool,
    configured: Once<Index>,
    installed: Once<Index>,
    /// Bundles with added faces, those that were used last at the end.
    completed: Mutex<VecDeque<(Faces, Arc<Bundle>)>>,
}

impl Fonts {
    pub(super) fn new(folders: Vec<PathBuf>, system: bool) -> Self {
        Self { folders, system, configured: Once::new(), installed: Once::new(), completed: Mutex::default() }
    }

    /// Whether layouts may use the faces of the machine.
    pub(super) fn uses_system(&self) -> bool {
        self.system
    }

    /// The bundle with the faces of the configured folders and these files.
    pub(super) fn complete(&self, bundle: &Arc<Bundle>, more: &BTreeSet<PathBuf>) -> Arc<Bundle> {
        let configured = self.configured.get_or_init(|| Index::of(&self.folders));
        let files: BTreeSet<PathBuf> = configured.files().chain(more).cloned().collect();
        if files.is_empty() {
            return Arc::clone(bundle);
        }
        let key = (bundle.id(), files);
        let mut completed = self.completed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = completed.iter().position(|(known, _)| *known == key)
            && let Some(found) = completed.remove(at)
        {
            let bundle = Arc::clone(&found.1);
            completed.push_back(found);
            return bundle;
        }
        let mut all: BTreeMap<String, Arc<[u8]>> = bundle.files().clone();
        let mut left = MOST_BYTES;
        // A bundle that was completed before has faces already, which keep their names.
        let before = all.keys().filter(|path| path.starts_with(FOLDER)).count();
        for (index, path) in (before..).zip(&key.1) {
            // A face that is gone or too large is missing as before, which is reported.
            let Ok(bytes) = files::read_bytes(path, left) else { continue };
            left -= bytes.len();
            if before > 0 && all.values().any(|known| **known == *bytes) {
                continue;
            }
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            all.insert(format!("{FOLDER}/{index:04}.{extension}"), bytes.into());
        }
        let bundle = Arc::new(Bundle::new(all));
        if completed.len() >= MOST_COMPLETED {
            completed.pop_front();
        }
        completed.push_back((key, Arc::clone(&bundle)));
        bundle
    }

    /// The name of an installed family that has a character: one of these families where one has it.
    pub(super) fn family_with(&self, c: char, preferred: &[String]) -> Option<String> {
        let mut faces = preferred.iter().flat_map(|family| self.installed().of_family(family));
        let face = faces.find(|face| face.has(c)).or_else(|| self.installed().with(c));
        Some(face?.family.clone())
    }

    /// The files of installed faces for the scripts of a document that the built-in fonts do not have, or only for code;
    /// none unless layouts may use the faces of the machine.
    pub(super) fn ahead(&self, text: &str) -> BTreeSet<PathBuf> {
        if !self.system || text.is_ascii() {
            return BTreeSet::new();
        }
        let characters: BTreeSet<char> = text.chars().filter(|c| !script::is_built_in(*c)).collect();
        self.files_with(characters.into_iter())
    }

    /// The files of installed faces that have these characters, and of the bold faces of their families. Punctuation
    /// has the face of the letters around it.
    pub(super) fn files_with(&self, characters: impl Iterator<Item = char>) -> BTreeSet<PathBuf> {
        let mut files = BTreeSet::new();
        let mut known: Vec<&face::Face> = Vec::new();
        let mut characters: Vec<char> = characters.collect();
        characters.sort_by_key(|c| script::is_shared(*c));
        for c in characters {
            if known.iter().any(|face| face.has(c)) {
                continue;
            }
            if let Some(face) = self.installed().with(c) {
                known.push(face);
                let bold = self.installed().of_family(&face.family).find(|other| other.bold && other.has(c));
                files.extend([face.path.clone()].into_iter().chain(bold.map(|bold| bold.path.clone())));
            }
        }
        files
    }

    /// The files of the faces of an installed family.
    pub(super) fn files_of(&self, family: &str) -> BTreeSet<PathBuf> {
        self.installed().of_family(family).map(|face| face.path.clone()).collect()
    }

    fn installed(&self) -> &Index {
        self.installed.get_or_init(|| Index::of(&index::system_folders()))
    }
}
