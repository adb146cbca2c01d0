//! The last stage: a document that is right becomes PDF, SVG or PNG.
//!
//! A [`Library`] holds the quills there are with their files. A [`Renderer`] turns a document and a
//! quill into a job for a worker – another process of this program with little memory, little time and
//! no files – and what the worker says into diagnostics at places of the document. Rendered documents
//! are kept in a [`Store`] for whoever asks for them by their address.

mod authoring;
mod builtin;
mod bundle;
mod classic;
mod faults;
mod job;
mod library;
mod native;
mod press;
mod reload;
mod renderer;
mod results;
mod store;
mod worker;

pub use self::{
    bundle::{Bundle, BundleError},
    job::Format,
    library::{Library, Origin},
    reload::Reload,
    renderer::{Artifact, Rendered, Renderer, Request, Trial},
    results::{ErrorType, RenderAnswer, RenderedArtifact},
    store::{Kept, Missing, Store},
    worker::{WorkerLimits, work},
};
