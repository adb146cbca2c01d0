//! Files as documents come from them: regular ones only, below a size, inside a folder that a run
//! may see.

mod attributes;
mod folder;
mod ignored;
mod jail;
mod late;
mod new_file;
mod output;
mod read;
mod replace;
mod steps;
mod together;

pub(crate) use folder::Folder;
pub(crate) use ignored::walker;
pub use jail::RootsError;
pub(crate) use jail::plain;
pub(crate) use jail::{Beside, Jail, Roots};
pub(crate) use late::settle;
pub(crate) use output::{NotAnOutput, Outputs};
pub(crate) use read::{Unreadable, open_regular, read, read_bytes, read_open, read_small};
pub(crate) use replace::{ReplaceError, create, put, replace};
pub(crate) use together::{Change, Place, TogetherError, is_interrupted, replace_together, tidy};
