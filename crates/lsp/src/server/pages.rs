//! Pages on rules as files, for clients that show files.

use std::{fs, io, path::PathBuf};

use tempfile::TempDir;

/// A folder of this session with pages. It is made when the first page is written, and removed in the end.
#[derive(Debug, Default)]
pub(super) struct Pages(Option<TempDir>);

impl Pages {
    /// Writes a page; its path.
    pub(super) fn put(&mut self, rule: &str, text: &str) -> io::Result<PathBuf> {
        let folder = match self.0.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("proofmark-rules-").tempdir()?,
        };
        let file = self.0.insert(folder).path().join(format!("{rule}.md"));
        #[expect(clippy::disallowed_methods, reason = "a file of its own temporary folder")]
        fs::write(&file, text)?;
        Ok(file)
    }
}
