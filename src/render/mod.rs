//! The last stage: a document without errors becomes PDF, SVG or PNG.
//!
//! A [`Library`] holds the quills there are with their files. A [`Renderer`] turns a document and a
//! quill into a job for a worker – a process of the program `proofmark-render`, with little memory, little
//! time and no files – and what the worker says into diagnostics at places of the document. Rendered
//! documents are kept in a [`Store`] for whoever asks for them by their address.

mod authoring;
mod bounds;
mod bundle;
mod faults;
mod fonts;
mod glyphs;
mod library;
mod native;
mod pictures;
mod reload;
mod renderer;
mod results;
mod store;
mod typeset;
mod workers;

pub use proofmark_render_protocol::Format;

pub(crate) use self::{
    bundle::{Bundle, BundleError},
    renderer::Artifact,
    results::{RenderAnswer, RenderedArtifact},
    store::Kept,
    workers::WorkerLimits,
};
pub use self::{
    library::{Library, Origin},
    reload::Reload,
    renderer::{Rendered, Renderer, Request},
    store::Store,
    workers::{WorkerError, WorkerProgram},
};
