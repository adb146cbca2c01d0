//! Document kinds: one folder each, text to [`Document`].
//!
//! A kind turns a text into a spanned tree, with the faults of its syntax and the facts of its
//! semantics as named [`Observation`]s. It never words a message: the rules do.

pub mod config;
mod document;
pub mod grammar;
mod kind;
pub mod markdown;
pub mod mermaid;
pub mod qtype;
pub mod quill;
mod registry;
pub mod rulefile;
pub mod yaml;

pub use document::Document;
pub use kind::{Disclosure, Form, Kind, Limits, LookUp, ParseOptions, ReadFile, TypeExpression};
pub use registry::{all, by_name, for_language, for_path};

pub use crate::syntax::{Comment, Layer, Observable, Observation};
