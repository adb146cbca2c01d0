//! Document kinds: one folder each, text to [`Document`].
//!
//! A kind turns text into a spanned tree, with the errors of its syntax and the facts of its
//! semantics as named [`Observation`]s. It never provides a message: the rules do.

mod builtin;
pub mod config;
mod document;
mod form;
pub mod grammar;
mod kind;
mod limits;
pub mod markdown;
pub mod mermaid;
pub mod org;
pub mod qtype;
pub mod quarto;
pub mod quill;
mod registry;
pub mod rulefile;
pub mod run;
mod values;
pub mod yaml;

pub use document::Document;
pub use form::Form;
pub use kind::{FenceKinds, Kind, LookUp, ParseOptions, ReadFile};
pub use limits::Limits;
pub use registry::Kinds;
pub use values::{Disclosure, TypeExpression, ValueModel};

pub use crate::syntax::{Comment, Layer, Name, Names, Observable, Observation};
