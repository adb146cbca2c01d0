use std::{
    fmt::Debug,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Text of files that is not saved yet: the buffers of an editor. Documents that include such a file read its buffer; what may
/// be read is decided by the file.
pub trait Buffers: Debug + Send + Sync {
    /// The text of the file at an absolute path, if it is open.
    fn text(&self, path: &Path) -> Option<Arc<String>>;

    /// All open files with their content, in the order of their paths.
    fn all(&self) -> Vec<(PathBuf, Arc<String>)>;
}
