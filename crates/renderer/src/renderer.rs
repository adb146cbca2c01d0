use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use proofmark_render_protocol::{
    Drawing, EngineMessage, FilePosition, Format, Job, Layout, PdfStandard, Picture, WorkerReply,
    WorkerRequest,
};
use serde_json::Value;

use super::{
    Bundle, Library, WorkerError, WorkerLimits, WorkerProgram,
    authoring::Authored,
    bounds::Bounds,
    faults::{self, Context},
    fonts::{self, Fonts},
    glyphs,
    library::clean,
    native,
    pictures::{Assets, Pictures},
    workers::{Answer, Pool, Stopped, Task},
};
use crate::{
    convert::{Drawn, MissingGlyphs},
    diagnostic::{Diagnostic, Location, Related, Severity},
    engine::{Contract, Outcome},
    kinds::{
        self, Document, Kind as _, ParseOptions, markdown,
        quill::{FieldSchema, MANIFESTS, Quill},
    },
    project::{Project, Subject, config::Render},
    syntax::Observation,
    text::{Fragment, Source, SourceId},
    tree::Tree,
};

/// Documents whose pages are kept, so that the same one is not laid out twice.
const MOST_REMEMBERED: usize = 32;

/// Pixels per inch of pictures where none are asked for.
const USUAL_PPI: f32 = 144.0;

/// Turns documents into pages.
#[derive(Debug)]
pub struct Renderer {
    library: RwLock<Arc<Library>>,
    pool: Pool,
    pub(super) bounds: Bounds,
    fonts: Fonts,
    /// Most bytes of remembered pages.
    most_bytes: u64,
    remembered: Mutex<VecDeque<(Key, Rendered)>>,
}

/// A document to render.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// The document, opened as Markdown.
    pub subject: &'r Subject<'r>,
    /// Name of the quill, instead of the one that the document names.
    pub quill: Option<&'r str>,
    /// What it is to become.
    pub format: Format,
    /// Standards that a PDF file conforms to.
    pub standards: &'r [PdfStandard],
    /// Files that came with the request.
    pub assets: &'r Assets,
    /// Pixels an inch, for pictures (default: 144).
    pub ppi: Option<f32>,
    /// The day that layouts take for today, `2026-01-31`.
    pub date: &'r str,
    /// Whether to try although the document has errors.
    pub force: bool,
    /// Whether to stop before laying anything out.
    pub check_only: bool,
}

static NO_ASSETS: Assets = Assets::new();

impl<'r> Request<'r> {
    /// The example of a quill as PDF.
    pub(super) fn of_example(subject: &'r Subject<'r>, quill: &'r str, date: &'r str) -> Self {
        Self {
            subject,
            quill: Some(quill),
            format: Format::Pdf,
            standards: &[],
            assets: &NO_ASSETS,
            ppi: None,
            date,
            force: false,
            check_only: false,
        }
    }
}

/// The result of rendering a document.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// The quill that it was rendered with; empty when there is none.
    pub quill: String,
    /// The pages; none when the document or its layout has errors.
    pub artifacts: Vec<Artifact>,
    /// The findings on the document and of the engine, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Files of the quill that findings have related places in: the sources 1, 2 and so on of the
    /// diagnostics.
    pub layouts: Vec<Arc<Source>>,
}

/// A rendered document, or a page of one.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// What it is.
    pub format: Format,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

/// What makes two requests the same.
#[derive(Debug, PartialEq)]
struct Key {
    bundle: u64,
    quill: String,
    text: String,
    name: String,
    date: String,
    format: Format,
    standards: Vec<PdfStandard>,
    ppi: f32,
    pictures: Vec<Picture>,
    blobs: Vec<Arc<[u8]>>,
}

/// Why a diagram is not drawn.
pub(super) enum Undrawn {
    /// The worker refuses it: why.
    Refused(String),
    /// The worker did not answer.
    Stopped(Stopped),
}

impl Undrawn {
    fn into_reason(self) -> String {
        match self {
            Self::Refused(why) => why,
            Self::Stopped(stopped) => stopped.to_string(),
        }
    }
}

impl Renderer {
    /// A renderer with workers of this program. [`Self::start_ahead`] starts them before there is work.
    pub fn new(library: Arc<Library>, config: &Render, program: WorkerProgram) -> Self {
        let limits =
            WorkerLimits { time: config.timeout, memory: config.memory, workers: config.workers.max(1) };
        let bounds = Bounds { pages: config.pages, bytes: config.output_bytes };
        Self {
            library: RwLock::new(library),
            pool: Pool::new(program, limits),
            bounds,
            fonts: Fonts::new(config.fonts.clone(), config.system_fonts),
            most_bytes: config.cache_bytes,
            remembered: Mutex::default(),
        }
    }

    /// Starts the workers, without waiting for them.
    pub fn start_ahead(&self) {
        self.pool.start_ahead();
    }

    /// Makes sure that documents can be rendered: that there is a worker program, of this version. Without
    /// one, [`Self::render`] reports that as a diagnostic of every document.
    ///
    /// # Errors
    /// [`WorkerError`], whose hint says what to do.
    pub fn check_worker(&self) -> Result<(), WorkerError> {
        self.pool.check()
    }

    /// Ids of the worker processes that wait for work.
    pub fn idle_workers(&self) -> Vec<u32> {
        self.pool.idle()
    }

    /// The quills.
    pub fn library(&self) -> Arc<Library> {
        Arc::clone(&self.library.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn replace_library(&self, library: Arc<Library>) {
        *self.library.write().unwrap_or_else(PoisonError::into_inner) = library;
    }

    /// Renders the example of a quill of `library`, which need not be the one in use; where there is none,
    /// a document made of the examples of its fields. Nothing when the example cannot be read.
    pub fn try_example(
        &self,
        library: &Library,
        name: &str,
        project: &Project,
        date: &str,
    ) -> Option<(Arc<Source>, Rendered)> {
        self.example_as(library, name, project, date, (Format::Pdf, None))
    }

    /// Like [`Self::try_example`], in a format and with pixels per inch.
    pub fn example_as(
        &self,
        library: &Library,
        name: &str,
        project: &Project,
        date: &str,
        (format, ppi): (Format, Option<f32>),
    ) -> Option<(Arc<Source>, Rendered)> {
        let subject = project.subject(library.trial(name)?).ok()?;
        let request = Request { format, ppi, ..Request::of_example(&subject, name, date) };
        let rendered = self.render_with(library, &request);
        Some((Arc::clone(subject.source()), rendered))
    }

    /// Validates a document, also against its quill, and renders it. What is wrong is reported in
    /// diagnostics; a document with errors is not rendered unless that is forced.
    pub fn render(&self, request: &Request<'_>) -> Rendered {
        self.render_with(&self.library(), request)
    }

    /// Lays out a document that was validated, as PDF, and adds what that finds to its findings. Files of the quill that
    /// findings have related places in are the sources after those of the document. Nothing is laid out, and nothing added,
    /// where the document names no quill or has errors.
    pub fn try_out(&self, subject: &Subject<'_>, date: &str, outcome: &mut Outcome) -> Vec<Arc<Source>> {
        let library = self.library();
        let document = &outcome.document;
        let Some(quill) = named(&library, document).filter(|_| document.kind == markdown::NAME) else {
            return Vec::new();
        };
        if !outcome.is_valid() {
            return Vec::new();
        }
        let reference = quill_name(document).unwrap_or(&quill.name);
        let request = Request { quill: None, ..Request::of_example(subject, reference, date) };
        let diagnostics = std::mem::take(&mut outcome.diagnostics);
        let mut rendered = Rendered { quill: quill.name.clone(), diagnostics, ..Rendered::default() };
        self.lay_out(&library, &request, (reference, &quill), document, &mut rendered);
        outcome.diagnostics = rendered.diagnostics;
        // To the renderer, a document is one source.
        let further = document.tree.sources().len().saturating_sub(1) as u16;
        let is_layout = |location: &Location| {
            rendered.layouts.iter().any(|layout| layout.name() == location.file) && location.source.0 > 0
        };
        let related = outcome.diagnostics.iter_mut().flat_map(|found| &mut found.related);
        for related in related.filter(|related| is_layout(&related.location)) {
            related.location.source.0 += further;
        }
        rendered.layouts
    }

    /// Draws a Mermaid diagram, which should have been validated.
    ///
    /// # Errors
    /// Why it cannot be drawn.
    pub fn draw(&self, text: &str, format: Format, ppi: Option<f32>) -> Result<Vec<u8>, String> {
        let drawn = self.drawing(text, format, ppi.unwrap_or(USUAL_PPI));
        drawn.map(|drawn| drawn.bytes).map_err(Undrawn::into_reason)
    }

    /// Draws a diagram; also gives the findings on what the picture does not show as the diagram says it.
    ///
    /// # Errors
    /// Why it is not drawn.
    pub fn draw_subject(
        &self,
        subject: &Subject<'_>,
        format: Format,
        ppi: Option<f32>,
    ) -> Result<Rendered, String> {
        let drawn = self.drawing(subject.text(), format, ppi.unwrap_or(USUAL_PPI));
        let drawn = drawn.map_err(Undrawn::into_reason)?;
        let mut rendered = Rendered::default();
        for missing in &drawn.missing {
            rendered.add(subject, missing.fact(subject.text()));
        }
        rendered.artifacts.push(Artifact { format, bytes: drawn.bytes.into() });
        Ok(rendered)
    }

    pub(super) fn drawing(&self, text: &str, format: Format, ppi: f32) -> Result<Drawn, Undrawn> {
        // An SVG file names its faces, other formats have them.
        let faces = (format != Format::Svg)
            .then(|| self.fonts.complete(&Arc::new(Bundle::new(BTreeMap::new())), &self.fonts.ahead(text)))
            .filter(|faces| !faces.files().is_empty());
        let bundle = faces.as_ref().map(|faces| faces.id());
        let drawing = Drawing { text: text.to_owned(), format, ppi, bundle };
        let task =
            Task { bundle: faces.as_deref(), request: WorkerRequest::Draw(drawing), blobs: Vec::new() };
        match self.pool.run(&task).map_err(Undrawn::Stopped)? {
            (WorkerReply::Done { warnings, .. }, mut artifacts) => {
                let bytes = artifacts.pop();
                let bytes = bytes.ok_or_else(|| Undrawn::Refused("the worker sent nothing".to_owned()))?;
                Ok(Drawn { bytes, missing: self.missing_glyphs(&warnings) })
            }
            (WorkerReply::Failed { errors, .. }, _) => Err(Undrawn::Refused(
                errors.into_iter().next().map(|error| error.message).unwrap_or_default(),
            )),
            _ => Err(Undrawn::Refused("the worker gave no answer".to_owned())),
        }
    }

    /// Like [`Self::render`], with the quills of a library, which need not be the one in use.
    pub fn render_with(&self, library: &Library, request: &Request<'_>) -> Rendered {
        let quill = match request.quill {
            Some(name) => library.quills().get(name).cloned(),
            None => None,
        };
        let contract = quill.as_deref().map_or(Contract::Named(library.quills()), Contract::Quill);
        let outcome = request.subject.validate_against(contract);
        let mut rendered = Rendered { diagnostics: outcome.diagnostics, ..Rendered::default() };
        let unknown = request.quill.filter(|_| quill.is_none());
        let Some(quill) = quill.or_else(|| named(library, &outcome.document)).filter(|_| unknown.is_none())
        else {
            let place = faults::quill_span(&outcome.document.tree);
            if let Some(fact) = no_quill(library, &outcome.document, unknown) {
                rendered.add(request.subject, faults::at(fact, place));
            }
            return rendered;
        };
        rendered.quill.clone_from(&quill.name);
        let reference = request.quill.or_else(|| quill_name(&outcome.document)).unwrap_or(&quill.name);
        let has_errors =
            rendered.diagnostics.iter().any(|d| d.severity == Severity::Error && d.suppressed.is_none());
        if request.check_only || (has_errors && !request.force) {
            return rendered;
        }
        if outcome.document.kind != markdown::NAME {
            return rendered;
        }
        self.lay_out(library, request, (reference, &quill), &outcome.document, &mut rendered);
        rendered
    }

    fn lay_out(
        &self,
        library: &Library,
        request: &Request<'_>,
        (reference, quill): (&str, &Quill),
        document: &Document,
        rendered: &mut Rendered,
    ) {
        let tree = &document.tree;
        let span = faults::quill_span(tree);
        let Some(bundle) = self.bundle_for(library, request, (reference, quill), tree, rendered) else {
            return;
        };
        let mut pictures = Pictures::of(request.subject, tree, quill, &bundle, request.assets);
        for fact in std::mem::take(&mut pictures.facts) {
            rendered.add(request.subject, fact);
        }
        rendered.fold_missing_pictures();
        let ppi = request.ppi.unwrap_or(USUAL_PPI);
        let key = Key {
            bundle: bundle.id(),
            quill: reference.to_owned(),
            text: request.subject.text().to_owned(),
            name: request.subject.name().to_owned(),
            date: request.date.to_owned(),
            format: request.format,
            standards: request.standards.to_vec(),
            ppi,
            pictures: pictures.list.clone(),
            blobs: pictures.blobs.clone(),
        };
        if let Some(known) = self.recall(&key) {
            *rendered = known;
            return;
        }
        let authored = Authored::new(tree);
        let (job, blobs) = self.job(request, quill, &bundle, &authored, document, pictures);
        let fields = quill.collections.iter().flat_map(|(_, fields)| fields).chain(&quill.fields);
        let context = Context {
            quill: &quill.name,
            names: fields.map(|(name, _)| name.as_str()).collect(),
            bundle: &bundle,
            authored: &authored,
            tree,
            bounds: &self.bounds,
            is_example: library.example(reference).is_some_and(|example| example == request.subject.text()),
        };
        let report = |rendered: &mut Rendered, messages: &[&EngineMessage], warning| {
            for message in messages {
                if !message.characters.is_empty() {
                    for fact in glyphs::facts(message, tree, &self.fonts) {
                        rendered.add(request.subject, fact);
                    }
                    continue;
                }
                let Some(fact) = context.fact(message, warning) else { continue };
                let position = message.position.as_ref();
                rendered.add_with_place(request.subject, fact, (library, reference, &bundle), position);
            }
            rendered.sort();
        };
        match self.run(&bundle, job, blobs) {
            Ok((WorkerReply::Done { warnings, .. }, artifacts)) => {
                rendered.artifacts = artifacts
                    .into_iter()
                    .map(|bytes| Artifact { format: request.format, bytes: bytes.into() })
                    .collect();
                report(rendered, &warnings.iter().collect::<Vec<_>>(), true);
                self.remember(key, rendered);
            }
            Ok((WorkerReply::Failed { errors, .. }, _)) => {
                report(rendered, &faults::causes(&errors), false);
            }
            Ok((WorkerReply::Hello { .. } | WorkerReply::Ready, _)) => {
                let fact = Observation::about_file("renderer-stopped").with("detail", "it gave no answer");
                rendered.add(request.subject, faults::at(fact, span));
            }
            Err(stopped) => {
                rendered.add(request.subject, faults::stopped(&stopped, tree));
            }
        }
    }

    /// The files that a document is laid out with: those of the quill, and fonts of the machine. Nothing where they
    /// cannot be read, which is reported.
    pub(super) fn bundle_for(
        &self,
        library: &Library,
        request: &Request<'_>,
        (reference, quill): (&str, &Quill),
        tree: &Tree,
        rendered: &mut Rendered,
    ) -> Option<Arc<Bundle>> {
        match library.bundle(reference) {
            Some(Ok(bundle)) => {
                // Layouts add words in the language of the document.
                let language = tree.at_pointer("/frontmatter/lang").and_then(|lang| lang.as_str());
                let letters = language.map_or("", fonts::letters_of);
                let text = format!("{}{letters}", request.subject.text());
                Some(self.fonts.complete(&bundle, &self.fonts.ahead(&text)))
            }
            other => {
                let detail = other.and_then(Result::err).map(|error| error.to_string());
                let detail = detail.unwrap_or_else(|| "it has no files".to_owned());
                let fact = Observation::about_file("quill-unreadable").with("quill", quill.name.as_str());
                let fact = faults::at(fact.with("detail", detail), faults::quill_span(tree));
                rendered.add(request.subject, fact);
                None
            }
        }
    }

    /// What a worker is asked for, and the bytes of the pictures.
    pub(super) fn job(
        &self,
        request: &Request<'_>,
        quill: &Quill,
        bundle: &Bundle,
        authored: &Authored<'_>,
        document: &Document,
        pictures: Pictures,
    ) -> (Job, Vec<Arc<[u8]>>) {
        let job = Job {
            bundle: bundle.id(),
            layout: layout(quill, bundle, authored, document, &pictures, request.format),
            format: request.format,
            date: request.date.to_owned(),
            ppi: request.ppi.unwrap_or(USUAL_PPI),
            pages: self.bounds.pages,
            bytes: self.bounds.bytes,
            pictures: pictures.list,
            standards: request.standards.to_vec(),
        };
        (job, pictures.blobs)
    }

    /// Has a document laid out; once more where the machine has faces that the layout turned out to need.
    pub(super) fn run(
        &self,
        bundle: &Arc<Bundle>,
        mut job: Job,
        blobs: Vec<Arc<[u8]>>,
    ) -> Result<Answer, Stopped> {
        let run = |bundle: &Bundle, job: &Job| {
            let request = WorkerRequest::Render(job.clone());
            self.pool.run(&Task { bundle: Some(bundle), request, blobs: blobs.clone() })
        };
        let answer = run(bundle, &job)?;
        let (WorkerReply::Done { warnings, .. }, _) = &answer else { return Ok(answer) };
        let more = self.more_fonts(warnings);
        if more.is_empty() {
            return Ok(answer);
        }
        let bundle = self.fonts.complete(bundle, &more);
        job.bundle = bundle.id();
        run(&bundle, &job)
    }

    /// The characters that no font had, or only the font of code.
    pub(super) fn missing_glyphs(&self, warnings: &[EngineMessage]) -> Vec<MissingGlyphs> {
        warnings.iter().flat_map(|warning| glyphs::missing(warning, &self.fonts)).collect()
    }

    /// The files of installed faces that a layout turned out to need.
    fn more_fonts(&self, warnings: &[EngineMessage]) -> BTreeSet<PathBuf> {
        if !self.fonts.uses_system() {
            return BTreeSet::new();
        }
        let characters = warnings.iter().flat_map(|warning| warning.characters.chars());
        let mut files = self.fonts.files_with(characters);
        for warning in warnings {
            if let Some(family) = warning.message.strip_prefix("unknown font family: ") {
                files.extend(self.fonts.files_of(family));
            }
        }
        files
    }

    fn recall(&self, key: &Key) -> Option<Rendered> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let index = remembered.iter().position(|(known, _)| known == key)?;
        let found = remembered.remove(index)?;
        let rendered = found.1.clone();
        remembered.push_back(found);
        Some(rendered)
    }

    fn remember(&self, key: Key, rendered: &Rendered) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.push_back((key, rendered.clone()));
        let bytes = |(_, rendered): &(Key, Rendered)| rendered.size();
        while remembered.len() > MOST_REMEMBERED
            || remembered.iter().map(bytes).sum::<u64>() > self.most_bytes
        {
            remembered.pop_front();
        }
    }
}

impl Rendered {
    /// Adds the same document in another format: its artifacts, and what was not reported before.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let same = |a: &Diagnostic, b: &Diagnostic| {
            a.id == b.id && a.location == b.location && a.message == b.message
        };
        for mut diagnostic in other.diagnostics {
            if self.diagnostics.iter().any(|known| same(known, &diagnostic)) {
                continue;
            }
            // Files of the quill have other numbers in the two results.
            for related in &mut diagnostic.related {
                let index = usize::from(related.location.source.0);
                let Some(layout) = index.checked_sub(1).and_then(|index| other.layouts.get(index)) else {
                    continue;
                };
                let known = self.layouts.iter().position(|known| known.name() == layout.name());
                let position = known.unwrap_or_else(|| {
                    self.layouts.push(Arc::clone(layout));
                    self.layouts.len() - 1
                });
                related.location.source = SourceId(position as u16 + 1);
            }
            self.diagnostics.push(diagnostic);
        }
        self.artifacts.extend(other.artifacts);
        self.sort();
        self
    }

    /// Bytes of all artifacts.
    pub fn size(&self) -> u64 {
        self.artifacts.iter().map(|artifact| artifact.bytes.len() as u64).sum()
    }

    /// Adds what a rule says of a fact; how many findings that are. The engine says some things twice.
    pub(super) fn add(&mut self, subject: &Subject<'_>, fact: Observation) -> usize {
        let mut new = subject.validator().run_facts(subject.source(), vec![fact]);
        let same = |a: &Diagnostic, b: &Diagnostic| {
            a.id == b.id && a.location == b.location && a.message == b.message
        };
        new.retain(|new| !self.diagnostics.iter().any(|known| same(known, new)));
        let count = new.len();
        self.diagnostics.extend(new);
        count
    }

    /// Like [`Self::add`], with the place in a file of the quill that the engine names.
    pub(super) fn add_with_place(
        &mut self,
        subject: &Subject<'_>,
        fact: Observation,
        (library, quill, bundle): (&Library, &str, &Bundle),
        position: Option<&FilePosition>,
    ) {
        let added = self.add(subject, fact);
        if let Some(position) = position.filter(|_| added > 0)
            && let Some(text) = bundle.text(&position.file)
        {
            let name = library.path_of(quill, &position.file);
            self.relate(&name, text, position.line, position.column);
        }
    }

    /// Leaves out that the file of a picture does not exist where it is reported that the picture is not rendered.
    fn fold_missing_pictures(&mut self) {
        let pictures = self.diagnostics.iter().filter(|found| found.name == "picture-not-rendered");
        let places: Vec<_> = pictures.map(|found| found.location.byte_start).collect();
        let is_same = |found: &Diagnostic| {
            found.name == "link-to-missing-file" && places.contains(&found.location.byte_start)
        };
        self.diagnostics.retain(|found| !is_same(found));
    }

    /// Gives the last finding a place in a file of the quill: a word there.
    fn relate(&mut self, name: &str, text: &str, line: u32, column: u32) {
        let known = self.layouts.iter().position(|source| source.name() == name);
        let index = known.unwrap_or_else(|| {
            self.layouts.push(Arc::new(Source::new(name, text)));
            self.layouts.len() - 1
        });
        let (Some(last), Some(source)) = (self.diagnostics.last_mut(), self.layouts.get(index)) else {
            return;
        };
        let span = faults::word_at(source, line, column);
        let location = Location::of(source, SourceId(index as u16 + 1), span);
        last.related.push(Related::new("here in the layout", location));
    }

    pub(super) fn sort(&mut self) {
        self.diagnostics.sort_by_key(|d| (d.location.source, d.location.byte_start, d.location.byte_end));
    }
}

/// The quill that a document names.
fn named(library: &Library, document: &Document) -> Option<Arc<Quill>> {
    library.quills().get(quill_name(document)?).cloned()
}

/// The name of the quill that a document names, with its version where that is given.
fn quill_name(document: &Document) -> Option<&str> {
    document.tree.at_pointer("/quill/name")?.as_str()
}

/// The fact of a document without a quill; an unknown quill has been reported already.
fn no_quill(library: &Library, document: &Document, wanted: Option<&str>) -> Option<Observation> {
    let quills = library.quills();
    let known: Vec<&str> = quills.names().collect();
    if let Some(name) = wanted {
        let fact = Observation::about_file("unknown-quill-wanted").with("quill", name);
        return Some(fact.with("nearest", quills.nearest(name)).with("known", known));
    }
    if document.tree.at_pointer("/quill/name").is_some() {
        return None;
    }
    Some(Observation::about_file("no-quill-to-render").with("known", known))
}

/// How a quill lays the document out: by a plate, or by a glue template of the classic kind.
/// HTML has one layout for all quills, which reads data.
fn layout(
    quill: &Quill,
    bundle: &Bundle,
    authored: &Authored<'_>,
    document: &Document,
    pictures: &Pictures,
    format: Format,
) -> Layout {
    let manifest = MANIFESTS.iter().find_map(|name| Some((*name, bundle.text(name)?)));
    let (name, text) = manifest.unwrap_or((MANIFESTS[0], ""));
    let file = quill.glue_file.as_deref().and_then(clean).unwrap_or("plate.typ");
    let glue = bundle.text(file).unwrap_or_default();
    let modern = glue.contains("quillmark-helper");
    let jinja = glue.contains("{{") || glue.contains("{%");
    let source = Arc::new(Source::new(name, text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let written = kinds::quill::Manifest.parse(&source, &fragment, &ParseOptions::default());
    if !modern && (jinja || name == "Quill.toml") && format != Format::Html {
        let mut fields = with_defaults(quill, markdown::fields(document));
        pictures.put_into(&mut fields);
        let filters = native::filters(&written.tree);
        return Layout::Glue { file: file.to_owned(), manifest: native::classic(quill), fields, filters };
    }
    let mut document = authored.document.clone();
    if let Some(fields) = document.get_mut("fields") {
        pictures.put_into(fields);
    }
    Layout::Plate { manifest: native::manifest(quill, &written.tree.root().to_json()), document }
}

/// The fields of a document, with the defaults of those that it leaves out.
fn with_defaults(quill: &Quill, mut fields: Value) -> Value {
    let complete = |fields: &mut Value, schemas: &[(String, FieldSchema)]| {
        let Some(fields) = fields.as_object_mut() else { return };
        for (name, schema) in schemas {
            if let Some(default) = &schema.default
                && fields.get(name).is_none_or(Value::is_null)
            {
                fields.insert(name.clone(), default.clone());
            }
        }
    };
    complete(&mut fields, &quill.fields);
    for (collection, schemas) in &quill.collections {
        let items = fields.get_mut(collection).and_then(Value::as_array_mut);
        items.into_iter().flatten().for_each(|item| complete(item, schemas));
    }
    fields
}
