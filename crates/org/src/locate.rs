//! From URIs to files.

use super::{
    error::OrgError,
    files::Files,
    uri::{Location, with_id},
};
use crate::{kinds::org::Outline, project::Subject};

impl Location {
    /// The URI of what is on a line of a file.
    pub fn uri_at(file: &str, line: u32) -> String {
        Self::at_line(file, line).to_string()
    }

    /// Opens the file that it names.
    ///
    /// # Errors
    /// [`OrgError`]
    pub(super) fn open<'p>(&self, files: &Files<'p>) -> Result<Subject<'p>, OrgError> {
        match self {
            Self::File(file) | Self::Headline { file, .. } | Self::Line { file, .. } => files.open(file),
            Self::Id(id) => {
                // The outline is read only where the text contains the ID.
                let lines = |subject: &Subject<'_>| -> Vec<u32> {
                    if !subject.text().contains(id.as_str()) {
                        return Vec::new();
                    }
                    let outline = Outline::read(subject.text());
                    with_id(&outline, id).into_iter().map(|at| outline.headlines[at].line).collect()
                };
                let found = files.with_id(id).map(|subject| (lines(&subject), subject));
                let mut found: Vec<_> = found.filter(|(lines, _)| !lines.is_empty()).collect();
                let candidates =
                    found.iter().map(|(lines, subject)| (subject.name(), lines.as_slice())).collect();
                let at = only(id, candidates)?;
                Ok(found.swap_remove(at).1)
            }
        }
    }
}

/// The position of the only file with an ID, of those that have it, with the lines of its headlines.
///
/// # Errors
/// [`OrgError`] where there is none or more than one.
pub(super) fn only(id: &str, found: Vec<(&str, &[u32])>) -> Result<usize, OrgError> {
    match found.len() {
        0 => Err(OrgError::NoId(OrgError::shown(id))),
        1 => Ok(0),
        // Which one is meant, only the client knows.
        _ => {
            let all = found.into_iter().flat_map(|(name, lines)| {
                lines.iter().map(|line| Location::at_line(name, *line).to_string())
            });
            Err(OrgError::Ambiguous { path: OrgError::shown(id), candidates: all.take(8).collect() })
        }
    }
}
