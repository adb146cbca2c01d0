//! The program as its users run it: commands, configuration, reports, conversions and the server for editors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod cli;
mod config;
mod convert;
mod language_server;
mod report;
mod words;

#[path = "../support/numbers.rs"]
mod numbers;
#[path = "../support/observations.rs"]
mod observations;
#[path = "../support/sandbox.rs"]
mod sandbox;
