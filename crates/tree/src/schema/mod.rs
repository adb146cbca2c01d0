//! JSON Schema (2020-12) on the value tree: compiled once, evaluated with places, and what a schema says of
//! paths. One evaluation serves the check kind `schema` and the kinds that must know whether a document
//! conforms.

mod circles;
mod compile;
mod definitions;
mod dialect;
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

pub use dialect::Dialect;
pub use document::{SchemaDocument, Subschema};
pub use error::SchemaError;
pub use evaluate::{TooComplex, conforms};
pub use evaluate::{Violations, errors, evaluate, evaluate_at};
pub use format::FORMATS;
pub use format::fault as format_fault;
pub use keywords::{misspelled_keywords, schema_of_schemas};
pub use number::Number;
pub use published::of;
pub use selectable::{impossible_member, impossible_name};
pub use shape::{Additional, Shape, ShapeId, Variants};
pub use structure::Structure;
pub use violation::{MISSPELLED, Violation};
