//! Org files, outlines and headlines as resources with URIs.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    archive,
    files::{Files, OrgError},
    settings, subtree,
    uri::Location,
};
use crate::kinds::org::Outline;

/// A resource.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// Its text.
    pub text: String,
    /// Its MIME type.
    pub mime: &'static str,
}

/// URI of the TODO keywords of files without their own.
pub(crate) const TODO_STATES: &str = "org://config/todo-states";

/// MIME type of Org text.
pub(crate) const MIME: &str = "text/org";

const JSON: &str = "application/json";

/// Reads a resource: a file, its outline with `/outline`, a headline with everything below it, or the TODO
/// keywords.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn read(files: &Files<'_>, uri: &str) -> Result<Resource, OrgError> {
    if uri == TODO_STATES {
        return Ok(json(&settings::todo(files, None)?));
    }
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    if let Location::File(_) = location {
        if uri.trim_end_matches(['#', '/']).ends_with("/outline") {
            return Ok(json(&subject.kind().outline(subject.text())));
        }
        return Ok(Resource { text: subject.text().to_owned(), mime: MIME });
    }
    let outline = Outline::read(subject.text());
    let index = location.find(subject.name(), &outline)?;
    let text = outline.headlines[index].section.of(subject.text()).to_owned();
    Ok(Resource { text, mime: MIME })
}

/// The section of a headline as a document of its own: at the first level, with the TODO keywords of its file.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn as_document(files: &Files<'_>, uri: &str) -> Result<String, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    let outline = Outline::read(subject.text());
    let index = location.find(subject.name(), &outline)?;
    let section = outline.headlines[index].section.of(subject.text());
    Ok(archive::settings(subject.text()) + &subtree::at_level(section, 1))
}

fn json(value: &impl Serialize) -> Resource {
    Resource { text: serde_json::to_string_pretty(value).unwrap_or_default(), mime: JSON }
}

/// The IDs of all headlines.
pub(crate) fn ids(files: &Files<'_>) -> Vec<String> {
    let mut ids = BTreeSet::new();
    for subject in files.all(true) {
        let outline = Outline::read(subject.text());
        ids.extend(outline.headlines.iter().filter_map(|headline| headline.id()).map(str::to_owned));
    }
    ids.into_iter().collect()
}

/// The paths of the headlines of a file, as their URIs have them.
///
/// # Errors
/// [`OrgError::NoFile`]
pub(crate) fn paths(files: &Files<'_>, file: &str) -> Result<Vec<String>, OrgError> {
    let subject = files.open(file)?;
    let outline = Outline::read(subject.text());
    let positions = 0..outline.headlines.len();
    Ok(positions.map(|index| Location::path_of(&outline, index)).collect())
}
