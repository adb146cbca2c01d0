//! The tools, one file per group of related tools.

mod about;
mod change;
mod convert;
mod examples;
mod explain;
mod frontmatter;
mod mermaid;
mod org;
mod quills;
#[cfg(feature = "render")]
mod render;
mod repair;
mod summary;
mod templates;
mod validate;
mod write;

pub(super) use explain::explanation_markdown;

use super::tool::Tool;
use crate::ServiceError;

/// All tools, in the order in which they are listed.
pub(super) fn all() -> Result<Vec<Tool>, ServiceError> {
    Ok(vec![
        Tool::of::<about::About>()?,
        Tool::of::<validate::Validate>()?,
        Tool::of::<explain::ExplainError>()?,
        Tool::of::<repair::FixText>()?,
        Tool::of::<repair::ApplyPatch>()?,
        Tool::of::<write::WriteFile>()?,
        Tool::of::<summary::GetSchemaSummary>()?,
        Tool::of::<examples::ListExamples>()?,
        Tool::of::<examples::GetExample>()?,
        Tool::of::<explain::ListRules>()?,
        Tool::of::<quills::ListQuills>()?,
        Tool::of::<quills::GetQuillInfo>()?,
        Tool::of::<templates::ListTemplates>()?,
        Tool::of::<templates::GetTemplate>()?,
        Tool::of::<frontmatter::ValidateFrontmatter>()?,
        Tool::of::<mermaid::ValidateMermaid>()?,
        Tool::of::<org::GetHeadline>()?,
        Tool::of::<org::GetOutline>()?,
        Tool::of::<org::SearchHeadlines>()?,
        Tool::of::<org::GetTodos>()?,
        Tool::of::<org::SearchContent>()?,
        Tool::of::<org::GetProperties>()?,
        Tool::of::<org::GetTodoConfig>()?,
        Tool::of::<org::GetTagConfig>()?,
        Tool::of::<org::GetAgendaItems>()?,
        Tool::of::<org::UpdateTodoState>()?,
        Tool::of::<org::ScheduleTask>()?,
        Tool::of::<org::AddTodo>()?,
        Tool::of::<org::EditHeadline>()?,
        Tool::of::<org::Capture>()?,
        Tool::of::<org::EditBody>()?,
        Tool::of::<org::SetProperties>()?,
        Tool::of::<org::Refile>()?,
        Tool::of::<org::ArchiveTask>()?,
        Tool::of::<org::UpdateTodoStates>()?,
        Tool::of::<org::Restructure>()?,
        Tool::of::<org::SetCheckbox>()?,
        Tool::of::<org::Clock>()?,
        Tool::of::<org::GetClockSums>()?,
        Tool::of::<org::ExportSection>()?,
        Tool::of::<convert::ListFormats>()?,
        Tool::of::<convert::RenderQuarto>()?,
        #[cfg(feature = "render")]
        Tool::of::<render::RenderDocument>()?,
        #[cfg(feature = "render")]
        Tool::of::<render::RenderDocuments>()?,
        #[cfg(feature = "render")]
        Tool::of::<render::ClearRendered>()?,
        #[cfg(feature = "render")]
        Tool::of::<render::DrawDiagram>()?,
    ])
}
