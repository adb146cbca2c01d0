use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::{tool::Refusal, tools::examples::ExampleSet};
use crate::{
    engine::{Outcome, Validator},
    files::{Beside, Roots},
    kinds::{self, Kind, ParseOptions, quill::QuillSet},
    service::{Limits, Options, ServiceError, results::Results},
    text::{Source, clip, nearest, visible},
};

/// Name of a document that was sent as text.
pub(super) const TEXT: &str = "<text>";

/// What all calls share.
pub(super) struct Core {
    pub(super) validator: Arc<Validator>,
    pub(super) roots: Roots,
    /// The first of the roots: relative paths begin there.
    here: PathBuf,
    pub(super) quills: Arc<QuillSet>,
    /// Folder with `templates.json`.
    pub(super) templates: Option<PathBuf>,
    pub(super) limits: Limits,
    pub(super) results: Results,
    pub(super) tools: Vec<&'static str>,
    examples: OnceLock<ExampleSet>,
}

impl Core {
    pub(super) fn new(options: &Options, tools: Vec<&'static str>) -> Result<Self, ServiceError> {
        Ok(Self {
            validator: Arc::clone(&options.validator),
            roots: Roots::open(&options.roots)?,
            here: options.roots.first().and_then(|root| std::path::absolute(root).ok()).unwrap_or_default(),
            quills: Arc::clone(&options.quills),
            templates: options.templates.clone(),
            limits: options.limits,
            results: Results::new(options.limits.results),
            tools,
            examples: OnceLock::new(),
        })
    }

    /// The examples there are, found when first asked for.
    pub(super) fn examples(&self) -> &ExampleSet {
        self.examples.get_or_init(|| ExampleSet::new(&self.validator))
    }

    /// The document that a call is about: a text, or a file below the allowed folders.
    pub(super) fn subject(
        &self,
        text: Option<String>,
        path: Option<&str>,
        kind: Option<&str>,
    ) -> Result<Subject<'_>, Refusal> {
        let kind = kind.map(kind_named).transpose()?;
        match (text, path) {
            (Some(text), None) => {
                let kind = kind.or_else(|| detect(&text)).ok_or_else(unknown_kind)?;
                Ok(Subject { core: self, kind, name: TEXT.to_owned(), text, beside: None })
            }
            (None, Some(path)) => self.file(path, kind),
            (Some(_), Some(_)) => Err(Refusal::arguments(vec!["give `text` or `path`, not both".into()])),
            (None, None) => Err(Refusal::arguments(vec!["give the document as `text` or its `path`".into()])),
        }
    }

    /// A file below the allowed folders.
    pub(super) fn file(&self, path: &str, kind: Option<&'static dyn Kind>) -> Result<Subject<'_>, Refusal> {
        if self.roots.is_empty() {
            let fault = "this server was started without folders that it may read";
            return Err(Refusal::because(fault).next("send the document as `text`"));
        }
        let limit = kinds::Limits::default().text_bytes;
        let read = self.roots.read(Path::new(path), &self.here, limit);
        let (source, beside) = read.map_err(|error| {
            let outcome = self.validator.run_fact(&Arc::from(error.source), error.fact);
            let reasons = outcome.diagnostics.into_iter().map(|d| format!("{} {}", d.id, d.message));
            let shown = visible(&clip(path, 120)).into_owned();
            let fault = format!("`{shown}` cannot be read: {}", reasons.collect::<Vec<_>>().join("; "));
            Refusal::because(fault).next("give a path relative to an allowed folder, or send the `text`")
        })?;
        let (name, text) = (source.name().to_owned(), source.into_text());
        let kind = kind.or_else(|| kinds::for_path(Path::new(&name), &text)).or_else(|| detect(&text));
        Ok(Subject { core: self, kind: kind.ok_or_else(unknown_kind)?, name, text, beside: Some(beside) })
    }
}

/// A document that a call is about.
pub(super) struct Subject<'c> {
    core: &'c Core,
    pub(super) kind: &'static dyn Kind,
    pub(super) name: String,
    pub(super) text: String,
    beside: Option<Beside<'c>>,
}

impl Subject<'_> {
    /// Replaces the file in one step, unless it has changed since it was read.
    pub(super) fn write(&self, text: &str) -> Result<(), Refusal> {
        let Some(beside) = &self.beside else { return Err(Refusal::because("a text cannot be written")) };
        let own_name = self.name.rsplit('/').next().unwrap_or_default();
        if beside.read(own_name).map_or(true, |now| now != self.text.as_bytes()) {
            let fault = format!("`{}` was changed by somebody else meanwhile", visible(&self.name));
            return Err(Refusal::because(fault).next("validate the file again and make the change anew"));
        }
        beside.replace(own_name, text).map_err(|error| {
            Refusal::because(format!("`{}` cannot be written: {}", visible(&self.name), error.kind()))
        })
    }

    /// Judges the document, or what it would be with another text.
    pub(super) fn judge(&self, text: &str) -> Outcome {
        let read = |path: &str| match &self.beside {
            Some(beside) => beside.read(path),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        let text_bytes = match &self.beside {
            Some(_) => kinds::Limits::default().text_bytes,
            None => self.core.limits.text_bytes,
        };
        let limits = kinds::Limits { text_bytes, ..kinds::Limits::default() };
        let quills = Some(self.core.quills.as_ref());
        let options = ParseOptions { limits, read: Some(&read), quills, ..ParseOptions::default() };
        let source = Arc::new(Source::new(self.name.as_str(), text));
        self.core.validator.validate(&source, self.kind, &options)
    }
}

/// The kind of this name, or the kind that reads a fence language of this name.
pub(super) fn kind_named(name: &str) -> Result<&'static dyn Kind, Refusal> {
    let found = kinds::by_name(name).or_else(|| kinds::for_language(name, &[]));
    found.ok_or_else(|| {
        let names = kinds::all().iter().map(|kind| kind.name());
        let near = nearest(name, names.clone()).map(|near| format!("did you mean `{near}`? "));
        let shown = visible(&clip(name, 40)).into_owned();
        let known = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let fault = format!("there is no kind `{shown}`: {}known are {known}", near.unwrap_or_default());
        Refusal::arguments(vec![fault])
    })
}

fn unknown_kind() -> Refusal {
    let known: Vec<String> = kinds::all().iter().map(|kind| format!("`{}`", kind.name())).collect();
    Refusal::arguments(vec![format!(
        "the text does not tell its kind: give `kind`, one of {}",
        known.join(", ")
    )])
}

/// The kind of a text that has no name: the one that is sure of it, else by its first line.
fn detect(text: &str) -> Option<&'static dyn Kind> {
    let names = ["document.yaml", "document.md", "document.toml"];
    let sure = names
        .iter()
        .find_map(|name| kinds::all().iter().copied().find(|kind| kind.detect(Path::new(name), text)));
    sure.or_else(|| kinds::by_name(guess(text)?))
}

/// First words of Mermaid diagrams.
const DIAGRAMS: &[&str] = &[
    "graph",
    "flowchart",
    "sequenceDiagram",
    "classDiagram",
    "stateDiagram",
    "stateDiagram-v2",
    "erDiagram",
    "gantt",
    "pie",
    "gitGraph",
    "journey",
    "mindmap",
    "timeline",
    "quadrantChart",
    "requirementDiagram",
];

fn guess(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let word = first.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
    if DIAGRAMS.contains(&word) {
        return Some("mermaid");
    }
    let markdown =
        first == "---" || first.starts_with('#') || text.contains("\n```") || first.starts_with("```");
    markdown.then_some("markdown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_name_is_known_by_its_first_line() {
        assert_eq!(guess("---\ntitle: x\n---\n"), Some("markdown"));
        assert_eq!(guess("\n  graph TD\n A-->B"), Some("mermaid"));
        assert_eq!(guess("see below\n```rust\n```\n"), Some("markdown"));
        assert_eq!(guess("id: app\n"), None);
    }
}
