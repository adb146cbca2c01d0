//! Searching and changing the Org files of a project: what the commands `proofmark org` and the tools `org_*`
//! share.
//!
//! [`Files`] finds and opens files, `Location` names a headline in one of them by a URI. Queries
//! ([`search`], [`agenda`], [`settings`], [`properties`]) read outlines; [`change`] makes edits of spans,
//! which keep every other byte, or those that Emacs makes (`emacs`), [`transfer`] moves subtrees, and [`guarded`]
//! validates and writes them.

pub(crate) mod agenda;
pub(crate) mod capture;
pub(crate) mod change;
pub(crate) mod guarded;
pub(crate) mod properties;
pub(crate) mod resource;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod transfer;

mod archive;
mod clock;
mod date;
mod difference;
mod emacs;
mod files;
mod headline;
mod subtree;
mod uri;

pub(crate) use date::Range;
pub(crate) use files::{Files, OrgError};
pub(crate) use headline::HeadlineInfo;
pub(crate) use uri::Location;
