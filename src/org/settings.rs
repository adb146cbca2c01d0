//! TODO keywords and tags of files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use super::declared::{StateMeaning, TodoConfig, TodoSequence};
use super::{declared::FileSettings, error::OrgError, files::Files};
use crate::kinds::org::Outline;

/// The tags of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TagConfig {
    /// Tags of all headlines of a file, by file.
    pub filetags: BTreeMap<String, Vec<String>>,
    /// Tags that `#+TAGS:` lines declare, by file.
    pub declared: BTreeMap<String, Vec<String>>,
    /// How many headlines have a tag of their own, by tag.
    pub used: BTreeMap<String, usize>,
}

/// The TODO keywords of each file that has its own, after the default.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn todo(files: &Files<'_>, names: Option<&[String]>) -> Result<Vec<TodoConfig>, OrgError> {
    let mut found = vec![TodoConfig::new(None, &Outline::read("").settings)];
    let digests = files.digests(names, false)?;
    found.extend(digests.iter().filter_map(|digest| digest.settings.todo.clone()));
    Ok(found)
}

/// The tags of files.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn tags(files: &Files<'_>, names: Option<&[String]>) -> Result<TagConfig, OrgError> {
    let mut config = TagConfig::default();
    for digest in files.digests(names, false)? {
        let FileSettings { filetags, declared, .. } = &digest.settings;
        for (of, tags) in [(&mut config.filetags, filetags), (&mut config.declared, declared)] {
            if !tags.is_empty() {
                of.insert(digest.name.to_string(), tags.clone());
            }
        }
        for tag in digest.entries().flat_map(|entry| entry.tags(false)) {
            match config.used.get_mut(tag) {
                Some(count) => *count += 1,
                None => {
                    config.used.insert(tag.to_owned(), 1);
                }
            }
        }
    }
    Ok(config)
}
