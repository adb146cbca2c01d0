//! The engine as the worker runs it. All work of quillmark and Typst happens here.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use proofmark_render_protocol::{Drawing, EngineMessage, FilePosition, Format, Job, Layout, Stage};
use quillmark::{
    CalendarDate, Diagnostic, Engine, FileTreeNode, FontLibrary, LiveSession, OutputFormat, Quill,
    RenderError, RenderOptions, Severity,
};
use serde_json::{Value, json};

use crate::{
    classic::{self, Template},
    diagram, document_path,
    export::Project,
    fonts,
    prepare::{FOLDER, Preparation, Sent},
    richtext,
};

/// What layouts share, and where they find it.
const SHARED: [(&str, &str); 9] = [
    ("proofmark/layout.typ", include_str!("../typst/layout.typ")),
    ("proofmark/tables.typ", include_str!("../../typst/tables.typ")),
    ("proofmark/tasks.typ", include_str!("../../typst/tasks.typ")),
    ("proofmark/language.typ", include_str!("../typst/language.typ")),
    ("proofmark/web.typ", include_str!("../typst/web.typ")),
    ("assets/proofmark/code.tmTheme", include_str!("../typst/code.tmTheme")),
    ("assets/proofmark/words.json", include_str!("../typst/words.json")),
    ("assets/proofmark/dates.json", include_str!("../typst/dates.json")),
    ("assets/proofmark/numbers.json", include_str!("../typst/numbers.json")),
];

/// The layout of HTML, where the quill has none, the order of its fields, and its style sheet.
const HTML: &str = "proofmark/html.typ";
const FIELDS: &str = "proofmark/fields.json";
const HTML_SOURCE: &str = include_str!("../typst/html.typ");
const STYLE: &str = "proofmark/page.css";
const STYLE_SOURCE: &str = include_str!("../typst/page.css");

/// The layout of HTML that a quill has, and its style sheet.
const OWN_HTML: &str = "html.typ";
const OWN_STYLE: &str = "page.css";

/// The engine with the bundles it was given.
pub(crate) struct Press {
    engine: Engine,
    bundles: HashMap<u64, BTreeMap<String, Vec<u8>>>,
    quills: HashMap<Variant, Arc<Quill>>,
    layouts: Layouts,
}

/// A bundle, with the rules of `page.typ` or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Variant {
    bundle: u64,
    has_page_rules: bool,
}

/// How many quills are kept as they were last laid out, and documents of how many pages.
const KEPT: usize = 8;
const KEPT_PAGES: usize = 20;

/// Quills as they were last laid out. The next document of one starts from there: its fonts are loaded, its sources
/// are read, and only what differs is read again.
#[derive(Default)]
struct Layouts(Vec<(Variant, CalendarDate, LiveSession)>);

impl Layouts {
    fn take(&mut self, variant: Variant, today: CalendarDate) -> Option<LiveSession> {
        let at = self.0.iter().position(|(of, day, _)| (*of, *day) == (variant, today))?;
        Some(self.0.remove(at).2)
    }

    fn keep(&mut self, variant: Variant, today: CalendarDate, layout: LiveSession) {
        if layout.page_count() > KEPT_PAGES {
            return;
        }
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push((variant, today, layout));
    }
}

/// The result of a job: artifacts and warnings, or errors.
pub(crate) type Outcome = Result<(Vec<Vec<u8>>, Vec<EngineMessage>), Vec<EngineMessage>>;

impl Press {
    pub(crate) fn new() -> Self {
        Self {
            engine: Engine::new(),
            bundles: HashMap::new(),
            quills: HashMap::new(),
            layouts: Layouts::default(),
        }
    }

    /// Keeps the files of a bundle.
    pub(crate) fn keep(&mut self, bundle: u64, files: BTreeMap<String, Vec<u8>>) {
        self.bundles.insert(bundle, files);
    }

    /// Renders a document with the bytes of its pictures.
    pub(crate) fn run(&mut self, job: &Job, pictures: Vec<Vec<u8>>) -> Outcome {
        let mut shown = BTreeMap::new();
        let mut placed = Vec::new();
        for (picture, bytes) in job.pictures.iter().zip(pictures) {
            match &picture.path {
                Some(path) => placed.push((path.clone(), bytes)),
                None => {
                    let extension = picture.extension.clone();
                    shown.insert(picture.target.clone(), Sent { extension, bytes });
                }
            }
        }
        let mut preparation = Preparation::new(shown, job.format);
        for (path, bytes) in placed {
            preparation.add_file(path, bytes);
        }
        let outcome = match &job.layout {
            Layout::Plate { manifest, document } => self.plated(job, manifest, document, &mut preparation),
            Layout::Glue { file, manifest, fields, filters } => {
                self.glued(job, (file, filters), manifest, fields, &mut preparation)
            }
        };
        let explained = |mut messages: Vec<EngineMessage>| {
            for message in &mut messages {
                preparation.explain(message);
            }
            messages
        };
        let outcome =
            outcome.map(|(artifacts, warnings)| (artifacts, explained(warnings))).map_err(explained);
        outcome.map(|(artifacts, mut warnings)| {
            warnings.splice(0..0, preparation.take_remarks());
            (artifacts, warnings)
        })
    }

    /// Draws a diagram.
    pub(crate) fn draw(&mut self, drawing: &Drawing) -> Outcome {
        let refused = |message: String| {
            let code = "proofmark::diagram_not_drawn".to_owned();
            vec![EngineMessage { code, message, ..EngineMessage::default() }]
        };
        let svg = diagram::draw(&drawing.text).map_err(refused)?;
        if drawing.format == Format::Svg {
            return Ok((vec![diagram::for_browsers(&svg).into_bytes()], Vec::new()));
        }
        let plate = format!("#set page(width: auto, height: auto, margin: 6pt)\n#image(\"/{DRAWING}\")");
        let mut files =
            drawing.bundle.and_then(|faces| self.bundles.get(&faces)).cloned().unwrap_or_default();
        files.insert("plate.typ".to_owned(), plate.into_bytes());
        files.insert(DRAWING.to_owned(), svg.into_bytes());
        let about =
            json!({"name": "diagram", "backend": "typst", "description": "Diagram", "version": "0.1.0"});
        let manifest = json!({"quill": about, "typst": {"plate_file": "plate.typ"}});
        let quill =
            Quill::from_tree(tree(&files, &manifest)).map_err(|found| of_stage(found, Stage::Quill))?;
        let job = Job {
            bundle: 0,
            layout: Layout::Plate { manifest, document: json!({}) },
            format: drawing.format,
            date: "1970-01-01".to_owned(),
            ppi: drawing.ppi,
            pages: 1,
            bytes: u64::MAX,
            pictures: Vec::new(),
            standards: Vec::new(),
        };
        print(&self.engine, &quill, &json!({}), &job, &HashMap::new(), &files, None)
    }

    /// A bundle with a plate.
    fn plated(
        &mut self,
        job: &Job,
        manifest: &Value,
        document: &Value,
        preparation: &mut Preparation,
    ) -> Outcome {
        let mut document = richtext::map(manifest, document, &mut |text| preparation.markdown(text));
        let none = BTreeMap::new();
        let html = job.format == Format::Html;
        let is_used = preparation.is_used();
        if html || preparation.has_files() {
            let mut files = self.bundles.get(&job.bundle).unwrap_or(&none).clone();
            let mut manifest = manifest.clone();
            if html {
                manifest["typst"] = json!({"plate_file": html_layout(&manifest, &mut files)});
            }
            preparation.add_to(&mut files);
            preparation.add_parts(&mut manifest, &mut document);
            let quill =
                Quill::from_tree(tree(&files, &manifest)).map_err(|found| of_stage(found, Stage::Quill))?;
            return print(&self.engine, &quill, &document, job, &HashMap::new(), &files, None);
        }
        let mut manifest = manifest.clone();
        if is_used {
            preparation.add_parts(&mut manifest, &mut document);
        }
        let of = Variant { bundle: job.bundle, has_page_rules: is_used };
        let quill = self.quill(of, &manifest, preparation)?;
        let files = self.bundles.get(&job.bundle).unwrap_or(&none);
        let kept = Some((&mut self.layouts, of));
        print(&self.engine, &quill, &document, job, &HashMap::new(), files, kept)
    }

    /// The quill of a bundle with a plate; the same for every document without files of its own.
    fn quill(
        &mut self,
        of: Variant,
        manifest: &Value,
        preparation: &Preparation,
    ) -> Result<Arc<Quill>, Vec<EngineMessage>> {
        if let Some(quill) = self.quills.get(&of) {
            return Ok(Arc::clone(quill));
        }
        let mut files = self.bundles.get(&of.bundle).cloned().unwrap_or_default();
        if of.has_page_rules {
            preparation.add_to(&mut files);
        }
        let quill = Quill::from_tree(tree(&files, manifest));
        let quill = Arc::new(quill.map_err(|found| of_stage(found, Stage::Quill))?);
        self.quills.insert(of, Arc::clone(&quill));
        Ok(quill)
    }

    /// A classic bundle: every document gets a plate of its own.
    fn glued(
        &self,
        job: &Job,
        (file, filters): (&str, &BTreeMap<String, String>),
        manifest: &Value,
        fields: &Value,
        preparation: &mut Preparation,
    ) -> Outcome {
        let none = BTreeMap::new();
        let files = self.bundles.get(&job.bundle).unwrap_or(&none);
        let glue = files.get(file).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let missing = || EngineMessage {
            stage: Stage::Quill,
            code: "quill::missing_file".to_owned(),
            message: format!("`{file}` does not exist or is not text"),
            ..EngineMessage::default()
        };
        let glue = glue.ok_or_else(|| vec![missing()])?;
        let known = preparation.paths().chain(files.keys().map(String::as_str)).collect();
        let template = Template { file, text: glue, filters };
        let filled = classic::fill(&template, fields, &known, &job.date).map_err(|error| vec![*error])?;
        let mut manifest = manifest.clone();
        let names = filled
            .contents
            .iter()
            .map(|(name, _)| (name.clone(), json!({"type": "richtext", "multiline": true})));
        manifest["main"] = json!({"fields": names.collect::<serde_json::Map<_, _>>()});
        manifest["typst"] = json!({"plate_file": file});
        let mut files = files.clone();
        files.insert(file.to_owned(), filled.plate.clone().into_bytes());
        modernize(&mut files);
        let prepared: serde_json::Map<String, Value> = filled
            .contents
            .iter()
            .map(|(name, text)| (name.clone(), preparation.markdown(text).into()))
            .collect();
        if preparation.is_used() {
            preparation.add_to(&mut files);
        }
        let mut document = json!({"fields": prepared});
        if preparation.is_used() {
            preparation.add_parts(&mut manifest, &mut document);
        }
        let quill = Quill::from_tree(tree(&files, &manifest));
        let quill = quill.map_err(|found| of_stage(found, Stage::Quill))?;
        let contents = filled.contents.into_iter().map(|(name, text)| (format!("main.{name}"), text));
        let back = |messages: Vec<EngineMessage>| -> Vec<EngineMessage> {
            messages.into_iter().map(|message| in_template(message, file, glue, &filled.plate)).collect()
        };
        match print(&self.engine, &quill, &document, job, &contents.collect(), &files, None) {
            Ok((artifacts, warnings)) => Ok((artifacts, back(warnings))),
            Err(errors) => Err(back(errors)),
        }
    }
}

/// Lays a document out and writes it. `contents` has the content of rich-text fields that only the filled-in template knows, by path.
fn print(
    engine: &Engine,
    quill: &Quill,
    document: &Value,
    job: &Job,
    contents: &HashMap<String, String>,
    files: &BTreeMap<String, Vec<u8>>,
    mut kept: Option<(&mut Layouts, Variant)>,
) -> Outcome {
    let of_value = |found: Vec<Diagnostic>| -> Vec<EngineMessage> {
        let message = |found: Diagnostic| {
            let content = found.path.as_ref().and_then(|path| contents.get(path)).cloned();
            let message = of(found, Stage::Value);
            if content.is_none() { message } else { EngineMessage { path: None, content, ..message } }
        };
        found.into_iter().map(message).collect()
    };
    let parsed = quill.from_authoring(document).map_err(of_value)?;
    let (errors, warnings): (Vec<_>, Vec<_>) =
        quill.validate(&parsed.document).into_iter().partition(|d| d.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(of_value(errors));
    }
    let mut warnings = of_value(warnings);
    warnings.extend(of_value(parsed.warnings));
    let today: CalendarDate = job.date.parse().unwrap_or_else(|_| fallback_day());
    let exported = |warnings| {
        let (artifacts, mut warnings) = export(quill, &parsed.document, job, today, warnings)?;
        // Browsers have fonts of their own.
        if job.format != Format::Html {
            mark_missing(&mut warnings, document, files);
        }
        Ok((artifacts, warnings))
    };
    if job.format == Format::Html || !job.standards.is_empty() {
        return exported(warnings);
    }
    let former = kept.as_mut().and_then(|(layouts, variant)| layouts.take(*variant, today));
    let laid_out = match former {
        Some(mut layout) => layout.update(&parsed.document).map(|_| layout),
        None => engine.open(quill, &parsed.document, today),
    };
    let laid_out = laid_out.map_err(of_layout)?;
    let pages = laid_out.page_count();
    if pages > job.pages {
        return Err(vec![EngineMessage { stage: Stage::Pages(pages), ..EngineMessage::default() }]);
    }
    let options = RenderOptions::default().with_output_format(output_format(job.format)).with_ppi(job.ppi);
    let result = match laid_out.render(&options).map_err(of_layout) {
        Err(found) if job.format == Format::Pdf && has_no_tags(&found) => {
            warnings.push(EngineMessage {
                stage: Stage::Layout,
                code: "proofmark::untagged".to_owned(),
                message: "the PDF has no tags, which screen readers need: Typst cannot write those of this document".to_owned(),
                help: Some("move tables and footnotes out of nested lists and quotes".to_owned()),
                ..EngineMessage::default()
            });
            return exported(warnings);
        }
        result => result?,
    };
    let mut remarks = of_stage(laid_out.warnings().to_vec(), Stage::Layout);
    mark_missing(&mut remarks, document, files);
    warnings.extend(remarks);
    let artifacts: Vec<Vec<u8>> = result.artifacts.into_iter().map(|artifact| artifact.bytes).collect();
    if artifacts.iter().map(|bytes| bytes.len() as u64).sum::<u64>() > job.bytes {
        return Err(vec![EngineMessage { stage: Stage::Size, ..EngineMessage::default() }]);
    }
    if let Some((layouts, variant)) = kept {
        layouts.keep(variant, today, laid_out);
    }
    Ok((artifacts, warnings))
}

/// The code of the remark on letters that only the face of code has.
const FACE_OF_CODE: &str = "proofmark::face_of_code";

/// The file of a diagram that is drawn by itself.
const DRAWING: &str = "assets/proofmark/diagram.svg";

/// Adds the characters without a glyph to the remark on them, and a remark on letters in the face of code. Typst does not report those of drawings, and it does not say which
/// ones they are: they are in the fields of the document, or in its source where it has no fields.
fn mark_missing(remarks: &mut Vec<EngineMessage>, document: &Value, files: &BTreeMap<String, Vec<u8>>) {
    const CODE: &str = "typst::missing_glyph";
    let fields = strings(document);
    let ends = |end: &'static str| {
        let found = files.iter().filter(move |(path, _)| path.ends_with(end));
        found.filter_map(|(path, bytes)| Some((path, std::str::from_utf8(bytes).ok()?)))
    };
    let is_shown = |path: &str| fields.is_empty() || path.starts_with(FOLDER);
    let drawings = ends(".svg").filter(|(path, svg)| is_shown(path) && !svg.is_ascii());
    let drawn: Vec<&str> = drawings.flat_map(|(_, svg)| diagram::words(svg)).collect();
    let mut missing = fonts::missing(drawn.iter().copied(), files);
    let remark = remarks.iter().position(|remark| remark.code == CODE);
    let sources = || ends(".typ").filter(|_| fields.is_empty()).map(|(_, source)| source);
    if remark.is_some() {
        missing.append(&mut fonts::missing(fields.iter().copied().chain(sources()), files));
    }
    let of = |code: &str, characters: BTreeSet<char>| EngineMessage {
        stage: Stage::Layout,
        code: code.to_owned(),
        characters: characters.into_iter().collect(),
        ..EngineMessage::default()
    };
    let coded = fonts::only_for_code(fields.iter().copied().chain(sources()).chain(drawn), files);
    if !coded.is_empty() {
        remarks.push(of(FACE_OF_CODE, coded));
    }
    if missing.is_empty() {
        return;
    }
    match remark {
        Some(at) => remarks[at].characters = missing.into_iter().collect(),
        None => remarks.push(of(CODE, missing)),
    }
}

/// Whether it is Typst's own mistake in the tags of the document that keeps it from being written.
fn has_no_tags(found: &[EngineMessage]) -> bool {
    found.iter().any(|found| {
        found.message.contains("internal error")
            && found.message.contains("typst-pdf")
            && found.message.contains("tags")
    })
}

/// Writes a document in a form that the engine does not write: HTML, PDF by standards, and PDF without tags.
fn export(
    quill: &Quill,
    document: &quillmark::Document,
    job: &Job,
    today: CalendarDate,
    mut warnings: Vec<EngineMessage>,
) -> Outcome {
    let data = quill.compile_checked(document, today).map_err(of_layout)?;
    let project =
        quillmark::typst_workspace::workspace(quill, &data, &FontLibrary::default()).map_err(of_layout)?;
    let html = job.format == Format::Html;
    let missing = || vec![EngineMessage { stage: Stage::Layout, ..EngineMessage::default() }];
    let project = Project::new(quill, project, &fonts::all(), today, html).ok_or_else(missing)?;
    let (bytes, more) = if html {
        project.html()?
    } else {
        let ((pages, bytes), more) = project.pdf(&job.standards)?;
        if pages > job.pages {
            return Err(vec![EngineMessage { stage: Stage::Pages(pages), ..EngineMessage::default() }]);
        }
        (bytes, more)
    };
    if bytes.len() as u64 > job.bytes {
        return Err(vec![EngineMessage { stage: Stage::Size, ..EngineMessage::default() }]);
    }
    warnings.extend(more);
    Ok((vec![bytes], warnings))
}

/// The path of the layout of HTML in a bundle, which gets one where it has none.
fn html_layout(manifest: &Value, files: &mut BTreeMap<String, Vec<u8>>) -> &'static str {
    let style = files.get(OWN_STYLE).cloned().unwrap_or_default();
    let style = [STYLE_SOURCE.as_bytes(), style.as_slice()].concat();
    files.insert(STYLE.to_owned(), style);
    if files.contains_key(OWN_HTML) {
        return OWN_HTML;
    }
    files.insert(HTML.to_owned(), HTML_SOURCE.as_bytes().to_vec());
    files.insert(FIELDS.to_owned(), fields_in_order(manifest).to_string().into_bytes());
    HTML
}

/// The names of fields as the manifest orders them: those of the document, and of each kind of card.
fn fields_in_order(manifest: &Value) -> Value {
    let names = |kind: &Value| -> Vec<String> {
        let fields = kind["fields"].as_object().into_iter().flatten();
        fields.map(|(name, _)| name.clone()).collect()
    };
    let kinds = manifest["card_kinds"].as_object().into_iter().flatten();
    let cards: serde_json::Map<String, Value> =
        kinds.map(|(kind, fields)| (kind.clone(), json!(names(fields)))).collect();
    json!({"document": names(&manifest["main"]), "cards": cards})
}

/// A message about a filled-in template, moved to the template: to the line with the same text, since
/// loops and conditions move lines. Where no line or more than one has it, the filled-in line is quoted.
fn in_template(mut message: EngineMessage, file: &str, glue: &str, plate: &str) -> EngineMessage {
    let Some(position) = message.position.as_mut().filter(|position| position.file == file) else {
        return message;
    };
    let index = position.line.saturating_sub(1) as usize;
    let text = plate.lines().nth(index).unwrap_or_default();
    let same = |line: &str| !line.trim().is_empty() && line == text;
    let mut alike = glue.lines().enumerate().filter(|(_, line)| same(line)).map(|(index, _)| index);
    match (alike.next(), alike.next()) {
        (Some(only), None) => position.line = only as u32 + 1,
        _ if plate.lines().count() == glue.lines().count() => {}
        _ => {
            message.message = format!("{} in `{}`", message.message, text.trim());
            message.position = None;
        }
    }
    message
}

fn output_format(format: Format) -> OutputFormat {
    match format {
        // The engine does not write HTML, and is not asked for it.
        Format::Pdf | Format::Html => OutputFormat::Pdf,
        Format::Svg => OutputFormat::Svg,
        Format::Png => OutputFormat::Png,
    }
}

/// The day of a job whose own is not valid.
#[expect(clippy::unwrap_used, reason = "the first day of the epoch exists")]
fn fallback_day() -> CalendarDate {
    CalendarDate::new(1970, 1, 1).unwrap()
}

fn of_layout(error: RenderError) -> Vec<EngineMessage> {
    of_stage(error.into_diagnostics(), Stage::Layout)
}

fn of_stage(found: Vec<Diagnostic>, stage: Stage) -> Vec<EngineMessage> {
    found.into_iter().map(|found| of(found, stage)).collect()
}

fn of(found: Diagnostic, stage: Stage) -> EngineMessage {
    let position = |at: quillmark::Location| FilePosition { file: at.file, line: at.line, column: at.column };
    EngineMessage {
        stage,
        construct: found.args.get("construct").and_then(Value::as_str).map(str::to_owned),
        code: found.code.unwrap_or_default(),
        message: found.message,
        help: found.hint,
        path: found.path.as_deref().and_then(document_path::read),
        content: None,
        position: found.location.map(position),
        characters: String::new(),
    }
}

fn empty() -> FileTreeNode {
    FileTreeNode::Directory { files: HashMap::new() }
}

/// The files of a bundle as the engine takes them, with a manifest it accepts.
fn tree(files: &BTreeMap<String, Vec<u8>>, manifest: &Value) -> FileTreeNode {
    let mut tree = empty();
    let others = files.iter().filter(|(path, _)| *path != "Quill.yaml" && *path != "Quill.toml");
    for (path, bytes) in others {
        // Paths of bundles are plain; any other one is left out.
        let _ = tree.insert(path, FileTreeNode::File { contents: bytes.clone() });
    }
    // JSON is YAML.
    let manifest = manifest.to_string().into_bytes();
    let _ = tree.insert("Quill.yaml", FileTreeNode::File { contents: manifest });
    for (path, source) in SHARED {
        let _ = tree.insert(path, FileTreeNode::File { contents: source.as_bytes().to_vec() });
    }
    fonts::add(&mut tree, files);
    tree
}

/// All strings of a value.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(entries) => entries.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// Puts the files of a classic bundle where the current engine looks for them: fonts below
/// `assets/fonts`, packages with a namespace.
fn modernize(files: &mut BTreeMap<String, Vec<u8>>) {
    let is_font = |path: &str| {
        let lower = path.to_ascii_lowercase();
        path.starts_with("assets/")
            && path.matches('/').count() == 1
            && [".ttf", ".otf", ".ttc"].iter().any(|end| lower.ends_with(end))
    };
    let fonts: Vec<String> = files.keys().filter(|path| is_font(path)).cloned().collect();
    for font in fonts {
        if let Some(bytes) = files.get(&font).cloned() {
            files.insert(font.replacen("assets/", "assets/fonts/", 1), bytes);
        }
    }
    let manifests =
        files.iter_mut().filter(|(path, _)| path.starts_with("packages/") && path.ends_with("/typst.toml"));
    for (_, bytes) in manifests {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        if !text.lines().any(|line| line.trim_start().starts_with("namespace")) {
            *bytes = text.replacen("[package]", "[package]\nnamespace = \"preview\"", 1).into_bytes();
        }
    }
}
