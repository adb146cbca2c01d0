//! Tools that find headlines, tasks, lines and dates.

use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::super::{refusal::Refusal, tool::AnswerText},
    OrgTool,
};
use crate::{
    org::{
        Files, Found, HeadlineInfo, PAGE, Page, agenda,
        agenda::{AgendaItem, AgendaQuery},
        search,
        search::{ContentQuery, HeadlineQuery, Match, Matches, TodoQuery},
    },
    text::plural,
};

/// A count and a line for each headline.
fn listed(noun: &str, total: usize, headlines: &[HeadlineInfo], next: Option<&str>) -> String {
    let mut text = format!("{}\n", plural(total, noun));
    for headline in headlines {
        let _ = writeln!(text, "{}  {}", headline.line(), headline.resource_uri);
    }
    with_next(text, next)
}

/// The hash of each file that headlines are in.
fn hashes<'h>(headlines: impl IntoIterator<Item = &'h HeadlineInfo>) -> BTreeMap<String, String> {
    let of = |headline: &HeadlineInfo| (headline.file.clone(), headline.hash.clone());
    headlines.into_iter().map(of).collect()
}

/// Says how the results continue.
pub(super) fn with_next(text: String, next: Option<&str>) -> String {
    match next {
        Some(cursor) => format!("{text}more with `cursor`: \"{cursor}\"\n"),
        None => text,
    }
}

/// The conditions of filters that models write in another way.
const FILTER_ALIASES: &[(&str, &str)] = &[
    ("exclude_tags", "excludeTags"),
    ("case_sensitive", "caseSensitive"),
    ("include_archived", "includeArchived"),
    ("max_results", "maxResults"),
    ("nextCursor", "cursor"),
    ("next_cursor", "cursor"),
];

/// A page of at most 200 results.
fn at_most(page: Page) -> Page {
    Page { limit: page.limit.map(|limit| limit.min(PAGE)), ..page }
}

/// Headlines that were found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct HeadlinesAnswer {
    headlines: Vec<HeadlineInfo>,
    total: usize,
    /// Hash of each file, for `expect_hash`.
    hashes: BTreeMap<String, String>,
    /// The `cursor` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl AnswerText for HeadlinesAnswer {
    fn text(&self) -> String {
        listed("headline", self.total, &self.headlines, self.next_cursor.as_deref())
    }
}

/// `org_search_headlines`
pub(in super::super) struct SearchHeadlines;

impl OrgTool for SearchHeadlines {
    type Arguments = HeadlineQuery;
    type Answer = HeadlinesAnswer;
    const NAME: &'static str = "org_search_headlines";
    const TITLE: &'static str = "Search Org headlines";
    const DESCRIPTION: &'static str = "Finds headlines of Org files by a part of their title and by tags. Each has a `resourceUri` for the other tools.";
    const EXAMPLE: &'static str = r#"{"query": "report", "tags": ["work"]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = FILTER_ALIASES;

    fn call(files: &Files<'_>, query: HeadlineQuery) -> Result<HeadlinesAnswer, Refusal> {
        let query = HeadlineQuery { page: at_most(query.page), ..query };
        let Found { items: headlines, total, next: next_cursor } = search::headlines(files, &query)?;
        Ok(HeadlinesAnswer { hashes: hashes(&headlines), headlines, total, next_cursor })
    }
}

/// `org_get_todos`
pub(in super::super) struct GetTodos;

/// Tasks that were found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct TodosAnswer {
    todos: Vec<HeadlineInfo>,
    total: usize,
    /// Hash of each file, for `expect_hash`.
    hashes: BTreeMap<String, String>,
    /// The `cursor` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl AnswerText for TodosAnswer {
    fn text(&self) -> String {
        listed("task", self.total, &self.todos, self.next_cursor.as_deref())
    }
}

impl OrgTool for GetTodos {
    type Arguments = TodoQuery;
    type Answer = TodosAnswer;
    const NAME: &'static str = "org_get_todos";
    const TITLE: &'static str = "List Org tasks";
    const DESCRIPTION: &'static str = "Finds tasks of Org files by TODO keyword, tags, and dates. Without `states`, those that are not done.";
    const EXAMPLE: &'static str = r#"{"states": ["TODO"], "deadline": {"to": "2026-01-31"}}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = FILTER_ALIASES;

    fn call(files: &Files<'_>, query: TodoQuery) -> Result<TodosAnswer, Refusal> {
        let query = TodoQuery { page: at_most(query.page), ..query };
        let Found { items: todos, total, next: next_cursor } = search::todos(files, &query)?;
        Ok(TodosAnswer { hashes: hashes(&todos), todos, total, next_cursor })
    }
}

/// `org_search_content`
pub(in super::super) struct SearchContent;

/// Lines that were found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ContentAnswer {
    matches: Vec<Match>,
    total: usize,
    /// Hash of each file, for `expect_hash`.
    hashes: BTreeMap<String, String>,
    /// True when not all files were read, so that there may be more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    total_is_minimum: bool,
    /// The `cursor` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl AnswerText for ContentAnswer {
    fn text(&self) -> String {
        let least = if self.total_is_minimum { "at least " } else { "" };
        let mut text = format!("{least}{}\n", plural(self.total, "line"));
        for found in &self.matches {
            let uri = found.headline.as_ref().map(|headline| headline.resource_uri.as_str());
            let (line, shown) = (found.line, found.text.trim());
            let _ = writeln!(text, "{}:{line} {shown}  {}", found.file, uri.unwrap_or_default());
        }
        with_next(text, self.next_cursor.as_deref())
    }
}

impl OrgTool for SearchContent {
    type Arguments = ContentQuery;
    type Answer = ContentAnswer;
    const NAME: &'static str = "org_search_content";
    const TITLE: &'static str = "Search Org text";
    const DESCRIPTION: &'static str =
        "Finds lines of Org files that contain some text, in any case, with the headline that each is below.";
    const EXAMPLE: &'static str = r#"{"query": "invoice", "maxResults": 20}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = FILTER_ALIASES;

    fn call(files: &Files<'_>, query: ContentQuery) -> Result<ContentAnswer, Refusal> {
        let limit = query.page.limit.or(query.max_results);
        let query = ContentQuery { page: at_most(Page { limit, ..query.page }), ..query };
        let Matches { found, is_minimum: total_is_minimum } = search::content(files, &query)?;
        let Found { items: matches, total, next: next_cursor } = found;
        let hashes = hashes(matches.iter().filter_map(|found| found.headline.as_ref()));
        Ok(ContentAnswer { matches, total, hashes, total_is_minimum, next_cursor })
    }
}

/// `org_get_agenda_items`
pub(in super::super) struct GetAgendaItems;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct AgendaAnswer {
    /// By day and time.
    items: Vec<AgendaItem>,
    total: usize,
    /// Hash of each file, for `expect_hash`.
    hashes: BTreeMap<String, String>,
    /// The `cursor` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl AnswerText for AgendaAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.total, "item"));
        for item in &self.items {
            let time = item.time.as_deref().unwrap_or_default();
            let (kind, headline) = (item.r#type.name(), &item.headline);
            let _ =
                writeln!(text, "{} {time} {kind} {}  {}", item.date, headline.line(), headline.resource_uri);
        }
        with_next(text, self.next_cursor.as_deref())
    }
}

impl OrgTool for GetAgendaItems {
    type Arguments = AgendaQuery;
    type Answer = AgendaAnswer;
    const NAME: &'static str = "org_get_agenda_items";
    const TITLE: &'static str = "Org agenda";
    const DESCRIPTION: &'static str = "What is scheduled, due or dated on some days, repeating dates included, what is overdue, and what is due soon after.";
    const EXAMPLE: &'static str = r#"{"from": "2026-01-31", "days": 7}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = FILTER_ALIASES;

    fn call(files: &Files<'_>, query: AgendaQuery) -> Result<AgendaAnswer, Refusal> {
        let query = AgendaQuery { page: at_most(query.page), ..query };
        let Found { items, total, next: next_cursor } = agenda::items(files, &query)?;
        let hashes = hashes(items.iter().map(|item| &item.headline));
        Ok(AgendaAnswer { items, total, hashes, next_cursor })
    }
}
