//! The service as agents meet it: both eras of the protocol, over memory, child process and HTTP.

#![cfg(feature = "mcp")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a client that finds something amiss ends the test"
)]

mod bytes;
mod client;
mod eras;
mod files;
mod http;
mod load;
mod quills;
#[cfg(feature = "render")]
mod rendering;
mod repair_loop;
mod tools;
