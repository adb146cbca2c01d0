//! The outline of a file or of what is below a headline, in pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    files::{self, Files, OrgError},
    hash::hash,
    page::{PAGE, Page, Start},
    uri::Location,
};
use crate::kinds::org::Outline;

/// Which headlines to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineQuery {
    /// A file or a headline.
    pub resource_uri: String,
    /// Levels below it (default: all).
    pub depth: Option<usize>,
    #[serde(flatten)]
    pub page: Page,
}

/// A headline of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Line {
    pub line: u32,
    pub level: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub todo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commented: bool,
    pub title: String,
    /// Own tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub resource_uri: String,
}

impl Line {
    /// The headline as Org has it, without dates.
    pub fn text(&self) -> String {
        let priority = self.priority.as_ref().map(|priority| format!("[#{priority}]"));
        let comment = self.commented.then(|| "COMMENT".to_owned());
        let parts = [self.todo.clone(), priority, comment, Some(self.title.clone())];
        let mut text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        if !self.tags.is_empty() {
            text = format!("{text}  :{}:", self.tags.join(":"));
        }
        text
    }
}

/// A part of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The file.
    pub file: String,
    pub headlines: Vec<Line>,
    pub total: usize,
    pub next: Option<String>,
    /// Hash of the file.
    pub hash: String,
}

/// The headlines below what a URI names, with that one.
///
/// # Errors
/// [`OrgError`]
pub fn outline(files: &Files<'_>, query: &OutlineQuery) -> Result<Lines, OrgError> {
    let OutlineQuery { resource_uri, depth, page } = query;
    let start: Start<u32> = page.start(&("outline", resource_uri, depth), PAGE)?;
    let location = Location::parse(resource_uri)?;
    let subject = location.open(files)?;
    let setup = files::setup(&subject);
    let (name, text) = (subject.name(), subject.text());
    let outline = Outline::read_with(text, &setup);
    let (range, level) = match location {
        Location::File(_) => (0..text.len() + 1, 0),
        _ => {
            let headline = &outline.headlines[location.find_around(name, &outline)?];
            let section = headline.section.range();
            (section.start..section.end.max(section.start + 1), headline.level)
        }
    };
    let deepest = depth.map_or(usize::MAX, |depth| level.saturating_add(depth));
    let digest = files::digest(&subject);
    let wanted = outline.headlines.iter().enumerate().filter(|(_, headline)| {
        range.contains(&(headline.span.start as usize))
            && (headline.level <= deepest || headline.inline.is_some())
    });
    let (mut headlines, mut total, mut is_last) = (Vec::new(), 0, true);
    for (index, headline) in wanted {
        total += 1;
        if start.after.is_some_and(|after| headline.line <= after) {
            continue;
        }
        if headlines.len() >= start.limit {
            is_last = false;
            continue;
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        headlines.push(Line {
            line: headline.line,
            level: headline.level,
            todo: owned(headline.todo),
            priority: owned(headline.priority),
            commented: headline.commented,
            title: headline.title.to_owned(),
            tags: headline.tags.iter().filter(|tag| !tag.is_empty()).map(|&tag| tag.to_owned()).collect(),
            resource_uri: digest.entry(index).info().resource_uri,
        });
    }
    let next = headlines.last().filter(|_| !is_last).map(|last| start.cursor(&last.line));
    Ok(Lines { file: name.to_owned(), headlines, total, next, hash: hash(text) })
}
