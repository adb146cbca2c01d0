//! What a validation may use: steps of work, bytes of memory, time.
//!
//! A [`Budget`] is installed for the thread that validates, by whoever starts the validation. Whatever loops
//! charges it: readers, selectors, checks, templates. A step is about as much work as looking at one node or
//! a few bytes. When the budget is used up, [`charge`] says so from then on; loops end with what they have,
//! and the validation reports the limit. Without a budget nothing is limited.
//!
//! Charging is one subtraction; limits, deadline and cancellation are compared once in a slice of steps.

mod lasting;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

pub use self::lasting::{Lazy, Once};

/// Steps between two looks at the clock: less than a millisecond.
const SLICE: u64 = 50_000;

/// What a validation may use.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// Most steps (default: no limit).
    pub steps: Option<u64>,
    /// Most bytes of what is read and made besides the document itself (default: no limit).
    pub bytes: Option<u64>,
    /// When it has to be finished.
    pub deadline: Option<Instant>,
    /// Set when no one waits for the result any more.
    pub cancelled: Option<Arc<AtomicBool>>,
    /// Asked before each slice of steps.
    pub pace: Option<Arc<dyn Pace>>,
    /// Most errors of one name that readers describe; further ones are only counted (default: no limit).
    pub described: Option<u64>,
    /// Steps after which the work counts as canceled: how tests interrupt it at every point.
    pub interrupted: Option<u64>,
}

/// Lets work wait for other work.
pub trait Pace: fmt::Debug + Send + Sync {
    /// Returns true when work that has used this number of steps may continue, and false when it has to end, also
    /// because `given_up` says that no one waits for it.
    fn wait(&self, steps: u64, given_up: &dyn Fn() -> bool) -> bool;
}

/// The limit that ended a validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    /// It took more steps than this.
    Steps(u64),
    /// It took more bytes than this.
    Bytes(u64),
    /// Its regular expressions took more steps than this.
    Patterns(u64),
    /// The deadline passed.
    Deadline,
    /// It was canceled.
    Cancelled,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(limit) => write!(f, "the limit of {limit} steps"),
            Self::Bytes(limit) => {
                write!(f, "the limit of {limit} bytes for what is read and made besides the document")
            }
            Self::Patterns(limit) => {
                write!(f, "the limit of {limit} steps for compiling regular expressions")
            }
            Self::Deadline => f.write_str("the time limit of the call"),
            Self::Cancelled => f.write_str("the cancellation of the call"),
        }
    }
}

/// The steps that work has used, and the limit that it has exceeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Steps.
    pub steps: u64,
    /// The limit that was exceeded.
    pub exceeded: Option<Exceeded>,
}

/// The budget of a thread.
#[derive(Debug)]
struct Account {
    budget: Budget,
    /// Steps of all slices that were handed out.
    granted: u64,
    exceeded: Option<Exceeded>,
    /// Steps that the text which is validated may use, where that is not all.
    share: Option<u64>,
    /// Bytes that the text which is validated may use, where that is not all.
    share_of_bytes: Option<u64>,
    /// Errors of the document that is being read, by name.
    errors: HashMap<&'static str, u64>,
}

thread_local! {
    /// Steps left of the current slice.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Bytes that are in use.
    static USED: Cell<u64> = const { Cell::new(0) };
    /// Most bytes that may be in use.
    static ROOM: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Steps left for suggestions.
    static SUGGESTIONS: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Bytes left for lists of what is allowed.
    static LISTS: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Steps left for regular expressions of documents.
    static PATTERNS: Cell<u64> = const { Cell::new(u64::MAX) };
    static ACCOUNT: RefCell<Option<Account>> = const { RefCell::new(None) };
}

/// Steps of one validation: some ten seconds of a slow machine.
pub const STEPS: u64 = 1_000_000_000;

/// Bytes of one validation besides the document.
pub const BYTES: u64 = 256 << 20;

/// Steps of one validation for suggestions of what was meant: thousands of them. Whoever has more mistakes than that
/// does not miss one.
const SUGGESTED: u64 = 2_500_000;

/// Bytes of one validation for lists of what is allowed: thousands of them. Further findings have short ones.
const LISTED: usize = 16 << 20;

/// Steps of one validation for compiling regular expressions: half a second of a slow machine, hundreds of the largest.
const COMPILED: u64 = 40_000_000;

/// The size of a document that may use all steps. A smaller one may use its share, and at least a tenth.
const WHOLE: u64 = 20 << 20;

/// The size of a document that may use all bytes. A smaller one may use its share, and at least half.
const WHOLE_BYTES: u64 = 5 << 20;

/// What is left when a budget is used up, for the errors that were found until then: some 50 milliseconds of a slow
/// machine.
const LAST: Budget = Budget {
    steps: Some(5_000_000),
    bytes: Some(16 << 20),
    deadline: None,
    cancelled: None,
    pace: None,
    described: None,
    interrupted: None,
};

impl Budget {
    /// The budget of several validations: as many times the steps and the bytes.
    #[must_use]
    pub fn times(self, validations: u64) -> Self {
        let times = |limit: u64| limit.saturating_mul(validations);
        Self { steps: self.steps.map(times), bytes: self.bytes.map(times), ..self }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed))
    }

    fn is_awaited(&self) -> bool {
        !self.is_cancelled() && !self.is_late()
    }

    /// Runs work with this budget. Inside of other work, the outer budget counts: what a validation starts is
    /// part of it.
    pub fn spend<R>(&self, work: impl FnOnce() -> R) -> (R, Spent) {
        if ACCOUNT.with_borrow(Option::is_some) {
            let before = spent().steps;
            let result = work();
            let now = spent();
            return (result, Spent { steps: now.steps - before, ..now });
        }
        let _installed = Installed::new(self.clone());
        let result = work();
        let spent = spent();
        (result, spent)
    }
}

/// Takes the budget away again, also when the work panics.
struct Installed;

impl Installed {
    fn new(budget: Budget) -> Self {
        USED.set(0);
        ROOM.set(budget.bytes.unwrap_or(u64::MAX));
        ACCOUNT.set(Some(Account {
            budget,
            granted: 0,
            exceeded: None,
            share: None,
            share_of_bytes: None,
            errors: HashMap::new(),
        }));
        LEFT.set(0);
        SUGGESTIONS.set(SUGGESTED);
        LISTS.set(LISTED);
        PATTERNS.set(COMPILED);
        Self
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        ACCOUNT.set(None);
        USED.set(0);
        ROOM.set(u64::MAX);
        LEFT.set(u64::MAX);
        SUGGESTIONS.set(u64::MAX);
        LISTS.set(usize::MAX);
        PATTERNS.set(u64::MAX);
    }
}

/// Uses steps. False when the budget is used up: the caller ends with what it has.
#[inline]
pub fn charge(steps: u64) -> bool {
    LEFT.with(|left| match left.get().checked_sub(steps) {
        Some(rest) if rest > 0 => {
            left.set(rest);
            true
        }
        _ => next_slice(steps),
    })
}

/// Uses steps to find what was meant. False when there are none left for that; everything else continues.
pub fn suggest(steps: u64) -> bool {
    let left = SUGGESTIONS.get().checked_sub(steps);
    left.is_some_and(|left| {
        SUGGESTIONS.set(left);
        charge(steps)
    })
}

/// Whether there are steps left for suggestions.
pub fn may_suggest() -> bool {
    SUGGESTIONS.get() > 0
}

/// Uses bytes for a list of what is allowed. False when there are none left for that; everything else continues.
pub fn list(bytes: usize) -> bool {
    let left = LISTS.get().checked_sub(bytes);
    left.is_some_and(|left| {
        LISTS.set(left);
        allocate(bytes)
    })
}

/// Whether an error of this name is described, since the document has not very many of them: otherwise it is counted here.
pub fn describe(name: &'static str) -> bool {
    ACCOUNT.with_borrow_mut(|account| {
        let Some(account) = account else { return true };
        let Some(most) = account.budget.described else { return true };
        let count = account.errors.entry(name).or_default();
        *count += 1;
        *count <= most
    })
}

/// How many errors of each name were counted and not described since the last call.
pub fn undescribed() -> Vec<(&'static str, u64)> {
    ACCOUNT.with_borrow_mut(|account| {
        let Some(account) = account else { return Vec::new() };
        let most = account.budget.described.unwrap_or(u64::MAX);
        let errors = std::mem::take(&mut account.errors).into_iter();
        let mut further: Vec<_> = errors.map(|(name, count)| (name, count.saturating_sub(most))).collect();
        further.retain(|(_, count)| *count > 0);
        further.sort_unstable();
        further
    })
}

/// Runs the validation of text, which may use the share of the steps and of the bytes that belongs to its size.
pub fn share<R>(bytes: usize, work: impl FnOnce() -> R) -> R {
    let _shared = Shared::new(bytes as u64);
    work()
}

/// The part of `most` that belongs to text of some bytes, where text of `whole` bytes may use all.
fn part(most: u64, bytes: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(most) * u128::from(bytes) / u128::from(whole)).unwrap_or(most)
}

/// The limits that counted before text got its share, which count again afterwards, also when the work panics.
struct Shared {
    steps: Option<Limit>,
    bytes: Option<Limit>,
}

/// A limit, and the share of outer text.
struct Limit {
    most: u64,
    share: Option<u64>,
}

impl Shared {
    fn new(bytes: u64) -> Self {
        ACCOUNT.with_borrow_mut(|account| {
            let Some(account) = account else { return Self { steps: None, bytes: None } };
            let steps = account.budget.steps.map(|most| {
                account.granted = account.granted.saturating_sub(LEFT.replace(0));
                let share = part(most, bytes, WHOLE).clamp(most / 10, most);
                account.budget.steps = Some(most.min(account.granted.saturating_add(share)));
                Limit { most, share: account.share.replace(share) }
            });
            let bytes = account.budget.bytes.map(|most| {
                let share = part(most, bytes, WHOLE_BYTES).clamp(most / 2, most);
                account.allow(most.min(USED.get().saturating_add(share)));
                Limit { most, share: account.share_of_bytes.replace(share) }
            });
            Self { steps, bytes }
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        ACCOUNT.with_borrow_mut(|account| {
            let Some(account) = account else { return };
            // The rest belongs to what comes next.
            if let Some(Limit { most, share }) = self.steps {
                account.granted = account.granted.saturating_sub(LEFT.replace(0));
                account.budget.steps = Some(most);
                account.share = share;
                if matches!(account.exceeded, Some(Exceeded::Steps(_))) && account.granted < most {
                    account.exceeded = None;
                }
            }
            if let Some(Limit { most, share }) = self.bytes {
                account.allow(most);
                account.share_of_bytes = share;
                if matches!(account.exceeded, Some(Exceeded::Bytes(_))) && USED.get() <= most {
                    account.exceeded = None;
                }
            }
        });
    }
}

impl Account {
    /// Sets how many bytes may be in use.
    fn allow(&mut self, most: u64) {
        self.budget.bytes = Some(most);
        ROOM.set(most);
    }
}

/// Whether there is still something of the budget.
pub fn is_left() -> bool {
    charge(0)
}

#[cold]
fn next_slice(steps: u64) -> bool {
    ACCOUNT.with_borrow_mut(|account| {
        let Some(account) = account else {
            LEFT.set(u64::MAX);
            return true;
        };
        if account.exceeded.is_some() {
            return false;
        }
        // What was left of the slice is used for these steps.
        let more = steps.saturating_sub(LEFT.get());
        account.granted = account.granted.saturating_add(more);
        LEFT.set(0);
        let budget = &account.budget;
        let most = budget.steps;
        let pace = budget.pace.as_ref();
        let may_continue = pace.is_none_or(|pace| pace.wait(account.granted, &|| !budget.is_awaited()));
        let interruption = budget.interrupted;
        account.exceeded = match most {
            _ if interruption.is_some_and(|steps| account.granted >= steps) => Some(Exceeded::Cancelled),
            Some(most) if account.granted >= most => Some(Exceeded::Steps(account.share.unwrap_or(most))),
            _ if budget.is_late() => Some(Exceeded::Deadline),
            _ if budget.is_cancelled() || !may_continue => Some(Exceeded::Cancelled),
            _ => None,
        };
        if account.exceeded.is_some() {
            return false;
        }
        let most = [most, interruption].into_iter().flatten().min();
        let slice = most.map_or(SLICE, |most| SLICE.min(most - account.granted));
        account.granted += slice;
        LEFT.set(slice);
        true
    })
}

/// Whether someone waits for the result: it is neither canceled nor late. Waiting for other processes charges nothing, and asks
/// this instead.
pub fn is_awaited() -> bool {
    ACCOUNT.with_borrow(|account| account.as_ref().is_none_or(|account| account.budget.is_awaited()))
}

/// What writing an item of a document costs, in steps: some nodes of a tree.
const ITEM: u64 = 16;

/// Items of a document as far as the budget goes, each of which is charged.
pub fn within<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    items.into_iter().take_while(|_| charge(ITEM))
}

/// Uses bytes. False when the budget is used up.
#[inline]
pub fn allocate(bytes: usize) -> bool {
    let used = USED.get().saturating_add(bytes as u64);
    USED.set(used);
    used <= ROOM.get() && LEFT.get() > 0 || may_continue()
}

/// Whether nothing of the budget is exceeded, where it may be.
#[cold]
fn may_continue() -> bool {
    ACCOUNT.with_borrow_mut(|account| {
        let Some(account) = account else { return true };
        if let Some(most) = account.budget.bytes.filter(|most| USED.get() > *most) {
            account.exceeded.get_or_insert(Exceeded::Bytes(account.share_of_bytes.unwrap_or(most)));
            LEFT.set(0);
        }
        account.exceeded.is_none()
    })
}

/// Gives back bytes of what is not needed any more.
pub fn free(bytes: usize) {
    USED.set(USED.get().saturating_sub(bytes as u64));
}

/// What the work of this thread has used of its budget so far.
pub fn spent() -> Spent {
    ACCOUNT.with_borrow(|account| {
        let used = |account: &Account| Spent {
            steps: account.granted.saturating_sub(LEFT.get()),
            exceeded: account.exceeded,
        };
        account.as_ref().map(used).unwrap_or_default()
    })
}

/// Work that is shorter is not measured: what a validation may use should not depend on the clock.
const MEASURED: Duration = Duration::from_millis(5);

/// How long a step takes.
const STEP: Duration = Duration::from_nanos(10);

/// Runs third-party code, which charges nothing itself. It is charged the steps that it usually takes. When it took long,
/// its time is charged: that of the processor, since a busy machine makes no document larger.
pub fn measure<R>(usual: u64, work: impl FnOnce() -> R) -> R {
    charge(usual);
    let (result, time) = timed(work);
    if time > MEASURED {
        let steps = u64::try_from(time.as_nanos() / STEP.as_nanos()).unwrap_or(u64::MAX);
        charge(steps.saturating_sub(usual));
    }
    result
}

/// Bytes of a vector that are charged as it grows: less is noise.
const NOTED: usize = 4096;

/// Adds an item to a vector, whose memory is charged as it grows. Whoever adds sees that the budget is used up when it
/// charges its next step.
#[inline]
pub fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        grow(items);
    }
    items.push(item);
}

#[cold]
fn grow<T>(items: &mut Vec<T>) {
    items.reserve(1);
    let bytes = (items.capacity() - items.len()) * size_of::<T>();
    if bytes >= NOTED {
        allocate(bytes);
    }
}

/// Compiles a regular expression, whose time is charged, and counts for itself. It is charged the steps that it usually
/// takes at least. Nothing when that budget is used up.
pub fn compile<R>(usual: u64, work: impl FnOnce() -> R) -> Option<R> {
    let left = PATTERNS.get();
    if left == 0 || !is_left() {
        return None;
    }
    let before = spent().steps;
    let result = measure(usual, work);
    let left = left.saturating_sub(spent().steps - before);
    PATTERNS.set(left);
    if left == 0 {
        ACCOUNT.with_borrow_mut(|account| {
            if let Some(account) = account {
                account.exceeded.get_or_insert(Exceeded::Patterns(COMPILED));
            }
        });
        LEFT.set(0);
    }
    Some(result)
}

/// What work gives, and the time of the processor that it takes: on systems that do not count it for a thread, all time.
pub fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = thread_time();
    let result = work();
    (result, thread_time().saturating_sub(start))
}

/// The time of the processor that this thread has used.
#[cfg(target_os = "linux")]
fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// There is no clock in a browser's module: what is measured takes no time, and budgets have only their other limits.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn thread_time() -> Duration {
    Duration::ZERO
}

/// The time since the first call, where that of a thread is not known.
#[cfg(not(any(target_os = "linux", all(target_family = "wasm", target_os = "unknown"))))]
fn thread_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// Runs what has to be done although the budget is used up, such as saying so.
pub fn despite<R>(work: impl FnOnce() -> R) -> R {
    let _outside = Outside::new();
    work()
}

/// The budget that is put aside while other work runs, and counts again afterwards, also when that work panics.
struct Outside {
    account: Option<Account>,
    left: u64,
    used: u64,
    room: u64,
    suggestions: u64,
    lists: usize,
    patterns: u64,
}

impl Outside {
    fn new() -> Self {
        Self {
            account: ACCOUNT.take(),
            left: LEFT.replace(u64::MAX),
            used: USED.replace(0),
            room: ROOM.replace(u64::MAX),
            suggestions: SUGGESTIONS.replace(u64::MAX),
            lists: LISTS.replace(usize::MAX),
            patterns: PATTERNS.replace(u64::MAX),
        }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        ACCOUNT.set(self.account.take());
        LEFT.set(self.left);
        USED.set(self.used);
        ROOM.set(self.room);
        SUGGESTIONS.set(self.suggestions);
        LISTS.set(self.lists);
        PATTERNS.set(self.patterns);
    }
}

/// Runs what remains to be done with a budget that is used up: with a small one of its own, unless no one waits for it.
pub fn last<R>(work: impl FnOnce() -> R) -> R {
    match spent().exceeded {
        Some(Exceeded::Steps(_) | Exceeded::Bytes(_) | Exceeded::Patterns(_)) => {
            despite(|| LAST.spend(work).0)
        }
        Some(Exceeded::Deadline | Exceeded::Cancelled) | None => work(),
    }
}

/// Runs work that may use at most these steps and bytes of what is left.
pub fn at_most<R>(steps: u64, bytes: u64, work: impl FnOnce() -> R) -> R {
    let _limited = ACCOUNT.with_borrow_mut(|account| {
        let Some(account) = account else { return Shared { steps: None, bytes: None } };
        account.granted = account.granted.saturating_sub(LEFT.replace(0));
        let (granted, used) = (account.granted, USED.get());
        let most = account.budget.steps.unwrap_or(u64::MAX);
        account.budget.steps = Some(most.min(granted.saturating_add(steps)));
        let steps = Limit { most, share: account.share.replace(steps) };
        let most = account.budget.bytes.unwrap_or(u64::MAX);
        account.allow(most.min(used.saturating_add(bytes)));
        let bytes = Limit { most, share: account.share_of_bytes.replace(bytes) };
        Shared { steps: Some(steps), bytes: Some(bytes) }
    });
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(most: u64) -> Budget {
        Budget { steps: Some(most), ..Budget::default() }
    }

    #[test]
    fn work_ends_at_the_limit() {
        let (done, spent) = steps(200_000).spend(|| (0..1_000_000).take_while(|_| charge(1)).count());
        assert!((190_000..=200_000).contains(&done), "{done}");
        assert_eq!(spent.exceeded, Some(Exceeded::Steps(200_000)));
        assert!(!steps(10).spend(|| charge(11)).0);
        assert!(charge(1_000_000_000), "without a budget nothing is limited");
    }

    #[test]
    fn steps_are_counted_exactly() {
        let ((), spent) = steps(1_000_000).spend(|| {
            for _ in 0..1_000 {
                charge(123);
            }
        });
        assert_eq!(spent, Spent { steps: 123_000, exceeded: None });
    }

    #[test]
    fn inner_work_is_part_of_the_outer_one() {
        let ((), spent) = steps(1_000).spend(|| {
            let (more, inner) = steps(1_000_000).spend(|| charge(900) && charge(200));
            assert!(!more);
            assert_eq!(inner.exceeded, Some(Exceeded::Steps(1_000)));
            assert!(despite(|| charge(1)) && !is_left());
        });
        assert!(spent.exceeded.is_some());
    }

    #[test]
    fn time_and_cancellation_end_work() {
        let past = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert_eq!(past.spend(|| charge(1)).1.exceeded, Some(Exceeded::Deadline));
        let cancelled = Some(Arc::new(AtomicBool::new(true)));
        let budget = Budget { cancelled, ..Budget::default() };
        assert_eq!(budget.spend(|| charge(1)).1.exceeded, Some(Exceeded::Cancelled));
        assert_eq!((past.spend(is_awaited).0, budget.spend(is_awaited).0), (false, false));
        assert_eq!((Budget::default().spend(is_awaited).0, is_awaited()), (true, true));
    }

    #[test]
    fn work_of_others_is_charged_by_its_time() {
        let work = || {
            let start = thread_time();
            while thread_time() < start + 2 * MEASURED {
                std::hint::spin_loop();
            }
        };
        let ((), spent) = Budget::default().spend(|| measure(0, work));
        assert!(spent.steps >= 1_000_000, "{spent:?}");
        #[cfg(target_os = "linux")]
        {
            // Waiting, as on a busy machine, is not work.
            let ((), waited) = Budget::default().spend(|| measure(0, || std::thread::sleep(2 * MEASURED)));
            assert_eq!(waited.steps, 0);
        }
        assert_eq!(Budget::default().spend(|| measure(7, || ())).1.steps, 7);
    }

    #[test]
    fn a_little_is_left_when_a_budget_is_used_up() {
        let few = |_: &u64| charge(1);
        let (done, spent) = steps(100).spend(|| {
            charge(100);
            last(|| (0..1_000_000_000).take_while(few).count())
        });
        assert!((1_000_000..10_000_000).contains(&done), "{done}");
        assert_eq!(spent.exceeded, Some(Exceeded::Steps(100)));
        let past = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let done = past.spend(|| {
            charge(1);
            last(|| (0..1_000).take_while(few).count())
        });
        assert_eq!(done.0, 0, "no one waits for it");
    }

    #[test]
    fn text_may_use_the_steps_of_its_size() {
        let used = |bytes: usize| share(bytes, || (0..2_000_000).take_while(|_| charge(1)).count());
        let ((), spent) = steps(1_000_000).spend(|| {
            assert!((90_000..=100_000).contains(&used(1)), "a tenth");
            assert_eq!(spent().exceeded, None, "others have the rest");
            let half = usize::try_from(WHOLE / 2).unwrap();
            assert!((450_000..=500_000).contains(&used(half)));
            share(half, || {
                charge(600_000);
                assert_eq!(super::spent().exceeded, Some(Exceeded::Steps(500_000)), "the share is the limit");
            });
        });
        assert!(spent.exceeded.is_some());
    }

    #[test]
    fn text_may_use_the_bytes_of_its_size() {
        let budget = Budget { bytes: Some(1_000), ..Budget::default() };
        let used = |bytes: usize| share(bytes, || (0..2_000).take_while(|_| allocate(1)).count());
        let ((), spent) = budget.spend(|| {
            assert_eq!(used(1), 500, "half");
            assert!(spent().exceeded.is_none() && charge(1), "others have the rest");
        });
        assert_eq!(spent.exceeded, None);
        let large = usize::try_from(WHOLE_BYTES).unwrap();
        assert_eq!(budget.spend(|| used(large)).0, 1_000);
        let seen = |bytes: usize| share(bytes, || (allocate(600), super::spent().exceeded)).1;
        assert_eq!(budget.spend(|| seen(1)).0, Some(Exceeded::Bytes(500)), "the share is the limit");
    }

    #[test]
    fn work_is_limited_further_within_a_budget() {
        let budget = Budget { steps: Some(1_000_000), bytes: Some(1_000), ..Budget::default() };
        let ((), spent) = budget.spend(|| {
            let (done, exceeded) = at_most(1_000, 100, || {
                ((0..5_000).take_while(|_| charge(1)).count(), super::spent().exceeded)
            });
            assert!((900..=1_000).contains(&done), "{done}");
            assert_eq!(exceeded, Some(Exceeded::Steps(1_000)));
            assert!(charge(1), "the rest is left");
            assert_eq!(
                at_most(1_000, 100, || (allocate(101), super::spent().exceeded)).1,
                Some(Exceeded::Bytes(100))
            );
            assert!(allocate(500) && charge(1));
        });
        assert_eq!(spent.exceeded, None);
        let unlimited = Budget::default().spend(|| at_most(10, 10, || charge(11))).0;
        assert!(!unlimited);
    }

    #[test]
    fn very_many_errors_of_a_name_are_counted() {
        let budget = Budget { described: Some(2), ..Budget::default() };
        budget.spend(|| {
            let described = (0..5).filter(|_| describe("a")).count();
            assert_eq!((described, describe("b")), (2, true));
            assert_eq!(undescribed(), [("a", 3)]);
            assert!(describe("a"), "another document");
        });
        assert!(describe("a") && undescribed().is_empty());
    }

    #[test]
    fn regular_expressions_have_a_budget_of_their_own() {
        let work = || {
            let start = thread_time();
            while thread_time() < start + 20 * MEASURED {
                std::hint::spin_loop();
            }
        };
        let (compiled, spent) =
            Budget::default().spend(|| (0..50).take_while(|_| compile(0, work).is_some()).count());
        assert!((2..=5).contains(&compiled), "{compiled}");
        assert_eq!(spent.exceeded, Some(Exceeded::Patterns(COMPILED)));
        assert!(compile(0, || ()).is_some());
    }

    #[test]
    fn suggestions_end_before_other_work() {
        let ((), spent) = Budget::default().spend(|| {
            let suggested = (0..1_000_000).take_while(|_| suggest(1_000)).count();
            assert_eq!(suggested, usize::try_from(SUGGESTED / 1_000).unwrap());
            assert!(charge(1));
        });
        assert_eq!(spent.exceeded, None);
        assert!(suggest(SUGGESTED + 1), "without a budget nothing is limited");
    }

    #[test]
    fn vectors_are_charged_as_they_grow() {
        let budget = Budget { bytes: Some(1 << 20), ..Budget::default() };
        let (made, spent) = budget.spend(|| {
            let mut items: Vec<u64> = Vec::new();
            while charge(1) {
                push(&mut items, 0);
            }
            items.len() * size_of::<u64>()
        });
        assert!((1 << 19..=3 << 19).contains(&made), "{made}");
        assert_eq!(spent.exceeded, Some(Exceeded::Bytes(1 << 20)));
    }

    #[test]
    fn bytes_are_counted() {
        let budget = Budget { bytes: Some(100), ..Budget::default() };
        let (fits, spent) = budget.spend(|| {
            let fits = allocate(80);
            free(60);
            (fits && allocate(80), allocate(1), charge(1))
        });
        assert_eq!(fits, (true, false, false));
        assert_eq!(spent.exceeded, Some(Exceeded::Bytes(100)));
    }
}
