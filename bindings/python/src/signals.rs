//! Ctrl-C during a call that has released the interpreter: Python runs handlers of signals only when it is asked to.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use pyo3::prelude::*;

/// How often Python is asked.
pub(crate) const EVERY: Duration = Duration::from_millis(20);

/// Whether a call has been interrupted. The thread that made the call asks Python, the others see what it was told.
pub(crate) struct Signals {
    caller: ThreadId,
    start: Instant,
    /// When Python is asked next: microseconds after the start.
    next: AtomicU64,
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    /// The signals of a call that this thread has made.
    pub(crate) fn of_this_thread() -> Self {
        Self {
            caller: thread::current().id(),
            start: Instant::now(),
            next: AtomicU64::new(micros(EVERY)),
            stopped: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    /// Whether work is to end. To be called often, without the interpreter.
    pub(crate) fn stopped(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        if micros(self.start.elapsed()) < self.next.load(Ordering::Relaxed)
            || thread::current().id() != self.caller
        {
            return false;
        }
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method has one lifetime, the closure any"
        )]
        let asked = Python::attach(|py| py.check_signals());
        if let Err(error) = asked {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.stopped.store(true, Ordering::Relaxed);
            return true;
        }
        self.next.store(micros(self.start.elapsed() + EVERY), Ordering::Relaxed);
        false
    }

    /// What a handler has raised.
    pub(crate) fn raised(&self) -> PyResult<()> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

fn micros(duration: Duration) -> u64 {
    duration.as_micros().try_into().unwrap_or(u64::MAX)
}
