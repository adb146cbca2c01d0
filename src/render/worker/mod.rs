//! Processes that render: the engine knows no time limit and cannot be interrupted, so it works where
//! it can be killed.
//!
//! A worker is this program, started with the argument [`ARGUMENT`]. It gives up what it does not need
//! ([`limits`]), then reads orders from standard input and writes replies to standard output, each a
//! [`frame`]. The [`pool`] starts workers ahead, watches the time, and replaces those that are slow,
//! large or gone.

mod child;
mod frame;
mod limits;
mod pool;
mod process;
mod sandbox;

pub use self::child::work;
pub(super) use self::pool::{Pool, Stopped};

use std::time::Duration;

/// What makes the program a worker.
pub(super) const ARGUMENT: &str = "render-worker";

/// Bounds on a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerLimits {
    /// Longest time of one document.
    pub time: Duration,
    /// Most memory, in bytes, beyond what the program takes when it starts.
    pub memory: u64,
    /// Workers at a time.
    pub workers: usize,
}
