//! The client side of rendering: worker processes, and what passes between them and this one.
//!
//! The layout engine has no time limit and cannot be interrupted, so it runs in processes that can be
//! killed: the [`program`] `proofmark-render`, a package of its own. A [`process`] is one of them. The
//! [`pool`] starts workers ahead, watches the time, and replaces those that are slow, large or gone.

mod pool;
mod process;
mod program;

pub use self::program::{WorkerError, WorkerProgram};
pub(super) use self::{
    pool::Pool,
    process::{Answer, Stopped},
};

use std::{sync::Arc, time::Duration};

use proofmark_render_protocol::WorkerRequest;

use super::Bundle;

/// What a worker is to do.
pub(super) struct Task<'t> {
    /// The bundle that it is done with.
    pub(super) bundle: Option<&'t Bundle>,
    pub(super) request: WorkerRequest,
    /// The bytes that follow the request.
    pub(super) blobs: Vec<Arc<[u8]>>,
}

/// Limits of workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerLimits {
    /// Longest time of one document.
    pub time: Duration,
    /// Most memory, in bytes, beyond what the program takes when it starts.
    pub memory: u64,
    /// Workers at a time.
    pub workers: usize,
}
