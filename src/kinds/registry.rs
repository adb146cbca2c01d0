use std::path::Path;

use super::Kind;

/// All kinds, in the order in which they are asked whether a file is theirs.
pub fn all() -> &'static [&'static dyn Kind] {
    static ALL: &[&dyn Kind] = &[
        &super::rulefile::RuleFile,
        &super::config::Config,
        &super::quill::Manifest,
        &super::markdown::Markdown,
        &super::yaml::Yaml,
        &super::qtype::QType,
        &super::mermaid::Mermaid,
    ];
    ALL
}

/// The kind of this name.
pub fn by_name(name: &str) -> Option<&'static dyn Kind> {
    all().iter().copied().find(|kind| kind.name() == name)
}

/// The kind that reads fences of this language: one of `further`, else a built-in one.
pub fn for_language(language: &str, further: &[&'static dyn Kind]) -> Option<&'static dyn Kind> {
    further.iter().chain(all()).copied().find(|kind| kind.languages().contains(&language))
}

/// The kind of a file: by what it holds where a kind is sure, else by its name.
pub fn for_path(path: &Path, text: &str) -> Option<&'static dyn Kind> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let by_name = all().iter().copied().filter(|kind| kind.globs().iter().any(|glob| matches(glob, &name)));
    let detected = all().iter().copied().find(|kind| kind.detect(path, text));
    detected.or_else(|| {
        by_name
            .max_by_key(|kind| kind.globs().iter().filter(|glob| matches(glob, &name)).map(|g| g.len()).max())
    })
}

/// Whether a file name matches a glob with at most one `*`.
fn matches(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => glob == name,
    }
}
