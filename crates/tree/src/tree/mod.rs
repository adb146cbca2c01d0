//! The spanned value tree that every document kind produces and every rule reads.
//!
//! It consists of mappings, sequences and scalars; each key and value has a byte span in its source. JSON
//! Pointer and JSONPath find nodes, nodes have spans, and the whole tree converts to JSON. Values may stand for others.

mod build;
mod json;
pub mod jsonpath;
mod key_map;
mod keys;
mod links;
mod node;
pub(crate) mod pointer;
mod targets;

pub use build::TreeBuilder;
pub use jsonpath::JsonPath;
pub use key_map::KeyMap;
pub use node::{Entry, Key, KeyType, Node, NodeId, NodeType, Scalar, Tree};
