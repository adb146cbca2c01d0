use std::fmt::Write as _;

use crate::text::nearest;

use super::{
    Global,
    console::Console,
    exit::{Exit, Fault},
    project::open_for_reference,
};

/// List Markdown documents to start from, or write one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark templates
  proofmark templates \"Formal letter\" > letter.md")]
pub(super) struct Arguments {
    /// Name of the template
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let project = open_for_reference(global)?;
    let templates = project.templates().map_err(|error| Fault::usage(error.to_string()))?;
    let Some(name) = &arguments.name else {
        let width = templates.iter().map(|template| template.name.chars().count()).max().unwrap_or_default();
        let mut text = String::new();
        for template in templates.iter() {
            let _ = writeln!(text, "{:width$}  {}", template.name, template.description);
        }
        Console::print(&text)?;
        return Ok(Exit::Clean);
    };
    let Some(template) = templates.get(name) else {
        let near = nearest(name, templates.iter().map(|template| template.name.as_str()));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`proofmark templates` lists them".to_owned(),
        };
        return Err(Fault::with_hint(format!("there is no template `{name}`"), hint));
    };
    let markdown = templates.markdown(template).map_err(|error| Fault::usage(error.to_string()))?;
    Console::print(&markdown)?;
    Ok(Exit::Clean)
}
