//! A folder that the results of a run are written below.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};

use super::{read::read_below, replace::put_in};

/// A folder that is held open. No path and no symbolic link leads out of it.
#[derive(Debug)]
pub struct OutputFolder {
    folder: Dir,
}

impl OutputFolder {
    /// Opens a folder that the user has named, which is made if it does not exist.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Dir::create_ambient_dir_all(path, ambient_authority())?;
        Ok(Self { folder: Dir::open_ambient_dir(path, ambient_authority())? })
    }

    /// Opens a folder below another one by a path that a document names, which is made if it does not exist.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] for a path that leaves the other folder.
    pub fn below(folder: &Path, path: &str) -> io::Result<Self> {
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        let path = within(path)?;
        if path.as_os_str().is_empty() {
            return Ok(Self { folder });
        }
        folder.create_dir_all(&path)?;
        Ok(Self { folder: folder.open_dir(&path)? })
    }

    /// Whether there is something at a path.
    pub fn has(&self, path: &str) -> bool {
        within(path).is_ok_and(|path| self.folder.symlink_metadata(path).is_ok())
    }

    /// Reads a file of at most `limit` bytes.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] for a path that leaves the folder.
    pub fn read(&self, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        read_below(&self.folder, &within(path)?, limit)
    }

    /// Writes a file in one step, with the folders that it is in.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] for a path that leaves the folder, and for what
    /// exists and is not a regular file.
    pub fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = within(path)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            self.folder.create_dir_all(folder)?;
        }
        put_in(&self.folder, &path, bytes)
    }
}

/// A path that only leads down.
fn within(path: &str) -> io::Result<PathBuf> {
    let mut out = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => out.push(part),
            Component::CurDir => {}
            _ => return Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn results_stay_below_the_folder() {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("outside")).unwrap();
        let output = OutputFolder::open(&top.path().join("site")).unwrap();
        output.put("docs/a.html", b"a").unwrap();
        assert_eq!(output.read("docs/a.html", 10).unwrap(), b"a");
        assert!(output.has("docs") && !output.has("b.html"));
        for path in ["../a.html", "docs/../../a.html", "/a.html"] {
            let error = output.put(path, b"a").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{path}");
        }
        #[cfg(unix)]
        {
            let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, top.path().join(at)).unwrap();
            link("../outside", "site/link");
            assert!(output.put("link/a.html", b"a").is_err());
            link("outside", "out");
            fs::create_dir(top.path().join("project")).unwrap();
            link("../outside", "project/_site");
            assert!(OutputFolder::below(&top.path().join("project"), "_site").is_err());
            assert_eq!(fs::read_dir(top.path().join("outside")).unwrap().count(), 0);
        }
        assert!(OutputFolder::below(top.path(), "../other").is_err());
    }
}
