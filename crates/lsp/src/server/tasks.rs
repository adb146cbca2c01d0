//! Work for other threads.

use std::{num::NonZero, thread};

use crossbeam_channel::{Receiver, Sender, unbounded};

/// A piece of work.
type Task = Box<dyn FnOnce() + Send>;

/// Most threads: validations of one document run one after another, so more are of no use.
const THREADS: usize = 4;

/// Threads that do work in the order in which it comes. They end with the pool, after the work that they have begun.
pub(super) struct Pool {
    tasks: Sender<Task>,
}

impl Pool {
    pub(super) fn new() -> std::io::Result<Self> {
        let (tasks, received): (Sender<Task>, Receiver<Task>) = unbounded();
        let count = thread::available_parallelism().map_or(1, NonZero::get).clamp(2, THREADS);
        for index in 0..count {
            let received = received.clone();
            let work = move || received.iter().for_each(|task| task());
            thread::Builder::new().name(format!("editor-{index}")).spawn(work)?;
        }
        Ok(Self { tasks })
    }

    /// Hands over work.
    pub(super) fn run(&self, task: impl FnOnce() + Send + 'static) {
        // The threads live as long as the pool.
        let _ = self.tasks.send(Box::new(task));
    }
}
