//! Org files: finding headlines and tasks, and changing them without touching the bytes around.

mod capture;
mod change;
mod export;
mod find;
mod headline;
mod read;
mod structure;
mod transfer;

pub(super) use capture::Capture;
pub(super) use change::{AddTodo, EditBody, EditHeadline, ScheduleTask, SetProperties, UpdateTodoState};
pub(super) use export::ExportSection;
pub(super) use find::{GetAgendaItems, GetTodos, SearchContent, SearchHeadlines};
pub(super) use headline::{GetHeadline, GetOutline};
pub(super) use read::{GetProperties, GetTagConfig, GetTodoConfig};
pub(super) use structure::{Clock, GetClockSums, Restructure, SetCheckbox};
pub(super) use transfer::{ArchiveTask, Refile, UpdateTodoStates};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Effect, Needs},
};
use crate::{
    Toolset,
    org::{Files, OrgError},
};

/// A tool for the Org files of the project; see [`AgentTool`].
pub(in super::super) trait OrgTool {
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    type Answer: Serialize + JsonSchema + AnswerText + 'static;
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect = Effect::Reads;
    const EXAMPLE: &'static str;
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    fn call(files: &Files<'_>, arguments: Self::Arguments) -> Result<Self::Answer, Refusal>;
}

impl<T: OrgTool> AgentTool for T {
    type Arguments = T::Arguments;
    type Answer = T::Answer;
    const NAME: &'static str = T::NAME;
    const TITLE: &'static str = T::TITLE;
    const DESCRIPTION: &'static str = T::DESCRIPTION;
    const TOOLSET: Toolset = Toolset::Org;
    const EFFECT: Effect = T::EFFECT;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = T::EXAMPLE;
    const ALIASES: &'static [(&'static str, &'static str)] = T::ALIASES;

    fn call(core: &Core, arguments: Self::Arguments) -> Result<Self::Answer, Refusal> {
        <T as OrgTool>::call(&core.org_files(), arguments)
    }
}

impl From<OrgError> for Refusal {
    fn from(error: OrgError) -> Self {
        let next = match &error {
            OrgError::BadUri(_) | OrgError::Invalid(_) | OrgError::WholeFile => {
                return Self::arguments(vec![error.to_string()]);
            }
            OrgError::NoHeadline(_) | OrgError::NoId(_) => {
                "org_search_headlines finds headlines and their URIs"
            }
            OrgError::Ambiguous { .. } => "make the call again with one of these URIs",
            OrgError::NotAHeadline { .. } => "make the call again with the line of the headline",
            OrgError::Changed { .. } => "look at the headline again and make the change again",
            _ => return Self::because(error.to_string()),
        };
        Self::because(error.to_string()).next(next)
    }
}
