//! The last stage: a document without errors becomes PDF, SVG, PNG or HTML.
//!
//! A [`Library`] holds the quills there are with their files. A [`Renderer`] turns a document and a
//! quill into a job for a worker – a process of the program `proofmark-render`, with little memory, little
//! time and no files – and what the worker says into diagnostics at places of the document. Rendered
//! documents are kept in a [`Store`] for whoever asks for them by their address.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, text};
use proofmark_convert as convert;
use proofmark_core::engine;
use proofmark_diagnostic as diagnostic;
use proofmark_files as files;
use proofmark_formats as kinds;
use proofmark_project::{programs, project};
use proofmark_syntax as syntax;
use proofmark_tree::tree;

mod authoring;
mod bounds;
mod bundle;
mod faults;
mod fonts;
mod glyphs;
mod kept;
mod library;
mod native;
mod pictures;
mod preview;
mod reload;
mod renderer;
mod results;
#[cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "documents that the service keeps, in new files of its own folder"
    )
)]
mod shelf;
mod store;
mod trials;
mod typeset;
mod workers;

pub use proofmark_render_protocol::{Format, PdfStandard};

/// What documents can be rendered to, as clients know it.
pub const SUPPORTED_FORMATS: [&str; 4] = ["PDF", "SVG", "PNG", "HTML"];

pub use self::{
    bundle::Bundle,
    library::{Library, Origin},
    pictures::Assets,
    preview::Preview,
    reload::Reload,
    renderer::{Rendered, Renderer, Request},
    store::Store,
    workers::{WorkerError, WorkerProgram},
};
pub use self::{
    bundle::BundleError,
    kept::Kept,
    renderer::Artifact,
    results::{Delivery, RenderAnswer, RenderedArtifact},
    workers::WorkerLimits,
};
