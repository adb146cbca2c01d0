//! Files as documents come from them: regular ones only, below a size, inside a folder that a run
//! may see.

mod folder;
mod jail;
mod read;
mod replace;

pub use folder::Folder;
pub(crate) use jail::plain;
pub use jail::{Beside, Jail, Roots, RootsError};
pub use read::{Unreadable, read, read_open, read_small};
#[cfg(feature = "render")]
pub use replace::put;
pub use replace::{ReplaceError, replace};
