//! Readers that several document kinds share, and what every reader records.
//!
//! A reader turns text into values of a [`crate::tree::TreeBuilder`] or into the parts of a grammar. What
//! it notices on the way becomes an [`Observation`]. Readers know nothing of document kinds.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, text};
use proofmark_peg as peg;
use proofmark_tree::tree;

pub mod actions;
pub mod commonmark;
pub mod json;
pub mod mapping;
mod observable;
mod observation;
pub mod pandoc;
pub mod toml;
pub mod yaml;

pub use observable::{Layer, Name, Names, Observable};
pub use observation::{Comment, Observation};
