//! The engine as a worker runs it. All of quillmark's and Typst's work happens here.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use quillmark::{
    CalendarDate, Diagnostic, Engine, FileTreeNode, OutputFormat, Quill, RenderError, RenderOptions, Severity,
};
use serde_json::{Value, json};

use super::{
    classic,
    job::{Fault, Format, Job, Layout, Stage},
};

/// The engine with the bundles it was given.
pub(super) struct Press {
    engine: Engine,
    bundles: HashMap<u64, BTreeMap<String, Vec<u8>>>,
    quills: HashMap<u64, Arc<Quill>>,
}

/// What came of a job: artifacts and remarks, or faults.
pub(super) type Outcome = Result<(Vec<Vec<u8>>, Vec<Fault>), Vec<Fault>>;

impl Press {
    pub(super) fn new() -> Self {
        Self { engine: Engine::new(), bundles: HashMap::new(), quills: HashMap::new() }
    }

    /// Keeps the files of a bundle.
    pub(super) fn keep(&mut self, bundle: u64, files: BTreeMap<String, Vec<u8>>) {
        self.bundles.insert(bundle, files);
    }

    /// Renders a document.
    pub(super) fn run(&mut self, job: &Job) -> Outcome {
        match &job.layout {
            Layout::Plate { manifest, document } => {
                let quill = self.quill(job.bundle, manifest)?;
                self.print(&quill, document, job, &HashMap::new())
            }
            Layout::Glue { file, manifest, fields } => self.glued(job, file, manifest, fields),
        }
    }

    /// The quill of a bundle with a plate; the same for every document.
    fn quill(&mut self, bundle: u64, manifest: &Value) -> Result<Arc<Quill>, Vec<Fault>> {
        if let Some(quill) = self.quills.get(&bundle) {
            return Ok(Arc::clone(quill));
        }
        let files = self.bundles.get(&bundle).map_or_else(empty, |files| tree(files, manifest));
        let quill = Quill::from_tree(files).map_err(|faults| of_stage(faults, Stage::Quill))?;
        let quill = Arc::new(quill);
        self.quills.insert(bundle, Arc::clone(&quill));
        Ok(quill)
    }

    /// A classic bundle: its plate is made for every document anew.
    fn glued(&self, job: &Job, file: &str, manifest: &Value, fields: &Value) -> Outcome {
        let none = BTreeMap::new();
        let files = self.bundles.get(&job.bundle).unwrap_or(&none);
        let glue = files.get(file).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let missing = || Fault {
            stage: Stage::Quill,
            code: "quill::missing_file".to_owned(),
            message: format!("`{file}` is not there or no text"),
            ..Fault::default()
        };
        let glue = glue.ok_or_else(|| vec![missing()])?;
        let filled = classic::fill(file, glue, fields, files, &job.date).map_err(|fault| vec![*fault])?;
        let mut manifest = manifest.clone();
        let names = filled
            .contents
            .iter()
            .map(|(name, _)| (name.clone(), json!({"type": "richtext", "multiline": true})));
        manifest["main"] = json!({"fields": names.collect::<serde_json::Map<_, _>>()});
        manifest["typst"] = json!({"plate_file": file});
        let mut files = files.clone();
        files.insert(file.to_owned(), filled.plate.clone().into_bytes());
        modernise(&mut files);
        let quill = Quill::from_tree(tree(&files, &manifest));
        let quill = quill.map_err(|faults| of_stage(faults, Stage::Quill))?;
        let texts = filled.contents.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str())));
        let document = json!({"fields": texts.collect::<serde_json::Map<_, _>>()});
        let contents = filled.contents.into_iter().map(|(name, text)| (format!("main.{name}"), text));
        let back = |faults: Vec<Fault>| -> Vec<Fault> {
            faults.into_iter().map(|fault| in_template(fault, file, glue, &filled.plate)).collect()
        };
        match self.print(&quill, &document, job, &contents.collect()) {
            Ok((artifacts, remarks)) => Ok((artifacts, back(remarks))),
            Err(faults) => Err(back(faults)),
        }
    }

    fn print(
        &self,
        quill: &Quill,
        document: &Value,
        job: &Job,
        contents: &HashMap<String, String>,
    ) -> Outcome {
        let of_value = |found: Vec<Diagnostic>| -> Vec<Fault> {
            let mut faults = of_stage(found, Stage::Value);
            for fault in &mut faults {
                let content = fault.path.as_ref().and_then(|path| contents.get(path)).cloned();
                if content.is_some() {
                    fault.path = None;
                    fault.content = content;
                }
            }
            faults
        };
        let parsed = quill.from_authoring(document).map_err(of_value)?;
        let (errors, remarks): (Vec<_>, Vec<_>) =
            quill.validate(&parsed.document).into_iter().partition(|d| d.severity == Severity::Error);
        if !errors.is_empty() {
            return Err(of_value(errors));
        }
        let mut remarks = of_value(remarks);
        remarks.extend(of_value(parsed.warnings));
        let today: CalendarDate = job.date.parse().unwrap_or_else(|_| fallback_day());
        let laid_out = self.engine.open(quill, &parsed.document, today).map_err(of_layout)?;
        let pages = laid_out.page_count();
        if pages > job.pages {
            return Err(vec![Fault { stage: Stage::Pages(pages), ..Fault::default() }]);
        }
        let options =
            RenderOptions::default().with_output_format(output_format(job.format)).with_ppi(job.ppi);
        let result = laid_out.render(&options).map_err(of_layout)?;
        remarks.extend(of_stage(laid_out.warnings().to_vec(), Stage::Layout));
        let artifacts: Vec<Vec<u8>> = result.artifacts.into_iter().map(|artifact| artifact.bytes).collect();
        if artifacts.iter().map(|bytes| bytes.len() as u64).sum::<u64>() > job.bytes {
            return Err(vec![Fault { stage: Stage::Size, ..Fault::default() }]);
        }
        Ok((artifacts, remarks))
    }
}

/// A fault of a filled-in template, placed in the template: at the line with the same text, since loops
/// and conditions move lines. Without such a line, the filled-in one is quoted.
fn in_template(mut fault: Fault, file: &str, glue: &str, plate: &str) -> Fault {
    let Some((_, line, _)) = fault.place.as_mut().filter(|place| place.0 == file) else { return fault };
    let index = line.saturating_sub(1) as usize;
    let text = plate.lines().nth(index).unwrap_or_default();
    let same = |line: &str| !line.trim().is_empty() && line == text;
    let mut alike = glue.lines().enumerate().filter(|(_, line)| same(line)).map(|(index, _)| index);
    match (alike.next(), alike.next()) {
        (Some(only), None) => *line = only as u32 + 1,
        _ if plate.lines().count() == glue.lines().count() => {}
        _ => {
            fault.message = format!("{} in `{}`", fault.message, text.trim());
            fault.place = None;
        }
    }
    fault
}

fn output_format(format: Format) -> OutputFormat {
    match format {
        Format::Pdf => OutputFormat::Pdf,
        Format::Svg => OutputFormat::Svg,
        Format::Png => OutputFormat::Png,
    }
}

/// A job always has a day; this one is for one that nobody can read.
#[expect(clippy::unwrap_used, reason = "the first day of the epoch is a day")]
fn fallback_day() -> CalendarDate {
    CalendarDate::new(1970, 1, 1).unwrap()
}

fn of_layout(error: RenderError) -> Vec<Fault> {
    of_stage(error.into_diagnostics(), Stage::Layout)
}

fn of_stage(found: Vec<Diagnostic>, stage: Stage) -> Vec<Fault> {
    let fault = |found: Diagnostic| Fault {
        stage,
        construct: found.args.get("construct").and_then(Value::as_str).map(str::to_owned),
        code: found.code.unwrap_or_default(),
        message: found.message,
        help: found.hint,
        path: found.path,
        content: None,
        place: found.location.map(|place| (place.file, place.line, place.column)),
    };
    found.into_iter().map(fault).collect()
}

fn empty() -> FileTreeNode {
    FileTreeNode::Directory { files: HashMap::new() }
}

/// The files of a bundle as the engine takes them, with a manifest it accepts.
fn tree(files: &BTreeMap<String, Vec<u8>>, manifest: &Value) -> FileTreeNode {
    let mut tree = empty();
    let others = files.iter().filter(|(path, _)| *path != "Quill.yaml" && *path != "Quill.toml");
    for (path, bytes) in others {
        // Paths of bundles are plain; one that is not stays out.
        let _ = tree.insert(path, FileTreeNode::File { contents: bytes.clone() });
    }
    // JSON is YAML.
    let manifest = manifest.to_string().into_bytes();
    let _ = tree.insert("Quill.yaml", FileTreeNode::File { contents: manifest });
    tree
}

/// Puts the files of a classic bundle where the current engine looks for them: fonts below
/// `assets/fonts`, packages with a namespace.
fn modernise(files: &mut BTreeMap<String, Vec<u8>>) {
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
