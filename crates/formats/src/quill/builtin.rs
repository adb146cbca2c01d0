//! The quills of this project, which are compiled in.

use std::collections::BTreeMap;

/// The files below `quills/` of this project: path and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/quills.rs"));

/// The files of the built-in quills: by their folder, and by their path in it.
pub fn folders() -> BTreeMap<&'static str, BTreeMap<&'static str, &'static [u8]>> {
    let mut folders: BTreeMap<&str, BTreeMap<&str, &[u8]>> = BTreeMap::new();
    for (path, bytes) in FILES {
        if let Some((folder, file)) = path.split_once('/') {
            folders.entry(folder).or_default().insert(file, bytes);
        }
    }
    folders
}
