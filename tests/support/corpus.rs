//! Labeled documents that are kept outside the repository, in `../shared/corpus`.

use std::{
    io::{self, Write},
    path::PathBuf,
};

/// The folder of the labeled documents.
#[allow(dead_code, reason = "not every test that includes this module needs it")]
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus")
}

/// The text of a file below [`folder`]; nothing where it does not exist and the test is to be skipped.
/// In CI a missing file is a failure, unless `PROOFMARK_CORPUS` is `none`: where only the repository is.
pub(crate) fn read(path: &str) -> Option<String> {
    let path = folder().join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            let has_none = std::env::var_os("PROOFMARK_CORPUS").is_some_and(|value| value == "none");
            assert!(has_none || std::env::var_os("CI").is_none(), "CI needs {}: {error}", path.display());
            // Written past the test runner, which hides the output of tests that pass.
            let _ = writeln!(io::stderr(), "SKIPPED: labeled documents are missing: {}", path.display());
            None
        }
    }
}
