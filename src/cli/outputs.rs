//! The files that a command writes: none is one that its results are made from.

use std::path::Path;

use crate::{
    files::Outputs,
    project::{Listed, Project},
};

/// The outputs of a run over documents. Its inputs are the documents, the configuration, and the known findings.
pub(super) fn outputs(
    project: &Project,
    documents: &[Listed],
    baseline: Option<&Path>,
    force: bool,
) -> Outputs {
    let config = project.config();
    let documents = documents.iter().filter_map(|listed| listed.input.path());
    let configurations = project.config_file().into_iter().chain(config.extended.iter().map(AsRef::as_ref));
    let known = baseline.or(config.rules.baseline.as_deref());
    Outputs::new(documents.chain(configurations).chain(known), force)
}

/// Like [`outputs`], where a new baseline is written: what was known is not read, so the file may be the configured
/// one.
pub(super) fn outputs_with_baseline(project: &Project, documents: &[Listed], force: bool) -> Outputs {
    let documents = documents.iter().filter_map(|listed| listed.input.path());
    let extended = project.config().extended.iter().map(AsRef::as_ref);
    Outputs::new(documents.chain(project.config_file()).chain(extended), force)
}
