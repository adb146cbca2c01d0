//! What is offered to correct a document, and what applying it gives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod applying;
mod repairs;
