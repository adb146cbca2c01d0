//! JSON Schemas: documents and their parts, compiled once; the form in which those with variants are
//! evaluated on the tree; what a schema says of paths; the published schemas of types.

mod document;
mod published;
mod selectable;
mod shape;

pub use document::{SchemaDocument, Subschema};
pub use published::of;
pub(crate) use selectable::{KEYWORDS, impossible_name, unknown_keywords};
pub use shape::{Additional, Shape, ShapeId, Structure, Variants};
