//! Searching and changing the Org files of a project: what the commands `proofmark org` and the tools `org_*`
//! share.
//!
//! [`Files`] finds and opens files, `Location` names a headline in one of them by a URI. Queries
//! ([`search`], [`agenda`], [`settings`]) combine conditions (`filter`) on the headlines of a `table`, give their results
//! in pages (`page`), and are faster with an [`Index`], which keeps the table up to date while files change. [`change`] makes
//! edits of spans, which keep every other byte, or those that Emacs makes (`emacs`), [`transfer`] moves subtrees, and
//! [`guarded`] validates and writes them.

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
mod declared;
mod difference;
mod digest;
mod emacs;
mod error;
mod extension;
mod files;
mod filter;
mod headline;
mod index;
mod locate;
mod note;
mod observer;
mod page;
mod parallel;
mod subtree;
mod table;
mod uri;
mod vocabulary;
mod words;

pub(crate) use date::Range;
pub(crate) use files::{Files, OrgError};
pub(crate) use filter::{Filter, Levels};
pub(crate) use headline::HeadlineInfo;
pub(crate) use index::{Index, Versions};
pub(crate) use observer::{MOST as MOST_OBSERVED, Observer, is_resource};
pub(crate) use page::{Found, PAGE, Page};
pub(crate) use uri::Location;
