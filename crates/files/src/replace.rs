//! Replacing a file in one step: whoever reads it sees the old content or the new one.
//!
//! The new content is written to a file beside it, `.NAME.proofmark`, which is locked from its creation until it
//! takes the place of the old file. Where the old content is compared, the new one is in a second file
//! (`.NAME.proofmark-new`), and both change places. So the name does not depend on the process, one program at a time replaces
//! a file, what it compares is what it replaces, and what a killed process leaves behind is used by the next.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};

use super::{
    attributes,
    late::{self, Former},
    new_file::{NewFile, beside},
    read::{open_below, read_whole},
    steps,
};

/// Why a file was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// It does not have the expected content any more.
    #[error("the file has changed")]
    Changed,
    /// The file system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Replaces the content of a file that still has the content `expected`. Its owner, permissions and attributes stay,
/// and so do symbolic links that lead to it. Its other names (hard links) keep the old content.
pub fn replace(path: &Path, expected: &str, text: &str) -> Result<(), ReplaceError> {
    let path = path.canonicalize()?;
    let folder = Dir::open_ambient_dir(path.parent().unwrap_or(&path), ambient_authority())?;
    replace_in(&folder, Path::new(path.file_name().unwrap_or_default()), expected, text)
}

/// Like [`replace`], for a file below an open folder, whose path has no symbolic links.
pub(super) fn replace_in(folder: &Dir, path: &Path, expected: &str, text: &str) -> Result<(), ReplaceError> {
    check_writable(folder, path)?;
    // From here on, no other program that takes the lock replaces the file.
    let lock = NewFile::lock(folder, path)?;
    let old = open_below(folder, path)?.0.into_std();
    let successor = Successor::write(folder, path, text.as_bytes(), Some(&old))?;
    let former = compared(folder, path, expected)?;
    let (former, done) = successor.take_place(former, expected, text)?;
    drop((successor, lock));
    late::watch(former);
    done
}

/// Refuses a file that may not be written.
pub(super) fn check_writable(folder: &Dir, path: &Path) -> io::Result<()> {
    if folder.metadata(path)?.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// The open file, if it has the content `expected`.
pub(super) fn compared(folder: &Dir, path: &Path, expected: &str) -> Result<Former, ReplaceError> {
    match read_whole(folder, path, expected.len()) {
        Ok((file, now)) if now == expected.as_bytes() => Ok(Former::new(file, &now, folder, path)?),
        Err(error) if error.kind() != io::ErrorKind::FileTooLarge => Err(error.into()),
        _ => Err(ReplaceError::Changed),
    }
}

/// Whether a file was replaced.
pub(super) type Outcome = Result<(), ReplaceError>;

/// The new content of a file, in `.NAME.proofmark-new` beside it; once it has taken the place of the old one, the old
/// content. Removed when it is dropped.
pub(super) struct Successor<'f> {
    folder: &'f Dir,
    path: &'f Path,
    beside: PathBuf,
}

impl<'f> Successor<'f> {
    /// Writes the content to the disk, with the attributes of the file that it is to replace, if there is one.
    pub(super) fn write(
        folder: &'f Dir,
        path: &'f Path,
        bytes: &[u8],
        old: Option<&File>,
    ) -> io::Result<Self> {
        let beside = beside(path, "-new");
        // A killed process may have left one.
        let _ = steps::remove(folder, &beside);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if old.is_some() {
            use cap_std::fs::OpenOptionsExt;
            // Until it has the permissions of the old file.
            options.mode(0o600);
        }
        steps::step()?;
        let mut file = folder.open_with(&beside, &options)?.into_std();
        let successor = Self { folder, path, beside };
        steps::write(&mut file, bytes)?;
        if let Some(old) = old {
            // After the content: writing takes away set-ID bits.
            steps::step()?;
            attributes::copy(old, &file)?;
        }
        steps::sync(&file)?;
        Ok(successor)
    }

    /// Exchanges both files in one step, and exchanges them back if the old one does not have the content `expected`:
    /// a program that does not take the lock may have written it since it was compared. Gives the file that has lost
    /// its name too.
    pub(super) fn take_place(
        &self,
        former: Former,
        expected: &str,
        text: &str,
    ) -> io::Result<(Former, Outcome)> {
        let (folder, path) = (self.folder, self.path);
        if !exchange(folder, &self.beside, path)? {
            steps::rename(folder, &self.beside, path)?;
            return Ok((former, Ok(())));
        }
        match read_whole(folder, &self.beside, expected.len()) {
            // It may be another file than the one that was compared.
            Ok((file, old)) if old == expected.as_bytes() => {
                Ok((Former::new(file, &old, folder, path)?, Ok(())))
            }
            _ => Ok((self.give_back(text)?, Err(ReplaceError::Changed))),
        }
    }

    /// Exchanges both files again after the content `text` took the place of the old one. Gives the file with that content.
    fn give_back(&self, text: &str) -> io::Result<Former> {
        let (folder, path) = (self.folder, self.path);
        exchange(folder, &self.beside, path)?;
        // For a moment, others could open the new file.
        let file = open_below(folder, &self.beside)?.0.into_std();
        let mut former = Former::new(file, text.as_bytes(), folder, path)?;
        late::append(folder, path, &former.added()?)?;
        Ok(former)
    }

    /// Gives the file the content `old` back after the content `text` took its place.
    pub(super) fn take_back(&self, old: &str, text: &str) -> io::Result<()> {
        let (folder, path) = (self.folder, self.path);
        if folder.symlink_metadata(&self.beside).is_ok() {
            late::watch(self.give_back(text)?);
            return Ok(());
        }
        // Where two files cannot be exchanged, the old one is gone.
        let file = open_below(folder, path)?.0.into_std();
        let again = Self::write(folder, path, old.as_bytes(), Some(&file))?;
        steps::rename(folder, &again.beside, path)
    }
}

impl Drop for Successor<'_> {
    fn drop(&mut self) {
        let _ = steps::remove(self.folder, &self.beside);
    }
}

/// Gives two files each the name of the other; whether the file system can do that.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn exchange(folder: &Dir, one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::{
        fs::{RenameFlags, renameat_with},
        io::Errno,
    };

    steps::step()?;
    match renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[expect(clippy::unnecessary_wraps, reason = "other systems have errors")]
pub(super) fn exchange(_: &Dir, _: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Writes a file in one step, whether there is one already or not. When it fails, for want of room or of
/// permission, nothing is left behind.
pub fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.exists() && !path.metadata()?.is_file() {
        // A device or a pipe is written to, not replaced.
        return open_special(path)?.write_all(bytes);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    NewFile::lock(&folder, Path::new(path.file_name().unwrap_or_default()))?.publish(bytes)
}

/// How long a pipe is waited for until another program reads from it.
const PIPE: Duration = Duration::from_secs(2);

/// Opens what is not a regular file for writing. A pipe without a reader would be waited for without an end.
#[cfg(unix)]
fn open_special(path: &Path) -> io::Result<File> {
    use rustix::{
        fs::{OFlags, fcntl_getfl, fcntl_setfl},
        io::Errno,
    };
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = File::options();
    options.write(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
    let until = Instant::now() + PIPE;
    loop {
        match options.open(path) {
            Ok(file) => {
                fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
                return Ok(file);
            }
            Err(error) if error.raw_os_error() != Some(Errno::NXIO.raw_os_error()) => return Err(error),
            Err(_) if Instant::now() < until => thread::sleep(Duration::from_millis(20)),
            Err(_) => return Err(io::Error::new(io::ErrorKind::TimedOut, "no program reads from the pipe")),
        }
    }
}

#[cfg(not(unix))]
fn open_special(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

/// Writes a file below an open folder in one step; what exists and is not a regular file is refused.
pub(super) fn put_in(folder: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if folder.symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    NewFile::lock(folder, path)?.publish(bytes)
}

/// Makes a file in one step, if there is none.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    create_in(&folder, Path::new(path.file_name().unwrap_or_default()), bytes)
}

/// Like [`create`], for a file below an open folder.
pub(super) fn create_in(folder: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    NewFile::lock(folder, path)?.publish_as_new(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_one_of_several_replaces_what_it_has_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        for round in 0..50 {
            let old = format!("old {round}");
            fs::write(&path, &old).unwrap();
            let won: usize = thread::scope(|scope| {
                let writers: Vec<_> = (0..4)
                    .map(|writer| {
                        let (path, old) = (&path, &old);
                        scope.spawn(move || replace(path, old, &format!("new {writer}")).is_ok())
                    })
                    .collect();
                writers.into_iter().map(|writer| usize::from(writer.join().unwrap())).sum()
            });
            assert_eq!(won, 1, "round {round}");
            assert!(fs::read_to_string(&path).unwrap().starts_with("new"));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_write_between_the_comparison_and_the_exchange_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (dir, path) =
            (Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap(), Path::new("a.md"));
        fs::write(folder.path().join(path), "old").unwrap();
        let successor = Successor::write(&dir, path, b"new", None).unwrap();
        fs::write(folder.path().join(path), "old and more").unwrap();
        if exchange(&dir, Path::new("a.md"), Path::new("a.md")).unwrap() {
            let former = Former::new(read_whole(&dir, path, 100).unwrap().0, b"old", &dir, path).unwrap();
            let (_, done) = successor.take_place(former, "old", "new").unwrap();
            assert!(matches!(done, Err(ReplaceError::Changed)));
            assert_eq!(fs::read_to_string(folder.path().join(path)).unwrap(), "old and more");
            drop(successor);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        }
    }

    #[test]
    fn what_is_added_to_the_old_file_after_it_was_replaced_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "old\n").unwrap();
        let open = || fs::OpenOptions::new().append(true).open(&path).unwrap();
        let (mut early, mut rewriting) = (open(), fs::File::options().write(true).open(&path).unwrap());
        replace(&path, "old\n", "new\n").unwrap();
        early.write_all(b"one\n").unwrap();
        early.write_all(b"two\n").unwrap();
        late::settle();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\none\ntwo\n");
        replace(&path, "new\none\ntwo\n", "newer\n").unwrap();
        rewriting.write_all(b"another text, longer than the old one\n").unwrap();
        late::settle();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer\n", "no part of another text");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn what_is_added_to_a_new_file_that_is_taken_back_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (dir, path) =
            (Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap(), Path::new("a.md"));
        fs::write(folder.path().join(path), "old\n").unwrap();
        let successor = Successor::write(&dir, path, b"new\n", None).unwrap();
        let former = Former::new(read_whole(&dir, path, 100).unwrap().0, b"old\n", &dir, path).unwrap();
        late::append(&dir, path, b"one\n").unwrap();
        // Writes to the new file as if it were already in place and another program wrote to it.
        late::append(&dir, &successor.beside, b"two\n").unwrap();
        if exchange(&dir, path, path).unwrap() {
            assert!(matches!(
                successor.take_place(former, "old\n", "new\n").unwrap().1,
                Err(ReplaceError::Changed)
            ));
            assert_eq!(fs::read_to_string(folder.path().join(path)).unwrap(), "old\none\ntwo\n");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "old").unwrap();
        fs::write(folder.path().join(".a.md.proofmark"), "half of a longer file").unwrap();
        replace(&path, "old", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(matches!(replace(&path, "old", "newer"), Err(ReplaceError::Changed)));
        put(&folder.path().join("b.pdf"), b"pdf").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_is_there_is_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.org");
        create(&path, b"old").unwrap();
        assert_eq!(create(&path, b"new").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn other_names_of_a_file_that_is_replaced_keep_the_old_content() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.md"), folder.path().join("b.md"));
        fs::write(&path, "old").unwrap();
        fs::hard_link(&path, &other).unwrap();
        replace(&path, "old", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_to_string(&other).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_the_new_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.md"), folder.path().join("other"));
        fs::write(&path, "old").unwrap();
        fs::write(&other, "other").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join(".a.md.proofmark")).unwrap();
        replace(&path, "old", "new").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
    }
}
