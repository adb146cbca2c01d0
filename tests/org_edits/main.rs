//! Changing Org files through the service: as Emacs does it, without touching other bytes, and while others write
//! to the same files.
//!
//! `PROOFMARK_ORG_EDITS` is the number of edits and `PROOFMARK_ORG_CASES` a file of test documents, for longer runs:
//! `PROOFMARK_ORG_EDITS=1000 cargo test --test org_edits`.

#![cfg(feature = "mcp")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed expectation fails the test"
)]

mod day;
mod documents;
mod edit;
mod emacs;
mod minimal;
mod random;
mod server;

/// How many edits or rounds a test makes: a few, or as many as the environment says.
fn amount(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}
