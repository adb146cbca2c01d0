//! The language server: answers editors about open documents, by the Language Server Protocol.
//!
//! `editor/` are pure functions from a [`editor::Snapshot`] of a document to an answer, one file per question. `server/`
//! is what runs them: one thread owns the open documents and reads messages in their order; validations and answers are
//! work for other threads, with a copy of what they need. Only open documents are kept, and nothing is scanned.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, text};
use proofmark_core::{engine, fix};
use proofmark_diagnostic as diagnostic;
use proofmark_files as files;
use proofmark_formats as kinds;
use proofmark_project::project;
use proofmark_syntax as syntax;
use proofmark_tree::tree;

mod editor;
mod protocol;
mod server;
mod uri;

pub use server::{Ended, Options, serve};
