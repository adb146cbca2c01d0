//! Document kinds: one folder each, text to [`Document`].
//!
//! A kind turns text into a spanned tree, with the errors of its syntax and the facts of its
//! semantics as named [`Observation`]s. It never provides a message: the rules do.

mod builtin;
pub(crate) mod config;
mod document;
mod form;
pub(crate) mod grammar;
pub(crate) mod json;
mod kind;
mod limits;
mod linked;
pub(crate) mod markdown;
pub(crate) mod mermaid;
pub(crate) mod org;
pub(crate) mod qtype;
pub(crate) mod quarto;
pub(crate) mod quill;
mod registry;
pub(crate) mod rulefile;
pub(crate) mod run;
mod shared;
pub(crate) mod toml;
mod values;
pub(crate) mod yaml;

pub use document::Document;
pub use form::Form;
pub use kind::{FenceKinds, Kind, LookUp, ParseOptions, ReadFile};
pub use limits::Limits;
pub(crate) use linked::{FileState, LinkRequest, Linked, LinkedFiles, Surroundings};
pub use registry::Kinds;
pub(crate) use shared::{SharedName, SharedNames};
pub use values::{Disclosure, TypeExpression, ValueModel};

pub use crate::syntax::{Comment, Layer, Name, Names, Observable, Observation};
