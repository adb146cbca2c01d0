use std::{
    io,
    path::{Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};

use super::read::read_below;
use crate::folder::{Entry, Folder, leaves, stays_inside};

/// A folder on disk whose files may be read by name, and no others: the folder of a pack or a quill.
#[derive(Debug)]
pub struct DiskFolder {
    path: PathBuf,
    folder: Dir,
    limit: usize,
    links: Links,
}

/// What becomes of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are an error: for packs, which come from others.
    Refused,
    /// They are followed, to files as long as these are in the folder: for quills.
    Followed,
}

impl DiskFolder {
    /// Opens a folder, for files of at most `limit` bytes.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn open(path: &Path, limit: usize, links: Links) -> io::Result<Self> {
        let folder = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self { path: path.to_owned(), folder, limit, links })
    }

    /// Reads one file of a folder without links, of at most `limit` bytes.
    ///
    /// # Errors
    /// Those of [`Self::open`] and [`Folder::read`].
    pub fn read_in(folder: &Path, path: &str, limit: usize) -> io::Result<String> {
        Self::open(folder, limit, Links::Refused)?.read(path)
    }

    fn refuse_link(&self, path: &Path) -> io::Result<()> {
        if self.folder.symlink_metadata(path)?.is_symlink() {
            let why = "a symbolic link is not followed";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        Ok(())
    }
}

impl Folder for DiskFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn on_disk(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn read(&self, path: &str) -> io::Result<String> {
        let path = Path::new(path);
        if self.links == Links::Refused {
            if !stays_inside(path) {
                return Err(leaves());
            }
            path.ancestors()
                .filter(|part| !part.as_os_str().is_empty())
                .try_for_each(|part| self.refuse_link(part))?;
        }
        let bytes = read_below(&self.folder, path, self.limit)?;
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in self.folder.entries()? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // A link that is refused is reported where it is read.
            let is_folder = match self.links {
                Links::Refused => entry.file_type()?.is_dir(),
                Links::Followed => self.path.join(&name).is_dir(),
            };
            entries.push(Entry { name, is_folder });
        }
        entries.sort();
        Ok(entries)
    }

    fn below(&self, name: &str) -> io::Result<Box<dyn Folder + '_>> {
        let path = self.path.join(name);
        let folder = match self.links {
            Links::Refused => {
                self.refuse_link(Path::new(name))?;
                self.folder.open_dir(name)?
            }
            Links::Followed => Dir::open_ambient_dir(&path, ambient_authority())?,
        };
        Ok(Box::new(Self { path, folder, limit: self.limit, links: self.links }))
    }
}
