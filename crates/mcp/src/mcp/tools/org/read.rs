//! Tools that read properties and settings.

use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{refusal::Refusal, tool::AnswerText},
    OrgTool,
};
use crate::{
    org::{
        Files, properties, settings,
        settings::{TagConfig, TodoConfig},
    },
    text::plural,
};

/// `org_get_properties`
pub(in super::super) struct GetProperties;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct PropertiesArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Only these properties.
    properties: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct PropertiesAnswer {
    /// Values by name.
    properties: BTreeMap<String, String>,
    resource_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<String>,
    hash: String,
}

impl AnswerText for PropertiesAnswer {
    fn text(&self) -> String {
        let mut text = format!("{} of {}\n", plural(self.properties.len(), "property"), self.resource_uri);
        for (key, value) in &self.properties {
            let _ = writeln!(text, "{key}: {value}");
        }
        text
    }
}

impl OrgTool for GetProperties {
    type Arguments = PropertiesArguments;
    type Answer = PropertiesAnswer;
    const NAME: &'static str = "org_get_properties";
    const TITLE: &'static str = "Read Org properties";
    const DESCRIPTION: &'static str = "Reads the properties of a headline or a file.";
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "properties": ["Effort"]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("resource_uri", "resourceUri"), ("uri", "resourceUri")];

    fn call(files: &Files<'_>, arguments: PropertiesArguments) -> Result<PropertiesAnswer, Refusal> {
        let names = arguments.properties.as_deref();
        let found = properties::get(files, &arguments.resource_uri, names)?;
        Ok(PropertiesAnswer {
            properties: found.values,
            resource_uri: found.uri,
            org_id: found.headline.and_then(|headline| headline.org_id),
            hash: found.hash,
        })
    }
}

/// Which files a configuration is asked of.
#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct ConfigArguments {
    /// Only these files.
    files: Option<Vec<String>>,
}

/// `org_get_todo_config`
pub(in super::super) struct GetTodoConfig;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct TodoConfigAnswer {
    /// Those of files without their own.
    sequences: Vec<settings::TodoSequence>,
    semantics: Vec<settings::StateMeaning>,
    /// The files that have their own.
    files: Vec<TodoConfig>,
    /// How many more files have their own: name them in `files` to see those.
    #[serde(skip_serializing_if = "settings::is_zero")]
    more_files: usize,
}

/// Says that files are left off.
fn more(text: &mut String, files: usize) {
    if files > 0 {
        let _ = writeln!(text, "and {} more: name them in `files` to see theirs", plural(files, "file"));
    }
}

impl AnswerText for TodoConfigAnswer {
    fn text(&self) -> String {
        let written = |sequences: &[settings::TodoSequence]| {
            let lines: Vec<String> = sequences.iter().map(|sequence| sequence.keywords.join(" ")).collect();
            lines.join("; ")
        };
        let mut text = format!("default: {}\n", written(&self.sequences));
        for config in &self.files {
            let _ = writeln!(
                text,
                "{}: {}",
                config.file.as_deref().unwrap_or_default(),
                written(&config.sequences)
            );
        }
        more(&mut text, self.more_files);
        text
    }
}

impl OrgTool for GetTodoConfig {
    type Arguments = ConfigArguments;
    type Answer = TodoConfigAnswer;
    const NAME: &'static str = "org_get_todo_config";
    const TITLE: &'static str = "Read Org TODO keywords";
    const DESCRIPTION: &'static str = "The TODO keywords of Org files: sequences, in which `|` separates the final ones, and what each keyword means.";
    const EXAMPLE: &'static str = "{}";

    fn call(files: &Files<'_>, arguments: ConfigArguments) -> Result<TodoConfigAnswer, Refusal> {
        let mut configs = settings::todo(files, arguments.files.as_deref())?;
        let default = configs.remove(0);
        let more_files = configs.len().saturating_sub(settings::LISTED);
        configs.truncate(settings::LISTED);
        let (sequences, semantics) = (default.sequences, default.semantics);
        Ok(TodoConfigAnswer { sequences, semantics, files: configs, more_files })
    }
}

/// `org_get_tag_config`
pub(in super::super) struct GetTagConfig;

impl AnswerText for TagConfig {
    fn text(&self) -> String {
        let mut text = String::new();
        for (title, files) in [("FILETAGS", &self.filetags), ("TAGS", &self.declared)] {
            for (file, tags) in files {
                let _ = writeln!(text, "{title} of {file}: {}", tags.join(" "));
            }
        }
        more(&mut text, self.more_files);
        for (tag, count) in &self.used {
            let _ = writeln!(text, "{tag}: {}", plural(*count, "headline"));
        }
        text
    }
}

impl OrgTool for GetTagConfig {
    type Arguments = ConfigArguments;
    type Answer = TagConfig;
    const NAME: &'static str = "org_get_tag_config";
    const TITLE: &'static str = "Read Org tags";
    const DESCRIPTION: &'static str = "The tags of Org files: those that all headlines of a file have, those that it declares, and those in use.";
    const EXAMPLE: &'static str = "{}";

    fn call(files: &Files<'_>, arguments: ConfigArguments) -> Result<TagConfig, Refusal> {
        Ok(settings::tags(files, arguments.files.as_deref())?)
    }
}
