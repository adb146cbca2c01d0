//! The steps that reading and changing files consists of. Tests make each of them fail in turn, or everything after it, as when
//! the process is killed there: tests of this layer by [`faults`], and those of whole commands by [`injected`].

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use cap_std::fs::Dir;

/// Called before each step that changes something.
///
/// # Errors
/// In tests, as [`faults::plan`] or the environment says.
#[cfg(not(any(test, debug_assertions)))]
#[expect(clippy::unnecessary_wraps, reason = "it fails in tests")]
pub(super) fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use faults::step;

#[cfg(all(not(test), debug_assertions))]
pub(super) use injected::step;

/// Called before each step that only reads.
///
/// # Errors
/// In tests of whole commands, as the environment says.
#[cfg_attr(
    any(test, not(debug_assertions)),
    expect(clippy::unnecessary_wraps, reason = "it fails in tests of commands")
)]
pub(super) fn look() -> io::Result<()> {
    #[cfg(all(not(test), debug_assertions))]
    injected::step()?;
    Ok(())
}

/// Writes the whole content; in tests that fail here, half of it.
pub(super) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let half = if cfg!(debug_assertions) { bytes.len() / 2 } else { 0 };
    let (first, rest) = bytes.split_at(half);
    file.write_all(first)?;
    step()?;
    file.write_all(rest)
}

/// Waits until the content is on the disk.
pub(super) fn sync(file: &File) -> io::Result<()> {
    step()?;
    file.sync_all()
}

/// Gives a file another name, whether another file has it or not.
pub(super) fn rename(folder: &Dir, path: &Path, other: &Path) -> io::Result<()> {
    step()?;
    folder.rename(path, folder, other)
}

/// Removes a file.
pub(super) fn remove(folder: &Dir, path: &Path) -> io::Result<()> {
    step()?;
    folder.remove_file(path)
}

/// Gives a file another name in addition, if no file has it.
pub(super) fn link(folder: &Dir, path: &Path, other: &Path) -> io::Result<()> {
    step()?;
    folder.hard_link(path, folder, other)
}

/// Faults of a process that a test has started, from an environment variable: builds for development only.
#[cfg(all(not(test), debug_assertions))]
mod injected {
    use std::{
        env, io,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use proofmark_base::budget::Lazy;

    /// `fail:N` has the step N fail, as on a full disk; `kill:N` ends the process before it. What is written to then is
    /// written by half.
    const VARIABLE: &str = "PROOFMARK_TEST_FAULT";

    enum Fault {
        Fail,
        Kill,
    }

    static FAULT: Lazy<Option<(Fault, usize)>> = Lazy::new(|| {
        let text = env::var(VARIABLE).ok()?;
        let (fault, number) = text.split_once(':')?;
        let fault = match fault {
            "fail" => Fault::Fail,
            "kill" => Fault::Kill,
            _ => return None,
        };
        Some((fault, number.parse().ok()?))
    });

    static COUNT: AtomicUsize = AtomicUsize::new(0);

    pub(crate) fn step() -> io::Result<()> {
        let Some((fault, number)) = &*FAULT else { return Ok(()) };
        if COUNT.fetch_add(1, Ordering::Relaxed) != *number {
            return Ok(());
        }
        Err(match fault {
            Fault::Fail => io::ErrorKind::StorageFull.into(),
            Fault::Kill => std::process::abort(),
        })
    }
}

#[cfg(test)]
pub(super) mod faults {
    use std::{cell::Cell, io};

    /// Which steps of this thread fail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Plan {
        None,
        /// Only the step with this number.
        One(usize),
        /// The step with this number and all that follow.
        All(usize),
    }

    thread_local! {
        static STATE: Cell<(Plan, usize)> = const { Cell::new((Plan::None, 0)) };
    }

    /// Has steps fail from now on, and counts them from 0 again. Gives the number of steps since the last plan.
    pub(crate) fn plan(plan: Plan) -> usize {
        STATE.replace((plan, 0)).1
    }

    pub(crate) fn step() -> io::Result<()> {
        let (plan, number) = STATE.get();
        STATE.set((plan, number + 1));
        match plan {
            Plan::One(failing) if number == failing => Err(io::ErrorKind::StorageFull.into()),
            Plan::All(first) if number >= first => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}
