mod check;
mod export;
mod new;
mod preview;

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use crate::{
    kinds::quill::{FieldSchema, Quill},
    project::shown,
    render::{Library, Origin, SUPPORTED_FORMATS},
};
use serde_json::{Map, Value, json};

use super::{
    Global,
    arguments::OutputFormat,
    console::Console,
    exit::{Exit, Fault},
    library::library,
    project::open_for_reference,
    style::Style,
};

/// Quills: the formats that documents are rendered with
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(ListArguments),
    Info(InfoArguments),
    New(new::Arguments),
    Export(export::Arguments),
    Preview(preview::Arguments),
    Check(check::Arguments),
}

/// List the quills there are
#[derive(Debug, clap::Args)]
struct ListArguments {
    /// Format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Show what a quill requires of documents: fields, collections, example
#[derive(Debug, clap::Args)]
struct InfoArguments {
    /// Name of the quill
    name: String,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Write the example document alone
    #[arg(long, conflicts_with = "format")]
    example: bool,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    match &arguments.command {
        Command::New(arguments) => new::run(arguments, global),
        Command::Export(arguments) => export::run(arguments, global),
        Command::Preview(arguments) => preview::run(arguments, global),
        Command::Check(arguments) => check::run(arguments, global, console),
        Command::List(arguments) => {
            let library = library(&open_for_reference(global)?);
            Console::print(&list(&library, arguments.format, Style::new(console.color())))?;
            Ok(Exit::Clean)
        }
        Command::Info(arguments) => {
            let library = library(&open_for_reference(global)?);
            let quill = named(&library, &arguments.name)?;
            let text = if arguments.example {
                let none = || Fault::usage(format!("quill `{}` has no example", quill.name));
                library.example(&quill.name).ok_or_else(none)?
            } else if arguments.format == OutputFormat::Json {
                format!("{:#}\n", to_json(quill, &library))
            } else {
                describe(quill, &library, Style::new(console.color()))
            };
            Console::print(&text)?;
            Ok(Exit::Clean)
        }
    }
}

/// The quill of this name.
fn named<'l>(library: &'l Library, name: &str) -> Result<&'l Quill, Fault> {
    let quills = library.quills();
    quills.get(name).map(AsRef::as_ref).ok_or_else(|| {
        let hint = match quills.nearest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`proofmark quills list` has them all".to_owned(),
        };
        Fault::with_hint(format!("there is no quill `{name}`"), hint)
    })
}

/// A quill and its files, by their paths.
fn files_of<'l>(library: &'l Library, name: &str) -> Result<(&'l Quill, BTreeMap<String, Vec<u8>>), Fault> {
    let quill = named(library, name)?;
    match library.bundle(name) {
        Some(Ok(bundle)) => {
            let files = bundle.files().iter().map(|(path, bytes)| (path.clone(), bytes.to_vec()));
            Ok((quill, files.collect()))
        }
        Some(Err(error)) => Err(Fault::usage(format!("the files of `{name}` cannot be read: {error}"))),
        None => Err(Fault::usage(format!("quill `{name}` has no files"))),
    }
}

/// Writes the files of a quill to a new folder, and prints their paths.
fn write_files(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<Exit, Fault> {
    for (file, bytes) in files {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| Fault::write(parent, error))?;
        fs::write(&path, bytes).map_err(|error| Fault::write(&path, error))?;
        Console::print(&format!("{}\n", shown(&path)))?;
    }
    Ok(Exit::Clean)
}

fn list(library: &Library, form: OutputFormat, style: Style) -> String {
    let quills: Vec<&Quill> = library.quills().iter().map(|quill| quill.quill.as_ref()).collect();
    if form == OutputFormat::Json {
        let line = |quill: &&Quill| {
            json!({
                "name": quill.name, "backend": quill.backend, "description": quill.description,
                "tags": quill.tags, "builtin": library.origin(&quill.name) == Some(Origin::Builtin),
            })
        };
        return format!("{:#}\n", json!({"quills": quills.iter().map(line).collect::<Vec<_>>()}));
    }
    let width = quills.iter().map(|quill| quill.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for quill in quills {
        let name = style.bold(&format!("{:<width$}", quill.name));
        let builtin = library.origin(&quill.name) == Some(Origin::Builtin);
        let _ = writeln!(text, "{name}  {}{}", quill.description, if builtin { " (built in)" } else { "" });
    }
    text
}

fn describe(quill: &Quill, library: &Library, style: Style) -> String {
    let mut text = format!("{}  {}\n", style.bold(&quill.name), quill.description);
    let about = [("author", &quill.author), ("version", &quill.version), ("layout", &quill.glue_file)];
    for (name, value) in about {
        if let Some(value) = value {
            let _ = writeln!(text, "{name}   {value}");
        }
    }
    if !quill.tags.is_empty() {
        let _ = writeln!(text, "tags     {}", quill.tags.join(", "));
    }
    let _ = writeln!(text, "\n{}", style.bold("Fields"));
    write_fields(&mut text, &quill.fields);
    for (name, fields) in &quill.collections {
        let _ = writeln!(text, "\n{}", style.bold(&format!("Fields of a block with SCOPE: {name}")));
        write_fields(&mut text, fields);
    }
    if let Some(example) = library.example(&quill.name) {
        let _ = writeln!(text, "\n{}\n{}", style.bold("Example"), example.trim_end());
    }
    text
}

fn write_fields(text: &mut String, fields: &[(String, FieldSchema)]) {
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, field) in fields {
        let kind = field.field_type.map_or("any", |known| known.name());
        let needed = if field.required { ", required" } else { "" };
        let what = field.description.as_deref().unwrap_or_default();
        let _ = writeln!(text, "  {name:<width$}  {kind}{needed}  {what}");
        if !field.values.is_empty() {
            let _ = writeln!(text, "  {:width$}  one of {}", "", field.values.join(", "));
        } else if let Some(sample) = field.sample() {
            let _ = writeln!(text, "  {:width$}  such as {sample}", "");
        }
    }
}

fn to_json(quill: &Quill, library: &Library) -> Value {
    let fields = |fields: &[(String, FieldSchema)]| -> Value {
        fields.iter().map(|(name, field)| (name.clone(), field_json(field))).collect::<Map<_, _>>().into()
    };
    let collections: Map<String, Value> =
        quill.collections.iter().map(|(name, items)| (name.clone(), fields(items))).collect();
    let mut info = quill.metadata.clone();
    let own = json!({
        "name": quill.name, "backend": quill.backend, "glue": quill.glue_file,
        "example": library.example(&quill.name), "description": quill.description,
        "author": quill.author, "version": quill.version, "tags": quill.tags,
        "frontmatter_fields": fields(&quill.fields), "collections": collections,
        "supported_formats": SUPPORTED_FORMATS,
        "assets": assets(quill, library),
    });
    if let Value::Object(own) = own {
        info.extend(own);
    }
    info.into()
}

/// The files of a quill that layouts can show.
fn assets(quill: &Quill, library: &Library) -> Vec<String> {
    library.bundle(&quill.name).and_then(Result::ok).map(|bundle| bundle.assets()).unwrap_or_default()
}

fn field_json(field: &FieldSchema) -> Value {
    let mut json = field.custom.clone();
    let own = json!({
        "type": field.field_type.map_or("string", |known| known.json_type()),
        "required": field.required, "description": field.description, "example": field.example,
        "default": field.default,
    });
    if let Value::Object(own) = own {
        json.extend(own);
    }
    if !field.values.is_empty() {
        json.insert("enum".to_owned(), field.values.clone().into());
    }
    json.into()
}
