//! Document kinds: one folder each, text to [`Document`].
//!
//! A kind turns text into a spanned tree, with the errors of its syntax and the facts of its
//! semantics as named [`Observation`]s. It never provides a message: the rules do.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, folder, text};
use proofmark_diagnostic as diagnostic;
use proofmark_peg as peg;
use proofmark_syntax as syntax;
use proofmark_tree::{schema, tree};

mod builtin;
pub mod config;
mod document;
mod form;
pub mod grammar;
pub mod json;
mod kind;
mod lexical;
mod limits;
mod linked;
pub mod markdown;
pub mod mermaid;
pub mod openapi;
mod options;
pub mod org;
pub mod qtype;
pub mod quarto;
pub mod quill;
mod registry;
pub mod rulefile;
pub mod run;
mod shared;
mod templated;
mod templating;
pub mod toml;
mod values;
pub mod yaml;

pub use document::Document;
pub use form::Form;
pub use kind::{FenceKinds, Kind, LookUp, ParseOptions, ReadFile};
pub use lexical::{Continuation, EditorQuestions, Lexeme, Remark};
pub use limits::Limits;
pub use linked::{FileState, LinkRequest, Linked, LinkedFiles, Surroundings};
pub use options::{KindOption, KindOptions};
pub use registry::Kinds;
pub use shared::{Entry, SharedName, SharedNames};
pub use templating::{Templating, made_by_template};
pub use values::{Disclosure, TypeExpression, ValueModel};

pub use crate::syntax::{Comment, Layer, Name, Names, Observable, Observation};
