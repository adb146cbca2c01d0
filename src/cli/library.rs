//! The quills that a command renders with.

use std::sync::Arc;

use crate::{
    project::{Project, config},
    render::{Library, Renderer, WorkerProgram},
};

use super::{exit::Fault, project::report_reason};

/// The quills of a project and the built-in ones; says which were left out.
pub(super) fn library(project: &Project) -> Library {
    let (library, problems) = Library::load(&project.config().quills);
    for problem in &problems {
        report_reason(&project.left_out(problem));
    }
    library
}

/// A renderer with a worker that can be started.
pub(super) fn renderer(library: Arc<Library>, config: &config::Render) -> Result<Renderer, Fault> {
    let worker = WorkerProgram::installed(config.worker.as_deref());
    let renderer = Renderer::new(library, config, worker);
    renderer.check_worker().map_err(|error| Fault::with_hint(error.to_string(), error.hint()))?;
    Ok(renderer)
}
