use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use uuid::Uuid;

use super::{Format, kept::Kept};
use crate::files;

/// A folder with rendered documents, one file each: `UUID.QUILL.FORMAT`. Only the user can read them.
///
/// What goes wrong with a file leaves the document in memory: the folder is an addition.
#[derive(Debug)]
pub(super) struct Shelf(Option<PathBuf>);

impl Shelf {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self(folder)
    }

    /// The documents in the folder, the oldest first; the newest of them with at most `most` bytes together.
    pub(super) fn read(&self, most: u64) -> Vec<Kept> {
        let Some(entries) = self.0.as_deref().and_then(|folder| fs::read_dir(folder).ok()) else {
            return Vec::new();
        };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                let found = entry.metadata().ok().filter(|found| found.is_file())?;
                Some((found.modified().ok()?, found.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut left = most;
        let mut kept = Vec::new();
        for (made, length, path) in files.into_iter().rev() {
            let Some(rest) = left.checked_sub(length) else { break };
            if let Some(document) = read(&path, length, made) {
                left = rest;
                kept.push(document);
            }
        }
        kept.reverse();
        kept
    }

    /// Writes a document.
    pub(super) fn put(&self, kept: &Kept) {
        let Some(folder) = &self.0 else { return };
        if let Err(error) = write(folder, &folder.join(name(kept)), &kept.bytes) {
            report("kept", folder, &error);
        }
    }

    /// Removes a document.
    pub(super) fn remove(&self, kept: &Kept) {
        let Some(folder) = &self.0 else { return };
        match fs::remove_file(folder.join(name(kept))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                report("removed", folder, &error);
            }
            _ => {}
        }
    }
}

fn report(done: &str, folder: &Path, error: &io::Error) {
    tracing::warn!("a rendered document is not {done} in `{}`: {error}", folder.display());
}

fn name(kept: &Kept) -> String {
    format!("{}.{}.{}", kept.id, kept.quill, kept.format)
}

fn read(path: &Path, length: u64, made: SystemTime) -> Option<Kept> {
    let (id, rest) = path.file_name()?.to_str()?.split_once('.')?;
    // A quill with its version has periods, too: `letter@0.2`.
    let (quill, format) = rest.rsplit_once('.')?;
    let (id, format) = (Uuid::try_parse(id).ok()?, Format::named(format)?);
    let bytes = files::read_bytes(path, usize::try_from(length).ok()?).ok()?.into();
    Some(Kept { id, quill: quill.to_owned(), format, bytes, made })
}

fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.create(folder)?;
    let written = options.open(path).and_then(|mut file| file.write_all(bytes));
    if written.is_err() {
        // Half a document is of no use.
        let _ = fs::remove_file(path);
    }
    written
}
