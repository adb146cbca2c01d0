use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// Replaces the content of a file in one step: whoever reads it sees the old text or the new one. Its
/// permissions stay, and so do symbolic links that lead to it.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let permissions = path.metadata()?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = path.with_file_name(format!(".{name}.{}.proofmark", std::process::id()));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        file.set_permissions(permissions.clone())?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, &path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// Writes a file in one step, whether there is one already or not: whoever reads it sees the old bytes
/// or the new ones. When it fails, for want of room or of permission, nothing is left behind.
#[cfg(feature = "render")]
pub fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.exists() && !path.metadata()?.is_file() {
        // A device or a pipe is written to, not replaced.
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = path.with_file_name(format!(".{name}.{}.proofmark", std::process::id()));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        file.write_all(bytes)?;
        fs::rename(&beside, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}
