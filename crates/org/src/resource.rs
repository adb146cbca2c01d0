//! Org files, outlines and headlines as resources with URIs.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    archive,
    digest::Entry,
    files::{self, Files, OrgError},
    settings, subtree,
    uri::Location,
};
use crate::kinds::org::{self, InlineTask, Outline};

/// A resource.
#[derive(Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its text.
    pub text: String,
    /// Its MIME type.
    pub mime: &'static str,
}

/// URI of the TODO keywords of files without their own.
pub const TODO_STATES: &str = "org://config/todo-states";

/// MIME type of Org text.
pub const MIME: &str = "text/org";

const JSON: &str = "application/json";

/// Reads a resource: a file, its outline with `/outline`, a headline with everything below it, or the TODO
/// keywords.
///
/// # Errors
/// [`OrgError`]
pub fn read(files: &Files<'_>, uri: &str) -> Result<Resource, OrgError> {
    if uri == TODO_STATES {
        return Ok(json(&settings::todo(files, None)?));
    }
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    if let Location::File(_) = location {
        if uri.trim_end_matches(['#', '/']).ends_with("/outline") {
            return Ok(json(&org::exported(subject.text(), &files::setup(&subject))));
        }
        return Ok(Resource { text: subject.text().to_owned(), mime: MIME });
    }
    let setup = files::setup(&subject);
    let outline = Outline::read_with(subject.text(), &setup);
    let index = location.find_around(subject.name(), &outline)?;
    let text = outline.headlines[index].section.of(subject.text()).to_owned();
    Ok(Resource { text, mime: MIME })
}

/// The section of a headline as a document of its own: at the first level, with the TODO keywords of its file.
///
/// # Errors
/// [`OrgError`]
pub fn as_document(files: &Files<'_>, uri: &str) -> Result<String, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    let setup = files::setup(&subject);
    let outline = Outline::read_with(subject.text(), &setup);
    let index = location.find(subject.name(), &outline)?;
    let section = outline.headlines[index].section.of(subject.text());
    let section = match outline.headlines[index].inline {
        // Its stars are not those of a level.
        Some(task) => without_end(section, task, outline.headlines[index].level),
        None => subtree::at_level(section, 1, outline.settings.inline_tasks)?,
    };
    Ok(archive::settings(subject.text()) + &section)
}

/// The section of an inline task as one of a headline at the first level.
fn without_end(section: &str, task: InlineTask, stars: usize) -> String {
    let end = task.end.map_or(0, |end| end.len());
    let kept = section.trim_end_matches(['\r', '\n']);
    format!("*{}\n", &kept[stars..kept.len() - end].trim_end_matches(['\r', '\n']))
}

fn json(value: &impl Serialize) -> Resource {
    Resource { text: serde_json::to_string_pretty(value).unwrap_or_default(), mime: JSON }
}

/// The IDs of all headlines.
pub fn ids(files: &Files<'_>) -> Vec<String> {
    let Ok(table) = files.table(None) else { return Vec::new() };
    let ids = table.files(true).flat_map(|(_, digest)| digest.entries().filter_map(Entry::id));
    let ids: BTreeSet<&str> = ids.collect();
    ids.into_iter().map(str::to_owned).collect()
}

/// The paths of the headlines of a file, as their URIs have them.
///
/// # Errors
/// [`OrgError::NoFile`]
pub fn paths(files: &Files<'_>, file: &str) -> Result<Vec<String>, OrgError> {
    let table = files.table(Some(&[file.to_owned()]))?;
    Ok(table.files(true).flat_map(|(_, digest)| digest.entries().map(Entry::path)).collect())
}
