//! Tools that move headlines, and those that change several at once.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{
        refusal::Refusal,
        tool::{AnswerText, Effect},
    },
    OrgTool,
    change::GuardArguments,
};
use crate::org::{
    Files,
    guarded::{self, FileChange},
    states,
    transfer::{self, Moved},
};

/// What became of several files.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct FilesAnswer {
    success: bool,
    /// The files that change.
    files: Vec<FileChange>,
    /// The headline where it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<String>,
}

impl From<Moved> for FilesAnswer {
    fn from(moved: Moved) -> Self {
        Self {
            success: true,
            files: moved.files,
            resource_uri: Some(moved.headline.resource_uri),
            org_id: moved.headline.org_id,
        }
    }
}

impl AnswerText for FilesAnswer {
    fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let written = if file.written { "written" } else { "not written" };
            let _ = writeln!(text, "{written}: {}\n{}", file.file, file.diff);
        }
        if let Some(uri) = &self.resource_uri {
            let _ = writeln!(text, "now at {uri}");
        }
        text
    }
}

/// `org_refile`
pub(in super::super) struct Refile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct RefileArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// The headline to move it below, or the file: `org://FILE`.
    target_uri: String,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for Refile {
    type Arguments = RefileArguments;
    type Answer = FilesAnswer;
    const NAME: &'static str = "org_refile";
    const TITLE: &'static str = "Move an Org headline";
    const DESCRIPTION: &'static str = "Moves a headline with everything below it: to the end of what is below another headline, or of a file. The stars are adapted, nothing else.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://inbox.org/headline/Report", "targetUri": "org://work.org/headline/Projects"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("resource_uri", "resourceUri"),
        ("uri", "resourceUri"),
        ("target_uri", "targetUri"),
        ("expectHash", "expect_hash"),
        ("dryRun", "dry_run"),
    ];

    fn call(files: &Files<'_>, arguments: RefileArguments) -> Result<FilesAnswer, Refusal> {
        let RefileArguments { resource_uri, target_uri, guard } = arguments;
        Ok(transfer::refile(files, &resource_uri, &target_uri, guard.guard())?.into())
    }
}

/// `org_archive`
pub(in super::super) struct ArchiveTask;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ArchiveArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for ArchiveTask {
    type Arguments = ArchiveArguments;
    type Answer = FilesAnswer;
    const NAME: &'static str = "org_archive";
    const TITLE: &'static str = "Archive an Org headline";
    const DESCRIPTION: &'static str = "Moves a headline with everything below it into the archive that its file names (`FILE_archive` by default), with properties that say where it was.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("resource_uri", "resourceUri"),
        ("uri", "resourceUri"),
        ("expectHash", "expect_hash"),
        ("dryRun", "dry_run"),
    ];

    fn call(files: &Files<'_>, arguments: ArchiveArguments) -> Result<FilesAnswer, Refusal> {
        Ok(transfer::archive(files, &arguments.resource_uri, arguments.guard.guard())?.into())
    }
}

/// `org_update_todo_states`
pub(in super::super) struct UpdateTodoStates;

#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct StatesArguments {
    changes: Vec<StateChange>,
    /// Show the changes without writing them.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct StateChange {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    /// Its TODO keyword now; empty for none.
    current_state: String,
    /// The new one; empty for none.
    new_state: String,
}

impl OrgTool for UpdateTodoStates {
    type Arguments = StatesArguments;
    type Answer = FilesAnswer;
    const NAME: &'static str = "org_update_todo_states";
    const TITLE: &'static str = "Change several Org TODO keywords";
    const DESCRIPTION: &'static str = "Changes the TODO keywords of several headlines: of all of them, or of none if one cannot be changed.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"changes": [{"resourceUri": "org://notes.org/headline/Report", "currentState": "TODO", "newState": "DONE"}]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("dryRun", "dry_run")];

    fn call(files: &Files<'_>, arguments: StatesArguments) -> Result<FilesAnswer, Refusal> {
        let changes: Vec<_> = arguments
            .changes
            .into_iter()
            .map(|change| (change.resource_uri, change.current_state, change.new_state))
            .collect();
        let guard = guarded::Guard { expect_hash: None, dry_run: arguments.dry_run };
        let files = states::change_states(files, guard, &changes)?;
        Ok(FilesAnswer { success: true, files, resource_uri: None, org_id: None })
    }
}
