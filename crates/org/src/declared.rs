//! What a file says of its TODO keywords and tags.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kinds::org::{Outline, Settings};

/// The TODO keywords of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TodoConfig {
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
pub struct TodoSequence {
    /// `sequence` or `type`.
    pub r#type: String,
    /// `|` separates the final ones.
    pub keywords: Vec<String>,
}

/// What a TODO keyword means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateMeaning {
    /// The keyword.
    pub state: String,
    /// Whether nothing is left to do.
    pub is_final: bool,
    /// `sequence` or `type`.
    pub sequence_type: String,
}

/// The settings of one file.
#[derive(Debug, Clone)]
pub(super) struct FileSettings {
    /// Its TODO keywords, where it has its own.
    pub(super) todo: Option<TodoConfig>,
    pub(super) filetags: Vec<String>,
    pub(super) declared: Vec<String>,
}

/// What a file says of itself.
pub(super) fn file_settings(name: &str, outline: &Outline<'_>) -> FileSettings {
    let owned = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
    let settings = &outline.settings;
    let has_own = settings.sequences.iter().any(|sequence| sequence.value.is_some());
    FileSettings {
        todo: has_own.then(|| TodoConfig::new(Some(name), settings)),
        filetags: owned(&settings.filetags),
        declared: owned(&settings.tags),
    }
}

impl TodoConfig {
    pub(super) fn new(file: Option<&str>, settings: &Settings<'_>) -> Self {
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
