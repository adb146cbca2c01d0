//! Rule files, packs and the engine that applies them: what authors of rules rely on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod authors;
mod engine;
mod markdownlint;
mod mutations;
mod openapi;
mod outside_kind;
mod pack_kind;
mod packs;
mod project_rules;
mod ready_packs;
mod shared_packs;
mod snapshots;
mod verdicts;

#[path = "../support/examples.rs"]
mod examples;
#[path = "../support/numbers.rs"]
mod numbers;
#[path = "../support/sandbox.rs"]
#[allow(dead_code, reason = "the sandbox serves several test programs")]
mod sandbox;
