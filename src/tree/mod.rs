//! The one spanned value tree: what every document kind produces and every rule reads.
//!
//! Mappings, sequences and scalars, each key and value with its byte span in the source it comes
//! from. JSON Pointer and JSONPath lead to nodes, nodes lead to spans, and the whole converts to JSON.

mod build;
mod json;
pub mod jsonpath;
mod node;
mod pointer;

pub use build::TreeBuilder;
pub use jsonpath::JsonPath;
pub use node::{Entry, KeyType, Node, NodeId, NodeType, Scalar, Tree};
