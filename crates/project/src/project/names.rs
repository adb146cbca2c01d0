use std::path::{Path, PathBuf};

use crate::{files::plain, text::visible};

/// A path for people: with `/`, without control characters.
pub fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy().replace('\\', "/")).into_owned()
}

/// A path relative to a folder, both absolute, with `/`; it may start with `..`.
pub(super) fn relative(path: &Path, folder: &Path) -> String {
    let (path, folder) = (plain(path), plain(folder));
    let shared = path.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let mut relative = PathBuf::new();
    relative.extend(folder.iter().skip(shared).map(|_| ".."));
    relative.extend(path.iter().skip(shared));
    let name = shown(&relative);
    if name.is_empty() { ".".to_owned() } else { name }
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
