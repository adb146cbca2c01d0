use std::{path::PathBuf, sync::Arc};

use super::{LoadError, Ruleset};
use crate::kinds::{Kind, Kinds, Limits};

/// Makes a [`Ruleset`] of the built-in packs and kinds, further packs and further kinds.
#[derive(Debug, Default)]
pub struct RulesetBuilder {
    kinds: Kinds,
    folders: Vec<PathBuf>,
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
    pub fn pack(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Compiles the packs, each within the limits of a validation.
    ///
    /// # Errors
    /// All packs and files that cannot be loaded; a pack is loaded whole or not at all.
    pub fn build(self) -> Result<Arc<Ruleset>, Vec<LoadError>> {
        if self.folders.is_empty() && self.kinds.iter().next().is_none() {
            return Ok(Ruleset::builtin());
        }
        let mut ruleset = Ruleset::embedded(Kinds::builtin().with(&self.kinds));
        let mut errors = Vec::new();
        for folder in &self.folders {
            let (added, spent) = Limits::default().budget().spend(|| ruleset.add_folder(folder));
            errors.extend(added.err().into_iter().flatten());
            if let Some(limit) = spent.exceeded {
                let path = folder.to_string_lossy().replace('\\', "/");
                errors.push(LoadError::TooMuch { path, limit: limit.to_string() });
            }
        }
        ruleset.seal();
        if errors.is_empty() { Ok(Arc::new(ruleset)) } else { Err(errors) }
    }
}
