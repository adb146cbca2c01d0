//! Exporting sections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Needs},
};
use crate::{Toolset, convert, org::resource};

/// `org_export_section`
pub(in super::super) struct ExportSection;

/// A format that a section is exported to.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Format {
    Html,
    Markdown,
    Latex,
    Plain,
}

impl Format {
    /// The name of Pandoc's writer.
    fn writer(self) -> &'static str {
        match self {
            Self::Html => "html5",
            Self::Markdown => "gfm",
            Self::Latex => "latex",
            Self::Plain => "plain",
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ExportArguments {
    /// The headline: `org://FILE/headline/TITLE` or `org://id/ID`.
    resource_uri: String,
    format: Format,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct ExportAnswer {
    /// The section in the format, without a document around it.
    text: String,
    resource_uri: String,
}

impl AnswerText for ExportAnswer {
    fn text(&self) -> String {
        self.text.clone()
    }
}

impl AgentTool for ExportSection {
    type Arguments = ExportArguments;
    type Answer = ExportAnswer;
    const NAME: &'static str = "org_export_section";
    const TITLE: &'static str = "Export an Org section";
    const DESCRIPTION: &'static str = "A headline with everything below it as HTML, Markdown, LaTeX or plain text, without running code. Needs pandoc.";
    const TOOLSET: Toolset = Toolset::Org;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str =
        r#"{"resourceUri": "org://notes.org/headline/Report", "format": "markdown"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("resource_uri", "resourceUri"), ("uri", "resourceUri")];

    fn call(core: &Core, arguments: ExportArguments) -> Result<ExportAnswer, Refusal> {
        let ExportArguments { resource_uri, format } = arguments;
        let document = resource::as_document(&core.org_files(), &resource_uri)?;
        let text = convert::translated(&core.pandoc, "org", format.writer(), &document)
            .map_err(|error| Refusal::because(error.message).next(error.details))?;
        Ok(ExportAnswer { text, resource_uri })
    }
}
