//! Folders of the repository as data that is compiled in.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Map;

use crate::{entries, input};

/// The source of a table of the files below a folder of the repository: path and bytes.
pub fn compiled_in(folder: &str) -> String {
    let mut files = Vec::new();
    files_below(&input(folder), "", &mut files);
    let rows: String = files
        .iter()
        .map(|(name, path)| format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string()))
        .collect();
    format!("&[\n{rows}]\n")
}

fn files_below(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    for path in entries(folder) {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.is_empty() { file.into_owned() } else { format!("{name}/{file}") };
        if path.is_dir() {
            files_below(&path, &name, files);
        } else {
            files.push((name, path));
        }
    }
}

/// The content of the files below a folder of the repository, by path, as a JSON object. Files that are not UTF-8 are left
/// out.
pub fn texts(folder: &str) -> String {
    let mut files = Vec::new();
    files_below(&input(folder), "", &mut files);
    let texts: Map<_, _> = files
        .into_iter()
        .filter_map(|(name, path)| Some((name, fs::read_to_string(path).ok()?.into())))
        .collect();
    serde_json::Value::Object(texts).to_string()
}
