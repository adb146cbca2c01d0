//! The new content of a file, in `.NAME.proofmark` beside it, until it takes its place.

use std::{
    fs::File,
    io::{self, Seek},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::{Dir, OpenOptions};

use super::steps;

/// How long a program waits for others that replace the same file.
const PATIENCE: Duration = Duration::from_secs(5);

/// How the name of a journal ends, which says what is left to be done.
pub(super) const JOURNAL_END: &str = "-journal";

/// How the name of a file with new content ends.
pub(super) const NEW_END: &str = "-new";

/// The path of the file `.NAME.proofmark` beside another one.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.proofmark{end}"))
}

/// The file beside another one that is to take its place; locked, and removed unless it does.
pub(super) struct NewFile<'f> {
    folder: &'f Dir,
    path: &'f Path,
    beside: PathBuf,
    file: File,
    published: bool,
}

impl<'f> NewFile<'f> {
    /// Waits until no other program replaces the file.
    pub(super) fn lock(folder: &'f Dir, path: &'f Path) -> io::Result<Self> {
        Self::lock_within(folder, path, PATIENCE)
    }

    /// Like [`Self::lock`]; fails when another program replaces the file for longer than `patience`.
    pub(super) fn lock_within(folder: &'f Dir, path: &'f Path, patience: Duration) -> io::Result<Self> {
        let beside = beside(path, "");
        steps::step()?;
        let until = Instant::now() + patience;
        loop {
            let file = open_new(folder, &beside)?;
            #[allow(clippy::match_same_arms, reason = "one holds the lock, the other has none to hold")]
            match file.try_lock() {
                // Its last owner may have published or removed it in between.
                Ok(()) if is_at(folder, &beside, &file) => {
                    return Ok(Self { folder, path, beside, file, published: false });
                }
                Ok(()) => {}
                Err(std::fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { folder, path, beside, file, published: false });
                }
                Err(std::fs::TryLockError::Error(error)) => return Err(error),
                Err(std::fs::TryLockError::WouldBlock) => {}
            }
            if Instant::now() >= until {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another program is writing the file"));
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub(super) fn publish(mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes)?;
        steps::sync(&self.file)?;
        steps::rename(self.folder, &self.beside, self.path)?;
        self.published = true;
        Ok(())
    }

    /// Gives the file its name only where no other has it. The file beside it is removed at the end.
    pub(super) fn publish_as_new(mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes)?;
        steps::sync(&self.file)?;
        steps::link(self.folder, &self.beside, self.path)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        steps::step()?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        steps::write(&mut self.file, bytes)
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        // What is left beside the file is found by the lock.
        let is_there = |end: &&str| self.folder.symlink_metadata(beside(self.path, end)).is_ok();
        if !self.published && ![JOURNAL_END, NEW_END].iter().any(is_there) {
            let _ = steps::remove(self.folder, &self.beside);
        }
    }
}

/// Opens the new file, which a killed process may have left. What is not a regular file is not ours.
fn open_new(folder: &Dir, path: &Path) -> io::Result<File> {
    if folder.symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        folder.remove_file(path)?;
    }
    let file = folder.open_with(path, OpenOptions::new().read(true).write(true).create(true))?;
    Ok(file.into_std())
}

/// Whether an open file is still the one of this path.
pub(super) fn is_at(folder: &Dir, path: &Path, file: &File) -> bool {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        use std::os::unix::fs::MetadataExt as _;
        let (Ok(open), Ok(named)) = (file.metadata(), folder.symlink_metadata(path)) else { return false };
        (open.dev(), open.ino()) == (named.dev(), named.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        folder.symlink_metadata(path).is_ok()
    }
}
