//! The layouts of a program that is built without the feature `render`.

use std::{convert::Infallible, sync::Arc};

use crate::{
    engine::Outcome,
    project::{Project, Subject},
    text::Source,
};

use super::exit::Fault;

pub(super) struct Layouts(Infallible);

impl Layouts {
    pub(super) fn start(_: &Project, _: usize) -> Result<Self, Fault> {
        Err(Fault::with_hint(
            "`--render` needs the renderer, which this build does not have",
            "build with the feature `render`, which is on by default",
        ))
    }

    pub(super) fn try_out(&self, _: &Subject<'_>, _: &mut Outcome) -> Vec<Arc<Source>> {
        match self.0 {}
    }
}
