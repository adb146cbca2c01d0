//! How documents of each kind are read, and what is noticed in them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod diagrams;
mod markdown;
mod metamorphic;
mod nesting;
mod org;
mod qtype;
mod quarto;
mod quill;
mod schema;
mod spans;
mod yaml;

#[path = "../support/corpus.rs"]
mod corpus;
#[path = "../support/examples.rs"]
mod examples;
#[path = "../support/numbers.rs"]
mod numbers;
#[path = "../support/observations.rs"]
mod observations;
