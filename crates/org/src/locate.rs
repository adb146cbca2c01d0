//! From URIs to files, and from lines to URIs.

use super::{
    error::OrgError,
    files::{self, Files},
    uri::{Location, with_id},
};
use crate::{kinds::org::Outline, project::Subject};

impl Location {
    /// The URI of the headline whose section a line of a file belongs to.
    ///
    /// # Errors
    /// [`OrgError::NoFile`], [`OrgError::NoHeadline`]
    pub fn uri_at(files: &Files<'_>, file: &str, line: u32) -> Result<String, OrgError> {
        let subject = files.open(file)?;
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        let found = outline.index_at(line);
        let index = found.ok_or_else(|| OrgError::NoHeadline(format!("{}:{line}", OrgError::shown(file))))?;
        Ok(Self::of_headline(subject.name(), &outline, index).to_string())
    }

    /// Opens the file that it names.
    ///
    /// # Errors
    /// [`OrgError`]
    pub(super) fn open<'p>(&self, files: &Files<'p>) -> Result<Subject<'p>, OrgError> {
        match self {
            Self::File(file) | Self::Headline { file, .. } => files.open(file),
            Self::Id(id) => {
                let has_id = |subject: &Subject<'_>| {
                    // The outline is read only where the text contains the ID.
                    subject.text().contains(id.as_str())
                        && with_id(&Outline::read(subject.text()), id).is_some()
                };
                let found = files.with_id(id).into_iter().find(has_id);
                found.ok_or_else(|| OrgError::NoId(OrgError::shown(id)))
            }
        }
    }
}
