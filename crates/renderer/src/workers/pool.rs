use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use proofmark_render_protocol::WorkerReply;

use super::{
    Task, WorkerError, WorkerLimits, WorkerProgram,
    process::{Answer, Stopped, Worker},
};
use crate::budget;

/// Most memory, in bytes, that a worker may hold while it waits. The engine keeps what it laid out for a
/// next time that may never come; an ordinary worker holds a fifth of this.
const MOST_RESIDENT: u64 = 192 * 1024 * 1024;

/// How often a document is given to a new worker.
const TRIES: usize = 2;

/// Workers, started ahead and replaced when they are used up.
#[derive(Debug)]
pub(in super::super) struct Pool {
    program: WorkerProgram,
    limits: WorkerLimits,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Worker>,
    /// Documents that are being rendered.
    busy: usize,
    /// Workers that render.
    working: usize,
    /// Workers that are being started ahead.
    starting: usize,
    closed: bool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// A pool of workers of a program; none is started yet.
    pub(in super::super) fn new(program: WorkerProgram, limits: WorkerLimits) -> Self {
        let shared = Shared { state: Mutex::default(), returned: Condvar::new() };
        Self { program, limits, shared: Arc::new(shared) }
    }

    /// Starts as many workers ahead as there may be, without waiting for them.
    pub(in super::super) fn start_ahead(&self) {
        let missing = {
            let mut state = self.shared.lock();
            let there = state.idle.len() + state.working + state.starting;
            let missing = self.limits.workers.saturating_sub(there);
            state.starting += missing;
            missing
        };
        for _ in 0..missing {
            let (program, limits, shared) = (self.program.clone(), self.limits, Arc::clone(&self.shared));
            let start = move || {
                let worker = Worker::start(&program, &limits);
                let mut state = shared.lock();
                state.starting -= 1;
                if !state.closed {
                    state.idle.extend(worker.ok());
                }
                shared.returned.notify_one();
            };
            if thread::Builder::new().name("render-start".to_owned()).spawn(start).is_err() {
                self.shared.lock().starting -= 1;
            }
        }
    }

    /// Makes sure that there are workers: one waits or works, or can be started.
    ///
    /// # Errors
    /// [`WorkerError`] when the program is missing or is not a worker of this version.
    pub(in super::super) fn check(&self) -> Result<(), WorkerError> {
        let there = |state: &State| !state.idle.is_empty() || state.working > 0;
        if there(&self.shared.lock()) {
            return Ok(());
        }
        let worker = Worker::start(&self.program, &self.limits)?;
        let mut state = self.shared.lock();
        if !there(&state) && state.starting == 0 {
            state.idle.push(worker);
        }
        Ok(())
    }

    /// Ids of the processes that wait for work.
    pub(in super::super) fn idle(&self) -> Vec<u32> {
        self.shared.lock().idle.iter().map(Worker::id).collect()
    }

    /// Has a task done; waits while all workers are busy.
    pub(in super::super) fn run(&self, task: &Task<'_>) -> Result<Answer, Stopped> {
        let _place = self.enter();
        if !budget::is_awaited() {
            return Err(Stopped::Unwanted);
        }
        // A worker that died while it waited, or that was killed from outside, says nothing about the document: a new one
        // gets it.
        let mut result = self.once(task, false);
        for _ in 0..TRIES {
            match &result {
                Err((stopped @ Stopped::Gone(_), waited)) if *waited || stopped.is_from_outside() => {}
                _ => break,
            }
            if !budget::is_awaited() {
                return Err(Stopped::Unwanted);
            }
            result = self.once(task, true);
        }
        result.map_err(|(stopped, _)| stopped)
    }

    /// One try, perhaps with a worker that is started for it. The boolean says whether the worker had been
    /// waiting.
    fn once(&self, task: &Task<'_>, fresh: bool) -> Result<Answer, (Stopped, bool)> {
        let idle = {
            let mut state = self.shared.lock();
            state.working += 1;
            if fresh { None } else { std::iter::from_fn(|| state.idle.pop()).find_map(Worker::still_there) }
        };
        let waited = idle.is_some();
        let worker = idle.map_or_else(|| Worker::start(&self.program, &self.limits), Ok);
        let (result, spent) = match worker {
            Err(WorkerError::Ended(how)) => (Err(Stopped::Gone(how)), None),
            Err(error) => (Err(Stopped::NoWorker(error)), None),
            Ok(mut worker) => {
                let result = worker.run(task, &self.limits);
                let light = matches!(
                    &result,
                    Ok((WorkerReply::Done { resident, .. } | WorkerReply::Failed { resident, .. }, _))
                        if *resident < MOST_RESIDENT.min(self.limits.memory / 2)
                );
                let mut state = self.shared.lock();
                if light && worker.has_room() && state.idle.len() < self.limits.workers {
                    state.idle.push(worker);
                    (result, None)
                } else {
                    (result, Some(worker))
                }
            }
        };
        self.shared.lock().working -= 1;
        if spent.is_some() {
            drop(spent);
            self.start_ahead();
        }
        result.map_err(|stopped| (stopped, waited))
    }

    fn enter(&self) -> Place<'_> {
        let mut state = self.shared.lock();
        while state.busy >= self.limits.workers.max(1) {
            state = self.shared.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy += 1;
        Place(&self.shared)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.idle.clear();
    }
}

/// The right to have a document rendered.
struct Place<'p>(&'p Shared);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.returned.notify_one();
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

    use proofmark_render_protocol::WorkerRequest;

    use super::*;

    /// How often a worker is started for a task, and why there is no answer. The worker is a script that ends at once.
    fn started(end: &str) -> (usize, Stopped) {
        let folder = tempfile::tempdir().unwrap();
        let (program, log) = (folder.path().join("worker"), folder.path().join("log"));
        fs::write(&program, format!("#!/bin/sh\necho >> '{}'\n{end}\n", log.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let limits = WorkerLimits { time: Duration::from_secs(5), memory: 1 << 30, workers: 1 };
        let pool = Pool::new(WorkerProgram::at(program), limits);
        let task = Task {
            bundle: None,
            request: WorkerRequest::Keep { bundle: 0, paths: Vec::new() },
            blobs: Vec::new(),
        };
        let stopped = pool.run(&task).map(|_| ()).unwrap_err();
        (fs::read_to_string(&log).unwrap().lines().count(), stopped)
    }

    #[test]
    fn a_task_whose_worker_is_killed_gets_another_one_a_few_times() {
        let gone = |how: &str| Stopped::Gone(how.to_owned());
        assert_eq!(started("kill -9 $$"), (1 + TRIES, gone("signal 9")));
        assert_eq!(started("kill -15 $$"), (1 + TRIES, gone("signal 15")));
    }

    #[test]
    fn a_task_whose_worker_crashes_is_not_tried_again() {
        assert_eq!(started("kill -11 $$"), (1, Stopped::Gone("signal 11".to_owned())));
        assert_eq!(started("exit 1"), (1, Stopped::NoWorker(WorkerError::NotAWorker)));
    }
}
