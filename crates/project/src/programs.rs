//! Other programs: each runs in a process group of its own, for a limited time, and ends together with everything that
//! it has started.

use std::{
    io,
    process::{Child, Command, ExitStatus},
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Longest pause between two looks at a program.
const PAUSE: Duration = Duration::from_millis(20);

/// Has the program lead a process group, where the system has these.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Waits until the program ends, and kills it after `time`: nothing then. What it has started ends with it.
pub fn wait(child: &mut Child, time: Duration) -> io::Result<Option<ExitStatus>> {
    let until = Instant::now().checked_add(time);
    let mut pause = Duration::from_millis(1);
    loop {
        if has_ended(child)? {
            kill_group(child);
            return child.wait().map(Some);
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            kill(child);
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSE);
    }
}

/// Kills the program and everything that it has started.
pub fn kill(child: &mut Child) {
    kill_group(child);
    // The program may have ended in the meantime.
    let _ = child.kill();
    let _ = child.wait();
}

/// Whether the program has ended. Its id stays its own until it is waited for.
#[cfg(unix)]
fn has_ended(child: &Child) -> io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(id) = Pid::from_raw(child.id() as i32) else { return Ok(true) };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(id), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// How many programs of a sort run at a time.
#[derive(Debug)]
pub struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A program that may run.
#[derive(Debug)]
pub struct Slot<'s>(&'s Slots);

impl Slots {
    pub const fn new(number: usize) -> Self {
        Self { free: Mutex::new(number), freed: Condvar::new() }
    }

    /// Waits until another program may run, at most for `time`.
    pub fn enter(&self, time: Duration) -> Option<Slot<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_timeout_while(free, time, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Slot(self))
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_programs_run_as_there_are_slots() {
        static SLOTS: Slots = Slots::new(2);
        let enter = || SLOTS.enter(Duration::ZERO);
        let (first, second) = (enter(), enter());
        assert!(first.is_some() && second.is_some() && enter().is_none());
        thread::scope(|scope| {
            let third = scope.spawn(|| SLOTS.enter(Duration::from_mins(1)).is_some());
            drop(first);
            assert!(third.join().unwrap());
        });
    }
}
