//! From the matches of a grammar to the tree of a document, by a description that is data: `tree:` in the
//! `kind.yaml` of a pack and in the descriptions of diagram types.
//!
//! The crate of the grammars turns a description into a [`Mapping`].

mod schema;
mod write;

pub use crate::peg::mapping::{Field, Items, Mapping, Scalar, Source};
pub use crate::peg::mapping::{NameRule, RawNames, compile_names, names};
pub use crate::peg::mapping::{Problem, RawTree, TreeFault, compile};
pub use schema::schema;
pub use write::{Target, write};
