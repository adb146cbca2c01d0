use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf, sync::Arc};

use crate::{
    calendar, files,
    project::{Overrides, Project, shown},
    render::{Format, Library, Renderer},
};

use super::super::{
    Global,
    console::Console,
    exit::{Exit, Fault},
    library::{library, renderer},
    project::open,
    render::known_extension,
};

/// Show the examples of quills on a contact sheet
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark quills preview                        preview.pdf with the pages of all examples
  proofmark quills preview letter memo -o x.png   those of two quills as a picture")]
pub(in super::super) struct Arguments {
    /// Names of quills [default: all]
    #[arg(value_name = "QUILLS")]
    quills: Vec<String>,
    /// The contact sheet: a file that ends in .pdf, .svg or .png
    #[arg(short, long, value_name = "FILE", default_value = "preview.pdf")]
    output: PathBuf,
    /// Replace an existing output even if it is a file of another type
    #[arg(long)]
    force: bool,
}

/// Pixels per inch of the pages, which are small on the sheet.
const PPI: f32 = 96.0;

/// Most pages of one quill on the sheet.
const MOST_PAGES: usize = 8;

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let project = open(global, Overrides::default())?;
    let library = Arc::new(library(&project));
    known_extension(&arguments.output, None)?;
    let named = arguments.output.extension().and_then(|extension| Format::named(extension.to_str()?));
    let format = named.unwrap_or_default();
    if format == Format::Html {
        let hint = "end the name with .pdf, .svg or .png";
        return Err(Fault::with_hint("a contact sheet cannot be HTML", hint));
    }
    let mut outputs = files::Outputs::new([], arguments.force);
    outputs.take(&arguments.output, &[format.name()]).map_err(|error| Fault::output(&error))?;
    let names = match arguments.quills.as_slice() {
        [] => library.quills().names().map(str::to_owned).collect(),
        names => names.to_vec(),
    };
    for name in &names {
        super::named(&library, name)?;
    }
    let renderer = renderer(Arc::clone(&library), &project.config().render)?;
    let (pages, failed) = pages(&names, &library, &renderer, &project);
    let sheet = Sheet::of(&pages, format);
    let sheets = renderer
        .set(sheet.source, sheet.files, format, PPI)
        .map_err(|error| Fault::with_hint(error.message, error.details))?;
    let sheet = sheets.first().ok_or_else(|| Fault::usage("there is no example to show"))?;
    files::put(&arguments.output, sheet).map_err(|error| Fault::write(&arguments.output, error))?;
    Console::print(&format!("{}\n", shown(&arguments.output)))?;
    Ok(Exit::findings(failed))
}

/// The pages of the example of a quill as pictures, with the name of the quill.
type ExamplePages = (String, Vec<Vec<u8>>);

/// The pages of all examples, and whether one does not render.
fn pages(
    names: &[String],
    library: &Library,
    renderer: &Renderer,
    project: &Project,
) -> (Vec<ExamplePages>, bool) {
    let mut failed = false;
    let mut all = Vec::new();
    for name in names {
        let tried = renderer.example_as(library, name, project, &calendar::today(), (Format::Png, Some(PPI)));
        let artifacts = tried.map(|(_, rendered)| rendered.artifacts).unwrap_or_default();
        if artifacts.is_empty() {
            Console::note(&format!(
                "the example of `{name}` does not render: `proofmark quills check {name}` says why"
            ));
            failed = true;
            continue;
        }
        let pages = artifacts.iter().take(MOST_PAGES).map(|page| page.bytes.to_vec());
        all.push((name.clone(), pages.collect()));
    }
    (all, failed)
}

/// A sheet as source of Typst, with its pictures.
struct Sheet {
    source: String,
    files: BTreeMap<String, Arc<[u8]>>,
}

impl Sheet {
    fn of(pages: &[(String, Vec<Vec<u8>>)], format: Format) -> Self {
        let mut files = BTreeMap::new();
        // Pictures are one page; a PDF has as many as it takes.
        let height = if format == Format::Pdf { "297mm" } else { "auto" };
        let mut source = format!(
            "#set page(width: 210mm, height: {height}, margin: 12mm, fill: luma(93%))\n\
             #set text(font: \"Roboto\", size: 10pt)\n"
        );
        for (name, of_quill) in pages {
            let _ = write!(
                source,
                "#block(above: 7mm, below: 3mm, sticky: true, strong[{name}])\n\
                 #grid(columns: (1fr,) * 4, column-gutter: 4mm, row-gutter: 4mm,\n"
            );
            for (index, page) in of_quill.iter().enumerate() {
                let path = format!("assets/{name}-{}.png", index + 1);
                let _ =
                    writeln!(source, "  box(stroke: 0.3pt + luma(60%), image(\"/{path}\", width: 100%)),");
                files.insert(path, page.as_slice().into());
            }
            source.push_str(")\n");
        }
        Self { source, files }
    }
}
