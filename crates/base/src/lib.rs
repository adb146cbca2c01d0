//! What every other crate builds on: budgets, text, and folders that are read.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod budget;
pub mod calendar;
pub mod folder;
pub mod text;
