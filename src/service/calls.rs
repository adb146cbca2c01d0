use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use super::Limits;
use crate::budget::Budget;

/// Runs calls: a limited number at a time, each with a deadline. A panic fails only its own call.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    slots: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    limits: Limits,
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    #[error(
        "internal error: the call stopped unexpectedly; the server keeps running, other documents are not affected"
    )]
    Panicked,
    #[error("the call exceeded the time limit of {0} ms: send a smaller document")]
    TooSlow(u128),
    #[error("more than {0} calls are waiting: try again in a moment")]
    TooMany(usize),
    #[error("the call was canceled")]
    Cancelled,
}

impl Calls {
    pub(super) fn new(limits: Limits) -> Self {
        let slots = Arc::new(Semaphore::new(limits.concurrency.max(1)));
        Self { slots, waiting: Arc::new(AtomicUsize::new(0)), limits }
    }

    /// Runs `work` on a separate thread. When the deadline passes or the client cancels, this returns at
    /// once; the work, whose budget is used up then, keeps its slot until it ends.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        cancelled: &CancellationToken,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, CallError> {
        let waiting = Waiting::enter(&self.waiting, self.limits.waiting)?;
        let deadline = Instant::now() + self.limits.deadline;
        let slots = Arc::clone(&self.slots);
        let given_up = Arc::new(AtomicBool::new(false));
        let budget = Budget {
            deadline: Some(deadline.into_std()),
            cancelled: Some(Arc::clone(&given_up)),
            ..Budget::of_validation().times(VALIDATIONS)
        };
        // Set however this ends: also when the client hangs up and the future is no longer polled.
        let _given_up = SetOnDrop(given_up);
        let task = async move {
            let slot = slots.acquire_owned().await.map_err(|_| CallError::Cancelled)?;
            drop(waiting);
            let run = tokio::task::spawn_blocking(move || {
                let result = catch_unwind(AssertUnwindSafe(|| budget.spend(work).0));
                drop(slot);
                result
            });
            run.await.map_err(|_| CallError::Panicked)?.map_err(|_| CallError::Panicked)
        };
        tokio::select! {
            result = task => result,
            () = tokio::time::sleep_until(deadline) => {
                Err(CallError::TooSlow(self.limits.deadline.as_millis()))
            }
            () = cancelled.cancelled() => Err(CallError::Cancelled),
        }
    }
}

/// How many validations' budget a call may take.
const VALIDATIONS: u64 = 8;

/// Signals the work of a call that no one waits for its result.
struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One call that waits for a slot.
struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    fn enter(count: &Arc<AtomicUsize>, limit: usize) -> Result<Self, CallError> {
        let waiting = Self(Arc::clone(count));
        if count.fetch_add(1, Ordering::Relaxed) >= limit {
            return Err(CallError::TooMany(limit));
        }
        Ok(waiting)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn calls(limits: Limits) -> Calls {
        Calls::new(limits)
    }

    #[tokio::test]
    async fn a_panic_fails_only_its_call_and_frees_the_slot() {
        let calls = calls(Limits { concurrency: 1, ..Limits::default() });
        let token = CancellationToken::new();
        let panicked: Result<(), _> = calls.run(&token, || panic!("on purpose")).await;
        assert_eq!(panicked, Err(CallError::Panicked));
        assert_eq!(calls.run(&token, || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn a_call_past_its_deadline_keeps_its_slot_until_the_work_finishes() {
        let limits = Limits { concurrency: 1, deadline: Duration::from_millis(20), ..Limits::default() };
        let calls = calls(limits);
        let token = CancellationToken::new();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let slow = calls.run(&token, move || held.recv().is_ok()).await;
        assert_eq!(slow, Err(CallError::TooSlow(20)));
        assert_eq!(calls.run(&token, || 7).await, Err(CallError::TooSlow(20)));
        release.send(()).unwrap();
    }

    #[tokio::test]
    async fn a_cancelled_call_returns_at_once() {
        let calls = calls(Limits::default());
        let token = CancellationToken::new();
        token.cancel();
        let (_release, held) = std::sync::mpsc::channel::<()>();
        // Dropping `_release` at the end lets the work finish too.
        assert_eq!(calls.run(&token, move || held.recv().is_ok()).await, Err(CallError::Cancelled));
    }

    #[tokio::test]
    async fn calls_beyond_the_queue_limit_are_refused() {
        let calls = calls(Limits { waiting: 0, ..Limits::default() });
        let refused = calls.run(&CancellationToken::new(), || 7).await;
        assert_eq!(refused, Err(CallError::TooMany(0)));
    }
}
