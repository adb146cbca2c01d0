use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    Limits, memory,
    places::{ConnectionId, Length, Place, Places},
};
use crate::budget::{Budget, Pace};

/// Bytes of arguments from which on a call is not short.
const SHORT_BYTES: usize = 64 * 1024;

/// Steps after which a call is not short: some ten milliseconds.
const SHORT_STEPS: u64 = 2_000_000;

/// When a client that was refused for want of memory should call again.
const RETRY_SECONDS: u64 = 1;

/// Runs calls: a limited number at a time, each with a deadline. A panic fails only its own call.
///
/// Short calls have places of their own, and a call that turns out not to be short gives up its place and waits for
/// one of the few that others have: whatever others do, a short call starts within moments. While memory is short,
/// calls that are not short are refused, unless they would be the only ones.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    places: Places,
    waiting: Arc<AtomicUsize>,
    limits: Limits,
    /// What one validation may use.
    budget: Budget,
}

/// Whose call it is, and how much it has to read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Caller {
    /// The client's connection.
    pub(super) connection: ConnectionId,
    /// Bytes of the arguments.
    pub(super) bytes: usize,
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
    #[error("more than {0} calls are waiting: try again in {RETRY_SECONDS} s")]
    TooMany(usize),
    #[error("the server uses more than {0} MiB of memory: try again in {RETRY_SECONDS} s")]
    LowMemory(u64),
    #[error("the call was canceled")]
    Cancelled,
}

impl CallError {
    /// After how many seconds the same call may succeed.
    pub(super) fn retry_after(&self) -> Option<u64> {
        matches!(self, Self::TooMany(_) | Self::LowMemory(_)).then_some(RETRY_SECONDS)
    }
}

impl Calls {
    pub(super) fn new(limits: Limits, budget: Budget) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let places = Places::new(limits.concurrency, processors.min(limits.concurrency));
        Self { places, waiting: Arc::new(AtomicUsize::new(0)), limits, budget }
    }

    /// Runs `work` on a separate thread. When the deadline passes or the client cancels, this returns at
    /// once; the work, whose budget is used up then, keeps its place until it ends.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        caller: Caller,
        cancelled: &CancellationToken,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, CallError> {
        let waiting = Waiting::enter(&self.waiting, self.limits.waiting)?;
        let length = if caller.bytes > SHORT_BYTES { Length::Long } else { Length::Short };
        if length == Length::Long && self.is_short_of_memory() {
            return Err(CallError::LowMemory(self.limits.memory >> 20));
        }
        let deadline = Instant::now() + self.limits.deadline;
        let given_up = Arc::new(AtomicBool::new(false));
        let pace = Arc::new(Turns {
            calls: self.clone(),
            connection: caller.connection,
            place: Mutex::new(None),
            is_long: AtomicBool::new(length == Length::Long),
        });
        let budget = Budget {
            deadline: Some(deadline.into_std()),
            cancelled: Some(Arc::clone(&given_up)),
            pace: Some(Arc::<Turns>::clone(&pace)),
            ..self.budget.clone().times(VALIDATIONS)
        };
        // Set however this ends: also when the client hangs up and the future is no longer polled.
        let _given_up = SetOnDrop(given_up);
        let places = self.places.clone();
        let task = async move {
            let place = places.enter(length, caller.connection).await.ok_or(CallError::Cancelled)?;
            drop(waiting);
            pace.keep(place);
            let run = tokio::task::spawn_blocking(move || {
                let result = catch_unwind(AssertUnwindSafe(|| budget.spend(work).0));
                pace.leave();
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

    /// Whether the process uses more memory than it should, and calls that use much are running.
    fn is_short_of_memory(&self) -> bool {
        self.places.taken(Length::Long) > 0
            && memory::resident().is_some_and(|resident| resident > self.limits.memory)
    }
}

/// The place of a call, which becomes another one when the call turns out not to be short.
#[derive(Debug)]
struct Turns {
    calls: Calls,
    connection: ConnectionId,
    place: Mutex<Option<Place>>,
    is_long: AtomicBool,
}

impl Turns {
    fn keep(&self, place: Place) {
        if let Ok(mut own) = self.place.lock() {
            *own = Some(place);
        }
    }

    fn leave(&self) {
        let place = self.place.lock().ok().and_then(|mut own| own.take());
        drop(place);
    }
}

impl Pace for Turns {
    fn wait(&self, steps: u64, given_up: &dyn Fn() -> bool) {
        if steps < SHORT_STEPS || self.is_long.swap(true, Ordering::Relaxed) {
            return;
        }
        self.leave();
        if let Some(place) = self.calls.places.enter_blocking(Length::Long, self.connection, given_up) {
            self.keep(place);
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
        Calls::new(limits, Budget::default())
    }

    #[tokio::test]
    async fn a_panic_fails_only_its_call_and_frees_the_slot() {
        let calls = calls(Limits { concurrency: 1, ..Limits::default() });
        let token = CancellationToken::new();
        let panicked: Result<(), _> = calls.run(Caller::default(), &token, || panic!("on purpose")).await;
        assert_eq!(panicked, Err(CallError::Panicked));
        assert_eq!(calls.run(Caller::default(), &token, || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn a_call_past_its_deadline_keeps_its_slot_until_the_work_finishes() {
        let limits = Limits { concurrency: 1, deadline: Duration::from_millis(20), ..Limits::default() };
        let calls = calls(limits);
        let token = CancellationToken::new();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let slow = calls.run(Caller::default(), &token, move || held.recv().is_ok()).await;
        assert_eq!(slow, Err(CallError::TooSlow(20)));
        assert_eq!(calls.run(Caller::default(), &token, || 7).await, Err(CallError::TooSlow(20)));
        release.send(()).unwrap();
    }

    #[tokio::test]
    async fn a_cancelled_call_returns_at_once() {
        let calls = calls(Limits::default());
        let token = CancellationToken::new();
        token.cancel();
        let (_release, held) = std::sync::mpsc::channel::<()>();
        // Dropping `_release` at the end lets the work finish too.
        assert_eq!(
            calls.run(Caller::default(), &token, move || held.recv().is_ok()).await,
            Err(CallError::Cancelled)
        );
    }

    #[tokio::test]
    async fn calls_beyond_the_queue_limit_are_refused() {
        let calls = calls(Limits { waiting: 0, ..Limits::default() });
        let refused = calls.run(Caller::default(), &CancellationToken::new(), || 7).await;
        assert_eq!(refused, Err(CallError::TooMany(0)));
    }

    #[tokio::test]
    async fn a_call_that_is_not_short_makes_room_for_those_that_are() {
        let limits = Limits { concurrency: 1, deadline: Duration::from_mins(1), ..Limits::default() };
        let calls = calls(limits);
        let (done, ended) = tokio::sync::oneshot::channel::<()>();
        let (begun, running) = tokio::sync::oneshot::channel::<()>();
        let (token, long) = (CancellationToken::new(), calls.clone());
        let long = tokio::spawn(async move {
            let work = move || {
                while crate::budget::spent().steps < 2 * SHORT_STEPS {
                    crate::budget::charge(1_000);
                }
                let _ = begun.send(());
                ended.blocking_recv().is_ok()
            };
            long.run(Caller::default(), &token, work).await
        });
        running.await.unwrap();
        let token = CancellationToken::new();
        assert_eq!(calls.run(Caller::default(), &token, || 7).await, Ok(7), "the only short place is free");
        assert_eq!(calls.places.taken(Length::Long), 1);
        done.send(()).unwrap();
        assert_eq!(long.await.unwrap(), Ok(true));
        assert_eq!((calls.places.taken(Length::Short), calls.places.taken(Length::Long)), (0, 0));
    }

    #[tokio::test]
    async fn long_calls_are_refused_while_memory_is_short() {
        let limits = Limits { memory: 1, ..Limits::default() };
        let calls = calls(limits);
        let token = CancellationToken::new();
        let large = Caller { bytes: SHORT_BYTES + 1, ..Caller::default() };
        assert_eq!(calls.run(large, &token, || 7).await, Ok(7), "alone");
        let _held = calls.places.enter(Length::Long, ConnectionId(1)).await.unwrap();
        if memory::resident().is_some() {
            let refused = calls.run(large, &token, || 7).await;
            assert_eq!(refused, Err(CallError::LowMemory(0)));
            assert_eq!(refused.unwrap_err().retry_after(), Some(RETRY_SECONDS));
        }
        assert_eq!(calls.run(Caller::default(), &token, || 7).await, Ok(7), "short calls are not");
    }
}
