use std::fmt::Write as _;

use crate::{
    kinds::{Kind, Layer},
    project::{describe_kind, tree_schema},
};

use super::{
    Global,
    arguments::OutputFormat,
    console::Console,
    exit::{Exit, Fault},
    project::open_for_reference,
    style::Style,
};

/// List the document kinds, or describe one
///
/// With a name: the file names the kind is for, what rules can look for in it, and the JSON Schema of
/// its tree.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark kinds
  proofmark kinds markdown
  proofmark kinds markdown --format json | jq .tree")]
pub(super) struct Arguments {
    /// Name of the kind
    #[arg(value_name = "KIND")]
    name: Option<String>,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open_for_reference(global)?;
    let kinds: Vec<&dyn Kind> = project.kinds().iter().map(AsRef::as_ref).collect();
    let style = Style::new(console.color());
    let text = match (&arguments.name, arguments.format) {
        (None, OutputFormat::Text) => list(&kinds, style),
        (None, OutputFormat::Json) => {
            format!("{:#}\n", project.describe_kinds())
        }
        (Some(name), OutputFormat::Text) => describe(project.kind_named(name)?.as_ref(), style),
        (Some(name), OutputFormat::Json) => {
            format!("{:#}\n", describe_kind(project.kind_named(name)?.as_ref()))
        }
    };
    Console::print(&text)?;
    Ok(Exit::Clean)
}

fn list(kinds: &[&dyn Kind], style: Style) -> String {
    let width = kinds.iter().map(|kind| kind.name().len()).max().unwrap_or_default();
    let mut text = String::new();
    for kind in kinds {
        let name = style.bold(&format!("{:<width$}", kind.name()));
        let globs = kind.globs().join(", ");
        let _ = writeln!(text, "{name}  {}\n{:width$}  {globs}", kind.description(), "");
    }
    text
}

fn describe(kind: &dyn Kind, style: Style) -> String {
    let mut text = format!("{}  {}\n", style.bold(kind.name()), kind.description());
    let _ = writeln!(text, "\nfiles   {}", kind.globs().join(", "));
    if !kind.languages().is_empty() {
        let _ = writeln!(text, "fences  {}", kind.languages().join(", "));
    }
    let _ = writeln!(text, "suppress with  {}", kind.comment("proofmark-ignore ID: reason"));
    for (layer, title) in [
        (Layer::Syntax, "Faults of the syntax, for `check: {syntax: NAME}`"),
        (Layer::Fact, "Facts of the semantics, for `check: {fact: NAME}`"),
    ] {
        let observed: Vec<_> = kind.observables().iter().filter(|known| known.layer == layer).collect();
        if observed.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", style.bold(title));
        for known in observed {
            let _ = write!(text, "  {}", known.name);
            for (title, names) in [("values", &known.values), ("places", &known.places)] {
                let names: Vec<&str> = names.iter().collect();
                if !names.is_empty() {
                    let _ = write!(text, "  {title}: {}", names.join(", "));
                }
            }
            text.push('\n');
        }
    }
    let _ = writeln!(text, "\n{}\n{:#}", style.bold("Tree, for `given:` (JSON Schema)"), tree_schema(kind));
    text
}
