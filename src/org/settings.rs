//! TODO keywords and tags of files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::files::{Files, OrgError};
use crate::kinds::org::{Outline, Settings};

/// The TODO keywords of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TodoConfig {
    /// The file; absent for the default, which files without their own keywords have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// One for each line of keywords.
    pub sequences: Vec<TodoSequence>,
    /// What each keyword means.
    pub semantics: Vec<StateMeaning>,
}

/// TODO keywords in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TodoSequence {
    /// `sequence` or `type`.
    pub r#type: String,
    /// `|` separates the final ones.
    pub keywords: Vec<String>,
}

/// What a TODO keyword means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateMeaning {
    /// The keyword.
    pub state: String,
    /// Whether nothing is left to do.
    pub is_final: bool,
    /// `sequence` or `type`.
    pub sequence_type: String,
}

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
    for subject in files.some(names, false)? {
        let settings = Outline::read(subject.text()).settings;
        if settings.sequences.iter().any(|sequence| sequence.value.is_some()) {
            found.push(TodoConfig::new(Some(subject.name()), &settings));
        }
    }
    Ok(found)
}

/// The tags of files.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn tags(files: &Files<'_>, names: Option<&[String]>) -> Result<TagConfig, OrgError> {
    let mut config = TagConfig::default();
    let owned = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
    for subject in files.some(names, false)? {
        let outline = Outline::read(subject.text());
        let name = subject.name().to_owned();
        if !outline.settings.filetags.is_empty() {
            config.filetags.insert(name.clone(), owned(&outline.settings.filetags));
        }
        if !outline.settings.tags.is_empty() {
            config.declared.insert(name, owned(&outline.settings.tags));
        }
        let own = outline.headlines.iter().flat_map(|headline| &headline.tags);
        for tag in own.filter(|tag| !tag.is_empty()) {
            *config.used.entry((*tag).to_owned()).or_default() += 1;
        }
    }
    Ok(config)
}

impl TodoConfig {
    fn new(file: Option<&str>, settings: &Settings<'_>) -> Self {
        let mut config = Self { file: file.map(str::to_owned), sequences: Vec::new(), semantics: Vec::new() };
        for sequence in &settings.sequences {
            let r#type = if sequence.is_type { "type" } else { "sequence" };
            let mut keywords = sequence.keywords.clone();
            keywords.insert(sequence.done_from.min(keywords.len()), "|".to_owned());
            config.sequences.push(TodoSequence { r#type: r#type.to_owned(), keywords });
            let meaning = |state: &String| StateMeaning {
                state: state.clone(),
                is_final: sequence.done().contains(state),
                sequence_type: r#type.to_owned(),
            };
            config.semantics.extend(sequence.keywords.iter().map(meaning));
        }
        config
    }
}
