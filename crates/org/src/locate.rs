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
                if found.len() > 1 {
                    // Which one is meant, only the client knows.
                    let all = found.iter().flat_map(|(lines, subject)| {
                        lines.iter().map(|line| Self::at_line(subject.name(), *line).to_string())
                    });
                    let candidates = all.take(8).collect();
                    return Err(OrgError::Ambiguous { path: OrgError::shown(id), candidates });
                }
                let (_, subject) = found.pop().ok_or_else(|| OrgError::NoId(OrgError::shown(id)))?;
                Ok(subject)
            }
        }
    }
}
