//! How far the results agree with those of Mermaid, Emacs, QType and Quarto on labeled documents. Skipped
//! where the documents are missing, except in CI.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a failed expectation fails the test, which prints its figures"
)]

#[path = "../support/corpus.rs"]
mod corpus;
mod mermaid;
mod org;
mod qtype;
mod quarto;
