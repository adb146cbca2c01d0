//! Tools that change headlines.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{
        refusal::Refusal,
        tool::{AnswerText, Effect},
    },
    OrgTool,
};
use crate::org::{
    Files, Location,
    change::{Dates, LineChange, NewHeadline},
    guarded::{self, Changed, FileChange, Guard},
};

/// What a change has come to.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ChangeAnswer {
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

impl From<FileChange> for ChangeAnswer {
    fn from(changed: FileChange) -> Self {
        Self {
            success: true,
            written: changed.written,
            resource_uri: Location::uri_of(&changed.file),
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

/// Arguments of every change.
#[derive(Deserialize, JsonSchema)]
pub(super) struct GuardArguments {
    /// `hash` of an earlier answer; refused if the file has changed since.
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default)]
    dry_run: bool,
}

impl GuardArguments {
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard { expect_hash: self.expect_hash.as_deref(), dry_run: self.dry_run }
    }
}

/// Names that clients of similar tools use.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("resource_uri", "resourceUri"),
    ("uri", "resourceUri"),
    ("current_title", "currentTitle"),
    ("expectHash", "expect_hash"),
    ("dryRun", "dry_run"),
];

/// `org_update_todo_state`
pub(in super::super) struct UpdateTodoState;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct StateArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Its TODO keyword now; empty for none.
    current_state: String,
    /// The new one; empty for none.
    new_state: String,
    /// Why: recorded below the headline with the time and both keywords, as Emacs does it.
    note: Option<String>,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for UpdateTodoState {
    type Arguments = StateArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_update_todo_state";
    const TITLE: &'static str = "Change an Org TODO keyword";
    const DESCRIPTION: &'static str = "Changes the TODO keyword of a headline, if it is `currentState` now, as Emacs does: a repeating task that is done starts again at its next date; CLOSED, records and cookies as the file says.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "currentState": "TODO", "newState": "DONE"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: StateArguments) -> Result<ChangeAnswer, Refusal> {
        let mut mismatch = None;
        let changed =
            guarded::change(files, &arguments.resource_uri, arguments.guard.guard(), |headline, target| {
                let actual = headline.todo.clone().unwrap_or_default();
                if actual != arguments.current_state {
                    mismatch = Some((actual, headline.clone()));
                    return Ok(Vec::new());
                }
                target.set_state(&arguments.new_state, arguments.note.as_deref().map(|note| files.note(note)))
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
                // A repeating task starts again.
                new_state: Some(changed.headline.todo.clone().unwrap_or_default()),
                ..changed.into()
            },
        })
    }
}

/// `org_schedule_task`
pub(in super::super) struct ScheduleTask;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ScheduleArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// New date: `2026-01-31`, `2026-01-31 10:00 +1w`, `tomorrow`, `+2d`, `fri`, `2026-W48`.
    scheduled: Option<String>,
    /// New date.
    deadline: Option<String>,
    #[serde(default)]
    remove_scheduled: bool,
    #[serde(default)]
    remove_deadline: bool,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for ScheduleTask {
    type Arguments = ScheduleArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_schedule_task";
    const TITLE: &'static str = "Schedule an Org task";
    const DESCRIPTION: &'static str = "Sets or removes the scheduled date and the deadline of a headline. The repeater stays if the new date has none.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "scheduled": "2026-01-31", "removeDeadline": true}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: ScheduleArguments) -> Result<ChangeAnswer, Refusal> {
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
        let changed =
            guarded::change(files, &arguments.resource_uri, arguments.guard.guard(), |_, target| {
                target.set_dates(&dates)
            })?;
        Ok(changed.into())
    }
}

/// `org_add_todo`
pub(in super::super) struct AddTodo;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct AddArguments {
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
    /// Day of a date tree to add it to.
    datetree: Option<String>,
    /// Make the file if there is none.
    #[serde(default)]
    create: bool,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for AddTodo {
    type Arguments = AddArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_add_todo";
    const TITLE: &'static str = "Add an Org task";
    const DESCRIPTION: &'static str =
        "Adds a headline as the last one below another, or at the end of a file. It gets an ID.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str =
        r#"{"parentUri": "org://notes.org/headline/Work", "title": "Call Ann", "todoState": "TODO"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("parent_uri", "parentUri"),
        ("todo_state", "todoState"),
        ("state", "todoState"),
        ("expectHash", "expect_hash"),
        ("dryRun", "dry_run"),
    ];

    fn call(files: &Files<'_>, arguments: AddArguments) -> Result<ChangeAnswer, Refusal> {
        let new = NewHeadline {
            title: arguments.title,
            todo: arguments.todo_state,
            tags: arguments.tags,
            scheduled: arguments.scheduled,
            deadline: arguments.deadline,
            body: arguments.body,
            datetree: arguments.datetree,
            create: arguments.create,
        };
        Ok(guarded::add(files, &arguments.parent_uri, arguments.guard.guard(), &new)?.into())
    }
}

/// `org_edit_headline`
pub(in super::super) struct EditHeadline;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct EditArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Its title now.
    current_title: String,
    new_title: Option<String>,
    /// Priority such as `A`; empty to remove it.
    priority: Option<String>,
    #[serde(default)]
    add_tags: Vec<String>,
    #[serde(default)]
    remove_tags: Vec<String>,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for EditHeadline {
    type Arguments = EditArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_edit_headline";
    const TITLE: &'static str = "Edit an Org headline";
    const DESCRIPTION: &'static str =
        "Changes the title, the priority, and the tags of a headline, if its title is `currentTitle` now.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "currentTitle": "Report", "addTags": ["work"]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: EditArguments) -> Result<ChangeAnswer, Refusal> {
        let change = LineChange {
            title: arguments.new_title,
            priority: arguments
                .priority
                .map(|priority| Some(priority).filter(|priority| !priority.is_empty())),
            add_tags: arguments.add_tags,
            remove_tags: arguments.remove_tags,
        };
        let current = arguments.current_title;
        let changed =
            guarded::change(files, &arguments.resource_uri, arguments.guard.guard(), |headline, target| {
                guarded::check_title(headline, Some(&current))?;
                target.set_line(&change)
            })?;
        Ok(changed.into())
    }
}

/// `org_edit_body`
pub(in super::super) struct EditBody;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct BodyArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Text that occurs once below the headline; empty to add `newText` at the end.
    #[serde(default)]
    old_text: String,
    new_text: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for EditBody {
    type Arguments = BodyArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_edit_body";
    const TITLE: &'static str = "Edit the text below an Org headline";
    const DESCRIPTION: &'static str = "Replaces or adds text between a headline and the next one. Dates and properties have tools of their own.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "oldText": "draft", "newText": "final"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("resource_uri", "resourceUri"),
        ("uri", "resourceUri"),
        ("old_text", "oldText"),
        ("new_text", "newText"),
        ("replace_all", "replaceAll"),
        ("expectHash", "expect_hash"),
        ("dryRun", "dry_run"),
    ];

    fn call(files: &Files<'_>, arguments: BodyArguments) -> Result<ChangeAnswer, Refusal> {
        let BodyArguments { resource_uri, old_text, new_text, replace_all, guard } = arguments;
        let changed = guarded::change(files, &resource_uri, guard.guard(), |_, target| {
            target.edit_body(&old_text, &new_text, replace_all)
        })?;
        Ok(changed.into())
    }
}

/// `org_set_properties`
pub(in super::super) struct SetProperties;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct SetArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Values by name.
    #[serde(default)]
    properties: BTreeMap<String, String>,
    /// Names of properties to remove.
    #[serde(default)]
    remove: Vec<String>,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for SetProperties {
    type Arguments = SetArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_set_properties";
    const TITLE: &'static str = "Set Org properties";
    const DESCRIPTION: &'static str = "Sets and removes properties of a headline or a file (`org://FILE`). `TODO`, `PRIORITY`, `SCHEDULED` and `DEADLINE` change those.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "properties": {"Effort": "1:30"}}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: SetArguments) -> Result<ChangeAnswer, Refusal> {
        let set = arguments.properties.into_iter().map(|(key, value)| (key, Some(value)));
        let all = set.chain(arguments.remove.into_iter().map(|key| (key, None))).collect();
        let (uri, guard) = (&arguments.resource_uri, arguments.guard.guard());
        if guarded::is_file(uri) {
            return Ok(guarded::set_file_properties(files, uri, guard, &all)?.into());
        }
        let changed = guarded::change(files, uri, guard, |_, target| target.set_properties(&all))?;
        Ok(changed.into())
    }
}
