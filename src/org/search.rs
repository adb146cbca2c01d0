//! Finding headlines, tasks, and lines of text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    date::Range,
    files::{Files, OrgError},
    headline::HeadlineInfo,
};
use crate::{
    kinds::org::Outline,
    text::{clip, visible},
};

/// Which headlines to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HeadlineQuery {
    /// Part of the title.
    pub query: String,
    /// Only these files.
    pub files: Option<Vec<String>>,
    /// All of these tags, inherited ones included.
    pub tags: Option<Vec<String>>,
    /// None of these tags.
    pub exclude_tags: Option<Vec<String>>,
    /// Default false.
    #[serde(default)]
    pub case_sensitive: bool,
}

/// Which tasks to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TodoQuery {
    /// Only these files.
    pub files: Option<Vec<String>>,
    /// TODO keywords; those that are not final when absent.
    pub states: Option<Vec<String>>,
    /// All of these tags, inherited ones included.
    pub tags: Option<Vec<String>>,
    /// Scheduled in this range.
    pub scheduled: Option<Range>,
    /// Due in this range.
    pub deadline: Option<Range>,
}

/// Which lines to find.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ContentQuery {
    /// Part of a line, in any case.
    pub query: String,
    /// Only these files.
    pub files: Option<Vec<String>>,
    /// Also `*.org_archive` files and sections with the tag ARCHIVE.
    #[serde(default)]
    pub include_archived: bool,
    /// Default 50.
    pub max_results: Option<usize>,
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Match {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The headline that it is below; absent above the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<HeadlineInfo>,
}

/// The headlines that a query finds.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn headlines(files: &Files<'_>, query: &HeadlineQuery) -> Result<Vec<HeadlineInfo>, OrgError> {
    let fold = |text: &str| if query.case_sensitive { text.to_owned() } else { text.to_lowercase() };
    let wanted = fold(&query.query);
    let mut found = Vec::new();
    for subject in files.some(query.files.as_deref(), false)? {
        let outline = Outline::read(subject.text());
        for index in 0..outline.headlines.len() {
            if !fold(outline.headlines[index].title).contains(&wanted) {
                continue;
            }
            let info = HeadlineInfo::new(subject.name(), &outline, index);
            if has_all(&info.tags, query.tags.as_deref())
                && has_none(&info.tags, query.exclude_tags.as_deref())
            {
                found.push(info);
            }
        }
    }
    Ok(found)
}

/// The tasks that a query finds.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn todos(files: &Files<'_>, query: &TodoQuery) -> Result<Vec<HeadlineInfo>, OrgError> {
    for range in [&query.scheduled, &query.deadline].into_iter().flatten() {
        range.check()?;
    }
    let mut found = Vec::new();
    for subject in files.some(query.files.as_deref(), false)? {
        let outline = Outline::read(subject.text());
        for index in 0..outline.headlines.len() {
            let Some(state) = outline.headlines[index].todo else { continue };
            let is_wanted = match &query.states {
                Some(states) => states.iter().any(|wanted| wanted == state),
                None => !outline.settings.is_final(state),
            };
            if !is_wanted {
                continue;
            }
            let info = HeadlineInfo::new(subject.name(), &outline, index);
            let dated = |range: &Option<Range>, date: &Option<String>| match range {
                Some(range) => date.as_deref().is_some_and(|date| range.contains(date)),
                None => true,
            };
            if has_all(&info.tags, query.tags.as_deref())
                && dated(&query.scheduled, &info.scheduled)
                && dated(&query.deadline, &info.deadline)
            {
                found.push(info);
            }
        }
    }
    Ok(found)
}

/// The lines that a query finds, and how many there are altogether.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn content(files: &Files<'_>, query: &ContentQuery) -> Result<(Vec<Match>, usize), OrgError> {
    let wanted = query.query.to_lowercase();
    if wanted.trim().is_empty() {
        return Err(OrgError::invalid("`query` is empty"));
    }
    let most = query.max_results.unwrap_or(50);
    let (mut found, mut total) = (Vec::new(), 0);
    for subject in files.some(query.files.as_deref(), query.include_archived)? {
        let outline = Outline::read(subject.text());
        let mut below: Option<usize> = None;
        for (number, line) in (1..).zip(subject.text().lines()) {
            let next = below.map_or(0, |index| index + 1);
            if outline.headlines.get(next).is_some_and(|headline| headline.line == number) {
                below = Some(next);
            }
            if !line.to_lowercase().contains(&wanted) {
                continue;
            }
            let is_archived = || below.is_some_and(|index| outline.all_tags(index).contains(&"ARCHIVE"));
            if !query.include_archived && is_archived() {
                continue;
            }
            total += 1;
            if found.len() < most {
                let headline = below.map(|index| HeadlineInfo::new(subject.name(), &outline, index));
                let text = visible(&clip(line.trim_end(), 200)).into_owned();
                found.push(Match { file: subject.name().to_owned(), line: number, text, headline });
            }
        }
    }
    Ok((found, total))
}

fn has_all(tags: &[String], wanted: Option<&[String]>) -> bool {
    wanted.is_none_or(|wanted| wanted.iter().all(|tag| tags.contains(tag)))
}

fn has_none(tags: &[String], unwanted: Option<&[String]>) -> bool {
    unwanted.is_none_or(|unwanted| !unwanted.iter().any(|tag| tags.contains(tag)))
}
