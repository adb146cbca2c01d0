//! The service as agents use it: session-based and stateless protocol versions, in memory, over a child
//! process and over HTTP.

#![cfg(feature = "mcp")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed expectation fails the test"
)]

mod bytes;
mod client;
mod convert;
mod eras;
mod files;
mod http;
mod load;
mod org;
mod org_entries;
mod org_week;
mod quarto_deck;
mod quills;
#[cfg(feature = "render")]
mod rendering;
mod repair_loop;
mod subscriptions;
mod teaching;
mod tools;
