//! YAML files as typed values, with the line of everything that is wrong with them.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use crate::yaml::{self, Document};

/// A file and what it describes.
pub(super) struct Description<T> {
    pub(super) raw: T,
    path: PathBuf,
    document: Document,
}

/// Something wrong with a file.
pub(crate) struct Problem {
    path: PathBuf,
    /// From 1; nothing where the whole file is meant.
    line: Option<usize>,
    what: String,
}

impl<T: DeserializeOwned> Description<T> {
    /// Reads a file.
    pub(super) fn read(path: PathBuf) -> Result<Self, Problem> {
        let text = fs::read_to_string(&path).map_err(|error| error.to_string());
        let document = match text.and_then(|text| yaml::read(&text)) {
            Ok(document) => document,
            Err(what) => return Err(Problem { path, line: None, what }),
        };
        match serde_path_to_error::deserialize(&document.value) {
            Ok(raw) => Ok(Self { raw, path, document }),
            Err(error) => {
                let line = Some(document.line(&pointer(error.path())));
                Err(Problem { path, line, what: error.into_inner().to_string() })
            }
        }
    }
}

impl<T> Description<T> {
    /// A problem at the value that a JSON Pointer names.
    pub(super) fn problem(&self, pointer: &str, what: impl Into<String>) -> Problem {
        Problem { path: self.path.clone(), line: Some(self.document.line(pointer)), what: what.into() }
    }

    /// The file's name without its extension.
    pub(super) fn name(&self) -> String {
        stem(&self.path)
    }
}

impl Problem {
    /// A problem with a file as a whole.
    pub(super) fn whole(path: PathBuf, what: impl Into<String>) -> Self {
        Self { path, line: None, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.what)
    }
}

/// A file's name without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    let steps = path.iter().map_while(|segment| match segment {
        Segment::Seq { index } => Some(format!("/{index}")),
        Segment::Map { key } => Some(format!("/{}", key.replace('~', "~0").replace('/', "~1"))),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    steps.collect()
}
