//! Searching and changing the Org files of a project: what the commands `proofmark org` and the tools `org_*`
//! share.
//!
//! [`Files`] finds and opens files, `Location` names a headline in one of them by a URI. Queries
//! ([`search`], [`agenda`], [`settings`], [`properties`]) read outlines; [`change`] makes edits of spans,
//! which keep every other byte, and [`guarded`] validates and writes them.

pub mod agenda;
pub mod change;
pub mod guarded;
pub mod properties;
pub mod search;
pub mod settings;

mod date;
mod files;
mod headline;
mod uri;

pub use date::Range;
pub use files::{Files, OrgError};
pub use headline::HeadlineInfo;
