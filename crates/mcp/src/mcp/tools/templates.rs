use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        core::Core,
        refusal::Refusal,
        tool::{AgentTool, AnswerText},
    },
    quills::NoArguments,
};
use crate::{
    Toolset,
    project::config::{Template, TemplateError, Templates},
    text::{clip, nearest, plural, visible},
};

/// `list_markdown_templates`
pub(super) struct ListTemplates;

#[derive(Serialize, JsonSchema)]
pub(super) struct TemplateList {
    templates: Vec<TemplateLine>,
}

#[derive(Serialize, JsonSchema)]
struct TemplateLine {
    name: String,
    description: String,
}

/// The available templates.
fn templates(core: &Core) -> Result<Templates, Refusal> {
    core.project.templates().map_err(|error| refused(&error))
}

fn refused(error: &TemplateError) -> Refusal {
    let reason = visible(&clip(&error.to_string(), 240)).into_owned();
    Refusal::because(reason).next("report this to the operator of the server; all other tools work")
}

impl AgentTool for ListTemplates {
    type Arguments = NoArguments;
    type Answer = TemplateList;
    const NAME: &'static str = "list_markdown_templates";
    const TITLE: &'static str = "List templates";
    const DESCRIPTION: &'static str = "Lists Markdown documents to start from.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, _: NoArguments) -> Result<TemplateList, Refusal> {
        let line = |template: &Template| TemplateLine {
            name: template.name.clone(),
            description: template.description.clone(),
        };
        Ok(TemplateList { templates: templates(core)?.iter().map(line).collect() })
    }
}

impl AnswerText for TemplateList {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.templates.len(), "template"));
        for template in &self.templates {
            let _ = writeln!(text, "{}: {}", template.name, template.description);
        }
        text + "Next: get_markdown_template {\"template_name\": …}"
    }
}

/// `get_markdown_template`
pub(super) struct GetTemplate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct TemplateArguments {
    /// Name from `list_markdown_templates`.
    template_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct TemplateText {
    template_name: String,
    markdown: String,
}

impl AgentTool for GetTemplate {
    type Arguments = TemplateArguments;
    type Answer = TemplateText;
    const NAME: &'static str = "get_markdown_template";
    const TITLE: &'static str = "Get a template";
    const DESCRIPTION: &'static str = "Returns the Markdown of one template.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EXAMPLE: &'static str = r#"{"template_name": "Letter"}"#;

    fn call(core: &Core, arguments: TemplateArguments) -> Result<TemplateText, Refusal> {
        let name = arguments.template_name;
        let known = templates(core)?;
        let Some(template) = known.get(&name) else {
            let near = nearest(&name, known.iter().map(|template| template.name.as_str()));
            let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            let reason = format!("there is no template `{}`{near}", visible(&clip(&name, 60)));
            return Err(Refusal::because(reason).next("list_markdown_templates lists the names"));
        };
        let markdown = known.markdown(template).map_err(|error| refused(&error))?;
        Ok(TemplateText { template_name: name, markdown })
    }
}

impl AnswerText for TemplateText {
    fn text(&self) -> String {
        format!("{}\n````\n{}\n````", self.template_name, self.markdown.trim_end())
    }
}
