#![expect(
    clippy::disallowed_types,
    reason = "the share belongs to one call, and is asked for while its budget is charged"
)]

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    Limits,
    memory::{Memory, Share},
    places::{ConnectionId, Length, Numbers, Place, Places},
};
use crate::budget::{Budget, Pace};

/// Most bytes of arguments of a call that is short.
const SHORT_BYTES: usize = 16 * 1024;

/// Most bytes of arguments of a call that may take a moment only.
const MEDIUM_BYTES: usize = 64 * 1024;

/// How many calls of medium length run at a time for each processor.
const MEDIUM_CALLS: usize = 2;

/// Steps after which a call is long: some milliseconds, and more than most documents take.
const SHORT_STEPS: u64 = 400_000;

/// When a client that was refused for want of memory should call again.
const RETRY_SECONDS: u64 = 1;

/// Runs calls: a limited number at a time, each with a deadline. A panic fails only its own call.
///
/// Short calls have places of their own, and a call that turns out to be long gives up its place and waits for
/// one of the few that others have: whatever others do, a short call starts within moments. While memory is short,
/// long calls are refused or ended, except for the one that began first.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    places: Places,
    memory: Memory,
    waiting: Arc<AtomicUsize>,
    limits: Limits,
    /// What one validation may use.
    budget: Budget,
}

/// Who calls, and how much the call has to read.
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
    /// The name of the error in metrics.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Panicked => "panicked",
            Self::TooSlow(_) => "too_slow",
            Self::TooMany(_) => "too_many",
            Self::LowMemory(_) => "low_memory",
            Self::Cancelled => "canceled",
        }
    }

    /// After how many seconds the same call may succeed.
    pub(super) fn retry_after(&self) -> Option<u64> {
        matches!(self, Self::TooMany(_) | Self::LowMemory(_)).then_some(RETRY_SECONDS)
    }
}

impl Calls {
    pub(super) fn new(limits: Limits, budget: Budget) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let places = Places::new(Numbers {
            short: limits.concurrency,
            medium: limits.concurrency.min(MEDIUM_CALLS * processors),
            long: limits.concurrency.min(processors),
        });
        let memory = Memory::new(limits.memory);
        Self { places, memory, waiting: Arc::new(AtomicUsize::new(0)), limits, budget }
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
        let length = match caller.bytes {
            bytes if bytes <= SHORT_BYTES => Length::Short,
            bytes if bytes <= MEDIUM_BYTES => Length::Medium,
            _ => Length::Long,
        };
        let low_memory = CallError::LowMemory(self.limits.memory >> 20);
        if length == Length::Long && self.memory.is_refused() {
            return Err(low_memory);
        }
        let deadline = Instant::now() + self.limits.deadline;
        let given_up = Arc::new(AtomicBool::new(false));
        let pace = Arc::new(Turns {
            calls: self.clone(),
            connection: caller.connection,
            place: Mutex::new(None),
            share: OnceLock::new(),
            shed: AtomicBool::new(false),
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
            // Memory may have become short while the call waited.
            if length == Length::Long && !pace.shares_memory() {
                return Err(low_memory);
            }
            let run = tokio::task::spawn_blocking(move || {
                let result = catch_unwind(AssertUnwindSafe(|| budget.spend(work).0));
                pace.leave();
                let shed = pace.shed.load(Ordering::Relaxed);
                if shed { Err(low_memory) } else { result.map_err(|_| CallError::Panicked) }
            });
            run.await.map_err(|_| CallError::Panicked)?
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

/// The place of a call, which becomes another one when the call turns out to be long.
#[derive(Debug)]
struct Turns {
    calls: Calls,
    connection: ConnectionId,
    place: Mutex<Option<Place>>,
    /// The share of the memory that the call has; only long calls have one.
    share: OnceLock<Share>,
    /// Whether it was ended because memory is short.
    shed: AtomicBool,
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

    /// Whether a long call may continue as far as memory is concerned.
    fn shares_memory(&self) -> bool {
        let may_continue = self.share.get_or_init(|| self.calls.memory.share()).may_continue();
        if !may_continue {
            self.shed.store(true, Ordering::Relaxed);
        }
        may_continue
    }
}

impl Pace for Turns {
    fn wait(&self, steps: u64, given_up: &dyn Fn() -> bool) -> bool {
        if steps < SHORT_STEPS && self.share.get().is_none() {
            return true;
        }
        if self.share.get().is_none() {
            self.leave();
            let place = self.calls.places.enter_blocking(Length::Long, self.connection, given_up);
            let Some(place) = place else { return false };
            self.keep(place);
        }
        self.shares_memory()
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
        let large = Caller { bytes: MEDIUM_BYTES + 1, ..Caller::default() };
        assert_eq!(calls.run(large, &token, || 7).await, Ok(7), "alone");
        let _held = calls.memory.share();
        if cfg!(target_os = "linux") {
            let refused = calls.run(large, &token, || 7).await;
            assert_eq!(refused, Err(CallError::LowMemory(0)));
            assert_eq!(refused.unwrap_err().retry_after(), Some(RETRY_SECONDS));
        }
        assert_eq!(calls.run(Caller::default(), &token, || 7).await, Ok(7), "short calls are not");
    }

    /// Charges steps until it may not.
    fn endless() -> bool {
        while crate::budget::charge(1_000) {}
        true
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_call_that_turns_out_to_be_long_is_ended_while_memory_is_short() {
        let limits = Limits { memory: 1, deadline: Duration::from_mins(1), ..Limits::default() };
        let calls = calls(limits);
        let first = calls.memory.share();
        let token = CancellationToken::new();
        let ended = calls.run(Caller::default(), &token, endless).await;
        assert_eq!(ended, Err(CallError::LowMemory(0)), "the other one began before");
        drop(first);
        let (begun, running) = tokio::sync::oneshot::channel::<()>();
        let (one, oldest) = (calls.clone(), token.clone());
        let oldest = tokio::spawn(async move {
            let work = move || {
                crate::budget::charge(2 * SHORT_STEPS);
                let _ = begun.send(());
                endless()
            };
            one.run(Caller::default(), &oldest, work).await
        });
        running.await.unwrap();
        assert_eq!(calls.run(Caller::default(), &token, endless).await, Err(CallError::LowMemory(0)));
        token.cancel();
        assert_eq!(oldest.await.unwrap(), Err(CallError::Cancelled), "it was not ended before");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn memory_is_looked_at_again_when_a_call_gets_its_place() {
        let limits =
            Limits { memory: 1, concurrency: 1, deadline: Duration::from_mins(1), ..Limits::default() };
        let calls = calls(limits);
        let token = CancellationToken::new();
        let held = calls.places.enter(Length::Long, ConnectionId(1)).await.unwrap();
        let large = Caller { bytes: MEDIUM_BYTES + 1, ..Caller::default() };
        let (waiting, waits) = (calls.clone(), token.clone());
        let waiting = tokio::spawn(async move { waiting.run(large, &waits, || 7).await });
        while calls.waiting.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let _other = calls.memory.share();
        drop(held);
        assert_eq!(waiting.await.unwrap(), Err(CallError::LowMemory(0)));
    }
}
