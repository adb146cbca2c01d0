//! YAML, for every kind that contains it: from text to the spanned tree.
//!
//! A *fragment* (a whole file, a metadata block, a code fence) becomes one value of a
//! [`crate::tree::TreeBuilder`]. *Core schema* and *YAML 1.1* are the two ways plain scalars get a type;
//! a *trap* is valid YAML that likely means something other than its author intended.

mod anchors;
mod build;
mod cause;
mod characters;
mod event;
mod events;
mod fault;
mod granit;
mod keys;
mod lines;
mod observe;
mod options;
mod parse;
mod plain;
mod read;
#[cfg(test)]
mod samples;
mod scalar;
mod scan;
mod tag;
mod trap;
mod value;
mod write;

pub use observe::OBSERVABLES;
pub use options::{Dialect, Documents, Tags, YamlOptions};
pub use options::{DuplicateKeys, Schema};
pub use read::{YamlRead, read, read_with};
pub use tag::{TagReader, Tagged};
pub use write::{is_plain_string, quoted};
