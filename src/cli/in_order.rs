//! Work on many threads whose results come in the order of what goes in, in bounded memory.

use std::{
    num::NonZero,
    sync::{
        Mutex,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

/// Items per thread that may be under way or wait to be taken out.
const WINDOW: usize = 4;

/// Items that go to a thread together where there are many small ones: handing over costs two system calls.
const GROUP: usize = 8;

/// Items from which on they go to threads in groups.
const MANY: usize = 256;

/// Number of threads of a run by default.
pub(super) fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Calls `work` on every item on `jobs` threads and `sink` on every result, in the order of the items
/// and on this thread. With one job everything happens on this thread.
///
/// # Errors
/// The first error of `sink`, after which no further item is taken.
pub(super) fn in_order<I: Send, O: Send, E>(
    jobs: usize,
    items: impl Iterator<Item = I> + Send,
    work: impl Fn(I) -> O + Sync,
    mut sink: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 {
        return items.map(work).try_for_each(sink);
    }
    let (tasks, open_tasks) = sync_channel::<(I, SyncSender<O>)>(jobs);
    let (places, queue) = sync_channel::<Receiver<O>>(jobs * WINDOW);
    let open_tasks = Mutex::new(open_tasks);
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((item, result)) = next(&open_tasks) {
                    // No one waits for the result once the sink has failed.
                    let _ = result.send(work(item));
                }
            });
        }
        scope.spawn(move || {
            for item in items {
                let (result, place) = sync_channel(1);
                if places.send(place).is_err() || tasks.send((item, result)).is_err() {
                    return;
                }
            }
        });
        for place in queue {
            // A result that never comes belongs to a thread that panicked; the scope passes that on.
            if let Ok(result) = place.recv() {
                sink(result)?;
            }
        }
        Ok(())
    })
}

/// Like [`in_order`], for a list of small items. Where it is long, several of them go to a thread at a time.
///
/// # Errors
/// The first error of `sink`.
pub(super) fn list_in_order<'i, I: Sync, O: Send, E>(
    jobs: usize,
    items: &'i [I],
    work: impl Fn(&'i I) -> O + Sync,
    mut sink: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 {
        return items.iter().map(work).try_for_each(sink);
    }
    let groups = items.chunks(if items.len() < MANY { 1 } else { GROUP });
    let work = |group: &'i [I]| group.iter().map(&work).collect::<Vec<O>>();
    in_order(jobs, groups, work, |results| results.into_iter().try_for_each(&mut sink))
}

fn next<T>(tasks: &Mutex<Receiver<T>>) -> Option<T> {
    tasks.lock().ok()?.recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_takes_how_long() {
        for jobs in [1, 2, 5] {
            let mut results = Vec::new();
            let work = |item: u64| {
                let mut hash = item;
                for _ in 0..(item % 7) * 3000 {
                    hash = hash.wrapping_mul(31).rotate_left(5);
                }
                (item, hash)
            };
            let done = in_order(jobs, 0..500, work, |(item, _)| {
                results.push(item);
                Ok::<_, ()>(())
            });
            assert_eq!(done, Ok(()));
            assert_eq!(results, (0..500).collect::<Vec<_>>());
            let mut results = Vec::new();
            let done = list_in_order(
                jobs,
                &(0..500).collect::<Vec<u64>>(),
                |item| *item,
                |item| {
                    results.push(item);
                    Ok::<_, ()>(())
                },
            );
            assert_eq!(done, Ok(()));
            assert_eq!(results, (0..500).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_sink_that_fails_ends_the_work() {
        for jobs in [1, 3] {
            let failed = in_order(jobs, 0.., |item| item, |item| if item == 10 { Err(item) } else { Ok(()) });
            assert_eq!(failed, Err(10));
        }
    }
}
