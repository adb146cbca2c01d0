use std::path::{Path, PathBuf};

use super::stamp::Stamp;

/// Files that say which files a walk leaves out, and that are not in the folders of the walk: those of the folders
/// above, of repositories, and of the user.
#[derive(Debug, Default)]
pub(super) struct Controls(Vec<(PathBuf, Option<Stamp>)>);

/// Files in a folder that say which files a walk leaves out.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".git"];

/// Whether a file says which files a walk leaves out.
pub(super) fn is_one(path: &Path) -> bool {
    path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known))
}

impl Controls {
    /// The files that say which files walks from these roots through these folders leave out.
    pub(super) fn of(roots: &[PathBuf], folders: &[PathBuf]) -> Self {
        let exclude = |folder: &Path| folder.join(".git").join("info").join("exclude");
        let mut paths: Vec<PathBuf> = ignore::gitignore::gitconfig_excludes_path().into_iter().collect();
        for above in roots.iter().flat_map(|root| root.ancestors().skip(1)) {
            paths.extend(NAMES.iter().map(|name| above.join(name)));
            paths.push(exclude(above));
        }
        let repositories = folders.iter().filter(|folder| folder.join(".git").symlink_metadata().is_ok());
        paths.extend(repositories.map(|folder| exclude(folder)));
        paths.sort();
        paths.dedup();
        let stamped = |path: PathBuf| {
            let stamp = stamp(&path);
            (path, stamp)
        };
        Self(paths.into_iter().map(stamped).collect())
    }

    /// Whether one of them is not what it was.
    pub(super) fn have_changed(&self) -> bool {
        self.0.iter().any(|(path, before)| stamp(path) != *before)
    }
}

/// The folder `.git` changes all the time; what counts is whether it is there.
fn stamp(path: &Path) -> Option<Stamp> {
    if path.ends_with(".git") { Stamp::of_folder(path) } else { Stamp::of(path) }
}
