//! What conversions ask of the workers of quills: pages of documents that are Typst already, and drawings.

use std::{collections::BTreeMap, sync::Arc};

use proofmark_render_protocol::{EngineMessage, Format, Job, Layout, PdfStandard, Stage, WorkerReply};
use serde_json::json;

use super::{Bundle, Renderer, renderer::Undrawn, workers::Stopped};
use crate::convert::{ConvertError, Drawn, ErrorCode, NotDrawn, PictureKind, RenderWorker, Typeset, Unfit};

/// The file that holds the document.
const DOCUMENT: &str = "document.typ";

/// The day that a document takes for today: always the same, so that it always has the same bytes.
const DATE: &str = "2000-01-01";

impl Renderer {
    /// Sets Typst source in a format: one file, or one for each page.
    ///
    /// # Errors
    /// Why there are no pages.
    pub fn set(
        &self,
        source: String,
        files: BTreeMap<String, Arc<[u8]>>,
        format: Format,
        ppi: f32,
    ) -> Result<Vec<Vec<u8>>, ConvertError> {
        self.set_by(source, files, (format, ppi), Vec::new()).map(|(artifacts, _)| artifacts)
    }

    /// Like [`Self::set`], as PDF by standards; also gives the warnings of the engine.
    fn set_by(
        &self,
        source: String,
        mut files: BTreeMap<String, Arc<[u8]>>,
        (format, ppi): (Format, f32),
        standards: Vec<PdfStandard>,
    ) -> Result<(Vec<Vec<u8>>, Vec<EngineMessage>), ConvertError> {
        let by_standards = !standards.is_empty();
        files.insert(DOCUMENT.to_owned(), source.into_bytes().into());
        let bundle = Arc::new(Bundle::new(files));
        let manifest = json!({
            "quill": {"name": "document", "backend": "typst", "description": "A document", "version": "0.1.0"},
            "main": {"fields": {}},
            "typst": {"plate_file": DOCUMENT},
        });
        let job = Job {
            bundle: bundle.id(),
            layout: Layout::Plate { manifest, document: json!({"fields": {}}) },
            format,
            date: DATE.to_owned(),
            ppi,
            pages: self.bounds.pages,
            bytes: self.bounds.bytes,
            pictures: Vec::new(),
            standards,
        };
        match self.run(&bundle, job, Vec::new()) {
            Ok((WorkerReply::Done { warnings, .. }, artifacts)) => Ok((artifacts, warnings)),
            Ok((WorkerReply::Failed { errors, .. }, _)) => Err(failed(&errors, by_standards)),
            Ok((WorkerReply::Hello { .. } | WorkerReply::Ready, _)) => Err(stopped("it gave no answer")),
            Err(Stopped::Slow(time)) => {
                let message = format!("the pages were not ready within {} seconds", time.as_secs());
                let hint = "make the document smaller, or raise `timeout_seconds` under `[render]`";
                Err(ConvertError::new(ErrorCode::Timeout, message, hint))
            }
            Err(Stopped::Large(_)) => Err(stopped("it needs more memory than it may have")),
            Err(Stopped::Gone(how)) => Err(stopped(&how)),
            Err(unwanted @ Stopped::Unwanted) => Err(stopped(&unwanted.to_string())),
            Err(Stopped::NoWorker(error)) => {
                Err(ConvertError::new(ErrorCode::DependencyMissing, error.to_string(), error.hint()))
            }
        }
    }
}

impl RenderWorker for Renderer {
    /// Sets Typst source as PDF. It reads the given files and nothing else: no packages, no other files, no
    /// network.
    fn typeset(
        &self,
        source: String,
        files: BTreeMap<String, Arc<[u8]>>,
        standards: &[String],
    ) -> Result<Typeset, ConvertError> {
        let standards = standards.iter().filter_map(|name| PdfStandard::named(name)).collect();
        let (artifacts, warnings) = self.set_by(source, files, (Format::Pdf, 144.0), standards)?;
        let bytes = artifacts.into_iter().next().ok_or_else(|| stopped("it gave no pages"))?;
        let missing = self.missing_glyphs(&warnings);
        let is_untagged = warnings.iter().any(|warning| warning.code == "proofmark::untagged");
        let unfit = warnings.into_iter().filter(|warning| warning.code == "proofmark::does_not_fit");
        let unfit =
            unfit.filter_map(|warning| Some(Unfit { what: warning.construct?, words: warning.content? }));
        Ok(Typeset { bytes, unfit: unfit.collect(), missing, is_untagged })
    }

    fn has_standard(&self, name: &str) -> bool {
        PdfStandard::named(name).is_some()
    }

    fn draw(&self, diagram: &str, kind: PictureKind) -> Result<Drawn, NotDrawn> {
        let format = match kind {
            PictureKind::Svg => Format::Svg,
            PictureKind::Png => Format::Png,
        };
        self.drawing(diagram, format, PictureKind::PPI).map_err(|refused| match refused {
            Undrawn::Refused(why) => NotDrawn::Refused(why),
            Undrawn::Stopped(Stopped::NoWorker(error)) => NotDrawn::NoWorker(error.to_string()),
            Undrawn::Stopped(stopped) => NotDrawn::Refused(stopped.to_string()),
        })
    }
}

fn stopped(how: &str) -> ConvertError {
    let message = format!("the render worker stopped: {how}");
    ConvertError::new(ErrorCode::RenderFailed, message, "make the document smaller")
}

/// The error for a source that Typst could not set.
fn failed(errors: &[EngineMessage], by_standards: bool) -> ConvertError {
    if errors.iter().any(|error| matches!(error.stage, Stage::Pages(_) | Stage::Size)) {
        let hint = "make the document smaller, or raise the limits under `[render]`";
        return ConvertError::new(ErrorCode::RenderFailed, "the document has too many pages", hint);
    }
    let first = errors.first();
    let reason = first.map_or("no reason was given", |error| error.message.as_str());
    let line =
        first.and_then(|error| error.position.as_ref()).map(|position| format!(" (line {})", position.line));
    let message = format!("Typst cannot set the document: {reason}{}", line.unwrap_or_default());
    let details = if by_standards {
        "fix what the message names, or leave out `pdf-standard`"
    } else {
        "look at the source, which a result with the ending .typ has"
    };
    ConvertError::new(ErrorCode::RenderFailed, message, details)
}
