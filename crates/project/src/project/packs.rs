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
    kinds::{Observation, rulefile},
    rules::{LoadError, Ruleset},
    tree::Tree,
};

impl Project {
    /// The rules with packs of these folders in place of the configured ones.
    ///
    /// # Errors
    /// Everything that is wrong with the packs.
    #[doc(hidden)]
    pub fn ruleset_with(&self, packs: &[PathBuf]) -> Result<Arc<Ruleset>, OpenErrors> {
        load(packs, self.folder()).map_err(OpenErrors)
    }
}

/// The built-in rules and those of packs. What is wrong with the files of packs is given as findings.
pub(super) fn load(packs: &[PathBuf], folder: &Path) -> Result<Arc<Ruleset>, Vec<OpenError>> {
    Ruleset::with_packs(packs).map_err(|errors| {
        let mut files: Vec<String> = Vec::new();
        let mut found = Vec::new();
        for error in &errors {
            let (LoadError::Faults { path, .. } | LoadError::Clash { path, .. }) = error else { continue };
            if !files.contains(path) {
                files.push(path.clone());
                found.extend(findings_in(Path::new(path), folder, &errors).map(OpenError::Findings));
            }
        }
        let is_shown = |error: &LoadError| {
            matches!(error, LoadError::Faults { .. } | LoadError::Clash { .. }) && !found.is_empty()
        };
        let others: Vec<OpenError> =
            errors.into_iter().filter(|error| !is_shown(error)).map(OpenError::Pack).collect();
        found.into_iter().chain(others).collect()
    })
}

/// The findings in a rule file, where there are any, with the clashes that take other files to see.
fn findings_in(path: &Path, folder: &Path, errors: &[LoadError]) -> Option<Findings> {
    let project = Project::of_files(folder);
    let subject = project.subject(Input::file(path).of_kind(Some(Arc::new(rulefile::RuleFile)))).ok()?;
    let mut outcome = subject.validate();
    let file = path.to_string_lossy().replace('\\', "/");
    let clashes: Vec<_> =
        errors.iter().filter_map(|error| clash(error, &file, &outcome.document.tree)).collect();
    if !clashes.is_empty() {
        outcome.document.observations.extend(clashes);
        outcome.diagnostics = subject.validator().validate_document(&outcome.document);
    }
    let sources = outcome.document.tree.sources().to_vec();
    (!outcome.diagnostics.is_empty()).then_some(Findings { diagnostics: outcome.diagnostics, sources })
}

/// The observation of a clash in a file.
fn clash(error: &LoadError, file: &str, tree: &Tree) -> Option<Observation> {
    let LoadError::Clash { path, pointer, field, value, first } = error else { return None };
    let node = tree.at_pointer(pointer).filter(|_| path == file)?;
    let name = if *field == "id" { "duplicate-id" } else { "duplicate-name" };
    Some(
        Observation::new(name, node.span())
            .on(node.id())
            .with(*field, value.as_str())
            .with("first", first.as_str()),
    )
}
