//! Work on many items in several threads.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crate::signals::{self, Signals};

/// What `work` gives for every item, in their order, with `jobs` threads that take `chunk` items at once. The threads
/// end with the call, so a process can fork after it. After a signal, only what was done until then.
pub(crate) fn in_parallel<I: Sync, O: Send>(
    items: &[I],
    jobs: usize,
    chunk: usize,
    signals: &Signals,
    work: impl Fn(&I) -> O + Sync,
) -> Vec<O> {
    let of_chunk = |items: &[I]| {
        items.iter().map_while(|item| (!signals.stopped()).then(|| work(item))).collect::<Vec<O>>()
    };
    let chunks: Vec<&[I]> = items.chunks(chunk.max(1)).collect();
    let jobs = jobs.min(chunks.len());
    if jobs <= 1 {
        return of_chunk(items);
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(items) = chunks.get(number).filter(|_| !signals.stopped()) else { return done };
            done.push((number, of_chunk(items)));
        }
    };
    let (running, caller) = (AtomicUsize::new(jobs - 1), thread::current());
    let mut done: Vec<(usize, Vec<O>)> = thread::scope(|scope| {
        let others: Vec<_> = (1..jobs)
            .map(|_| {
                scope.spawn(|| {
                    let done = take();
                    running.fetch_sub(1, Ordering::Release);
                    caller.unpark();
                    done
                })
            })
            .collect();
        let mut done = take();
        while running.load(Ordering::Acquire) > 0 && !signals.stopped() {
            thread::park_timeout(signals::EVERY);
        }
        // `work` catches panics, so threads do not end with one.
        done.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
        done
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().flat_map(|(_, results)| results).collect()
}
