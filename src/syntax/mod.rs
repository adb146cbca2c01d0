//! Readers that several document kinds share, and what every reader records.
//!
//! A reader turns text into values of a [`crate::tree::TreeBuilder`] or into the parts of a grammar. What
//! it notices on the way becomes an [`Observation`]. Readers know nothing of document kinds.

pub(crate) mod commonmark;
pub(crate) mod json;
pub(crate) mod mapping;
mod observable;
mod observation;
pub(crate) mod pandoc;
pub(crate) mod toml;
pub(crate) mod yaml;

pub use observable::{Layer, Name, Names, Observable};
pub use observation::{Comment, Observation};
