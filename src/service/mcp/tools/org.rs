//! Org files: finding headlines and tasks, and changing them without touching the bytes around.

use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Effect, Needs},
};
use crate::{
    org::{
        Files, HeadlineInfo, OrgError, agenda,
        agenda::{AgendaItem, AgendaQuery},
        change::{Dates, LineChange, NewHeadline},
        guarded::{self, Changed, Guard},
        properties, search,
        search::{ContentQuery, HeadlineQuery, Match, TodoQuery},
        settings,
        settings::{TagConfig, TodoConfig},
    },
    service::Toolset,
    text::plural,
};

/// Most headlines, tasks or items in an answer.
const MOST: usize = 200;

impl From<OrgError> for Refusal {
    fn from(error: OrgError) -> Self {
        let next = match &error {
            OrgError::BadUri(_) | OrgError::Invalid(_) | OrgError::WholeFile => {
                return Self::arguments(vec![error.to_string()]);
            }
            OrgError::NoHeadline(_) | OrgError::NoId(_) => {
                "org_search_headlines finds headlines and their URIs"
            }
            OrgError::Ambiguous { .. } => "give one of the headlines an ID, or reword its title",
            OrgError::Changed { .. } => "look at the headline again and make the change again",
            _ => return Self::because(error.to_string()),
        };
        Self::because(error.to_string()).next(next)
    }
}

fn files(core: &Core) -> Files<'_> {
    Files::of(&core.project)
}

/// Headlines that were found.
#[derive(Serialize, JsonSchema)]
pub(super) struct HeadlinesAnswer {
    /// At most 200.
    headlines: Vec<HeadlineInfo>,
    total: usize,
}

impl From<Vec<HeadlineInfo>> for HeadlinesAnswer {
    fn from(mut headlines: Vec<HeadlineInfo>) -> Self {
        let total = headlines.len();
        headlines.truncate(MOST);
        Self { headlines, total }
    }
}

impl AnswerText for HeadlinesAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.total, "headline"));
        for headline in &self.headlines {
            let _ = writeln!(text, "{}  {}", headline.line(), headline.resource_uri);
        }
        text
    }
}

/// `org_search_headlines`
pub(super) struct SearchHeadlines;

impl AgentTool for SearchHeadlines {
    type Arguments = HeadlineQuery;
    type Answer = HeadlinesAnswer;
    const NAME: &'static str = "org_search_headlines";
    const TITLE: &'static str = "Search Org headlines";
    const DESCRIPTION: &'static str = "Finds headlines of Org files by a part of their title and by tags. Each has a `resourceUri` for the other tools.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"query": "report", "tags": ["work"]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("exclude_tags", "excludeTags"), ("case_sensitive", "caseSensitive")];

    fn call(core: &Core, query: HeadlineQuery) -> Result<HeadlinesAnswer, Refusal> {
        Ok(search::headlines(&files(core), &query)?.into())
    }
}

/// `org_get_todos`
pub(super) struct GetTodos;

/// Tasks that were found.
#[derive(Serialize, JsonSchema)]
pub(super) struct TodosAnswer {
    /// At most 200.
    todos: Vec<HeadlineInfo>,
    total: usize,
}

impl AnswerText for TodosAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.total, "task"));
        for headline in &self.todos {
            let _ = writeln!(text, "{}  {}", headline.line(), headline.resource_uri);
        }
        text
    }
}

impl AgentTool for GetTodos {
    type Arguments = TodoQuery;
    type Answer = TodosAnswer;
    const NAME: &'static str = "org_get_todos";
    const TITLE: &'static str = "List Org tasks";
    const DESCRIPTION: &'static str = "Finds tasks of Org files by TODO keyword, tags, and dates. Without `states`, those that are not done.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"states": ["TODO"], "deadline": {"to": "2026-01-31"}}"#;

    fn call(core: &Core, query: TodoQuery) -> Result<TodosAnswer, Refusal> {
        let mut todos = search::todos(&files(core), &query)?;
        let total = todos.len();
        todos.truncate(MOST);
        Ok(TodosAnswer { todos, total })
    }
}

/// `org_search_content`
pub(super) struct SearchContent;

/// Lines that were found.
#[derive(Serialize, JsonSchema)]
pub(super) struct ContentAnswer {
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

impl AgentTool for SearchContent {
    type Arguments = ContentQuery;
    type Answer = ContentAnswer;
    const NAME: &'static str = "org_search_content";
    const TITLE: &'static str = "Search Org text";
    const DESCRIPTION: &'static str =
        "Finds lines of Org files that contain some text, in any case, with the headline that each is below.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"query": "invoice", "maxResults": 20}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("include_archived", "includeArchived"), ("max_results", "maxResults")];

    fn call(core: &Core, mut query: ContentQuery) -> Result<ContentAnswer, Refusal> {
        query.max_results = Some(query.max_results.unwrap_or(50).min(MOST));
        let (matches, total) = search::content(&files(core), &query)?;
        Ok(ContentAnswer { matches, total })
    }
}

/// `org_get_properties`
pub(super) struct GetProperties;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PropertiesArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Only these properties.
    properties: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PropertiesAnswer {
    /// Values by name.
    properties: BTreeMap<String, String>,
    resource_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<String>,
}

impl AnswerText for PropertiesAnswer {
    fn text(&self) -> String {
        let mut text = format!("{} of {}\n", plural(self.properties.len(), "propertie"), self.resource_uri);
        text = text.replace("1 propertie ", "1 property ");
        for (key, value) in &self.properties {
            let _ = writeln!(text, "{key}: {value}");
        }
        text
    }
}

impl AgentTool for GetProperties {
    type Arguments = PropertiesArguments;
    type Answer = PropertiesAnswer;
    const NAME: &'static str = "org_get_properties";
    const TITLE: &'static str = "Read Org properties";
    const DESCRIPTION: &'static str = "Reads the properties of a headline.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "properties": ["Effort"]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("resource_uri", "resourceUri"), ("uri", "resourceUri")];

    fn call(core: &Core, arguments: PropertiesArguments) -> Result<PropertiesAnswer, Refusal> {
        let names = arguments.properties.as_deref();
        let (headline, properties) = properties::get(&files(core), &arguments.resource_uri, names)?;
        Ok(PropertiesAnswer { properties, resource_uri: headline.resource_uri, org_id: headline.org_id })
    }
}

/// Which files a configuration is asked of.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ConfigArguments {
    /// Only these files.
    files: Option<Vec<String>>,
}

/// `org_get_todo_config`
pub(super) struct GetTodoConfig;

#[derive(Serialize, JsonSchema)]
pub(super) struct TodoConfigAnswer {
    /// Those of files without their own.
    sequences: Vec<settings::TodoSequence>,
    semantics: Vec<settings::StateMeaning>,
    /// The files that have their own.
    files: Vec<TodoConfig>,
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
        text
    }
}

impl AgentTool for GetTodoConfig {
    type Arguments = ConfigArguments;
    type Answer = TodoConfigAnswer;
    const NAME: &'static str = "org_get_todo_config";
    const TITLE: &'static str = "Read Org TODO keywords";
    const DESCRIPTION: &'static str = "The TODO keywords of Org files: sequences, in which `|` separates the final ones, and what each keyword means.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, arguments: ConfigArguments) -> Result<TodoConfigAnswer, Refusal> {
        let mut configs = settings::todo(&files(core), arguments.files.as_deref())?;
        let default = configs.remove(0);
        Ok(TodoConfigAnswer { sequences: default.sequences, semantics: default.semantics, files: configs })
    }
}

/// `org_get_tag_config`
pub(super) struct GetTagConfig;

impl AnswerText for TagConfig {
    fn text(&self) -> String {
        let mut text = String::new();
        for (title, files) in [("FILETAGS", &self.filetags), ("TAGS", &self.declared)] {
            for (file, tags) in files {
                let _ = writeln!(text, "{title} of {file}: {}", tags.join(" "));
            }
        }
        for (tag, count) in &self.used {
            let _ = writeln!(text, "{tag}: {}", plural(*count, "headline"));
        }
        text
    }
}

impl AgentTool for GetTagConfig {
    type Arguments = ConfigArguments;
    type Answer = TagConfig;
    const NAME: &'static str = "org_get_tag_config";
    const TITLE: &'static str = "Read Org tags";
    const DESCRIPTION: &'static str = "The tags of Org files: those that all headlines of a file have, those that it declares, and those in use.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, arguments: ConfigArguments) -> Result<TagConfig, Refusal> {
        Ok(settings::tags(&files(core), arguments.files.as_deref())?)
    }
}

/// `org_get_agenda_items`
pub(super) struct GetAgendaItems;

#[derive(Serialize, JsonSchema)]
pub(super) struct AgendaAnswer {
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

impl AgentTool for GetAgendaItems {
    type Arguments = AgendaQuery;
    type Answer = AgendaAnswer;
    const NAME: &'static str = "org_get_agenda_items";
    const TITLE: &'static str = "Org agenda";
    const DESCRIPTION: &'static str =
        "What is scheduled or due on some days, repeating dates included, and what is overdue.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"from": "2026-01-31", "days": 7}"#;

    fn call(core: &Core, query: AgendaQuery) -> Result<AgendaAnswer, Refusal> {
        let mut items = agenda::items(&files(core), &query)?;
        let total = items.len();
        items.truncate(MOST);
        Ok(AgendaAnswer { items, total })
    }
}

/// What a change has come to.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangeAnswer {
    /// Whether the change was made, or could be made with `dry_run`.
    success: bool,
    /// Whether the file was written.
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual_state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_state: Option<String>,
    /// The headline after the change.
    resource_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<String>,
    /// Hash of the file now, for `expect_hash`.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// The change as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

impl From<Changed> for ChangeAnswer {
    fn from(changed: Changed) -> Self {
        Self {
            success: true,
            written: changed.written,
            resource_uri: changed.headline.resource_uri,
            org_id: changed.headline.org_id,
            hash: Some(changed.hash),
            diff: Some(changed.diff),
            ..Self::default()
        }
    }
}

impl AnswerText for ChangeAnswer {
    fn text(&self) -> String {
        if let Some(error) = &self.error {
            let shown = |state: &Option<String>| state.clone().unwrap_or_default();
            let (expected, actual) = (shown(&self.expected_state), shown(&self.actual_state));
            return format!("FAILED: {error}: expected `{expected}`, found `{actual}`");
        }
        let written = if self.written { "written" } else { "not written" };
        format!("{written}: {}\n{}", self.resource_uri, self.diff.as_deref().unwrap_or_default())
    }

    fn failed(&self) -> bool {
        !self.success
    }
}

/// Names that clients of similar tools use.
const ALIASES: &[(&str, &str)] = &[
    ("resource_uri", "resourceUri"),
    ("uri", "resourceUri"),
    ("expectHash", "expect_hash"),
    ("dryRun", "dry_run"),
];

/// `org_update_todo_state`
pub(super) struct UpdateTodoState;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StateArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Its TODO keyword now; empty for none.
    current_state: String,
    /// The new one; empty for none.
    new_state: String,
    /// `hash` of an earlier answer; refused if the file has changed since.
    #[serde(rename = "expect_hash")]
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default, rename = "dry_run")]
    dry_run: bool,
}

impl AgentTool for UpdateTodoState {
    type Arguments = StateArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_update_todo_state";
    const TITLE: &'static str = "Change an Org TODO keyword";
    const DESCRIPTION: &'static str =
        "Changes the TODO keyword of a headline, if it is `currentState` now. Only the keyword changes.";
    const TOOLSET: Toolset = Toolset::Org;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "currentState": "TODO", "newState": "DONE"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(core: &Core, arguments: StateArguments) -> Result<ChangeAnswer, Refusal> {
        let guard = Guard { expect_hash: arguments.expect_hash.as_deref(), dry_run: arguments.dry_run };
        let mut mismatch = None;
        let changed = guarded::change(&files(core), &arguments.resource_uri, guard, |headline, target| {
            let actual = headline.todo.clone().unwrap_or_default();
            if actual != arguments.current_state {
                mismatch = Some((actual, headline.clone()));
                return Ok(Vec::new());
            }
            target.set_state(&arguments.new_state)
        })?;
        Ok(match mismatch {
            Some((actual, headline)) => ChangeAnswer {
                error: Some("State mismatch".to_owned()),
                actual_state: Some(actual),
                expected_state: Some(arguments.current_state),
                resource_uri: headline.resource_uri,
                org_id: headline.org_id,
                ..ChangeAnswer::default()
            },
            None => ChangeAnswer {
                previous_state: Some(arguments.current_state),
                new_state: Some(arguments.new_state),
                ..changed.into()
            },
        })
    }
}

/// `org_schedule_task`
pub(super) struct ScheduleTask;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScheduleArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// New date: `2026-01-31`, `2026-01-31 10:00 +1w`.
    scheduled: Option<String>,
    /// New date.
    deadline: Option<String>,
    #[serde(default)]
    remove_scheduled: bool,
    #[serde(default)]
    remove_deadline: bool,
    /// `hash` of an earlier answer; refused if the file has changed since.
    #[serde(rename = "expect_hash")]
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default, rename = "dry_run")]
    dry_run: bool,
}

impl AgentTool for ScheduleTask {
    type Arguments = ScheduleArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_schedule_task";
    const TITLE: &'static str = "Schedule an Org task";
    const DESCRIPTION: &'static str = "Sets or removes the scheduled date and the deadline of a headline. The repeater stays if the new date has none.";
    const TOOLSET: Toolset = Toolset::Org;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "scheduled": "2026-01-31", "removeDeadline": true}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(core: &Core, arguments: ScheduleArguments) -> Result<ChangeAnswer, Refusal> {
        let wanted = |name: &str, date: Option<String>, remove: bool| match (date, remove) {
            (Some(_), true) => {
                Err(Refusal::arguments(vec![format!("`{name}` cannot be set and removed in the same call")]))
            }
            (Some(date), false) => Ok(Some(Some(date))),
            (None, true) => Ok(Some(None)),
            (None, false) => Ok(None),
        };
        let dates = Dates {
            scheduled: wanted("scheduled", arguments.scheduled, arguments.remove_scheduled)?,
            deadline: wanted("deadline", arguments.deadline, arguments.remove_deadline)?,
        };
        let guard = Guard { expect_hash: arguments.expect_hash.as_deref(), dry_run: arguments.dry_run };
        let changed = guarded::change(&files(core), &arguments.resource_uri, guard, |_, target| {
            target.set_dates(&dates)
        })?;
        Ok(changed.into())
    }
}

/// `org_add_todo`
pub(super) struct AddTodo;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AddArguments {
    /// The headline to add it below, or the file: `org://FILE`.
    parent_uri: String,
    title: String,
    /// TODO keyword of the file; empty for none.
    todo_state: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    scheduled: Option<String>,
    deadline: Option<String>,
    /// Text below it.
    body: Option<String>,
    /// `hash` of an earlier answer; refused if the file has changed since.
    #[serde(rename = "expect_hash")]
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default, rename = "dry_run")]
    dry_run: bool,
}

impl AgentTool for AddTodo {
    type Arguments = AddArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_add_todo";
    const TITLE: &'static str = "Add an Org task";
    const DESCRIPTION: &'static str =
        "Adds a headline as the last one below another, or at the end of a file. It gets an ID.";
    const TOOLSET: Toolset = Toolset::Org;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str =
        r#"{"parentUri": "org://notes.org/headline/Work", "title": "Call Ann", "todoState": "TODO"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("parent_uri", "parentUri"),
        ("todo_state", "todoState"),
        ("state", "todoState"),
        ("expectHash", "expect_hash"),
        ("dryRun", "dry_run"),
    ];

    fn call(core: &Core, arguments: AddArguments) -> Result<ChangeAnswer, Refusal> {
        let guard = Guard { expect_hash: arguments.expect_hash.as_deref(), dry_run: arguments.dry_run };
        let new = NewHeadline {
            title: arguments.title,
            todo: arguments.todo_state,
            tags: arguments.tags,
            scheduled: arguments.scheduled,
            deadline: arguments.deadline,
            body: arguments.body,
        };
        Ok(guarded::add(&files(core), &arguments.parent_uri, guard, &new)?.into())
    }
}

/// `org_edit_headline`
pub(super) struct EditHeadline;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Its title now.
    current_title: String,
    new_title: Option<String>,
    #[serde(default)]
    add_tags: Vec<String>,
    #[serde(default)]
    remove_tags: Vec<String>,
    /// `hash` of an earlier answer; refused if the file has changed since.
    #[serde(rename = "expect_hash")]
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default, rename = "dry_run")]
    dry_run: bool,
}

impl AgentTool for EditHeadline {
    type Arguments = EditArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_edit_headline";
    const TITLE: &'static str = "Edit an Org headline";
    const DESCRIPTION: &'static str =
        "Changes the title and the tags of a headline, if its title is `currentTitle` now.";
    const TOOLSET: Toolset = Toolset::Org;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "currentTitle": "Report", "addTags": ["work"]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(core: &Core, arguments: EditArguments) -> Result<ChangeAnswer, Refusal> {
        let guard = Guard { expect_hash: arguments.expect_hash.as_deref(), dry_run: arguments.dry_run };
        let change = LineChange {
            title: arguments.new_title,
            add_tags: arguments.add_tags,
            remove_tags: arguments.remove_tags,
        };
        let current = arguments.current_title;
        let changed = guarded::change(&files(core), &arguments.resource_uri, guard, |headline, target| {
            if headline.title != current {
                let title = &headline.title;
                return Err(OrgError::Invalid(format!(
                    "title mismatch: expected `{current}`, found `{title}`"
                )));
            }
            target.set_line(&change)
        })?;
        Ok(changed.into())
    }
}

/// `org_set_properties`
pub(super) struct SetProperties;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Values by name.
    #[serde(default)]
    properties: BTreeMap<String, String>,
    /// Names of properties to remove.
    #[serde(default)]
    remove: Vec<String>,
    /// `hash` of an earlier answer; refused if the file has changed since.
    #[serde(rename = "expect_hash")]
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default, rename = "dry_run")]
    dry_run: bool,
}

impl AgentTool for SetProperties {
    type Arguments = SetArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_set_properties";
    const TITLE: &'static str = "Set Org properties";
    const DESCRIPTION: &'static str = "Sets and removes properties of a headline.";
    const TOOLSET: Toolset = Toolset::Org;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "properties": {"Effort": "1:30"}}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(core: &Core, arguments: SetArguments) -> Result<ChangeAnswer, Refusal> {
        let guard = Guard { expect_hash: arguments.expect_hash.as_deref(), dry_run: arguments.dry_run };
        let set = arguments.properties.into_iter().map(|(key, value)| (key, Some(value)));
        let all = set.chain(arguments.remove.into_iter().map(|key| (key, None))).collect();
        let changed = guarded::change(&files(core), &arguments.resource_uri, guard, |_, target| {
            target.set_properties(&all)
        })?;
        Ok(changed.into())
    }
}
