//! Tools that find headlines, tasks, lines and dates.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::super::{refusal::Refusal, tool::AnswerText},
    MOST, OrgTool, first,
};
use crate::{
    org::{
        Files, HeadlineInfo, agenda,
        agenda::{AgendaItem, AgendaQuery},
        search,
        search::{ContentQuery, HeadlineQuery, Match, TodoQuery},
    },
    text::plural,
};

/// A count and a line for each headline.
fn listed(noun: &str, total: usize, headlines: &[HeadlineInfo]) -> String {
    let mut text = format!("{}\n", plural(total, noun));
    for headline in headlines {
        let _ = writeln!(text, "{}  {}", headline.line(), headline.resource_uri);
    }
    text
}

/// Headlines that were found.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct HeadlinesAnswer {
    /// At most 200.
    headlines: Vec<HeadlineInfo>,
    total: usize,
}

impl AnswerText for HeadlinesAnswer {
    fn text(&self) -> String {
        listed("headline", self.total, &self.headlines)
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
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("exclude_tags", "excludeTags"), ("case_sensitive", "caseSensitive")];

    fn call(files: &Files<'_>, query: HeadlineQuery) -> Result<HeadlinesAnswer, Refusal> {
        let (headlines, total) = first(search::headlines(files, &query)?);
        Ok(HeadlinesAnswer { headlines, total })
    }
}

/// `org_get_todos`
pub(in super::super) struct GetTodos;

/// Tasks that were found.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct TodosAnswer {
    /// At most 200.
    todos: Vec<HeadlineInfo>,
    total: usize,
}

impl AnswerText for TodosAnswer {
    fn text(&self) -> String {
        listed("task", self.total, &self.todos)
    }
}

impl OrgTool for GetTodos {
    type Arguments = TodoQuery;
    type Answer = TodosAnswer;
    const NAME: &'static str = "org_get_todos";
    const TITLE: &'static str = "List Org tasks";
    const DESCRIPTION: &'static str = "Finds tasks of Org files by TODO keyword, tags, and dates. Without `states`, those that are not done.";
    const EXAMPLE: &'static str = r#"{"states": ["TODO"], "deadline": {"to": "2026-01-31"}}"#;

    fn call(files: &Files<'_>, query: TodoQuery) -> Result<TodosAnswer, Refusal> {
        let (todos, total) = first(search::todos(files, &query)?);
        Ok(TodosAnswer { todos, total })
    }
}

/// `org_search_content`
pub(in super::super) struct SearchContent;

/// Lines that were found.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct ContentAnswer {
    matches: Vec<Match>,
    total: usize,
}

impl AnswerText for ContentAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.total, "line"));
        for found in &self.matches {
            let _ = writeln!(text, "{}:{} {}", found.file, found.line, found.text.trim());
        }
        text
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
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("include_archived", "includeArchived"), ("max_results", "maxResults")];

    fn call(files: &Files<'_>, mut query: ContentQuery) -> Result<ContentAnswer, Refusal> {
        query.max_results = Some(query.max_results.unwrap_or(50).min(MOST));
        let (matches, total) = search::content(files, &query)?;
        Ok(ContentAnswer { matches, total })
    }
}

/// `org_get_agenda_items`
pub(in super::super) struct GetAgendaItems;

#[derive(Serialize, JsonSchema)]
pub(in super::super) struct AgendaAnswer {
    /// At most 200, by day and time.
    items: Vec<AgendaItem>,
    total: usize,
}

impl AnswerText for AgendaAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.total, "item"));
        for item in &self.items {
            let time = item.time.as_deref().unwrap_or_default();
            let _ = writeln!(text, "{} {time} {} {}", item.date, item.r#type.name(), item.headline.line());
        }
        text
    }
}

impl OrgTool for GetAgendaItems {
    type Arguments = AgendaQuery;
    type Answer = AgendaAnswer;
    const NAME: &'static str = "org_get_agenda_items";
    const TITLE: &'static str = "Org agenda";
    const DESCRIPTION: &'static str =
        "What is scheduled or due on some days, repeating dates included, and what is overdue.";
    const EXAMPLE: &'static str = r#"{"from": "2026-01-31", "days": 7}"#;

    fn call(files: &Files<'_>, query: AgendaQuery) -> Result<AgendaAnswer, Refusal> {
        let (items, total) = first(agenda::items(files, &query)?);
        Ok(AgendaAnswer { items, total })
    }
}
