use schemars::JsonSchema;
use serde::Serialize;

use super::{hash::hash, uri::Location};
use crate::kinds::org::Outline;

/// A headline as results show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlineInfo {
    /// The file.
    pub file: String,
    /// Line of the headline.
    pub line: u32,
    /// Number of stars.
    pub level: usize,
    /// Whether it is an inline task.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inline: bool,
    /// Its title.
    pub title: String,
    /// Its TODO keyword.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub todo: Option<String>,
    /// Its priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// Its tags, inherited ones included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When it is scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<String>,
    /// When it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// The URI by which tools find it.
    pub resource_uri: String,
    /// Its ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_id: Option<String>,
    /// Hash of the text of its file, which answers have once for each file.
    #[serde(skip)]
    pub hash: String,
}

impl HeadlineInfo {
    /// The headline at a position of an outline.
    pub(super) fn new(file: &str, outline: &Outline<'_>, index: usize) -> Self {
        let headline = &outline.headlines[index];
        let dated = |keyword| headline.planning.as_ref().and_then(|planning| planning.get(keyword));
        Self {
            file: file.to_owned(),
            line: headline.line,
            level: headline.level,
            inline: headline.inline.is_some(),
            title: headline.title.to_owned(),
            todo: headline.todo.map(str::to_owned),
            priority: headline.priority.map(str::to_owned),
            tags: outline.all_tags(index).into_iter().map(str::to_owned).collect(),
            scheduled: dated("SCHEDULED").map(str::to_owned),
            deadline: dated("DEADLINE").map(str::to_owned),
            resource_uri: Location::of_headline(file, outline, index).to_string(),
            org_id: headline.id().map(str::to_owned),
            hash: String::new(),
        }
    }

    /// Sets the hash: that of the text that the headline was read from.
    pub(super) fn of_file(self, text: &str) -> Self {
        Self { hash: hash(text), ..self }
    }

    /// The headline in one line, for people.
    pub fn line(&self) -> String {
        let mut line = format!("{}:{} {}", self.file, self.line, "*".repeat(self.level.min(30)));
        let priority = self.priority.as_ref().map(|priority| format!("[#{priority}]"));
        for part in [&self.todo, &priority].into_iter().flatten() {
            line = line + " " + part;
        }
        line = line + " " + &self.title;
        if !self.tags.is_empty() {
            line = line + "  :" + &self.tags.join(":") + ":";
        }
        for (name, date) in [("SCHEDULED", &self.scheduled), ("DEADLINE", &self.deadline)] {
            if let Some(date) = date {
                line = format!("{line}  {name}: {date}");
            }
        }
        line
    }
}
