use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::face::Face;

/// Most files that are looked at.
const MOST_FILES: usize = 20_000;

/// Deepest folder.
const DEEPEST: usize = 8;

/// The faces of font files below folders.
#[derive(Debug, Default)]
pub(super) struct Index {
    faces: Vec<Face>,
    files: Vec<PathBuf>,
}

impl Index {
    pub(super) fn of(folders: &[PathBuf]) -> Self {
        let mut files = Vec::new();
        for folder in folders {
            if folder.is_file() {
                files.push(folder.clone());
            } else {
                collect(folder, 0, &mut files);
            }
        }
        files.sort();
        files.dedup();
        let faces = files.iter().flat_map(|path| Face::read_all(path).unwrap_or_default()).collect();
        Self { faces, files }
    }

    /// The files, also those without a face that can be read.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter()
    }

    /// The face that suits a character best: of ordinary weight, without serifs.
    pub(super) fn with(&self, c: char) -> Option<&Face> {
        let suits = |face: &&Face| {
            let sans = face.family.contains("Sans") || face.family.contains("Emoji");
            (!face.regular, !sans, !face.family.starts_with("Noto"), face.family.len())
        };
        self.faces.iter().filter(|face| face.has(c)).min_by_key(suits)
    }

    /// The faces of a family, whose name is compared without regard to case.
    pub(super) fn of_family<'i>(&'i self, family: &'i str) -> impl Iterator<Item = &'i Face> {
        self.faces.iter().filter(move |face| face.family.to_lowercase() == family.to_lowercase())
    }
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    #[expect(
        clippy::disallowed_methods,
        reason = "folders of fonts, which are the configuration's or the system's"
    )]
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if depth < DEEPEST {
                collect(&path, depth + 1, files);
            }
            continue;
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if files.len() < MOST_FILES
            && ["ttf", "otf", "ttc", "otc"].contains(&extension.as_str())
            && path.is_file()
        {
            files.push(path);
        }
    }
}

/// The folders where systems keep fonts.
pub(super) fn system_folders() -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let of_home = |path: &str| home.as_ref().map(|home| home.join(path));
    let data = env::var_os("XDG_DATA_HOME").map(|data| PathBuf::from(data).join("fonts"));
    let windows = env::var_os("WINDIR").map(|windows| PathBuf::from(windows).join("Fonts"));
    let fixed = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];
    let own = [of_home(".fonts"), of_home(".local/share/fonts"), of_home("Library/Fonts"), data, windows];
    fixed
        .into_iter()
        .map(PathBuf::from)
        .chain(own.into_iter().flatten())
        .filter(|path| path.is_dir())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_searched_and_a_family_found() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../render-worker/fonts");
        let index = Index::of(&[folder]);
        assert_eq!(index.files().count(), 2);
        assert_eq!(index.of_family("roboto").count(), 2);
        assert!(index.with('a').is_some_and(|face| face.regular));
        assert!(index.with('漢').is_none());
    }
}
