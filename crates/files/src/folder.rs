use std::{
    io,
    path::{Component, Path},
};

use cap_std::{ambient_authority, fs::Dir};

use super::read::read_below;

/// A folder whose files may be read by name, and no others: the folder of a pack.
#[derive(Debug)]
pub struct Folder {
    folder: Dir,
    limit: usize,
}

impl Folder {
    /// Opens a folder, for files of at most `limit` bytes.
    pub fn open(path: &Path, limit: usize) -> io::Result<Self> {
        Ok(Self { folder: Dir::open_ambient_dir(path, ambient_authority())?, limit })
    }

    /// Reads a regular file of UTF-8 by a path that neither leaves the folder nor leads over a symbolic link.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] for a path that leaves the folder or leads over a
    /// symbolic link.
    pub fn read(&self, path: &str) -> io::Result<String> {
        let denied = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned());
        let path = Path::new(path);
        if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(denied("the path leaves the pack's folder"));
        }
        for part in path.ancestors().filter(|part| !part.as_os_str().is_empty()) {
            if self.folder.symlink_metadata(part)?.is_symlink() {
                return Err(denied("a symbolic link is not followed"));
            }
        }
        let bytes = read_below(&self.folder, path, self.limit)?;
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    }
}
