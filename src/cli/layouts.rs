//! Laying documents out to see what is wrong with their pages: `check --render`.

use std::sync::Arc;

use crate::{
    calendar,
    engine::Outcome,
    project::{Project, Subject, config},
    render::Renderer,
    text::Source,
};

use super::{
    exit::Fault,
    library::{library, renderer},
};

/// What lays documents out.
pub(super) struct Layouts {
    renderer: Renderer,
    /// The day that layouts take for today.
    date: String,
}

impl Layouts {
    /// Starts the workers; an error where there is no program for them.
    pub(super) fn start(project: &Project, jobs: usize) -> Result<Self, Fault> {
        let config = config::Render { workers: jobs, ..project.config().render.clone() };
        let renderer = renderer(Arc::new(library(project)), &config)?;
        renderer.start_ahead();
        Ok(Self { renderer, date: calendar::today() })
    }

    /// Adds what the layout of a document finds to its findings; the files of the quill that they refer to.
    pub(super) fn try_out(&self, subject: &Subject<'_>, outcome: &mut Outcome) -> Vec<Arc<Source>> {
        self.renderer.try_out(subject, &self.date, outcome)
    }
}
