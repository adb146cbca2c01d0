//! Websites and books: Quarto projects that are converted as a whole, as far as no code runs.
//!
//! [`Website::open`] reads `_quarto.yml` and finds the pages. [`Website::survey`] reads what others need to know about a
//! page: its title, its labels. [`Website::connected`] puts this together: menus, chapters, references between pages. Then
//! [`Connected::convert`] converts each page. What is kept of a page between these steps is its text, so that its file is read
//! once, and what is small: what a page becomes takes far more memory than its text.

mod around;
mod book;
mod configuration;
mod facts;
mod inside;
mod listings;
mod menus;
mod pages;
mod paths;

use std::{
    collections::{BTreeSet, HashMap},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

pub use self::{book::Whole, facts::Facts};
use self::{
    configuration::{Configuration, fact},
    facts::Reading,
    inside::Inside,
    menus::Menus,
    pages::{ChapterPage, Pages},
};
use crate::{
    asked::Asked,
    diagnostic::{Diagnostic, Severity},
    engine::Validator,
    error::{ConvertError, ErrorCode},
    expressions::Patterns,
    files::{self, Jail},
    formats::{self, Format},
    html::{self, Navigation},
    kinds::quarto,
    metadata::{self, Metadata, merge, strings},
    model::{Block, Place},
    pandoc::Pandoc,
    project::{Input, NotOpened, Project, Subject},
    run::{self, Converted, NotConverted, Request, project_values},
    syntax::Observation,
    text::{Source, Span},
    transform::Numbered,
    worker::RenderWorker,
};

/// Largest file that is copied.
const LARGEST: usize = 64 << 20;

/// The type of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Website,
    Book,
}

impl Kind {
    /// The name of the kind in `project.type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Website => "website",
            Self::Book => "book",
        }
    }

    /// The folder that Quarto writes to.
    fn default_output(self) -> &'static str {
        match self {
            Self::Website => "_site",
            Self::Book => "_book",
        }
    }
}

/// A project that was opened.
pub struct Website<'p> {
    project: &'p Project,
    kind: Kind,
    /// Its folder, as an absolute path.
    folder: PathBuf,
    configuration: Configuration,
    /// The name of the project file, and its bytes.
    project_file: (&'static str, Arc<[u8]>),
    format: &'static Format,
    pages: Vec<String>,
    /// All files of the project, sorted.
    files: Vec<String>,
    chapters: Vec<ChapterPage>,
    facts: Vec<Observation>,
    validator: Arc<Validator>,
    output: String,
}

/// A project that cannot be converted: findings in a file of it.
pub struct NotAWebsite {
    /// The file.
    pub source: Arc<Source>,
    /// Why it cannot be converted.
    pub failed: NotConverted,
}

/// A page that was read or converted, or why not.
pub struct PageResult {
    /// The document.
    pub source: Arc<Source>,
    pub result: Result<Converted, NotConverted>,
    /// Files that the page needs, by their paths from the project's folder.
    pub resources: BTreeSet<String>,
}

/// What pages are converted with.
#[derive(Clone, Copy)]
pub struct Settings<'s> {
    /// Options that win over those of documents.
    pub options: &'s [(String, String)],
    /// What reports call the options, such as `--option`.
    pub options_name: &'s str,
    pub pandoc: &'s Pandoc,
    pub worker: Option<&'s dyn RenderWorker>,
}

/// The first heading of a page where it is its title.
fn title_of(blocks: &[Block]) -> Option<&Block> {
    blocks.first().filter(|block| matches!(block, Block::Header(1, ..)))
}

/// Reads a file that a page names; `up` is the path from the page to the project's folder, where paths that begin with `/` begin.
fn read_from(subject: &Subject<'_>, up: &str, path: &str) -> Option<Arc<[u8]>> {
    let read = match path.strip_prefix('/') {
        Some(below) => subject.kept_neighbor(&format!("{up}{below}")),
        None => subject.kept_neighbor(path),
    };
    read.ok()
}

/// Whether a page is the first one of its project.
fn is_index(page: &str) -> bool {
    page == "index.qmd" || page == "index.md"
}

impl<'p> Website<'p> {
    /// Opens the project in a folder; nothing where it is not a website or a book. `output` is the folder that results go
    /// to, where the user names one.
    ///
    /// # Errors
    /// [`NotAWebsite`] when `_quarto.yml` cannot be read, or names an output outside of the project.
    pub fn open(
        project: &'p Project,
        folder: &Path,
        output: Option<&Path>,
    ) -> Result<Option<Self>, NotAWebsite> {
        let Some(format) = formats::named("html") else { return Ok(None) };
        let located = project.locate(folder);
        let absolute = files::plain(&std::path::absolute(&located).unwrap_or(located));
        let mut names = quarto::PROJECT_FILES.into_iter();
        let Some(name) = names.find(|name| absolute.join(name).is_file()) else {
            return Ok(None);
        };
        let yaml = project.kinds().get("yaml").cloned();
        let subject = match project.subject(Input::file(folder.join(name)).of_kind(yaml)) {
            Ok(subject) => subject,
            Err(NotOpened::Unreadable { outcome, .. }) => {
                let source = Arc::clone(outcome.document.source());
                let error = ConvertError::new(ErrorCode::InvalidInput, "the project file cannot be read", "");
                let failed = NotConverted { error, diagnostics: outcome.diagnostics };
                return Err(NotAWebsite { source, failed });
            }
            Err(NotOpened::UnknownKind) => return Ok(None),
        };
        let source = Arc::clone(subject.source());
        let limits = project.limits();
        let configuration = Configuration::read(Arc::clone(&source), limits);
        let kind = match configuration.at(&["project", "type"]).and_then(|node| node.as_str()) {
            Some("website") => Kind::Website,
            Some("book") => Kind::Book,
            _ => return Ok(None),
        };
        let mut errors = subject.validate_untried().diagnostics;
        errors.retain(|found| found.severity == Severity::Error && found.suppressed.is_none());
        if !errors.is_empty() {
            let error = ConvertError::new(
                ErrorCode::InvalidInput,
                "the project file has errors",
                "fix what the diagnostics report",
            );
            return Err(NotAWebsite { source, failed: NotConverted { error, diagnostics: errors } });
        }
        let own = configuration.at(&["project", "output-dir"]).and_then(|node| node.as_str());
        let own = own.map_or(kind.default_output(), |own| own.trim_end_matches('/')).trim_start_matches("./");
        if output.is_none() && (own.starts_with('/') || own.split('/').any(|part| part == "..")) {
            let error = ConvertError::new(
                ErrorCode::InvalidInput,
                format!("`output-dir` of the project leads out of it: `{own}`"),
                "name the folder on the command line: `--output FOLDER`",
            );
            return Err(NotAWebsite { source, failed: NotConverted { error, diagnostics: Vec::new() } });
        }
        // What an earlier run has written is not part of the project.
        let within = output.map(|output| {
            let output = project.locate(output);
            let full = files::plain(&std::path::absolute(&output).unwrap_or(output));
            full.strip_prefix(&absolute).ok().map(|below| below.to_string_lossy().replace('\\', "/"))
        });
        let excluded = within.unwrap_or_else(|| Some(own.to_owned())).filter(|path| !path.is_empty());
        let respects_ignores = project.config().files.gitignore;
        let found = Pages::find(&configuration, kind, &absolute, respects_ignores, excluded.as_deref());
        let mut facts = configuration.without_effect(kind, format);
        facts.extend(found.facts);
        Ok(Some(Self {
            project,
            kind,
            folder: absolute,
            format,
            pages: found.documents,
            files: found.files,
            chapters: found.chapters,
            facts,
            validator: Arc::clone(subject.validator()),
            output: own.to_owned(),
            project_file: (name, source.text().as_bytes().into()),
            configuration,
        }))
    }

    /// What is wrong with options that win over those of all pages, and which of them have no effect; with the source
    /// that the findings are in. `name` is what reports call it.
    pub fn findings_in_options(
        &self,
        options: &[(String, String)],
        name: &str,
    ) -> (Arc<Source>, Vec<Diagnostic>) {
        let asked = Asked::new(options, name);
        let source = Arc::clone(asked.source());
        let input = Input::text("").at(self.folder.join("index.qmd"));
        let Ok(subject) = self.subject("index.qmd", input) else { return (source, Vec::new()) };
        let mut found = asked.validated(&|text| subject.validate_text(text));
        let metadata = Metadata::new(Value::Null, Value::Null, options, self.format);
        let places = asked.places();
        let writer = (self.format, self.format.engine);
        let none = HashMap::new();
        let at = |place: Place| Span::at(place.offset as usize);
        let ignored = metadata.without_effect(&none, &none, &places, writer).into_iter();
        let refused = places.iter().filter(|(key, _)| metadata::is_refused(key));
        let facts = ignored
            .map(|(key, place)| fact("option-without-effect", &key, at(place)))
            .chain(refused.map(|(key, place)| fact("option-refused", key, at(*place))));
        found.extend(subject.validator().run_facts(&source, facts.collect()));
        (source, found)
    }

    /// The type of the project.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The folder of the project, as an absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder for results that the project names, by its path from the project's.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// The paths of the pages from the project's folder.
    pub fn pages(&self) -> &[String] {
        &self.pages
    }

    /// The project file.
    pub fn source(&self) -> &Arc<Source> {
        &self.configuration.source
    }

    /// Opens a document of the project, by its path from the project's folder. It sees the project file as it was when the
    /// project was opened.
    fn subject(&self, path: &str, input: Input) -> Result<Subject<'p>, NotOpened> {
        let subject = self.project.subject(input.of_kind(run::source_kind(self.project)))?;
        let (name, bytes) = &self.project_file;
        subject.keep_file(&format!("{}{name}", paths::up(path)), Arc::clone(bytes));
        Ok(subject)
    }

    /// Opens a page.
    fn page(&self, index: usize) -> Result<Subject<'p>, NotOpened> {
        let path = &self.pages[index];
        self.subject(path, Input::file(self.folder.join(path)))
    }

    /// Reads what other pages need to know about one. Nothing is known about a page that cannot be read.
    pub fn survey(&self, index: usize) -> Facts {
        let Ok(subject) = self.page(index) else { return Facts::default() };
        let source = Some(Arc::clone(subject.source()));
        Facts { source, ..self.facts_of(index, &subject) }
    }

    /// Reads what other pages need to know about one that was opened.
    fn facts_of(&self, index: usize, subject: &Subject<'_>) -> Facts {
        let path = &self.pages[index];
        let up = paths::up(path);
        let read = |path: &str| read_from(subject, &up, path);
        let reading = Reading {
            path,
            format: self.format,
            limits: self.project.limits(),
            project: self.values(),
            is_book: self.kind == Kind::Book,
            read: &read,
        };
        let source = subject.source();
        let read = || Ok(Facts::read(source, &reading));
        run::within_budget(self.project, source.text().len(), read).unwrap_or_default()
    }

    /// What the project says about all of its documents, with what Quarto adds for its kind.
    fn values(&self) -> Value {
        let mut values = serde_json::json!({"toc": true});
        if self.kind == Kind::Book {
            merge(&mut values, serde_json::json!({"number-sections": true}));
        }
        merge(&mut values, project_values(self.configuration.values.clone()));
        values
    }

    /// Puts together what is known about all pages, in their order.
    pub fn connected(self, facts: Vec<Facts>) -> Connected<'p> {
        let mut chapters: HashMap<usize, String> = HashMap::new();
        let index: HashMap<String, usize> =
            self.pages.iter().enumerate().map(|(index, path)| (path.clone(), index)).collect();
        let (mut number, mut letter) = (0_u32, 0_u8);
        for chapter in &self.chapters {
            let Some(page) = index.get(&chapter.path).copied() else { continue };
            let is_numbered = facts.get(page).is_some_and(|facts| !facts.is_unnumbered);
            if chapter.is_part || !is_numbered || chapters.contains_key(&page) {
                continue;
            }
            if chapter.is_appendix {
                chapters.insert(
                    page,
                    char::from(b'A' + letter % 26).to_string().repeat(usize::from(letter / 26) + 1),
                );
                letter = letter.saturating_add(1);
            } else {
                number += 1;
                chapters.insert(page, number.to_string());
            }
        }
        let appendices: BTreeSet<&str> =
            self.chapters.iter().filter(|page| page.is_appendix).map(|page| page.path.as_str()).collect();
        let mut labels: HashMap<String, (usize, Numbered)> = HashMap::new();
        for (page, facts) in facts.iter().enumerate() {
            let chapter = chapters.get(&page).map(String::as_str);
            for (label, found) in &facts.labels {
                labels.entry(label.clone()).or_insert_with(|| (page, found.clone().within(chapter)));
            }
            if let Some((label, chapter)) = facts.title_label.as_ref().zip(chapter) {
                let kind = if appendices.contains(self.pages[page].as_str()) { "apx" } else { "ch" };
                let found =
                    Numbered { kind: kind.to_owned(), number: chapter.to_owned(), is_within_chapter: false };
                labels.entry(label.clone()).or_insert((page, found));
            }
        }
        let name = self.kind.name();
        let site = self.configuration.values.get(name).cloned();
        let site = site.filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new()));
        let metadata = Arc::new(self.values());
        let menus = Menus::new(&self.pages, &facts, &chapters);
        let navigation = Navigation::of(&site, &menus);
        Connected {
            site: Arc::new(site),
            navigation: Arc::new(navigation),
            website: self,
            facts,
            index,
            chapters,
            labels,
            metadata,
        }
    }
}

/// A project whose pages know each other.
pub struct Connected<'p> {
    website: Website<'p>,
    facts: Vec<Facts>,
    /// The pages by their paths.
    index: HashMap<String, usize>,
    /// Numbers of chapters.
    chapters: HashMap<usize, String>,
    /// What can be referred to, with the page that has it.
    labels: HashMap<String, (usize, Numbered)>,
    /// `website` or `book` of the project.
    site: Arc<Value>,
    navigation: Arc<Navigation>,
    /// What the project says about its documents.
    metadata: Arc<Value>,
}

impl<'p> Connected<'p> {
    /// The project.
    pub fn website(&self) -> &Website<'p> {
        &self.website
    }

    /// Whether a page is a draft, which is not written.
    pub fn is_draft(&self, index: usize) -> bool {
        self.facts.get(index).is_some_and(|facts| facts.is_draft)
    }

    /// The path of the web page of a document, from the output folder.
    pub fn output_of(&self, index: usize) -> String {
        paths::output(&self.website.pages[index])
    }

    /// Converts a page.
    pub fn convert(&self, index: usize, settings: Settings<'_>) -> PageResult {
        let website = &self.website;
        let path = &website.pages[index];
        let file = website.folder.join(path);
        let text = self.facts.get(index).and_then(|facts| facts.source.as_ref());
        let input = match text {
            Some(source) => Input::known_file(file, source),
            None => Input::file(file),
        };
        let subject = match website.subject(path, input) {
            Ok(subject) => subject,
            Err(NotOpened::Unreadable { outcome, .. }) => {
                let error = ConvertError::new(ErrorCode::InvalidInput, "the document cannot be read", "");
                let source = Arc::clone(outcome.document.source());
                let result = Err(NotConverted { error, diagnostics: outcome.diagnostics });
                return PageResult { source, result, resources: BTreeSet::new() };
            }
            Err(NotOpened::UnknownKind) => {
                let source = Arc::new(Source::new(path.clone(), ""));
                let error =
                    ConvertError::new(ErrorCode::InvalidInput, "the kind of the document is not known", "");
                let result = Err(NotConverted { error, diagnostics: Vec::new() });
                return PageResult { source, result, resources: BTreeSet::new() };
            }
        };
        let inside = Inside::new(self, index);
        let request = Request {
            format: self.format_of(index),
            engine: None,
            options: settings.options,
            options_name: settings.options_name,
            pandoc: settings.pandoc,
            template: None,
            source: false,
            back: None,
            worker: settings.worker,
        };
        let result = run::convert_within(&subject, &request, Some(&inside), None);
        PageResult { source: Arc::clone(subject.source()), result, resources: inside.into_resources() }
    }

    /// The format of a page: a web page, unless its header names only another one that browsers show.
    fn format_of(&self, index: usize) -> &'static Format {
        let named = self.facts.get(index).map(|facts| facts.formats.as_slice()).unwrap_or_default();
        let mut named = named.iter().filter_map(|name| formats::named(name.split('+').next()?));
        let own = if named.clone().any(|format| format.id == "html") {
            None
        } else {
            named.find(|format| format.extension == "html" && format.id != "email")
        };
        own.unwrap_or(self.website.format)
    }

    /// What pages share, with paths from the output folder.
    pub fn shared(&self) -> Vec<(String, Vec<u8>)> {
        vec![
            (format!("{}/site.css", html::SHARED), html::style().into_bytes()),
            (format!("{}/site.js", html::SHARED), html::script().as_bytes().to_vec()),
        ]
    }

    /// The files that `project.resources` names, and a finding for each pattern that names none.
    pub fn resources(&self) -> (BTreeSet<String>, Vec<Observation>) {
        let mut found = BTreeSet::new();
        let mut facts = Vec::new();
        let configuration = &self.website.configuration;
        for pattern in
            strings(configuration.values.get("project").and_then(|project| project.get("resources")))
        {
            let matching = self.matching("", &pattern);
            if matching.is_empty() && !pattern.starts_with('!') {
                let node = configuration.at(&["project", "resources"]);
                let item = node.into_iter().flat_map(|node| node.items().collect::<Vec<_>>());
                let item = item.into_iter().find(|item| item.as_str() == Some(&pattern)).or(node);
                let span = item.map_or(Span::at(0), |node| node.span());
                facts.push(fact("resource-not-copied", &pattern, span).with("problem", "missing"));
            }
            found.extend(matching);
        }
        (found, facts)
    }

    /// The files that a pattern stands for, in a folder of the project.
    fn matching(&self, folder: &str, pattern: &str) -> Vec<String> {
        let full = match pattern.strip_prefix('/') {
            Some(pattern) => format!("/{pattern}"),
            None if folder.is_empty() => pattern.to_owned(),
            None => format!("{folder}{pattern}"),
        };
        let Ok(patterns) = Patterns::new(&[full]) else { return Vec::new() };
        let files = self.website.files.iter();
        files.filter(|path| patterns.matches(path) && !self.index.contains_key(*path)).cloned().collect()
    }

    /// Reads a file that is copied.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] for a hidden file,
    /// [`io::ErrorKind::FileTooLarge`] for a large one.
    pub fn read_resource(&self, path: &str) -> io::Result<Vec<u8>> {
        if pages::is_hidden(path) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let folder = &self.website.folder;
        Jail::around(&folder.join("_quarto.yml"), &[folder], LARGEST).read(path)
    }

    /// A fact about a file that is not copied.
    pub fn not_copied(&self, path: &str, problem: &str) -> Observation {
        fact("resource-not-copied", path, Span::at(0)).with("problem", problem)
    }

    /// The findings in the project file, with further ones.
    pub fn findings(&self, further: Vec<Observation>) -> Vec<Diagnostic> {
        let mut facts = self.website.facts.clone();
        facts.extend(further);
        if facts.is_empty() {
            return Vec::new();
        }
        self.website.validator.run_facts(self.website.source(), facts)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::{Configuration, Overrides};

    #[test]
    fn a_page_is_converted_from_the_text_that_was_surveyed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("_quarto.yml", "project: {type: website}\n");
        write("index.qmd", "---\ntitle: Tea\n---\n\nHot.\n");
        let overrides = Overrides { folder: Some(folder.path().to_owned()), ..Overrides::default() };
        let project = Project::open(&Configuration::Default, overrides).unwrap();
        let Ok(Some(website)) = Website::open(&project, folder.path(), None) else {
            panic!("the folder is a website")
        };
        let facts = website.survey(0);
        write("index.qmd", "---\ntitle: Coffee\n---\n\nCold.\n");
        let pandoc = Pandoc::of(&project.config().convert);
        let settings = Settings { options: &[], options_name: "--option", pandoc: &pandoc, worker: None };
        let Ok(page) = website.connected(vec![facts]).convert(0, settings).result else {
            panic!("the page is converted")
        };
        let page = String::from_utf8(page.bytes).unwrap();
        assert!(page.contains("Hot.") && !page.contains("Cold."), "{page}");
    }
}
