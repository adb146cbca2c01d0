//! From a document to the bytes of a result.

use std::{collections::HashMap, sync::Arc, time::Instant};

use serde_json::Value;

use super::{
    addresses,
    asked::{self, Asked},
    brand::Brand,
    citations::{self, Library, Output},
    dates,
    error::{ConvertError, ErrorCode},
    formats::{self, Engine, Family, Format},
    html::{self, Site},
    images::{self, Files, Pictures},
    losses,
    markdown::{self, Dialect},
    metadata::{self, Metadata, relocated},
    model::{Attr, Block, Inline, Place},
    notebook,
    pandoc::{self, Citations, Listing, Pandoc, Styled},
    pptx::{self, Lack},
    project_files::{self, ReadFile},
    reader,
    transform::{self, Context, Loss, LossKind, Losses},
    worker::{PictureKind, RenderWorker, Typeset},
};
use crate::{
    budget::{self, Exceeded},
    diagnostic::{Diagnostic, Severity},
    kinds::{EditorQuestions, Kind, Limits, quarto},
    project::{Project, Subject, config::Convert as ConvertConfig},
    tree::Node,
};

/// The kind of the documents that are converted.
pub fn source_kind(project: &Project) -> Option<Arc<dyn Kind>> {
    project.kinds().get(quarto::NAME).cloned()
}

/// A request to convert a document: the format, the engine and the options.
pub struct Request<'r> {
    pub format: &'r Format,
    /// The engine that was asked for (default: that of the format).
    pub engine: Option<Engine>,
    /// Options that win over the document's own.
    pub options: &'r [(String, String)],
    /// What reports call the options, such as `--option`.
    pub options_name: &'r str,
    pub pandoc: &'r Pandoc,
    /// Bytes of a template.
    pub template: Option<&'r [u8]>,
    /// Whether source is wanted of a format that is typeset.
    pub source: bool,
    /// The way from the folder of the result to that of the document, where these are others: see [`way_back`](super::way_back).
    pub back: Option<&'r str>,
    /// What sets pages and draws diagrams; absent where this program has no renderer.
    pub worker: Option<&'r dyn RenderWorker>,
}

/// A document that was converted.
pub struct Converted {
    pub bytes: Vec<u8>,
    /// What is not as the document says it, and its warnings.
    pub diagnostics: Vec<Diagnostic>,
    pub engine: &'static str,
    /// The version of the engine.
    pub version: String,
    pub milliseconds: u64,
}

/// A document that was not converted, with its diagnostics.
pub struct NotConverted {
    pub error: ConvertError,
    pub diagnostics: Vec<Diagnostic>,
}

/// The engine that a project prefers for formats that several engines write.
pub fn preferred(config: &ConvertConfig) -> Option<Engine> {
    config.engine.filter(|engine| *engine == Engine::Pandoc.name()).map(|_| Engine::Pandoc)
}

/// The formats of a document, as far as documents are converted to them: those of its header and of `_metadata.yml`, or
/// else those of its project. A format of an extension ends with the one that it is based on: `acm-pdf`.
pub fn formats_of(subject: &Subject<'_>) -> Vec<&'static Format> {
    let known = |name: &str| {
        let name = name.split(['+']).next().unwrap_or(name);
        formats::named(name).or_else(|| formats::named(name.rsplit('-').next()?))
    };
    let mut out: Vec<&'static Format> = Vec::new();
    for format in format_names(subject).iter().filter_map(|name| known(name)) {
        if !out.contains(&format) {
            out.push(format);
        }
    }
    out
}

/// The names of the formats of a document.
fn format_names(subject: &Subject<'_>) -> Vec<String> {
    subject.keep_files();
    let document = subject.read_text(subject.text(), EditorQuestions::default());
    let limits = subject.project().limits();
    let beside = |path: &str| subject.kept_neighbor(path).ok();
    let (project, folder) =
        project_files::find_in(&quarto::PROJECT_FILES, &beside, limits).unwrap_or_default();
    let header = document.tree.root().get("header").map(|header| header.to_json());
    let mut names = header.as_ref().map(named_formats).unwrap_or_default();
    if !project.is_null() {
        let folders = project_files::of_folders(&folder, &beside, limits);
        names.extend(folders.iter().rev().flat_map(named_formats));
    }
    if names.is_empty() { named_formats(&project) } else { names }
}

/// The names under `format`: one name, or the keys of a mapping.
fn named_formats(values: &Value) -> Vec<String> {
    match values.get("format") {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Object(formats)) => formats.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Converts a document that has no errors.
pub fn convert(subject: &Subject<'_>, request: &Request<'_>) -> Result<Converted, NotConverted> {
    convert_within(subject, request, None, None)
}

/// Like [`convert`]; `inside` is the project around a page, where all of it is converted, `book` has the chapters of a document
/// that stands for a book.
pub(super) fn convert_within(
    subject: &Subject<'_>,
    request: &Request<'_>,
    inside: Option<&dyn Around>,
    book: Option<&dyn Chapters>,
) -> Result<Converted, NotConverted> {
    let start = Instant::now();
    // What is validated is what is converted.
    subject.keep_files();
    let outcome = subject.validate();
    let mut diagnostics = outcome.diagnostics;
    let asked = Asked::new(request.options, request.options_name);
    if inside.is_none() {
        diagnostics.extend(asked.validated(&|text| subject.validate_text(text)));
    }
    let ruleset = subject.validator().ruleset();
    let has_tag = |id: &str, tag: &str| {
        ruleset.find(id).is_some_and(|found| found.rule.tags.iter().any(|own| own == tag))
    };
    // Conversions do without filters and templates, and the source of pages only names the bibliography.
    let is_source = request.source && request.format.family == Family::Typst;
    let unread =
        |id: &str| has_tag(id, "file") && (has_tag(id, "header") || is_source && has_tag(id, "citation"));
    let errors = diagnostics.iter().filter(|found| {
        found.severity == Severity::Error && found.suppressed.is_none() && !unread(&found.id)
    });
    let count = errors.count();
    if count > 0 {
        let message = format!("the document has {}", crate::text::plural(count, "error"));
        let error = ConvertError::new(ErrorCode::InvalidInput, message, "fix what the diagnostics report");
        return Err(NotConverted { error, diagnostics });
    }
    // What another program would lose is not lost here; what is lost has facts of its own.
    diagnostics.retain(|found| !has_tag(&found.id, "loss"));
    let node = outcome.document.tree.root().get("header");
    let places = Places::of(node, request.format);
    let header = node.map_or(Value::Null, |header| header.to_json());
    drop(outcome.document);
    let bytes = subject.source().text().len();
    // What was lost until the budget was used up says nothing about the document.
    let conversion = Conversion { subject, request, header, places, asked: &asked, inside, book };
    let made = within_budget(subject.project(), bytes, || Ok(conversion.run()));
    match made.unwrap_or_else(|error| Err((error, Vec::new()))) {
        Ok(made) => {
            // What the document reports already is not lost by the conversion.
            let is_known = |loss: &Diagnostic| {
                let follows =
                    ruleset.find(&loss.id).map(|found| found.rule.follows.as_slice()).unwrap_or_default();
                let line = (&loss.location.file, loss.location.line);
                let is_there = |found: &Diagnostic| {
                    follows.contains(&found.id) && (&found.location.file, found.location.line) == line
                };
                diagnostics.iter().any(is_there)
            };
            let losses: Vec<Diagnostic> = made.losses.into_iter().filter(|loss| !is_known(loss)).collect();
            diagnostics.extend(losses);
            let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            let Made { bytes, engine, version, .. } = made.made;
            Ok(Converted { bytes, diagnostics, engine, version, milliseconds })
        }
        Err((error, losses)) => {
            diagnostics.extend(losses);
            Err(NotConverted { error, diagnostics })
        }
    }
}

/// Steps of a conversion for each MiB of the document, and of one that is smaller: some two seconds of a slow machine.
const STEPS: u64 = 200_000_000;

/// Bytes of what a conversion reads and makes, for each MiB of the document, and of one that is smaller.
const BYTES: u64 = 128 << 20;

/// Runs the conversion of a document of some bytes, or a part of one, within its budget.
pub(super) fn within_budget<R>(
    project: &Project,
    bytes: usize,
    work: impl FnOnce() -> Result<R, ConvertError>,
) -> Result<R, ConvertError> {
    let size = 1 + u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
    let (steps, bytes) = (STEPS.saturating_mul(size.into()), BYTES.saturating_mul(size.into()));
    let limited = || budget::at_most(steps, bytes, || (work(), budget::spent().exceeded));
    match project.budget(size).spend(limited).0 {
        (_, Some(exceeded)) => Err(too_large(exceeded)),
        (result, None) => result,
    }
}

/// What is reported when the budget of a conversion is used up.
fn too_large(exceeded: Exceeded) -> ConvertError {
    let message = format!("the conversion exceeds {exceeded}");
    match exceeded {
        Exceeded::Deadline | Exceeded::Cancelled => {
            ConvertError::new(ErrorCode::Timeout, message, "divide the document, or allow more time")
        }
        _ => ConvertError::new(
            ErrorCode::InvalidInput,
            message,
            "divide the document, or use fewer and smaller includes, values, pictures and bibliographies",
        ),
    }
}

struct Conversion<'r, 's> {
    subject: &'r Subject<'s>,
    request: &'r Request<'r>,
    header: Value,
    places: Places,
    /// The options that win over those of the header.
    asked: &'r Asked<'r>,
    /// The project, where all of it is converted.
    inside: Option<&'r dyn Around>,
    /// The chapters, where the document stands for a book.
    book: Option<&'r dyn Chapters>,
}

/// The chapters of a book, in place of the text of a document.
pub(super) trait Chapters {
    /// Reads them; `source` is the document that stands for the book.
    fn read(&self, source: &Arc<crate::text::Source>, smart: bool) -> reader::Read;
}

/// The project around a page, where all of it is converted.
pub(super) trait Around: transform::Elsewhere {
    /// What is around the page.
    fn site(&self) -> Site;

    /// What the project says about the page. The first page of a book has the title of the book.
    fn values(&self) -> Value;

    /// The number of the chapter that the page is.
    fn chapter(&self) -> Option<String>;

    /// Notes the files that the header names; gives the keys that have an effect that they would not have otherwise.
    fn files(&self, metadata: &Metadata, site: &mut Site) -> Vec<&'static str>;

    /// Takes the heading that is the title of a chapter out of the text.
    fn heading(&self, blocks: &mut Vec<Block>, context: &mut Context<'_>) -> Option<Heading>;

    /// The title of a chapter with its number.
    fn title(&self, heading: Option<Heading>, context: &mut Context<'_>) -> Option<Vec<Inline>>;

    /// The blocks with links to the pages that are written, and with lists of pages.
    fn applied(&self, blocks: Vec<Block>, context: &mut Context<'_>, place: Place) -> Vec<Block>;

    /// The address of a picture of the project.
    fn picture(&self, url: &str) -> Option<String>;
}

/// The heading that is the title of a chapter.
pub(super) struct Heading {
    pub(super) attr: Attr,
    pub(super) words: Vec<Inline>,
}

/// Where the options of a header are.
pub(super) struct Places {
    /// Options of the format that is asked for.
    pub(super) own: HashMap<String, Place>,
    pub(super) all: HashMap<String, Place>,
}

impl Places {
    pub(super) fn of(header: Option<Node<'_>>, format: &Format) -> Self {
        let keys = |node: Option<Node<'_>>| -> HashMap<String, Place> {
            let entries = node.into_iter().flat_map(Node::entries);
            let place = |entry: &crate::tree::Entry<'_>| Place { source: 0, offset: entry.key_span().start };
            entries.map(|entry| (entry.key().to_owned(), place(&entry))).collect()
        };
        let names = std::iter::once(format.id.as_str()).chain(format.aliases.iter().map(String::as_str));
        let formats = header.and_then(|header| header.get("format"));
        let own = names.filter_map(|name| formats?.get(name)).flat_map(|node| keys(Some(node)));
        Self { own: own.collect(), all: keys(header) }
    }

    fn has(&self, key: &str) -> bool {
        self.own.contains_key(key) || self.all.contains_key(key)
    }

    pub(super) fn at(&self, key: &str) -> Place {
        self.own.get(key).or_else(|| self.all.get(key)).copied().unwrap_or_default()
    }
}

/// The template that a document names, where none is asked for: a file in a folder that it may read.
fn template(request: &Request<'_>, metadata: &Metadata, read: ReadFile<'_>) -> Option<Arc<[u8]>> {
    if request.template.is_some() || !request.format.template {
        return None;
    }
    let path = metadata.reference_document.as_deref()?;
    let bytes = read(path)?;
    budget::allocate(bytes.len());
    Some(bytes)
}

/// Whether Typst resolves the citations of a document: in its source, which names the files as the document does.
fn is_native(request: &Request<'_>, metadata: &Metadata) -> bool {
    request.source
        && request.format.family == Family::Typst
        && metadata.at("references").is_none()
        && !metadata.is_true("citeproc")
}

/// The file that an engine has made.
struct Made {
    bytes: Vec<u8>,
    engine: &'static str,
    version: String,
}

struct Outcome {
    made: Made,
    losses: Vec<Diagnostic>,
}

impl Conversion<'_, '_> {
    #[allow(clippy::too_many_lines, reason = "the stages of a conversion in their order")]
    fn run(self) -> Result<Outcome, (ConvertError, Vec<Diagnostic>)> {
        let Self { subject, request, header, places, asked, inside, book } = self;
        let format = request.format;
        let limits = subject.project().limits();
        let beside = |path: &str| subject.kept_neighbor(path).ok();
        let (project, folder) =
            project_files::find_in(&quarto::PROJECT_FILES, &beside, limits).unwrap_or_default();
        // Paths that begin with `/` begin in the folder of the project.
        let from_document = |path: &str| match path.strip_prefix('/') {
            Some(below) => format!("{folder}{below}"),
            None => path.to_owned(),
        };
        let read = |path: &str| beside(&from_document(path));
        let size = |path: &str| subject.neighbor_size(&from_document(path)).ok();
        let mut site = match inside {
            Some(inside) => inside.site(),
            None => Site::of(&project, &folder, subject.source().name()),
        };
        let variables = project_files::find(&["_variables.yml", "_variables.yaml"], &read, limits);
        let is_in_project = !project.is_null();
        let kind = project.get("project").and_then(|project| project.get("type")).and_then(Value::as_str);
        let kind = kind.filter(|kind| matches!(*kind, "website" | "book")).map(str::to_owned);
        let own = inside.map_or_else(|| project_values(project), Around::values);
        let mut layers = vec![relocated(own, &folder)];
        if is_in_project {
            layers.extend(project_files::of_folders(&folder, &read, limits));
        }
        layers.push(header);
        let modified = subject.modified();
        for layer in &mut layers {
            dates::with_modified(layer, modified);
        }
        let options = dates::options_with_modified(request.options, modified);
        let mut metadata = Metadata::layered(layers, &options, format);
        metadata.is_book = book.is_some();
        let brand = Brand::find(&metadata, &read, limits);
        let engine = request.engine.unwrap_or(format.engine);
        let mut context = Context {
            worker: request.worker,
            picture_kind: PictureKind::of(format, request.source),
            native_citations: is_native(request, &metadata),
            chapter: inside.and_then(Around::chapter),
            elsewhere: inside.map(|inside| inside as &dyn transform::Elsewhere),
            ..Context::new((format, engine), &metadata, &variables, &brand)
        };
        if let Some(what) = kind.filter(|_| inside.is_none() && format.id == "html") {
            context.losses.push(Loss { place: Place::default(), kind: LossKind::Alone, what });
        }
        let template = template(request, &metadata, &read);
        let used = inside.map(|inside| inside.files(&metadata, &mut site)).unwrap_or_default();
        // What the project says, and what is asked for all of it, is reported with the project.
        let is_here = |key: &str| inside.is_none() || places.has(key);
        let asked_places = if inside.is_none() { asked.places() } else { Vec::new() };
        let own_refused = metadata.refused.iter().map(|key| (key.clone(), places.at(key)));
        let is_asked_only =
            |key: &str| !places.has(key) && asked_places.iter().any(|(asked, _)| asked == key);
        let own_refused = own_refused.filter(|(key, _)| is_here(key) && !is_asked_only(key));
        let asked_refused = asked_places.iter().filter(|(key, _)| metadata::is_refused(key)).cloned();
        for (key, place) in own_refused.chain(asked_refused) {
            let is_used = used.contains(&key.as_str());
            let has_template = request.template.is_some() || template.is_some();
            let is_template = key == "reference-doc" && has_template;
            if !(is_used || is_template) {
                context.losses.push(Loss { place, kind: LossKind::Ignored, what: key });
            }
        }
        let shown = |key: &str| subject.source().text().contains(&format!("meta {key}"));
        let writer = (format, engine);
        for (key, place) in metadata.without_effect(&places.own, &places.all, &asked_places, writer) {
            if place.source == asked::SOURCE && shown(&key) {
                continue;
            }
            context.losses.push(Loss { place, kind: LossKind::NoEffect, what: key });
        }
        if inside.is_none() && metadata.at("listing").is_some() && places.has("listing") {
            let (place, what) = (places.at("listing"), "listing".to_owned());
            context.losses.push(Loss { place, kind: LossKind::NoEffect, what });
        }
        let template = request.template.or(template.as_deref());
        let include = |path: &str| project_files::text(&read(path)?).map(str::to_owned);
        let smart = metadata.is_not_false("smart");
        let document = match book {
            Some(book) => book.read(subject.source(), smart),
            None => reader::read(Arc::clone(subject.source()), smart, &include),
        };
        if let Some(place) = document.too_deep {
            context.losses.push(Loss { place, kind: LossKind::TooDeep, what: "blocks".to_owned() });
        }
        let (mut blocks, document_texts) = (document.blocks, document.texts);
        let heading = inside.and_then(|inside| inside.heading(&mut blocks, &mut context));
        let blocks = transform::transform(blocks, &mut context);
        let blocks = match inside {
            Some(inside) => {
                site.title = inside.title(heading, &mut context);
                inside.applied(blocks, &mut context, places.at("listing"))
            }
            None => blocks,
        };
        let metadata = metadata.transformed(&mut |text| transform::text(text, &mut context));
        let mut citations = Citations::find(&metadata, &read);
        let mut blocks = blocks;
        if engine == Engine::Embedded {
            blocks = cited(blocks, &mut citations, &mut context, (request.pandoc, &places, limits));
        }
        for key in std::mem::take(&mut citations.refused).into_iter().filter(|key| is_here(key)) {
            let place = places.at(&key);
            let loss = Loss { place, kind: LossKind::Ignored, what: key };
            context.losses.push(loss);
        }
        let made = match engine {
            _ if !budget::is_left() => {
                Err(ConvertError::new(ErrorCode::RenderFailed, "the budget is used up", ""))
            }
            Engine::Embedded if format.id == "pptx" => {
                let image = |url: &str| images::bytes(url, &context.pictures, &read);
                presentation(&blocks, &metadata, template, &image, &mut context.losses)
            }
            Engine::Embedded => {
                if format.family == Family::Ipynb {
                    blocks = contained(blocks, &read, &mut context);
                }
                let links_files = format.family == Family::Html && !metadata.embeds();
                let back = request.back.filter(|_| links_files && inside.is_none());
                if let Some(back) = back {
                    blocks = addresses::with_links(blocks, back, &size);
                }
                let image = |url: &str| match inside {
                    Some(inside) => inside.picture(url),
                    None if links_files => back.and_then(|back| addresses::moved(url, back, &size)),
                    None => context.pictures.local(url, &read),
                };
                let around = ((&brand, &site), &mut context.losses);
                embedded(format, &blocks, &metadata, around, (&image, &context.pictures))
            }
            Engine::Pandoc => {
                let mut files = Files::new();
                if pandoc::shows_alternatives(format) {
                    blocks = images::with_alternatives(blocks);
                }
                // Typst would look for the works.
                if format.family == Family::Typst && !request.source && citations.is_empty() {
                    blocks = citations::as_written(blocks);
                }
                if format.pdf {
                    // The source names the files as the document does; what is set gets their bytes.
                    if !request.source {
                        let (placed, missing) =
                            images::with_files(blocks, &context.pictures, &read, &mut files);
                        blocks = placed;
                        context.losses.extend(missing.into_iter().map(missing_image));
                    }
                } else if format.binary || format.family == Family::Ipynb {
                    blocks = contained(blocks, &read, &mut context);
                }
                let standards = standards(request, &metadata, &places, &mut context.losses);
                let logo = logo(request, (&metadata, &brand), (&context.pictures, &read), &mut files);
                let document = document_of(
                    request,
                    (&blocks, &context.pictures),
                    &metadata,
                    &context.preamble,
                    (&citations, &brand),
                );
                let native_citations = context.native_citations;
                let document =
                    pandoc::Document { logo: logo.as_deref(), native_citations, template, ..document };
                pandoc::write(request.pandoc, &document)
                    .and_then(|(bytes, version)| Ok((typeset(request, bytes, files, &standards)?, version)))
                    .map(|(set, version)| {
                        context.losses.extend(losses::of_pages(&set, &document_texts));
                        context.missing_glyphs.extend(set.missing);
                        Made { bytes: set.bytes, engine: "pandoc", version }
                    })
            }
        };
        let validator = subject.validator();
        let mut losses = losses::diagnostics(
            validator,
            (subject.source(), asked.source()),
            &document_texts,
            format,
            &context.losses.listed(),
        );
        losses.extend(losses::of_glyphs(validator, &document_texts, &context.missing_glyphs));
        match made {
            Ok(made) => Ok(Outcome { made, losses }),
            Err(error) => Err((error, losses)),
        }
    }
}

/// The document with its citations resolved, for the writers of this program: by Pandoc where the document names a style
/// and Pandoc is installed.
fn cited(
    mut blocks: Vec<Block>,
    citations: &mut Citations,
    context: &mut Context<'_>,
    (pandoc, places, limits): (&Pandoc, &Places, Limits),
) -> Vec<Block> {
    let (metadata, format) = (context.metadata, context.format);
    let (library, unread) = Library::new(citations.files(), citations.style(), metadata, limits);
    citations.refused.extend(std::iter::repeat_n("bibliography".to_owned(), unread));
    let nocite = metadata.text("nocite").unwrap_or_default();
    let links = format.family == Family::Html && !format.slides && metadata.is_not_false("link-citations");
    let cites = if citations.style().is_some() { citations::cites(&mut blocks) } else { Vec::new() };
    let is_styled = citations.style().is_some() && !(cites.is_empty() && nocite.is_empty());
    let styled = (is_styled && !citations.is_empty()).then(|| {
        let nocite = citations::uncited_works(nocite);
        let listing = Listing { nocite, language: metadata.text("lang"), links };
        pandoc::styled(pandoc, citations, cites, &listing).ok()
    });
    // The two built-in styles are not those of a file.
    if is_styled && styled.as_ref().is_none_or(Option::is_none) {
        let (place, what) = (places.at("csl"), "citation style".to_owned());
        context.losses.push(Loss { place, kind: LossKind::Simplified, what });
    }
    if citations.is_empty() && metadata.at("references").is_none() {
        return blocks;
    }
    let heading = metadata.inlines("reference-section-title").map(|title| super::model::plain(&title));
    let heading = heading.or_else(|| metadata.text("language.section-title-references").map(str::to_owned));
    let output = Output {
        links,
        slides: format.slides.then(|| html::slide_level(&blocks, metadata, format.id == "revealjs")),
        heading: heading.as_deref().unwrap_or("References"),
        suppressed: metadata.is_true("suppress-bibliography"),
    };
    let resolved = match styled.flatten() {
        Some(Styled { shown, entries }) => citations::styled(blocks, &library, (shown, entries), &output),
        None => citations::resolve(blocks, &library, nocite, &output),
    };
    for (place, key) in resolved.unknown {
        context.losses.push(Loss { place, kind: LossKind::Unresolved, what: format!("@{key}") });
    }
    resolved.blocks
}

/// The logo of typeset pages. Paths of a brand begin in the folder of its project.
fn logo(
    request: &Request<'_>,
    (metadata, brand): (&Metadata, &Brand),
    (pictures, read): (&Pictures, ReadFile<'_>),
    files: &mut Files,
) -> Option<String> {
    if request.format.family != Family::Typst {
        return None;
    }
    let (path, of_brand) = pandoc::logo_path(metadata, brand)?;
    if !request.source {
        return images::file(&path, pictures, read, files);
    }
    let is_relative = !path.starts_with('/') && !path.contains("://");
    Some(if of_brand && is_relative { format!("/{path}") } else { path })
}

/// The document with its pictures in it.
fn contained(blocks: Vec<Block>, read: ReadFile<'_>, context: &mut Context<'_>) -> Vec<Block> {
    let (blocks, missing) = images::with_contained(blocks, &context.pictures, read);
    context.losses.extend(missing.into_iter().map(missing_image));
    blocks
}

fn missing_image((place, url): (Place, String)) -> Loss {
    Loss { place, kind: LossKind::Dropped, what: format!("image {url}") }
}

/// The pages of Typst source where a format of pages is asked for; other results stay as they are.
fn typeset(
    request: &Request<'_>,
    bytes: Vec<u8>,
    files: Files,
    standards: &[String],
) -> Result<Typeset, ConvertError> {
    if !request.format.pdf || request.source {
        return Ok(Typeset { bytes, ..Typeset::default() });
    }
    let worker = request.worker.ok_or_else(|| {
        let message =
            format!("`{}` is written as Typst source only: this program has no renderer", request.format.id);
        let details = "name the output with the ending .typ, and set it with `typst compile`";
        ConvertError::new(ErrorCode::DependencyMissing, message, details)
    })?;
    let source = String::from_utf8(bytes)
        .map_err(|_| ConvertError::new(ErrorCode::RenderFailed, "the result of pandoc is not UTF-8", ""))?;
    worker.typeset(source, files, standards)
}

/// The standards that the PDF conforms to. Those that it cannot conform to, and all of them for source, have no effect.
fn standards(
    request: &Request<'_>,
    metadata: &Metadata,
    places: &Places,
    losses: &mut Losses,
) -> Vec<String> {
    if !request.format.pdf {
        return Vec::new();
    }
    let is_honored =
        |name: &String| !request.source && request.worker.is_some_and(|worker| worker.has_standard(name));
    let (honored, others) = metadata::strings(metadata.at("pdf-standard")).into_iter().partition(is_honored);
    let others: Vec<String> = others;
    let place = places.at("pdf-standard");
    losses.extend(others.into_iter().map(|name| {
        let what = format!("pdf-standard: {name}");
        Loss { place, kind: LossKind::NoEffect, what }
    }));
    honored
}

fn document_of<'d>(
    request: &'d Request<'_>,
    (blocks, pictures): (&'d [Block], &'d Pictures),
    metadata: &'d Metadata,
    preamble: &'d [String],
    (citations, brand): (&'d Citations, &'d Brand),
) -> pandoc::Document<'d> {
    pandoc::Document {
        format: request.format,
        blocks,
        pictures,
        metadata,
        preamble,
        template: request.template,
        citations,
        brand,
        native_citations: false,
        logo: None,
    }
}

/// What a project says about the documents in it.
pub(super) fn project_values(project: Value) -> Value {
    let Value::Object(mut values) = project else { return Value::Null };
    for key in ["project", "website", "book", "manuscript", "profile"] {
        values.remove(key);
    }
    Value::Object(values)
}

/// Has the document written as a presentation.
fn presentation(
    blocks: &[Block],
    metadata: &Metadata,
    template: Option<&[u8]>,
    image: &dyn Fn(&str) -> Option<Arc<[u8]>>,
    losses: &mut Losses,
) -> Result<Made, ConvertError> {
    let deck = pptx::write(blocks, metadata, template, image).map_err(|why| {
        let message = format!("the template cannot be used: {why}");
        ConvertError::new(ErrorCode::TemplateInvalid, message, "use a .pptx or .potx file of PowerPoint")
    })?;
    losses.extend(deck.lacks.into_iter().map(|(place, lack)| {
        let (kind, what) = match lack {
            Lack::Layout(name) => (LossKind::LayoutMissing, name),
            Lack::Room { slide, percent } => {
                (LossKind::Overflow, format!("slide {slide} needs {percent} % of its placeholder"))
            }
            Lack::Picture(name) => (LossKind::Dropped, format!("image {name}")),
        };
        Loss { place, kind, what }
    }));
    Ok(Made { bytes: deck.bytes, engine: "embedded", version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// The address of a picture of the document in the result.
type AddressOf<'f> = &'f dyn Fn(&str) -> Option<String>;

/// Has a writer of this program write the document.
fn embedded(
    format: &Format,
    blocks: &[Block],
    metadata: &Metadata,
    ((brand, site), losses): ((&Brand, &Site), &mut Losses),
    (image, pictures): (AddressOf<'_>, &Pictures),
) -> Result<Made, ConvertError> {
    let text = match format.id.as_str() {
        "revealjs" => {
            let (text, overfull) = html::slides(blocks, metadata, brand, image);
            losses.extend(overfull.into_iter().map(|html::Overfull { place, slide, percent }| Loss {
                place,
                kind: LossKind::Overflow,
                what: format!("slide {slide} needs {percent} % of its height"),
            }));
            text
        }
        "html" | "dashboard" | "email" => html::page(blocks, metadata, brand, site, format, image),
        "gfm" => markdown::write(blocks, metadata, Dialect::GFM),
        "commonmark" => markdown::write(blocks, metadata, Dialect::COMMONMARK),
        "ipynb" => notebook::write(blocks, metadata),
        "json" => {
            let document = pandoc::json::document(&serde_json::Map::new(), blocks);
            serde_json::to_string(&document).unwrap_or_default()
        }
        other => {
            let message = format!("the embedded engine does not write `{other}`");
            return Err(ConvertError::new(ErrorCode::UnsupportedFormat, message, "use the engine `pandoc`"));
        }
    };
    budget::allocate(text.len());
    Ok(Made {
        bytes: pictures.written(text),
        engine: "embedded",
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

#[cfg(test)]
mod tests;
