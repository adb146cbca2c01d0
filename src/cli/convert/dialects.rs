//! `proofmark convert --to DIALECT`: documents in another generation of metadata blocks.

use std::{io::Write as _, path::Path, sync::Arc};

use crate::{
    diagnostic::Severity,
    files,
    kinds::markdown::{Dialect, Markdown, translate},
    project::{Input, NotOpened, Project},
};

use super::{
    super::{
        console::Console,
        exit::{Exit, Fault, shown},
        project::fails,
    },
    Arguments, Report,
};

/// The dialect of a name that can be translated to.
pub(super) fn named(name: &str) -> Option<Dialect> {
    Dialect::WITH_BLOCKS.into_iter().find(|dialect| dialect.name() == name)
}

/// Translates the documents that are named. One goes to standard output where no output is named.
pub(super) fn run(
    arguments: &Arguments,
    to: Dialect,
    project: &Project,
    report: &Report<'_>,
) -> Result<Exit, Fault> {
    let stdout = Path::new("-");
    let output = arguments.output.as_deref().filter(|path| *path != stdout);
    let folder = output.filter(|path| path.is_dir() || path.to_string_lossy().ends_with('/'));
    if arguments.paths.len() > 1 && folder.is_none() {
        let hint = "name a folder with `--output`, with `/` at its end when it is not there yet";
        return Err(Fault::with_hint("many documents do not fit into one output", hint));
    }
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|error| Fault::write(folder, error))?;
    }
    let inputs = arguments.paths.iter().filter(|path| *path != stdout).map(AsRef::as_ref);
    let mut outputs = files::Outputs::new(inputs, arguments.force);
    let mut exit = Exit::Clean;
    for path in &arguments.paths {
        let target = match (folder, output) {
            (Some(folder), _) => Some(folder.join(path.file_name().unwrap_or_default())),
            (None, output) => output.map(Path::to_owned),
        };
        if let Some(target) = &target {
            outputs.take(target, &["md", "markdown"]).map_err(|error| Fault::output(&error))?;
        }
        let input = if path == stdout { Input::stdin() } else { Input::file(path) };
        let text = match project.subject(input.of_kind(Some(Arc::new(Markdown)))) {
            Ok(subject) => {
                let outcome = subject.validate();
                let mut diagnostics = outcome.diagnostics;
                let from = outcome
                    .document
                    .tree
                    .root()
                    .get("dialect")
                    .and_then(|name| Dialect::named(name.as_str()?));
                let failed = fails(&diagnostics, Severity::Error);
                let text = match from.filter(|from| from.has_blocks() && !failed) {
                    Some(from) => {
                        let translation = translate(subject.source(), from, to, project.limits());
                        diagnostics
                            .extend(subject.validator().run_facts(subject.source(), translation.losses));
                        Some(translation.text)
                    }
                    None if failed => None,
                    None => {
                        let what = format!("`{}` has no metadata blocks", shown(path));
                        return Err(Fault::with_hint(
                            what,
                            "name the dialect of the document with `--dialect`",
                        ));
                    }
                };
                report.write(subject.source(), &diagnostics)?;
                text
            }
            Err(NotOpened::Unreadable { outcome, .. }) => {
                report.write(outcome.document.source(), &outcome.diagnostics)?;
                None
            }
            Err(NotOpened::UnknownKind) => None,
        };
        let Some(text) = text else {
            Console::note("nothing is written: a document is converted when it has no errors");
            exit = Exit::Findings;
            continue;
        };
        match target {
            None => {
                let mut out = Console::stdout();
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
            Some(target) => {
                files::put(&target, text.as_bytes()).map_err(|error| Fault::write(&target, error))?;
                Console::print(&format!("{}\n", shown(&target)))?;
            }
        }
    }
    Ok(exit)
}
