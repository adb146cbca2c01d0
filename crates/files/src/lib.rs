//! Files as documents come from them: regular ones only, below a size, inside a folder that a run
//! may see.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{folder, text};
use proofmark_syntax as syntax;

mod attributes;
mod disk_folder;
mod ignored;
mod jail;
mod late;
mod new_file;
mod output;
mod output_folder;
mod read;
mod replace;
mod steps;
mod together;

pub use disk_folder::{DiskFolder, Links};
pub use ignored::{IgnoreFiles, walker};
pub use jail::RootsError;
pub use jail::plain;
pub use jail::{Beside, Jail, Roots};
pub use late::settle;
pub use output::{NotAnOutput, Outputs};
pub use output_folder::OutputFolder;
pub use read::{Unreadable, modified, open_below, open_regular, read, read_bytes, read_open, read_small};
pub use replace::{ReplaceError, create, put, replace};
pub use together::{Change, Place, TogetherError, is_interrupted, replace_together, tidy};
