//! Converting a Quarto book to one document with pages.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    convert::{Format, Pandoc, Settings, Website, Whole, format_named},
    diagnostic::{Diagnostic, Severity},
    files,
};

use super::{
    super::{
        console::Console,
        exit::{Exit, Fault, shown},
    },
    Arguments, OPTIONS, Report, worker,
};

/// The formats with pages.
const PAGES: [&str; 2] = ["pdf", "typst"];

/// The format with pages that the book is asked for in: by name, by the ending of the output, or as the only one of the
/// project.
pub(super) fn format(website: &Website<'_>, arguments: &Arguments) -> Option<&'static Format> {
    let named = |name: &str| format_named(name).filter(|format| format.pdf);
    match arguments.to.as_slice() {
        [one] => return named(one),
        [] => {}
        _ => return None,
    }
    let extension = arguments.output.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
    match extension {
        Some("pdf") => return named("pdf"),
        Some("typ") => return named("typst"),
        _ => {}
    }
    if format_named("html").is_some_and(|html| website.names_format(html)) {
        return None;
    }
    PAGES.into_iter().filter_map(named).find(|format| website.names_format(format))
}

/// Converts the book, and writes it to the output that is named, or to the folder for results of the project.
pub(super) fn run(
    website: &Website<'_>,
    format: &'static Format,
    arguments: &Arguments,
    report: &Report<'_>,
) -> Result<Exit, Fault> {
    if arguments.template.is_some() {
        return Err(Fault::with_hint("pages have no template", "leave out `--template`"));
    }
    let path = output(website, arguments);
    let is_source =
        path.as_deref().and_then(Path::extension).is_some_and(|ending| ending.eq_ignore_ascii_case("typ"));
    let mut outputs = files::Outputs::new(std::iter::empty::<&Path>(), arguments.force);
    if let Some(path) = &path {
        let ending = if is_source { "typ" } else { "pdf" };
        outputs.take(path, &[ending]).map_err(|error| Fault::output(&error))?;
    }
    let project = report.project;
    let pandoc = Pandoc::of(&project.config().convert);
    let worker = worker(project);
    let settings = Settings {
        options: &arguments.options,
        options_name: OPTIONS,
        pandoc: &pandoc,
        worker: worker.as_deref(),
    };
    let Whole { chapters, source, result } = website.convert_whole(format, settings, is_source);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error && found.suppressed.is_none();
    let mut exit = Exit::Clean;
    for (chapter, found) in &chapters {
        report.write(chapter, found)?;
        if found.iter().any(is_error) {
            exit = Exit::Findings;
        }
    }
    let converted = match result {
        Ok(converted) => converted,
        Err(failed) => {
            report.write(&source, &failed.diagnostics)?;
            if exit == Exit::Findings || failed.diagnostics.iter().any(is_error) {
                if report.is_for_people() {
                    Console::note("nothing is written: a book is converted when its chapters have no errors");
                }
                return Ok(Exit::Findings);
            }
            let error = failed.error;
            let detail = if error.output.is_empty() { String::new() } else { format!("\n{}", error.output) };
            return Err(Fault::with_hint(format!("{}{detail}", error.message), error.details));
        }
    };
    report.write(&source, &converted.diagnostics)?;
    if converted.diagnostics.iter().any(is_error) {
        exit = Exit::Findings;
    }
    let Some(path) = path else {
        let mut out = Console::stdout();
        out.write_all(&converted.bytes)?;
        out.flush()?;
        return Ok(exit);
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Fault::write(folder, error))?;
    }
    files::put(&path, &converted.bytes).map_err(|error| Fault::write(&path, error))?;
    Console::print(&format!("{}\n", shown(&path)))?;
    Ok(exit)
}

/// Where the book goes; nothing for standard output.
fn output(website: &Website<'_>, arguments: &Arguments) -> Option<PathBuf> {
    let name = format!("{}.pdf", website.file_name());
    match arguments.output.as_deref() {
        Some(path) if path == Path::new("-") => None,
        Some(path)
            if path.is_dir() || path.to_string_lossy().ends_with('/') || path.extension().is_none() =>
        {
            Some(path.join(name))
        }
        Some(path) => Some(path.to_owned()),
        None => {
            let here = std::env::current_dir().unwrap_or_default();
            let full = website.folder().join(website.output()).join(name);
            Some(full.strip_prefix(&here).map_or(full.clone(), Path::to_owned))
        }
    }
}
