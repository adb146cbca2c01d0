//! Searching and changing the Org files of a project: what the commands `proofmark org` and the tools `org_*`
//! share.
//!
//! [`Files`] finds and opens files, `Location` names a headline in one of them by a URI. Queries
//! ([`search`], [`agenda`], [`settings`]) combine conditions (`filter`) on the headlines of a `table`, give their results
//! in pages (`page`), and are faster with an [`Index`], which keeps the table up to date while files change. [`change`] makes
//! edits of spans, which keep every other byte, or those that Emacs makes (`emacs`), [`transfer`] moves subtrees, and
//! [`guarded`] validates and writes them.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, text};
use proofmark_diagnostic as diagnostic;
use proofmark_formats as kinds;
use proofmark_project::project;
use proofmark_tree::expressions;

pub mod agenda;
pub mod capture;
pub mod change;
pub mod clocked;
pub mod guarded;
pub mod outline;
pub mod properties;
pub mod read;
pub mod resource;
pub mod search;
pub mod settings;
pub mod states;
pub mod transfer;

mod archive;
mod clock;
mod date;
mod datetree;
mod declared;
mod digest;
mod emacs;
mod error;
mod extension;
mod files;
mod filter;
mod hash;
mod headline;
mod index;
mod locate;
mod note;
mod observer;
mod page;
mod parallel;
mod recorded;
mod stamps;
mod subtree;
mod table;
mod title;
mod uri;
mod vocabulary;
mod words;

pub use date::Range;
pub use files::{Files, OrgError};
pub use filter::{Filter, Levels};
pub use headline::HeadlineInfo;
pub use index::{Index, Versions};
pub use observer::{MOST as MOST_OBSERVED, Observer, is_resource};
pub use page::{Found, PAGE, Page};
pub use uri::Location;
