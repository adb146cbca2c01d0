use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Items that one thread takes at a time.
const CHUNK: usize = 16;

/// What `work` makes of each item, in their order, on as many threads as there are processors. Items on which it panics
/// have no result.
pub(super) fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<Option<R>> {
    let work = |item: &T| panic::catch_unwind(AssertUnwindSafe(|| work(item))).ok();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len().div_ceil(CHUNK));
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(chunk) = items.chunks(CHUNK).nth(at) else { break };
                    let results: Vec<Option<R>> = chunk.iter().map(work).collect();
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, results));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = parallel(&items, |item| {
            assert_ne!(*item, 500, "on purpose");
            item * 2
        });
        assert_eq!(doubled.len(), 1000);
        assert!(items.iter().all(|item| doubled[*item] == (*item != 500).then_some(item * 2)));
    }
}
