//! From the matches of a grammar to the tree of a document, by a description that is data: `tree:` in the
//! `kind.yaml` of a pack and in the descriptions of diagram types.
//!
//! `compile/` turns a description into a [`Mapping`]; `build.rs` includes it for the built-in ones.

mod compile;
mod schema;
mod write;

pub(crate) use compile::{Field, Items, Mapping, Scalar, Source};
pub(crate) use compile::{Problem, RawTree, compile};
pub(crate) use schema::schema;
pub(crate) use write::{Target, write};
