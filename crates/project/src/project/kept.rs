//! The files that were read for one document.

use std::{
    collections::HashMap,
    io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::dependencies::locked;

/// What reading a file gave: its bytes, which all who ask for them share, or why there are none.
type Reading = Result<Arc<[u8]>, io::ErrorKind>;

/// The content of files by their paths from the folder of a document. Nothing is kept before it is turned on: a validation reads
/// a file once, so keeping what it has read would cost memory only.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(Mutex<Option<HashMap<PathBuf, Reading>>>);

impl KeptFiles {
    /// Keeps what is read from now on.
    pub(super) fn turn_on(&self) {
        locked(&self.0).get_or_insert_default();
    }

    /// Whether what is read is kept.
    pub(super) fn is_on(&self) -> bool {
        locked(&self.0).is_some()
    }

    /// Sets what a file contains, whatever is on the disk.
    pub(super) fn set(&self, path: &str, bytes: Arc<[u8]>) {
        locked(&self.0).get_or_insert_default().insert(key(path), Ok(bytes));
    }

    /// The content of a file that was read already.
    pub(super) fn known(&self, path: &str) -> Option<io::Result<Arc<[u8]>>> {
        let reading = locked(&self.0).as_ref()?.get(&key(path))?.clone();
        Some(reading.map_err(io::Error::from))
    }

    /// The content of a file, which is read where it is not known yet. Of two threads that read the same file, both get what the
    /// first one has kept.
    pub(super) fn get(
        &self,
        path: &str,
        read: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Arc<[u8]>> {
        let key = key(path);
        let known = locked(&self.0).as_ref().map(|files| files.get(&key).cloned());
        match known {
            None => read().map(Arc::from),
            Some(Some(reading)) => reading.map_err(io::Error::from),
            Some(None) => {
                let reading = read().map(Arc::<[u8]>::from);
                let kept = match &reading {
                    Ok(bytes) => Ok(Arc::clone(bytes)),
                    Err(error) => Err(error.kind()),
                };
                let mut files = locked(&self.0);
                let kept = files.get_or_insert_default().entry(key).or_insert(kept).clone();
                match kept {
                    Ok(bytes) => Ok(bytes),
                    // The first reading says more about the reason.
                    Err(kind) => Err(reading.err().unwrap_or_else(|| kind.into())),
                }
            }
        }
    }
}

/// A path without `.`, so that `./a.md` and `a.md` are one file. A `..` stays: where it leads depends on symbolic links.
fn key(path: &str) -> PathBuf {
    Path::new(path).components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once_where_files_are_kept() {
        let files = KeptFiles::default();
        let read = |path: &str, bytes: &str| {
            let read =
                || if bytes.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(bytes.into()) };
            files.get(path, read).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
        };
        assert_eq!(read("a", "1").unwrap(), "1");
        assert_eq!(read("a", "2").unwrap(), "2");
        files.turn_on();
        assert_eq!(read("a", "3").unwrap(), "3");
        assert_eq!(read("./a", "4").unwrap(), "3");
        assert_eq!(read("b/../a", "5").unwrap(), "5", "b may be a link to another folder");
        files.turn_on();
        assert_eq!(read("a", "6").unwrap(), "3");
        assert_eq!(read("c", "").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read("c", "7").unwrap_err().kind(), io::ErrorKind::NotFound, "it was not there");
        files.set("c", Arc::from(&b"8"[..]));
        assert_eq!(read("c", "9").unwrap(), "8");
        let shared = |path: &str| files.get(path, || Ok(Vec::new())).unwrap();
        assert!(Arc::ptr_eq(&shared("a"), &shared("a")), "bytes are not copied");
    }
}
