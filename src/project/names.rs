use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use crate::text::visible;

/// A path for people: with `/`, without control characters.
pub fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy().replace('\\', "/")).into_owned()
}

/// A path relative to a folder, both absolute, with `/`; it may start with `..`.
pub fn relative(path: &Path, folder: &Path) -> String {
    let (path, folder) = (plain(path), plain(folder));
    let shared = path.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let mut relative = PathBuf::new();
    relative.extend(folder[shared..].iter().map(|_| ".."));
    relative.extend(&path[shared..]);
    let name = shown(&relative);
    if name.is_empty() { ".".to_owned() } else { name }
}

/// The parts of a path without `.` and `..`.
fn plain(path: &Path) -> Vec<&OsStr> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part.as_os_str()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_working_directory() {
        let name = |path: &str| relative(Path::new(path), Path::new("/home/ada/work"));
        assert_eq!(name("/home/ada/work/docs/./a.md"), "docs/a.md");
        assert_eq!(name("/home/ada/b.md"), "../b.md");
        assert_eq!(name("/tmp/c.md"), "../../../tmp/c.md");
        assert_eq!(name("/home/ada/work/docs/../a.md"), "a.md");
    }
}
