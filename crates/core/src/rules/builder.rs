#[cfg(feature = "disk")]
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{LoadError, Ruleset};
use crate::{
    folder::Folder,
    kinds::{Kind, Kinds, Limits},
};

/// Makes a [`Ruleset`] of the built-in packs and kinds, further packs and further kinds.
#[derive(Debug, Default)]
pub struct RulesetBuilder {
    kinds: Kinds,
    /// The folders of packs, or why they cannot be opened.
    packs: Vec<Result<Box<dyn Folder>, LoadError>>,
}

impl Ruleset {
    /// Starts a ruleset of the built-in packs and kinds, further packs and further kinds.
    pub fn builder() -> RulesetBuilder {
        RulesetBuilder::default()
    }

    /// The built-in packs and those in `folders`, each in the place of a built-in one of its name.
    ///
    /// # Errors
    /// All packs and files that cannot be loaded; a pack is loaded whole or not at all.
    #[cfg(feature = "disk")]
    pub fn with_packs(folders: &[PathBuf]) -> Result<Arc<Self>, Vec<LoadError>> {
        folders.iter().fold(Self::builder(), |builder, folder| builder.pack(folder)).build()
    }
}

impl RulesetBuilder {
    /// Registers a kind of document; it takes the place of one of the same name.
    #[must_use]
    pub fn kind(mut self, kind: Arc<dyn Kind>) -> Self {
        self.kinds.add(kind);
        self
    }

    /// Adds the pack in a folder. It takes the place of a built-in pack of the same name, and its rules may
    /// be for kinds that this pack, a pack before it or a call of [`Self::kind`] adds.
    #[must_use]
    #[cfg(feature = "disk")]
    pub fn pack(mut self, folder: impl Into<PathBuf>) -> Self {
        self.packs.push(on_disk(&folder.into()));
        self
    }

    /// Like [`Self::pack`], for a folder that is not on disk.
    #[must_use]
    #[doc(hidden)]
    pub fn pack_in(mut self, folder: Box<dyn Folder>) -> Self {
        self.packs.push(Ok(folder));
        self
    }

    /// Compiles the packs, each within the limits of a validation.
    ///
    /// # Errors
    /// All packs and files that cannot be loaded; a pack is loaded whole or not at all.
    pub fn build(self) -> Result<Arc<Ruleset>, Vec<LoadError>> {
        if self.packs.is_empty() && self.kinds.iter().next().is_none() {
            return Ok(Ruleset::builtin());
        }
        let mut ruleset = Ruleset::embedded(Kinds::builtin().with(&self.kinds));
        let mut errors = Vec::new();
        for pack in self.packs {
            let folder = match pack {
                Ok(folder) => folder,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let (added, spent) = Limits::default().budget().spend(|| ruleset.add_folder(folder.as_ref()));
            errors.extend(added.err().into_iter().flatten());
            if let Some(limit) = spent.exceeded {
                let path = super::ruleset::show(folder.path());
                errors.push(LoadError::TooMuch { path, limit: limit.to_string() });
            }
        }
        ruleset.seal();
        if errors.is_empty() { Ok(Arc::new(ruleset)) } else { Err(errors) }
    }
}

/// Opens the folder of a pack.
#[cfg(feature = "disk")]
fn on_disk(path: &Path) -> Result<Box<dyn Folder>, LoadError> {
    use proofmark_files::{DiskFolder, Links};
    match DiskFolder::open(path, Limits::default().text_bytes, Links::Refused) {
        Ok(folder) => Ok(Box::new(folder)),
        Err(_) => Err(LoadError::NoPack(super::ruleset::show(path))),
    }
}
