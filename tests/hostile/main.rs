//! Documents, packs, clients and machines that mean harm or fail: what they may not cause.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod budgets;
mod failing_files;
mod injection;
mod interrupted;
mod limits;
mod mutated;
mod secrets;
mod security_cases;

#[path = "../support/examples.rs"]
mod examples;
#[path = "../support/numbers.rs"]
mod numbers;
