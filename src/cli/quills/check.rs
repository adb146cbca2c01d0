use std::{iter, path::Path, sync::Arc};

use crate::{
    calendar,
    diagnostic::{
        Diagnostic, Severity,
        report::{self, FileReport, Format as ReportFormat, ReportOptions},
    },
    engine::Outcome,
    kinds::quill::{MANIFESTS, Manifest, QuillSet},
    project::{Input, NotOpened, Project, quill_folder, shown},
    render::{Library, Renderer},
    text::Source,
};

use super::super::{
    Global, check,
    console::Console,
    exit::{Exit, Fault},
    library::{library, renderer},
    project::{fails, open_for_reference},
    sink::Sink,
};

/// Check quills: manifest, layout, and whether the example is right and renders, also without each optional field
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark quills check                   all quills, the built-in ones too
  proofmark quills check quills/invoice    the quill in a folder
  proofmark quills check letter            a quill by its name")]
pub(in super::super) struct Arguments {
    /// Folders or names of quills [default: all]
    #[arg(value_name = "QUILLS")]
    quills: Vec<String>,
    /// Format of the report
    #[arg(
        long, value_name = "FORMAT", default_value = "pretty", value_parser = check::format,
        hide_default_value = true
    )]
    format: ReportFormat,
}

/// The findings in a file, with its source and the other sources that they point into.
struct Checked {
    sources: Vec<Arc<Source>>,
    diagnostics: Vec<Diagnostic>,
}

impl Checked {
    fn of(outcome: Outcome) -> Self {
        Self { sources: outcome.document.tree.sources().to_vec(), diagnostics: outcome.diagnostics }
    }
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open_for_reference(global)?;
    let registered = library(&project);
    let mut checked = Vec::new();
    let names: Vec<String> = if arguments.quills.is_empty() {
        registered.quills().names().map(str::to_owned).collect()
    } else {
        arguments.quills.clone()
    };
    let registered = Arc::new(registered);
    let renderer = renderer(Arc::clone(&registered), &project.config().render)?;
    for name in &names {
        let folder = Path::new(name);
        let known = registered.quills().registered(name);
        match known.and_then(|known| known.folder.clone()) {
            Some(folder) => check_folder(&folder, &renderer, &project, &mut checked)?,
            None if known.is_some() => check_example(&renderer, &registered, name, &project, &mut checked),
            None if folder.is_dir() => check_folder(folder, &renderer, &project, &mut checked)?,
            None => return Err(unknown(name, &registered)),
        }
    }
    let failed = checked.iter().any(|one| fails(&one.diagnostics, Severity::Error));
    let exit = Exit::findings(failed);
    let options =
        ReportOptions { color: console.color(), width: Console::width(), ..ReportOptions::default() };
    let run = project.run(arguments.format, options);
    let mut sink = Sink::new(None);
    let files: Vec<FileReport<'_>> = checked
        .iter()
        .map(|one| FileReport {
            name: one.sources[0].name(),
            sources: &one.sources,
            diagnostics: &one.diagnostics,
        })
        .collect();
    let outcome = report::Outcome { exit_code: exit.code(), truncated: None };
    report::write(arguments.format, &run, &files, &outcome, &mut sink)?;
    sink.finish()?;
    Ok(exit)
}

fn unknown(name: &str, library: &Library) -> Fault {
    let hint = match library.quills().nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name a folder, or one of `proofmark quills list`".to_owned(),
    };
    Fault::with_hint(format!("there is no quill `{name}`"), hint)
}

fn check_folder(
    folder: &Path,
    renderer: &Renderer,
    project: &Project,
    checked: &mut Vec<Checked>,
) -> Result<(), Fault> {
    let Some(path) = MANIFESTS.iter().map(|name| folder.join(name)).find(|path| path.is_file()) else {
        return Err(Fault::usage(format!("`{}` has no Quill.yaml or Quill.toml", shown(folder))));
    };
    let subject = match project.subject(Input::file(&path).of_kind(Some(Arc::new(Manifest)))) {
        Ok(subject) => subject,
        Err(NotOpened::Unreadable { outcome, .. }) => {
            checked.push(Checked::of(*outcome));
            return Ok(());
        }
        Err(NotOpened::UnknownKind) => return Ok(()),
    };
    let Checked { sources, mut diagnostics } = Checked::of(subject.validate());
    let mut quills = QuillSet::default();
    let loaded = quill_folder(folder).and_then(|folder| quills.load(&folder, None)).is_ok();
    let has_layout = diagnostics.iter().all(|d| d.name != "quill-missing-glue");
    if loaded {
        // What is wrong with the example is reported at its position, with a fix.
        diagnostics.retain(|d| d.name != "quill-example-wrong");
    }
    checked.push(Checked { sources, diagnostics });
    let name = quills.names().next().map(str::to_owned);
    let Some(name) = name.filter(|_| loaded && has_layout) else { return Ok(()) };
    check_example(renderer, &Library::of(quills), &name, project, checked);
    Ok(())
}

/// Renders the example of a quill, also without each of its optional fields.
fn check_example(
    renderer: &Renderer,
    library: &Library,
    name: &str,
    project: &Project,
    checked: &mut Vec<Checked>,
) {
    let today = calendar::today();
    if let Some((source, rendered)) = renderer.try_example(library, name, project, &today) {
        let rendered = rendered.and(renderer.try_without_optional(library, name, project, &today));
        let sources = iter::once(source).chain(rendered.layouts).collect();
        checked.push(Checked { sources, diagnostics: rendered.diagnostics });
    }
}
