//! JSON Schema (2020-12) on the value tree: compiled once, evaluated with places, and what a schema says of
//! paths. One evaluation serves the check kind `schema` and the kinds that must know whether a document
//! conforms.

mod compile;
mod document;
mod error;
mod evaluate;
mod format;
mod keywords;
mod number;
mod pattern;
mod published;
mod selectable;
mod shape;
mod structure;
mod violation;

pub(crate) use document::{SchemaDocument, Subschema};
pub(crate) use error::SchemaError;
pub(crate) use evaluate::{TooComplex, conforms};
pub use evaluate::{Violations, evaluate};
pub use format::FORMATS;
pub(crate) use format::fault as format_fault;
pub(crate) use keywords::schema_of_schemas;
pub(crate) use number::Number;
pub(crate) use published::of;
pub(crate) use selectable::impossible_name;
pub(crate) use shape::{Additional, Shape, ShapeId, Variants};
pub use structure::Structure;
pub(crate) use violation::{MISSPELLED, Violation};
