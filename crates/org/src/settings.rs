//! TODO keywords and tags of files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub use super::declared::{StateMeaning, TodoConfig, TodoSequence};
use super::{declared::FileSettings, error::OrgError, files::Files};
use crate::kinds::org::Outline;

/// The tags of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagConfig {
    /// Tags of all headlines of a file, by file.
    pub filetags: BTreeMap<String, Vec<String>>,
    /// Tags that `#+TAGS:` lines declare, by file.
    pub declared: BTreeMap<String, Vec<String>>,
    /// How many headlines have a tag of their own, by tag.
    pub used: BTreeMap<String, usize>,
    /// How many more files have tags for all headlines, or declare some: name them to see those.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_files: usize,
}

/// How many files an answer lists at most.
pub const LISTED: usize = 200;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde calls gets a reference")]
pub fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The TODO keywords of each file that has its own, after the default.
///
/// # Errors
/// [`OrgError`]
pub fn todo(files: &Files<'_>, names: Option<&[String]>) -> Result<Vec<TodoConfig>, OrgError> {
    let mut found = vec![TodoConfig::new(None, &Outline::read("").settings)];
    let table = files.table(names)?;
    found.extend(table.files(false).filter_map(|(_, digest)| digest.settings.todo.clone()));
    Ok(found)
}

/// The tags of files: those of the first [`LISTED`] files that have some, and how many headlines have each.
///
/// # Errors
/// [`OrgError`]
pub fn tags(files: &Files<'_>, names: Option<&[String]>) -> Result<TagConfig, OrgError> {
    let mut config = TagConfig::default();
    let table = files.table(names)?;
    let mut listed = 0;
    for (_, digest) in table.files(false) {
        let FileSettings { filetags, declared, .. } = &digest.settings;
        if filetags.is_empty() && declared.is_empty() {
            continue;
        }
        listed += 1;
        if listed > LISTED {
            config.more_files += 1;
            continue;
        }
        for (of, tags) in [(&mut config.filetags, filetags), (&mut config.declared, declared)] {
            if !tags.is_empty() {
                of.insert(digest.name.to_string(), tags.clone());
            }
        }
    }
    for (tag, count) in table.own_tags() {
        *config.used.entry(tag.to_owned()).or_default() += count;
    }
    Ok(config)
}
