use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::{tool::Refusal, tools::examples::ExampleSet};
use crate::{
    engine::{Outcome, Validator},
    files::{Beside, Roots},
    kinds::{
        self, Kind, Kinds, ParseOptions, markdown,
        quill::{Quill, Registered, SharedQuills},
    },
    rules::Ruleset,
    service::{FileSettings, Limits, Options, ServiceError, results::Results},
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
    pub(super) quills: SharedQuills,
    /// Folder with `templates.json`.
    pub(super) templates: Option<PathBuf>,
    #[cfg(feature = "render")]
    pub(super) rendering: Option<Arc<crate::service::Rendering>>,
    pub(super) limits: Limits,
    pub(super) results: Results,
    pub(super) tools: Vec<&'static str>,
    files: Option<Arc<dyn FileSettings>>,
    examples: OnceLock<ExampleSet>,
}

impl Core {
    pub(super) fn new(options: &Options, tools: Vec<&'static str>) -> Result<Self, ServiceError> {
        Ok(Self {
            validator: Arc::clone(&options.validator),
            roots: Roots::open(&options.roots)?,
            here: options.roots.first().and_then(|root| std::path::absolute(root).ok()).unwrap_or_default(),
            quills: options.quills.clone(),
            templates: options.templates.clone(),
            #[cfg(feature = "render")]
            rendering: options.rendering.clone(),
            limits: options.limits,
            results: Results::new(options.limits.results),
            tools,
            files: options.files.clone(),
            examples: OnceLock::new(),
        })
    }

    /// Whether documents are rendered.
    #[cfg(feature = "render")]
    pub(super) fn renders(&self) -> bool {
        self.rendering.is_some()
    }

    /// Whether documents are rendered.
    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_self, reason = "it is asked the same way with and without a renderer")]
    pub(super) fn renders(&self) -> bool {
        false
    }

    /// The example document of a quill.
    #[cfg_attr(not(feature = "render"), expect(clippy::unused_self, reason = "a renderer has the examples"))]
    pub(super) fn quill_example(&self, quill: &Registered) -> Option<String> {
        #[cfg(feature = "render")]
        if let Some(rendering) = &self.rendering {
            return rendering.renderer.library().example(&quill.quill.name);
        }
        let file = quill.quill.example_file.as_deref()?;
        Ruleset::read_below(quill.folder.as_deref()?, file).ok()
    }

    /// The examples there are, found when first asked for.
    pub(super) fn examples(&self) -> &ExampleSet {
        self.examples.get_or_init(|| ExampleSet::new(&self.validator))
    }

    /// All kinds.
    pub(super) fn kinds(&self) -> &Kinds {
        self.validator.ruleset().kinds()
    }

    /// The kind of this name, or the kind that reads a fence language of this name.
    pub(super) fn kind(&self, name: &str) -> Result<&Arc<dyn Kind>, Refusal> {
        let found = self.kinds().get(name).or_else(|| self.kinds().for_language(name));
        found.ok_or_else(|| {
            let near = nearest(name, self.kinds().names());
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let shown = visible(&clip(name, 40)).into_owned();
            let fault = format!("there is no kind `{shown}`: {near}known are {}", self.kind_names());
            Refusal::arguments(vec![fault])
        })
    }

    fn kind_names(&self) -> String {
        self.kinds().names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    fn unknown_kind(&self) -> Refusal {
        let fault = format!("the text does not tell its kind: give `kind`, one of {}", self.kind_names());
        Refusal::arguments(vec![fault])
    }

    /// The quill of this name.
    pub(super) fn quill(&self, name: &str) -> Result<Registered, Refusal> {
        let quills = self.quills.now();
        quills.registered(name).cloned().ok_or_else(|| {
            let near = quills.nearest(name).map(|near| format!("did you mean `{near}`? "));
            let known: Vec<&str> = quills.names().collect();
            let known = if known.is_empty() {
                "none is registered".to_owned()
            } else {
                format!("there are {}", known.join(", "))
            };
            let shown = visible(&clip(name, 60)).into_owned();
            Refusal::because(format!("there is no quill `{shown}`: {}{known}", near.unwrap_or_default()))
                .next("list_quills names them")
        })
    }

    /// The document that a call is about: a text, or a file below the allowed folders.
    pub(super) fn subject(
        &self,
        text: Option<String>,
        path: Option<&str>,
        kind: Option<&str>,
    ) -> Result<Subject<'_>, Refusal> {
        let kind = kind.map(|name| self.kind(name)).transpose()?;
        match (text, path) {
            (Some(text), None) => {
                let kind = kind.or_else(|| detect(self.kinds(), &text)).ok_or_else(|| self.unknown_kind())?;
                let kind = Arc::clone(kind);
                let validator = Arc::clone(&self.validator);
                let name = TEXT.to_owned();
                Ok(Subject { core: self, kind, name, text, validator, quill: None, beside: None })
            }
            (None, Some(path)) => self.file(path, kind),
            (Some(_), Some(_)) => Err(Refusal::arguments(vec!["give `text` or `path`, not both".into()])),
            (None, None) => Err(Refusal::arguments(vec!["give the document as `text` or its `path`".into()])),
        }
    }

    /// A file below the allowed folders.
    pub(super) fn file(&self, path: &str, kind: Option<&Arc<dyn Kind>>) -> Result<Subject<'_>, Refusal> {
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
        let configured = self.files.as_deref();
        let kind = kind
            .cloned()
            .or_else(|| configured.and_then(|files| files.kind(beside.document())))
            .or_else(|| self.kinds().for_path(Path::new(&name), &text).cloned())
            .or_else(|| detect(self.kinds(), &text).cloned())
            .ok_or_else(|| self.unknown_kind())?;
        let own = configured.map(|files| files.validator(beside.document()));
        let validator = own.unwrap_or_else(|| Arc::clone(&self.validator));
        Ok(Subject { core: self, kind, name, text, validator, quill: None, beside: Some(beside) })
    }
}

/// A document that a call is about.
pub(super) struct Subject<'c> {
    core: &'c Core,
    pub(super) kind: Arc<dyn Kind>,
    pub(super) name: String,
    pub(super) text: String,
    /// The rules that are on for it.
    validator: Arc<Validator>,
    /// The quill that it is held to whichever it names.
    quill: Option<Arc<Quill>>,
    beside: Option<Beside<'c>>,
}

impl Subject<'_> {
    /// Whether it is a file below the allowed folders, and not a text that was sent.
    pub(super) fn is_file(&self) -> bool {
        self.beside.is_some()
    }

    /// Holds the document to this quill.
    pub(super) fn with_quill(mut self, name: Option<&str>) -> Result<Self, Refusal> {
        if let Some(name) = name {
            self.quill = Some(self.core.quill(name)?.quill);
            if self.kind.name() != markdown::NAME {
                let fault =
                    format!("`quill` is for documents of kind `markdown`, not `{}`", self.kind.name());
                return Err(Refusal::arguments(vec![fault]));
            }
        }
        Ok(self)
    }

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
        let quills = self.core.quills.now();
        let quill = self.quill.as_deref();
        let quills = Some(quills.as_ref());
        let options = ParseOptions { limits, read: Some(&read), quills, quill, ..ParseOptions::default() };
        let source = Arc::new(Source::new(self.name.as_str(), text));
        self.validator.validate(&source, self.kind.as_ref(), &options)
    }
}

/// The kind of a text that has no name: the one that is sure of it, else by its first line.
fn detect<'k>(kinds: &'k Kinds, text: &str) -> Option<&'k Arc<dyn Kind>> {
    let names = ["document.yaml", "document.md", "document.toml"];
    let sure = names.iter().find_map(|name| kinds.detect(Path::new(name), text));
    sure.or_else(|| guess(kinds, text))
}

fn guess<'k>(kinds: &'k Kinds, text: &str) -> Option<&'k Arc<dyn Kind>> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let word = first.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
    let begins = |kind: &&Arc<dyn Kind>| kind.forms().iter().any(|form| form.headers.contains(&word));
    if let Some(kind) = kinds.iter().find(begins) {
        return Some(kind);
    }
    let markdown =
        first == "---" || first.starts_with('#') || text.contains("\n```") || first.starts_with("```");
    markdown.then(|| kinds.get(markdown::NAME)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_name_is_known_by_its_first_line() {
        let kinds = Kinds::builtin();
        let kind = |text| detect(&kinds, text).map(|kind| kind.name());
        assert_eq!(kind("---\ntitle: x\n---\n"), Some("markdown"));
        assert_eq!(kind("\n  graph TD\n A-->B"), Some("mermaid"));
        assert_eq!(kind("pie\n \"A\" : 1"), Some("mermaid"));
        assert_eq!(kind("see below\n```rust\n```\n"), Some("markdown"));
        assert_eq!(kind("hello\n"), None);
    }
}
