use std::io;

use crate::{
    project::WriteError,
    text::{clip, visible},
};

/// Why nothing can be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrgError {
    /// A file cannot be opened.
    #[error(
        "cannot open the file `{0}`: it does not exist, is not an Org file, is outside the allowed folders, or `[org] files` does not include it"
    )]
    NoFile(String),
    /// A file is there, and its content cannot be used.
    #[error("cannot read `{file}`: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// A URI is not one of Org.
    #[error(
        "`{0}` is not a resource URI: write org://FILE/headline/TITLE, org://FILE?line=LINE, or org://id/ID"
    )]
    BadUri(String),
    /// A URI names a file where a headline is needed.
    #[error("the URI must identify a headline, not a whole file")]
    WholeFile,
    /// There is no such headline.
    #[error("cannot find the headline `{0}`")]
    NoHeadline(String),
    /// A line is not that of a headline.
    #[error("line {line} is not a headline: it is below `{title}` on line {headline}")]
    NotAHeadline {
        /// The line that was named.
        line: u32,
        /// The line of the headline above it.
        headline: u32,
        /// The title of that headline.
        title: String,
    },
    /// Several headlines have the same path or ID.
    #[error("`{path}` is ambiguous: {}", .candidates.join(", "))]
    Ambiguous {
        /// The titles, with `/` between them.
        path: String,
        /// Line and URI of each.
        candidates: Vec<String>,
    },
    /// No file has this ID.
    #[error("cannot find the ID `{0}` in the allowed files")]
    NoId(String),
    /// An argument cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// The file is not what the client takes it for.
    #[error("the file has changed: its hash is {actual}, not {expected}")]
    Changed {
        /// The hash that the client sent.
        expected: String,
        /// The hash of the file.
        actual: String,
    },
    /// The change would add errors.
    #[error("the change is refused because it would add errors: {}", .0.join("; "))]
    AddsErrors(Vec<String>),
    /// The file cannot be written.
    #[error("{0}")]
    NotWritten(String),
    /// Another program has written the file, or is writing it.
    #[error("{0}")]
    Overtaken(String),
}

impl From<WriteError> for OrgError {
    fn from(error: WriteError) -> Self {
        let detail = error.to_string();
        match error {
            WriteError::Changed(_) => Self::Overtaken(detail),
            WriteError::Failed { source, .. } if source.kind() == io::ErrorKind::WouldBlock => {
                Self::Overtaken(detail)
            }
            _ => Self::NotWritten(detail),
        }
    }
}

impl OrgError {
    /// An argument cannot be used.
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::Invalid(detail.into())
    }

    /// What a client sent, as it can be shown.
    pub(super) fn shown(text: &str) -> String {
        visible(&clip(text, 120)).into_owned()
    }
}
