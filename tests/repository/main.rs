//! The repository itself: its crates, the public API, pages, generated files and sentences.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod container;
mod docs;
mod generated;
mod layering;
mod modules;
mod pages;
mod public_api;
mod wording;

#[path = "../support/sandbox.rs"]
#[allow(dead_code, reason = "the sandbox serves several test programs")]
mod sandbox;
