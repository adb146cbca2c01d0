//! New headlines in configured forms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    super::super::{refusal::Refusal, tool::Effect},
    OrgTool,
    change::{ChangeAnswer, GuardArguments},
};
use crate::org::{Files, capture};

/// `org_capture`
pub(in super::super) struct Capture;

#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct CaptureArguments {
    /// Name of a template of the configuration.
    template: String,
    /// Values of its placeholders by name.
    #[serde(default)]
    values: BTreeMap<String, String>,
    #[serde(flatten)]
    guard: GuardArguments,
}

impl OrgTool for Capture {
    type Arguments = CaptureArguments;
    type Answer = ChangeAnswer;
    const NAME: &'static str = "org_capture";
    const TITLE: &'static str = "Add an Org headline by a template";
    const DESCRIPTION: &'static str = "Adds a headline in a form that `[org.capture]` of the configuration has. If a value is missing or the name is unknown, the refusal lists those that exist.";
    const EFFECT: Effect = Effect::Writes;
    const EXAMPLE: &'static str = r#"{"template": "call", "values": {"who": "Ann"}}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("expectHash", "expect_hash"), ("dryRun", "dry_run")];

    fn call(files: &Files<'_>, arguments: CaptureArguments) -> Result<ChangeAnswer, Refusal> {
        let CaptureArguments { template, values, guard } = arguments;
        Ok(capture::capture(files, &template, &values, guard.guard())?.into())
    }
}
