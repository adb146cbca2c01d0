//! How much memory the process has, where the system says so, and which calls may continue while that is too much.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How long a look at the memory counts: looking takes longer than a slice of steps.
const LOOK: Duration = Duration::from_millis(5);

/// The memory that calls which are not short share. While the process has more than the limit, only the one that began
/// first continues: it ends sooner or later, and whatever the others hold is free at once.
#[derive(Debug, Clone)]
pub(super) struct Memory(Arc<Watch>);

#[derive(Debug)]
struct Watch {
    limit: u64,
    began: Instant,
    /// Milliseconds after `began` of the last look, and what it showed.
    looked: AtomicU64,
    resident: AtomicU64,
    next: AtomicU64,
    sharing: Mutex<BTreeSet<u64>>,
}

/// A call that shares the memory, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    memory: Memory,
    number: u64,
}

impl Memory {
    pub(super) fn new(limit: u64) -> Self {
        Self(Arc::new(Watch {
            limit,
            began: Instant::now(),
            looked: AtomicU64::new(0),
            resident: AtomicU64::new(0),
            next: AtomicU64::new(0),
            sharing: Mutex::default(),
        }))
    }

    /// Counts a call that is not short.
    pub(super) fn share(&self) -> Share {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.sharing(|sharing| sharing.insert(number));
        Share { memory: self.clone(), number }
    }

    /// Whether another call must wait until there is more.
    pub(super) fn is_refused(&self) -> bool {
        self.is_short() && self.sharing(|sharing| !sharing.is_empty())
    }

    fn sharing<R>(&self, work: impl FnOnce(&mut BTreeSet<u64>) -> R) -> R {
        work(&mut self.0.sharing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the process has more than the limit.
    fn is_short(&self) -> bool {
        let Watch { limit, began, looked, resident: known, .. } = &*self.0;
        let now = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = looked.load(Ordering::Relaxed);
        // The first look is later than 0 milliseconds, and of several threads one looks.
        let is_due = last == 0 || now.saturating_sub(last) >= LOOK.as_millis() as u64;
        if is_due && looked.compare_exchange(last, now.max(1), Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            known.store(resident().unwrap_or_default(), Ordering::Relaxed);
        }
        known.load(Ordering::Relaxed) > *limit
    }
}

impl Share {
    /// Whether the call may continue.
    pub(super) fn may_continue(&self) -> bool {
        !self.memory.is_short() || self.memory.sharing(|sharing| sharing.first() == Some(&self.number))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.memory.sharing(|sharing| sharing.remove(&self.number));
    }
}

/// Bytes of memory that the process has in use; nothing where that cannot be known.
fn resident() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        #[expect(clippy::disallowed_methods, reason = "the system writes it about the process")]
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_memory() {
        assert!(resident().is_some_and(|bytes| bytes > 1 << 20));
    }

    #[test]
    fn the_first_call_continues_while_memory_is_short() {
        let memory = Memory::new(1);
        assert!(!memory.is_refused(), "no other call would free memory");
        let (first, second) = (memory.share(), memory.share());
        assert!(memory.is_refused());
        assert!(first.may_continue() && !second.may_continue());
        drop(first);
        assert!(second.may_continue());
        let roomy = Memory::new(u64::MAX);
        let (first, second) = (roomy.share(), roomy.share());
        assert!(first.may_continue() && second.may_continue() && !roomy.is_refused());
    }
}
