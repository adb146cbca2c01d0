//! The kinds of edits that fixes consist of, one file each: what a rule file says, what it compiles to, and
//! the changes it makes.
//!
//! To add one, write its file and name it twice here: as a module and in the [`registry`]. Its doc
//! comment becomes its section of the reference, the help that editors show and, with the example in
//! it, a test.

mod add;
mod comment;
mod delete;
mod insert;
mod itemize;
mod kind;
mod literal;
mod raw;
mod registry;
mod relocate;
mod remove;
mod reorder;
mod replace;
mod site;
mod substitute;
mod unwrap;
mod value;
mod wrap;
mod yaml;

use self::kind::{Apply, Change, EditKind, NodeEdit};
pub use self::{
    kind::{Edit, EditInfo},
    raw::RawEdit,
    registry::KINDS,
};
pub use self::{
    raw::{NO_EDIT, edit_kinds},
    site::Site,
};

#[cfg(test)]
mod tests;
