//! Pages on rules as files, for clients that show files.

use std::{
    fs::{self, DirBuilder},
    io,
    path::{Path, PathBuf},
    process,
    time::{SystemTime, UNIX_EPOCH},
};

/// A folder of this session with pages. It is made when the first page is written, and removed in the end.
#[derive(Debug, Default)]
pub(super) struct Pages(Option<PathBuf>);

impl Pages {
    /// Writes a page; its path.
    pub(super) fn put(&mut self, rule: &str, text: &str) -> io::Result<PathBuf> {
        let file = self.folder()?.join(format!("{rule}.md"));
        fs::write(&file, text)?;
        Ok(file)
    }

    /// A new folder that no one else can write to.
    fn folder(&mut self) -> io::Result<&Path> {
        let folder = match self.0.take() {
            Some(folder) => folder,
            None => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                let folder = std::env::temp_dir().join(format!("proofmark-rules-{}-{now}", process::id()));
                let mut builder = DirBuilder::new();
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
                builder.create(&folder)?;
                folder
            }
        };
        Ok(self.0.insert(folder))
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
