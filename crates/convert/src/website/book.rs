//! A book as one document, for formats with pages: its chapters one after the other, below its parts.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value, json};

use super::{Settings, Website, configuration::fact, paths, read_from, title_of};
use crate::{
    diagnostic::{Diagnostic, Severity},
    error::{ConvertError, ErrorCode},
    formats::Format,
    language,
    model::{Attr, Block, Inline, Place, Rewrite, identifier},
    project::{Input, NotOpened, Subject},
    project_files,
    reader::{self, Read},
    run::{self, Chapters, Converted, NotConverted, Request},
    text::Source,
    transform::APPENDICES,
};

/// What begins the labels of the headings of parts, which the template for Typst has pages for.
const PART: &str = "book-part-";

/// Deepest list of chapters.
const DEPTH: u32 = 8;

/// Keys of the header of a chapter that have their effect in a book, or say something to others than its readers.
const CHAPTER: [&str; 10] = [
    "aliases",
    "categories",
    "description",
    "draft",
    "image",
    "image-alt",
    "keywords",
    "number-sections",
    "order",
    "title",
];

/// What a book consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    /// The title of a part.
    Part(String),
    /// A part with text.
    PartPage(String),
    /// A chapter, by its path.
    Chapter(String),
    /// What begins before the appendices.
    Appendices,
}

/// A chapter that was read.
struct Chapter<'p> {
    /// The document, with the files that were read for its validation.
    subject: Subject<'p>,
    path: String,
    /// The title that its header has.
    title: Option<String>,
    /// The title that readers see, without marks.
    plain_title: String,
    /// The label of its heading.
    label: String,
    is_unnumbered: bool,
}

/// A part of the text.
enum Piece<'p> {
    /// A heading of a part.
    Part(String),
    Chapter(Box<Chapter<'p>>),
    /// What begins the appendices, with a heading where the book has parts.
    Appendices(Option<String>),
}

/// A book that was converted as one document, or why not.
pub struct Whole {
    /// The chapters with what was found in them.
    pub chapters: Vec<(Arc<Source>, Vec<Diagnostic>)>,
    /// The document that stands for the book.
    pub source: Arc<Source>,
    pub result: Result<Converted, NotConverted>,
}

impl<'p> Website<'p> {
    /// Whether the project names a format among its own.
    pub fn names_format(&self, format: &Format) -> bool {
        let names = std::iter::once(&format.id).chain(&format.aliases);
        let own = self.configuration.values.get("format");
        own.is_some_and(|own| {
            names.into_iter().any(|name| own.as_str() == Some(name) || own.get(name).is_some())
        })
    }

    /// The name of the file that the book becomes, without an ending.
    pub fn file_name(&self) -> String {
        let book = self.configuration.values.get("book");
        let text = |key: &str| book.and_then(|book| book.get(key)).and_then(Value::as_str);
        let name = text("output-file").map(|name| name.trim_end_matches(".pdf")).or_else(|| text("title"));
        let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        let words = name.unwrap_or("book").split(|c| !is_kept(c)).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("-");
        let name = name.trim_start_matches('.');
        if name.is_empty() { "book".to_owned() } else { name.to_owned() }
    }

    /// Converts the book as one document.
    pub fn convert_whole(&self, format: &'static Format, settings: Settings<'_>, source: bool) -> Whole {
        let mut found = Vec::new();
        let pieces = self.pieces(format, &mut found);
        // JSON is YAML.
        let text = format!("---\n{}\n---\n", self.header(format));
        let name = "_quarto.qmd";
        let Ok(subject) = self.subject(name, Input::text(text).at(self.folder.join(name))) else {
            let error = ConvertError::new(ErrorCode::InvalidInput, "the book cannot be read", "");
            let result = Err(NotConverted { error, diagnostics: Vec::new() });
            return Whole { chapters: found, source: Arc::clone(self.source()), result };
        };
        let whole = Arc::clone(subject.source());
        let is_error = |found: &Diagnostic| found.severity == Severity::Error && found.suppressed.is_none();
        if found.iter().any(|(_, found)| found.iter().any(is_error)) {
            let details = "fix what the diagnostics report";
            let error =
                ConvertError::new(ErrorCode::InvalidInput, "chapters of the book have errors", details);
            let result = Err(NotConverted { error, diagnostics: Vec::new() });
            return Whole { chapters: found, source: whole, result };
        }
        let request = Request {
            format,
            engine: None,
            options: settings.options,
            options_name: settings.options_name,
            pandoc: settings.pandoc,
            template: None,
            source,
            back: None,
            worker: settings.worker,
        };
        let text = Text::of(pieces);
        let result = run::convert_within(&subject, &request, None, Some(&text));
        Whole { chapters: found, source: whole, result }
    }

    /// The header of the document that stands for the book.
    fn header(&self, format: &Format) -> Value {
        let values = &self.configuration.values;
        let mut header = Map::new();
        for key in ["title", "subtitle", "author", "date", "abstract"] {
            if let Some(value) = values.get("book").and_then(|book| book.get(key)) {
                header.insert(key.to_owned(), value.clone());
            }
        }
        let names = || std::iter::once(&format.id).chain(&format.aliases);
        let is_said = |key: &str| {
            let own = names().find_map(|name| values.get("format")?.get(name)?.get(key));
            own.or_else(|| values.get(key)).is_some()
        };
        let usual =
            [("toc", json!(true)), ("number-sections", json!(true)), ("documentclass", json!("book"))];
        header.extend(
            usual.into_iter().filter(|(key, _)| !is_said(key)).map(|(key, value)| (key.to_owned(), value)),
        );
        Value::Object(header)
    }

    /// What the book consists of, in its order.
    fn entries(&self) -> Vec<Entry> {
        let mut out = Vec::new();
        let book = self.configuration.values.get("book");
        let list = |key: &str| book.and_then(|book| book.get(key)).and_then(Value::as_array);
        if let Some(items) = list("chapters") {
            self.listed(items, &mut out, 0);
        }
        if let Some(items) = list("appendices") {
            out.push(Entry::Appendices);
            self.listed(items, &mut out, 0);
        }
        let mut seen = HashSet::new();
        out.retain(|entry| match entry {
            Entry::Chapter(path) | Entry::PartPage(path) => seen.insert(path.clone()),
            _ => true,
        });
        out
    }

    fn listed(&self, items: &[Value], out: &mut Vec<Entry>, depth: u32) {
        let page = |value: &Value| {
            let path = value.as_str()?;
            let path = path.strip_prefix("./").unwrap_or(path);
            self.pages.iter().find(|page| *page == path).cloned()
        };
        for item in items {
            if let Some(path) = page(item) {
                out.push(Entry::Chapter(path));
            }
            match item.get("part") {
                Some(part) if page(part).is_some() => out.extend(page(part).map(Entry::PartPage)),
                Some(Value::String(title)) => out.push(Entry::Part(title.clone())),
                _ => {}
            }
            out.extend(["href", "file"].iter().find_map(|key| page(item.get(key)?)).map(Entry::Chapter));
            if let Some(inner) = item.get("chapters").and_then(Value::as_array).filter(|_| depth < DEPTH) {
                self.listed(inner, out, depth + 1);
            }
        }
    }

    /// The parts of the text, and what is found in the chapters.
    fn pieces(&self, format: &Format, found: &mut Vec<(Arc<Source>, Vec<Diagnostic>)>) -> Vec<Piece<'p>> {
        let entries = self.entries();
        let has_parts = entries.iter().any(|entry| matches!(entry, Entry::Part(_) | Entry::PartPage(_)));
        let mut out = Vec::new();
        for entry in entries {
            match entry {
                Entry::Part(title) => out.push(Piece::Part(title)),
                Entry::Appendices => {
                    out.push(Piece::Appendices(has_parts.then(|| self.appendices())));
                }
                Entry::PartPage(path) => {
                    if let Some(mut chapter) = self.chapter(&path, format, found) {
                        // The heading of its text stays one, without a number.
                        let shown = std::mem::take(&mut chapter.plain_title);
                        let title =
                            chapter.title.take().or_else(|| Some(shown).filter(|title| !title.is_empty()));
                        out.extend(title.map(Piece::Part));
                        chapter.is_unnumbered = true;
                        chapter.label.clear();
                        out.push(Piece::Chapter(Box::new(chapter)));
                    }
                }
                Entry::Chapter(path) => {
                    let chapter = self.chapter(&path, format, found).map(Box::new);
                    out.extend(chapter.map(Piece::Chapter));
                }
            }
        }
        out
    }

    fn appendices(&self) -> String {
        let values = &self.configuration.values;
        let words = values.get("lang").and_then(Value::as_str).map(language::words).unwrap_or_default();
        let word = words.get("section-title-appendices").and_then(Value::as_str);
        word.unwrap_or("Appendices").to_owned()
    }

    /// Reads and validates a chapter.
    fn chapter(
        &self,
        path: &str,
        format: &Format,
        found: &mut Vec<(Arc<Source>, Vec<Diagnostic>)>,
    ) -> Option<Chapter<'p>> {
        let index = self.pages.iter().position(|page| page == path)?;
        let subject = match self.page(index) {
            Ok(subject) => subject,
            Err(NotOpened::Unreadable { outcome, .. }) => {
                found.push((Arc::clone(outcome.document.source()), outcome.diagnostics));
                return None;
            }
            Err(NotOpened::UnknownKind) => return None,
        };
        let outcome = subject.validate();
        let ruleset = subject.validator().ruleset();
        let is_loss = |found: &Diagnostic| {
            ruleset.find(&found.id).is_some_and(|found| found.rule.tags.iter().any(|tag| tag == "loss"))
        };
        let mut diagnostics = outcome.diagnostics;
        diagnostics.retain(|found| !is_loss(found));
        let header = outcome.document.tree.root().get("header");
        // What a chapter says about itself has no effect on the whole.
        let ignored = header.into_iter().flat_map(|header| header.entries());
        let ignored = ignored.filter(|entry| !CHAPTER.contains(&entry.key()));
        let facts = ignored.map(|entry| {
            fact("option-without-effect", entry.key(), entry.key_span()).with("format", format.id.as_str())
        });
        let facts: Vec<_> = facts.collect();
        if !facts.is_empty() {
            diagnostics.extend(subject.validator().run_facts(subject.source(), facts));
        }
        let facts = self.facts_of(index, &subject);
        if facts.is_draft {
            return None;
        }
        let title = header.and_then(|header| header.get("title")).and_then(|title| title.as_str());
        let title = title.map(|title| title.replace('\n', " "));
        let label = match (&title, facts.title_label) {
            (Some(_), _) => format!("chapter-{index}"),
            (None, Some(label)) => label,
            (None, None) => identifier(&reader::read_inlines(&facts.plain_title, true)),
        };
        found.push((Arc::clone(subject.source()), diagnostics));
        drop(outcome.document);
        let (plain_title, is_unnumbered) = (facts.plain_title, facts.is_unnumbered);
        Some(Chapter { subject, path: path.to_owned(), title, plain_title, label, is_unnumbered })
    }
}

/// The text of a book.
struct Text<'p> {
    pieces: Vec<Piece<'p>>,
    /// The labels of chapters by their paths.
    labels: HashMap<String, String>,
}

impl<'p> Text<'p> {
    fn of(pieces: Vec<Piece<'p>>) -> Self {
        let labels = pieces.iter().filter_map(|piece| match piece {
            Piece::Chapter(chapter) if !chapter.label.is_empty() => {
                Some((chapter.path.clone(), chapter.label.clone()))
            }
            _ => None,
        });
        Self { labels: labels.collect(), pieces }
    }
}

/// A heading that begins a page.
fn heading(title: &str, label: &str, is_unnumbered: bool) -> Block {
    let classes = if is_unnumbered { "unnumbered" } else { "" };
    Block::Header(1, Attr::classes(classes).with_id(label.to_owned()), reader::read_inlines(title, true))
}

impl Chapters for Text<'_> {
    fn read(&self, source: &Arc<Source>, smart: bool) -> Read {
        let mut out = reader::read(Arc::clone(source), smart, &|_| None);
        let mut identifiers = Identifiers::default();
        let mut sections: Vec<(Option<&str>, Vec<Block>)> = Vec::new();
        let mut parts = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Part(title) => {
                    parts += 1;
                    sections.push((None, vec![heading(title, &format!("{PART}{parts}"), true)]));
                }
                Piece::Appendices(title) => {
                    let heading =
                        title.as_deref().map(|title| heading(title, &format!("{PART}appendices"), true));
                    let (format, text) = ("typst".to_owned(), APPENDICES.to_owned());
                    let begin = Block::Raw { format, text, place: Place::default() };
                    sections.push((None, heading.into_iter().chain([begin]).collect()));
                }
                Piece::Chapter(chapter) => {
                    let up = paths::up(&chapter.path);
                    let include = |path: &str| {
                        let bytes = read_from(&chapter.subject, &up, path)?;
                        project_files::text(&bytes).map(str::to_owned)
                    };
                    let own = reader::read_after(
                        std::mem::take(&mut out.texts),
                        Arc::clone(chapter.subject.source()),
                        smart,
                        &include,
                    );
                    let mut blocks = own.blocks;
                    if let Some(title) = &chapter.title {
                        blocks.insert(0, heading(title, &chapter.label, chapter.is_unnumbered));
                    } else if chapter.label.is_empty() && title_of(&blocks).is_some() {
                        // The title of a part with text is on the page of the part.
                        blocks.remove(0);
                    }
                    sections.push((Some(&chapter.path), identifiers.of_chapter(&chapter.path, blocks)));
                    out.texts = own.texts;
                    out.too_deep = out.too_deep.or(own.too_deep);
                }
            }
        }
        for (path, blocks) in sections {
            out.blocks.extend(match path {
                Some(path) => {
                    Rebased { path, labels: &self.labels, identifiers: &identifiers }.rewrite(blocks)
                }
                None => blocks,
            });
        }
        out
    }
}

/// The identifiers of headings. Chapters can have the same ones; in the book, each is there once.
#[derive(Default)]
struct Identifiers {
    taken: HashSet<String>,
    /// Those that headings got in place of others, by the paths of their chapters and the others.
    renamed: HashMap<String, HashMap<String, String>>,
}

impl Identifiers {
    /// Names the headings of a chapter that would have the identifiers of those of earlier chapters.
    fn of_chapter(&mut self, path: &str, blocks: Vec<Block>) -> Vec<Block> {
        let mut chapter =
            ChapterHeadings { taken: &mut self.taken, counts: HashMap::new(), renamed: HashMap::new() };
        let blocks = chapter.rewrite(blocks);
        let renamed = chapter.renamed;
        self.renamed.insert(path.to_owned(), renamed);
        blocks
    }

    /// The identifier in the book of a heading of a chapter.
    fn in_book<'a>(&'a self, path: &str, identifier: &'a str) -> &'a str {
        let renamed = self.renamed.get(path).and_then(|renamed| renamed.get(identifier));
        renamed.map_or(identifier, String::as_str)
    }
}

/// The headings of a chapter, in their order.
struct ChapterHeadings<'a> {
    taken: &'a mut HashSet<String>,
    /// How many headings with the same words came before.
    counts: HashMap<String, usize>,
    renamed: HashMap<String, String>,
}

impl ChapterHeadings<'_> {
    fn heading(&mut self, attr: &mut Attr, words: &[Inline]) {
        let mut own = attr.id.clone();
        if own.is_empty() {
            let base = identifier(words);
            let count = self.counts.entry(base.clone()).or_default();
            own = if *count == 0 { base } else { format!("{base}-{count}") };
            *count += 1;
        }
        if self.taken.insert(own.clone()) {
            return;
        }
        // One more number than there are identifiers is enough.
        let mut names = (1..=self.taken.len() + 1).map(|number| format!("{own}-{number}"));
        let unique = names.find(|name| !self.taken.contains(name));
        attr.id = unique.unwrap_or_default();
        self.taken.insert(attr.id.clone());
        self.renamed.entry(own).or_insert_with(|| attr.id.clone());
    }
}

impl Rewrite for ChapterHeadings<'_> {
    fn block(&mut self, block: Block) -> Block {
        match block {
            Block::Header(level, mut attr, inner) => {
                self.heading(&mut attr, &inner);
                Block::Header(level, attr, inner)
            }
            Block::Div(attr, inner) => Block::Div(attr, self.rewrite(inner)),
            Block::Quote(inner) => Block::Quote(self.rewrite(inner)),
            other => other,
        }
    }
}

/// Leads links to headings of this and other chapters, and pictures to their files from the folder of the project.
struct Rebased<'a> {
    path: &'a str,
    labels: &'a HashMap<String, String>,
    identifiers: &'a Identifiers,
}

impl Rebased<'_> {
    fn within(&self, url: &str) -> Option<String> {
        let (path, rest) = url.split_at(url.find(['#', '?']).unwrap_or(url.len()));
        let (full, label) = if path.is_empty() {
            (self.path.to_owned(), None)
        } else {
            let full = paths::below(self.path, &crate::text::percent_decoded(path))?;
            let label = self.labels.get(&full)?;
            (full, Some(label.as_str()))
        };
        let fragment = rest.find('#').map(|at| &rest[at + 1..]).filter(|fragment| !fragment.is_empty());
        Some(format!("#{}", self.identifiers.in_book(&full, fragment.or(label)?)))
    }
}

impl Rewrite for Rebased<'_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let folder = paths::folder(self.path);
        let rebased = inlines.into_iter().map(|inline| match inline {
            Inline::Link(attr, inner, mut target) => {
                if let Some(url) = self.within(&target.url) {
                    target.url = url;
                }
                Inline::Link(attr, inner, target)
            }
            Inline::Image(attr, inner, mut target) => {
                let is_here = !target.url.starts_with('/') && !target.url.contains(':');
                if is_here && !folder.is_empty() {
                    target.url.insert_str(0, folder);
                }
                Inline::Image(attr, inner, target)
            }
            other => other,
        });
        rebased.collect()
    }
}
