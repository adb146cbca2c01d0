//! The value tree with spans, the small languages inside rules, and JSON Schema.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, text};
use proofmark_peg as peg;

pub mod expressions;
pub mod schema;
pub mod tree;
