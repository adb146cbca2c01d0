use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crate::{convert, text::nearest};

use super::{
    Global,
    console::Console,
    exit::{Exit, Fault, shown},
    project::open_for_reference,
};

/// List Markdown documents to start from, or write one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark templates
  proofmark templates \"Formal letter\" > letter.md
  proofmark templates inspect acme.pptx         layouts, placeholders and fonts of a presentation")]
pub(super) struct Arguments {
    /// Name of the template
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// With `inspect`: a presentation to use as a template
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    if let (Some("inspect"), Some(file)) = (arguments.name.as_deref(), &arguments.file) {
        return inspect(file);
    }
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

/// Shows what a presentation offers as a template.
fn inspect(file: &Path) -> Result<Exit, Fault> {
    let bytes = convert::read_template(file).map_err(|error| Fault::read(file, error))?;
    let found = convert::describe_template(&bytes)
        .map_err(|why| Fault::usage(format!("`{}` cannot be a template: {why}", shown(file))))?;
    let mut text = String::new();
    #[allow(clippy::cast_precision_loss, reason = "sizes of slides are far below 2^52")]
    let centimeters = |length: i64| length as f64 / 360_000.0;
    let _ = writeln!(text, "size   {:.1} x {:.1} cm", centimeters(found.width), centimeters(found.height));
    let _ = writeln!(text, "fonts  {}", found.fonts.join(", "));
    for layout in &found.layouts {
        let _ = writeln!(text, "layout {}", layout.name);
        for place in &layout.placeholders {
            let index = place.index.as_deref().unwrap_or("0");
            let (width, height) = (centimeters(place.rect.width), centimeters(place.rect.height));
            let _ = writeln!(text, "  {:9} {index:>3}  {width:5.1} x {height:4.1} cm", place.kind);
        }
    }
    for name in &found.missing {
        let _ = writeln!(text, "missing layout {name}: slides that want it use a similar one");
    }
    Console::print(&text)?;
    Ok(Exit::Clean)
}
