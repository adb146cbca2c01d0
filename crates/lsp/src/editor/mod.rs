//! Pure functions from a snapshot of a document to an answer, one file per question.

mod actions;
mod check;
mod diagnostics;
mod fixes;
mod hover;
mod page;
mod snapshot;
mod suppress;
mod words;

pub(crate) use actions::{EXPLAIN, FIX_ALL, actions, resolve};
pub(crate) use hover::hover;
pub(crate) use page::rule_page;
pub(crate) use snapshot::{Checked, Client, Snapshot};
