//! Presentations for `PowerPoint`: the parts of a template, and slides whose placeholders are filled by the names
//! of the template's layouts.

mod animation;
mod builtin;
mod deck;
mod media;
mod package;
mod shapes;
mod slides;
mod template;
mod text;

#[cfg(test)]
pub(super) use self::builtin::empty;
pub use self::builtin::{parts, with_part};
pub(super) use self::deck::{Lack, write};
pub(crate) use self::template::{Description, describe};
