//! Tools that change the place of a headline, its checkboxes, and its clocks.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{
        refusal::Refusal,
        tool::{AnswerText, Effect},
    },
    OrgTool,
    change::{ALIASES, ChangeAnswer, GuardArguments},
};
use crate::org::{
    Files,
    clocked::{self, ClockQuery, Clocked},
    guarded::{self, ClockAction, Move},
};

/// `org_restructure`
pub(in super::super) struct Restructure;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Promote,
    Demote,
    Up,
    Down,
    Delete,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct RestructureArguments {
    resource_uri: String,
    /// `up`, `down`: past the headline of the same level.
    action: Action,
    /// Its title now; required for `delete`.
    current_title: Option<String>,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for Restructure {
    type Arguments = RestructureArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_restructure";
    const TITLE: &'static str = "Promote, demote, reorder or delete an Org headline";
    const DESCRIPTION: &'static str =
        "Changes the level or the order of a headline with everything below it, or deletes it.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "action": "up"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: RestructureArguments) -> Result<ChangeAnswer, Refusal> {
        let RestructureArguments { resource_uri, action, current_title, guard } = arguments;
        let how = match action {
            Action::Promote => Move::Promote,
            Action::Demote => Move::Demote,
            Action::Up => Move::Up,
            Action::Down => Move::Down,
            Action::Delete => {
                if current_title.is_none() {
                    let reason = "`delete` needs `currentTitle`, so that nothing else is deleted";
                    return Err(Refusal::arguments(vec![reason.to_owned()]));
                }
                let change = guarded::delete(files, &resource_uri, guard.guard(), current_title.as_deref())?;
                return Ok(change.into());
            }
        };
        Ok(guarded::restructure(files, &resource_uri, guard.guard(), how)?.into())
    }
}

/// `org_set_checkbox`
pub(in super::super) struct SetCheckbox;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct CheckboxArguments {
    resource_uri: String,
    /// Text of the item, or a part that no other item has.
    item: String,
    /// Default: toggles.
    checked: Option<bool>,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for SetCheckbox {
    type Arguments = CheckboxArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_set_checkbox";
    const TITLE: &'static str = "Check an item of an Org list";
    const DESCRIPTION: &'static str =
        "Sets a checkbox directly below a headline, and updates the checkboxes and cookies above it.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Trip", "item": "passport", "checked": true}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: CheckboxArguments) -> Result<ChangeAnswer, Refusal> {
        let CheckboxArguments { resource_uri, item, checked, guard } = arguments;
        let changed = guarded::change(files, &resource_uri, guard.guard(), |_, target| {
            target.set_checkbox(&item, checked)
        })?;
        Ok(changed.into())
    }
}

/// `org_clock`
pub(in super::super) struct Clock;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ClockVerb {
    Start,
    Stop,
    Cancel,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ClockArguments {
    resource_uri: String,
    action: ClockVerb,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for Clock {
    type Arguments = ClockArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_clock";
    const TITLE: &'static str = "Start or stop an Org clock";
    const DESCRIPTION: &'static str = "Starts, stops or cancels the clock of a headline, in its drawer `LOGBOOK`. A file has one running clock.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "action": "start"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;

    fn call(files: &Files<'_>, arguments: ClockArguments) -> Result<ChangeAnswer, Refusal> {
        let action = match arguments.action {
            ClockVerb::Start => ClockAction::Start,
            ClockVerb::Stop => ClockAction::Stop,
            ClockVerb::Cancel => ClockAction::Cancel,
        };
        Ok(guarded::clock(files, &arguments.resource_uri, arguments.guard.guard(), action)?.into())
    }
}

/// `org_get_clock_sums`
pub(in super::super) struct GetClockSums;

/// Most headlines of an answer.
const MOST: usize = 200;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ClockAnswer {
    /// Minutes of all clocks.
    total: i64,
    headlines: Vec<ClockedHeadline>,
    /// How many headlines are left off.
    #[serde(skip_serializing_if = "crate::org::settings::is_zero")]
    more: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct ClockedHeadline {
    /// With the headlines below it.
    minutes: i64,
    /// Of its own clocks.
    own: i64,
    /// Since when its clock runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<String>,
    level: usize,
    title: String,
    resource_uri: String,
}

impl From<Clocked> for ClockedHeadline {
    fn from(clocked: Clocked) -> Self {
        let Clocked { headline, own, minutes, running } = clocked;
        Self {
            minutes,
            own,
            running,
            level: headline.level,
            title: headline.title,
            resource_uri: headline.resource_uri,
        }
    }
}

impl AnswerText for ClockAnswer {
    fn text(&self) -> String {
        let mut text = format!("{} clocked\n", clocked::duration(self.total));
        for headline in &self.headlines {
            let running = headline
                .running
                .as_ref()
                .map(|since| format!("  (running since {since})"))
                .unwrap_or_default();
            let stars = "*".repeat(headline.level.min(30));
            let _ = writeln!(
                text,
                "{:>6} {stars} {}{running}  {}",
                clocked::duration(headline.minutes),
                headline.title,
                headline.resource_uri
            );
        }
        if self.more > 0 {
            let _ = writeln!(text, "and {} more: restrict `files` or the days", self.more);
        }
        text
    }
}

impl OrgTool for GetClockSums {
    type Arguments = ClockQuery;
    type Answer = ClockAnswer;
    const NAME: &'static str = "org_get_clock_sums";
    const TITLE: &'static str = "Sum up Org clocks";
    const DESCRIPTION: &'static str = "How long clocks ran on headlines, and which clocks run.";
    const EXAMPLE: &'static str = r#"{"from": "2026-01-26", "to": "2026-01-31"}"#;

    fn call(files: &Files<'_>, query: ClockQuery) -> Result<ClockAnswer, Refusal> {
        let (mut found, total) = clocked::sums(files, &query)?;
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        Ok(ClockAnswer { total, headlines: found.into_iter().map(Into::into).collect(), more })
    }
}
