//! Presentations for `PowerPoint`: the parts of a template, and slides whose placeholders are filled by the names
//! of the template's layouts. `slides` divides a document, `deck` lays its slides out as the shapes of `model`, `write`
//! writes them as XML, and `edit` changes the parts of the template.

mod builtin;
mod deck;
mod edit;
mod media;
mod model;
mod package;
mod placed;
mod slides;
mod tables;
mod template;
mod text;
mod write;

#[cfg(test)]
pub(super) use self::builtin::empty;
pub use self::builtin::{parts, with_part};
pub(super) use self::deck::{Lack, write};
pub(crate) use self::template::{Description, describe};
