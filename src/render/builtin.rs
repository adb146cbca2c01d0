use std::collections::BTreeMap;

/// The files below `quills/` of this project: path and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/quills.rs"));

/// The built-in quills: files by path, by the name of their folder.
pub(super) fn quills() -> BTreeMap<&'static str, BTreeMap<String, Vec<u8>>> {
    let mut quills: BTreeMap<&str, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    for (path, bytes) in FILES {
        if let Some((quill, file)) = path.split_once('/') {
            quills.entry(quill).or_default().insert(file.to_owned(), bytes.to_vec());
        }
    }
    quills
}
