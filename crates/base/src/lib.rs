//! What every other crate builds on: budgets and text.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]

pub mod budget;
pub mod calendar;
pub mod text;
