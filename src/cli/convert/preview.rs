//! Pictures of the slides and pages of results, as `--preview` asks for them.

use super::super::exit::Fault;
use crate::{convert::Format, project::Project};

/// The pictures of a result, and what has made them.
pub(super) struct Pictures {
    pub(super) pages: Vec<Vec<u8>>,
    pub(super) made_by: &'static str,
}

/// Refuses formats without slides and pages, and says which program is missing, before anything is written.
#[cfg(feature = "render")]
pub(super) fn check(format: &Format, project: &Project) -> Result<(), Fault> {
    super::renderer(project).check_preview(format).map_err(fault)
}

/// A picture of each slide or page of a result.
#[cfg(feature = "render")]
pub(super) fn pictures(bytes: &[u8], format: &Format, project: &Project) -> Result<Pictures, Fault> {
    let made = super::renderer(project).preview(bytes, format, std::time::Duration::MAX).map_err(fault)?;
    Ok(Pictures { pages: made.pages, made_by: made.made_by })
}

#[cfg(feature = "render")]
fn fault(error: crate::convert::ConvertError) -> Fault {
    Fault::with_hint(error.message, error.details)
}

#[cfg(not(feature = "render"))]
pub(super) fn check(_: &Format, _: &Project) -> Result<(), Fault> {
    Err(without_renderer())
}

#[cfg(not(feature = "render"))]
pub(super) fn pictures(_: &[u8], _: &Format, _: &Project) -> Result<Pictures, Fault> {
    Err(without_renderer())
}

#[cfg(not(feature = "render"))]
fn without_renderer() -> Fault {
    let hint = "build with the feature `render`, which is on by default";
    Fault::with_hint("`--preview` needs the renderer, which this build does not have", hint)
}
