//! Files and their URIs.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crate::{protocol::Uri, text::percent_decoded};

/// The file that a URI means; nothing for other schemes and for files of other machines.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decoded(path.split(['?', '#']).next().unwrap_or_default());
    if !path.starts_with('/') {
        return None;
    }
    // `/c:/a` of Windows has a slash too many.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    Some(PathBuf::from(if is_drive && cfg!(windows) { &path[1..] } else { &path }))
}

/// The URI of a file at an absolute path.
pub(crate) fn uri_of(path: &Path) -> Uri {
    let path = path.to_string_lossy();
    let path = if cfg!(windows) { format!("/{}", path.replace('\\', "/")) } else { path.into_owned() };
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(byte as char);
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    Uri(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_as_a_uri() {
        let path = Path::new("/tmp/ä b%#/c.md");
        assert_eq!(uri_of(path).0, "file:///tmp/%C3%A4%20b%25%23/c.md");
        assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
    }

    #[test]
    fn only_files_of_this_machine_have_a_path() {
        assert_eq!(path_of(&Uri("untitled:Untitled-1".into())), None);
        assert_eq!(path_of(&Uri("file://host/share/a.md".into())), None);
        assert_eq!(path_of(&Uri("file://localhost/a.md".into())).as_deref(), Some(Path::new("/a.md")));
    }
}
