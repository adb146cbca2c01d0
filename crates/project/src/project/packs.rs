//! Loading the rules of packs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    error::{BrokenPack, Findings, OpenError},
    input::Input,
    resolved::Project,
};
use crate::{
    files::{DiskFolder, Links},
    folder::Folder as _,
    kinds::{Limits, Observation, rulefile},
    rules::{LoadError, Ruleset},
    text::Source,
    tree::Tree,
};

impl Project {
    /// The packs that were left out because they cannot be loaded, where packs are tested.
    #[doc(hidden)]
    pub fn broken_packs(&self) -> &[BrokenPack] {
        &self.broken_packs
    }

    /// The names of the packs in these folders.
    #[doc(hidden)]
    pub fn pack_names(folders: &[PathBuf]) -> Vec<String> {
        folders.iter().filter_map(|folder| name_of(folder)).collect()
    }
}

/// Packs that were loaded each as far as it can be.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) ruleset: Arc<Ruleset>,
    /// The packs that have errors and were left out, with these.
    pub(super) broken: Vec<BrokenPack>,
}

/// The built-in rules and those of packs. What is wrong with the files of packs is given as findings.
pub(super) fn load(packs: &[PathBuf], folder: &Path) -> Result<Arc<Ruleset>, Vec<OpenError>> {
    let loaded = load_each(packs, folder);
    let errors: Vec<OpenError> = loaded.broken.into_iter().flat_map(|pack| pack.errors).collect();
    if errors.is_empty() { Ok(loaded.ruleset) } else { Err(errors) }
}

/// Loads the built-in rules and those of packs, and leaves out the packs that have errors.
pub(super) fn load_each(packs: &[PathBuf], folder: &Path) -> Loaded {
    if let Ok(ruleset) = Ruleset::with_packs(packs) {
        return Loaded { ruleset, broken: Vec::new() };
    }
    let (mut ruleset, mut kept, mut broken) = (Ruleset::builtin(), Vec::new(), Vec::new());
    for pack in packs {
        let tried: Vec<PathBuf> = kept.iter().chain([pack]).cloned().collect();
        match Ruleset::with_packs(&tried) {
            Ok(loaded) => (ruleset, kept) = (loaded, tried),
            Err(errors) => {
                let errors = shown(errors, &ruleset, pack, folder);
                broken.push(BrokenPack { folder: pack.clone(), errors });
            }
        }
    }
    Loaded { ruleset, broken }
}

/// What is wrong with the files of a pack, as findings; `ruleset` has the packs that can be loaded.
fn shown(errors: Vec<LoadError>, ruleset: &Arc<Ruleset>, pack: &Path, folder: &Path) -> Vec<OpenError> {
    let mut files: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for error in &errors {
        let Some(path) = path_of(error) else { continue };
        if !files.contains(path) {
            files.push(path.clone());
            let project = Project::of_files_with(Arc::clone(ruleset), folder);
            found.extend(findings_in(Path::new(path), pack, &project, &errors).map(OpenError::Findings));
        }
    }
    let is_shown = |error: &LoadError| path_of(error).is_some() && !found.is_empty();
    let others: Vec<OpenError> =
        errors.into_iter().filter(|error| !is_shown(error)).map(OpenError::Pack).collect();
    found.into_iter().chain(others).collect()
}

/// The name of the pack in a folder, as far as its file says it in the usual form.
pub(super) fn name_of(folder: &Path) -> Option<String> {
    let text = DiskFolder::read_in(folder, "pack.yaml", Limits::default().text_bytes).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    Some(name.trim().trim_matches(['"', '\'']).to_owned())
}

/// The file whose findings show an error.
fn path_of(error: &LoadError) -> Option<&String> {
    match error {
        LoadError::Faults { path, .. } | LoadError::Clash { path, .. } | LoadError::Redirect { path, .. } => {
            Some(path)
        }
        _ => None,
    }
}

/// The findings in a rule file, where there are any, with the clashes that take other files to see.
fn findings_in(path: &Path, pack: &Path, project: &Project, errors: &[LoadError]) -> Option<Findings> {
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
    // As a document, a pack reads below the folder of the project; as a pack, it follows no link. Sources have names from
    // the working directory: the file is at one of their ends.
    let pack = DiskFolder::open(pack, Limits::default().text_bytes, Links::Refused).ok()?;
    let is_read = |source: &Arc<Source>| {
        let parts: Vec<&str> = source.name().split('/').collect();
        (0..parts.len()).any(|first| pack.read(&parts[first..].join("/")).is_ok())
    };
    if !sources.iter().skip(1).all(is_read) {
        return None;
    }
    (!outcome.diagnostics.is_empty()).then_some(Findings { diagnostics: outcome.diagnostics, sources })
}

/// What takes other files of the pack to see, as an observation of a file.
fn clash(error: &LoadError, file: &str, tree: &Tree) -> Option<Observation> {
    match error {
        LoadError::Clash { path, pointer, field, value, first } => {
            let node = tree.at_pointer(pointer).filter(|_| path == file)?;
            let name = if *field == "id" { "duplicate-id" } else { "duplicate-name" };
            let seen = Observation::new(name, node.span()).on(node.id());
            Some(seen.with(*field, value.as_str()).with("first", first.as_str()))
        }
        LoadError::Redirect { path, pointer, rule, nearest } => {
            let node = tree.at_pointer(pointer).filter(|_| path == file)?;
            let seen = Observation::new("unknown-rule", node.span()).on(node.id());
            Some(seen.with("rule", rule.as_str()).with("nearest", nearest.as_deref()))
        }
        _ => None,
    }
}
