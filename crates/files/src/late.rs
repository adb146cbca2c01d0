//! What other programs write too late: one that opened a file before it was replaced, and writes after that, writes
//! to a file without a name. What it has added at the end is carried over to the file that took its place.

use std::{
    fs::File,
    hash::{DefaultHasher, Hasher},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::{Dir, OpenOptions};

use super::{new_file::NewFile, steps};

/// How long a program has between opening a file and writing it.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the replaced files are looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// How many files are held open at most: the oldest is let go.
const MOST: usize = 64;

/// The files that were replaced a short while ago.
static REPLACED: Mutex<Replaced> = Mutex::new(Replaced { files: Vec::new(), is_watched: false });

/// Signals that no thread carries anything over.
static IS_QUIET: Condvar = Condvar::new();

struct Replaced {
    files: Vec<Former>,
    /// Whether a thread looks at them.
    is_watched: bool,
}

/// A file that was replaced, still open.
pub(super) struct Former {
    file: File,
    /// Length and hash of what the file had when it was replaced.
    known: u64,
    hash: u64,
    /// The file that took its place.
    folder: Dir,
    path: PathBuf,
    since: Instant,
}

impl Former {
    /// A file with the content `known`, which is replaced by the one at `path`.
    pub(super) fn new(file: File, known: &[u8], folder: &Dir, path: &Path) -> io::Result<Self> {
        let (folder, path) = (folder.try_clone()?, path.to_owned());
        Ok(Self { file, known: known.len() as u64, hash: hash(known), folder, path, since: Instant::now() })
    }

    /// What was added at its end since.
    pub(super) fn added(&mut self) -> io::Result<Vec<u8>> {
        let len = self.file.metadata()?.len();
        let mut added = Vec::new();
        if len > self.known {
            self.file.seek(SeekFrom::Start(0))?;
            (&self.file).take(len).read_to_end(&mut added)?;
            let old = added.get(..self.known as usize).unwrap_or_default();
            // What was written anew as a whole cannot be added to the other file.
            if hash(old) == self.hash {
                self.hash = hash(&added);
                added.drain(..self.known as usize);
                self.known = len;
            } else {
                added.clear();
            }
        }
        Ok(added)
    }

    /// Writes what was added to the file that took its place.
    fn carry_over(&mut self) -> io::Result<()> {
        let added = self.added()?;
        if added.is_empty() {
            return Ok(());
        }
        let _lock = NewFile::lock(&self.folder, &self.path)?;
        append(&self.folder, &self.path, &added)
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Adds bytes at the end of a file.
pub(super) fn append(folder: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    steps::step()?;
    let mut file = folder.open_with(path, OpenOptions::new().append(true))?.into_std();
    steps::write(&mut file, bytes)
}

/// Watches a file that was replaced, for a short time and in a thread of its own. The caller holds no lock of a file.
pub(super) fn watch(former: Former) {
    let mut replaced = replaced();
    replaced.files.push(former);
    if !replaced.is_watched {
        replaced.is_watched = thread::Builder::new().name("late writes".to_owned()).spawn(keep_watch).is_ok();
        if !replaced.is_watched {
            replaced.files.clear();
        }
    }
}

fn keep_watch() {
    loop {
        thread::sleep(INTERVAL);
        let mut files = std::mem::take(&mut replaced().files);
        let surplus = files.len().saturating_sub(MOST);
        let mut at = 0;
        files.retain_mut(|former| {
            // What cannot be read or written now can neither be a moment later.
            let is_well = former.carry_over().is_ok();
            at += 1;
            is_well && at > surplus && former.since.elapsed() < PATIENCE
        });
        let mut replaced = replaced();
        files.append(&mut replaced.files);
        replaced.files = files;
        if replaced.files.is_empty() {
            replaced.is_watched = false;
            IS_QUIET.notify_all();
            return;
        }
    }
}

/// Waits until what was written too late is carried over; for programs that end after they have replaced files.
pub fn settle() {
    let mut replaced = replaced();
    // A program that ends does not wait as long as one that goes on.
    for former in &mut replaced.files {
        former.since = former.since.checked_sub(PATIENCE).unwrap_or(former.since);
    }
    while replaced.is_watched {
        replaced = IS_QUIET.wait(replaced).unwrap_or_else(PoisonError::into_inner);
    }
}

fn replaced() -> MutexGuard<'static, Replaced> {
    REPLACED.lock().unwrap_or_else(PoisonError::into_inner)
}
