//! Loading the rules of packs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    error::{Findings, OpenError, OpenErrors},
    input::Input,
    resolved::Project,
};
use crate::{
    kinds::rulefile,
    rules::{LoadError, Ruleset},
};

impl Project {
    /// The rules with packs of these folders in place of the configured ones.
    ///
    /// # Errors
    /// Everything that is wrong with the packs.
    pub(crate) fn ruleset_with(&self, packs: &[PathBuf]) -> Result<Arc<Ruleset>, OpenErrors> {
        load(packs, self.folder()).map_err(OpenErrors)
    }
}

/// The built-in rules and those of packs. What is wrong with the files of packs is given as findings.
pub(super) fn load(packs: &[PathBuf], folder: &Path) -> Result<Arc<Ruleset>, Vec<OpenError>> {
    Ruleset::with_packs(packs).map_err(|errors| {
        let findings = errors.iter().map(|error| match error {
            LoadError::Faults { path, .. } => findings_in(Path::new(path), folder),
            _ => None,
        });
        match findings.collect::<Option<Vec<Findings>>>() {
            Some(findings) => findings.into_iter().map(OpenError::Findings).collect(),
            None => errors.into_iter().map(OpenError::Pack).collect(),
        }
    })
}

/// The findings in a rule file, where there are any.
fn findings_in(path: &Path, folder: &Path) -> Option<Findings> {
    let project = Project::of_files(folder);
    let outcome =
        project.subject(Input::file(path).of_kind(Some(Arc::new(rulefile::RuleFile)))).ok()?.validate();
    let sources = outcome.document.tree.sources().to_vec();
    (!outcome.diagnostics.is_empty()).then_some(Findings { diagnostics: outcome.diagnostics, sources })
}
