//! The steps that a change of files consists of. A test makes each of them fail in turn, or everything after it, as when the
//! process is killed there.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use cap_std::fs::Dir;

/// Called before each step.
///
/// # Errors
/// In tests, as [`faults::plan`] says.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "it fails in tests")]
pub(super) fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use faults::step;

/// Writes the whole content; in tests that fail here, half of it.
pub(super) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    if let Err(error) = step() {
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(error);
    }
    file.write_all(bytes)
}

/// Waits until the content is on the disk.
pub(super) fn sync(file: &File) -> io::Result<()> {
    step()?;
    file.sync_all()
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

#[cfg(test)]
pub(super) mod faults {
    use std::{cell::Cell, io};

    /// Which steps of this thread fail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Plan {
        None,
        /// The one with this number.
        One(usize),
        /// This one and all that follow.
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
