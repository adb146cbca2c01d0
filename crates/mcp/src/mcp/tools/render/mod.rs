//! Rendered documents and drawings.

mod batch;
mod clear;
mod document;
mod draft;
mod draw;

use std::{
    collections::BTreeMap,
    path::{Component, Path},
    sync::Arc,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) use self::{
    batch::RenderDocuments, clear::ClearRendered, document::RenderDocument, draw::DrawDiagram,
};
use super::super::{core::Core, refusal::Refusal};
use crate::{
    Rendering,
    calendar::{self, is_date},
    kinds::markdown::Markdown,
    project::Input,
    render::{
        Assets, Delivery, Format, Library, PdfStandard, RenderAnswer, Rendered, RenderedArtifact, Request,
        WorkerError,
    },
    text::clip,
};

/// Most files that come with a call.
const MOST_FILES: usize = 50;

/// Most bytes of all files that come with a call.
const MOST_FILE_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Bytes {
    Inline,
    Resource,
}

/// Where an answer has the bytes, as its call asks for.
fn delivery(asked: Option<Bytes>) -> Delivery {
    match asked {
        Some(Bytes::Inline) => Delivery::Inline,
        Some(Bytes::Resource) => Delivery::Resource,
        None => Delivery::Shown,
    }
}

/// What is rendered with each document of a call.
struct Job {
    quill: Option<String>,
    /// The quill to try.
    draft: Option<Library>,
    /// Each once.
    formats: Vec<Format>,
    standards: Vec<PdfStandard>,
    assets: Assets,
    date: String,
    check_only: bool,
    delivery: Delivery,
}

impl Job {
    fn run(&self, core: &Core, rendering: &Rendering, markdown: String) -> Result<RenderAnswer, Refusal> {
        let input = Input::text(markdown).of_kind(Some(Arc::new(Markdown)));
        let subject = core.project.subject(input).map_err(|_| Refusal::because("the text cannot be read"))?;
        let render = |format: &Format| {
            let request = Request {
                subject: &subject,
                quill: self.quill.as_deref(),
                format: *format,
                standards: if *format == Format::Pdf { &self.standards } else { &[] },
                assets: &self.assets,
                ppi: None,
                date: &self.date,
                force: false,
                check_only: self.check_only,
            };
            match &self.draft {
                Some(library) => rendering.renderer.render_with(library, &request),
                None => rendering.renderer.render(&request),
            }
        };
        let mut formats = self.formats.clone();
        formats.dedup();
        let rendered = formats.iter().map(render).reduce(Rendered::and).unwrap_or_default();
        let artifacts = rendered.artifacts.iter().map(|artifact| {
            let kept = rendering.store.put(&rendered.quill, artifact.format, Arc::clone(&artifact.bytes));
            RenderedArtifact::new(&kept, self.delivery)
        });
        Ok(RenderAnswer::new(artifacts.collect(), &rendered.diagnostics, core.limits.of_findings()))
    }
}

fn rendering(core: &Core) -> Result<&Rendering, Refusal> {
    let missing = || Refusal::because("this server was started without a renderer");
    core.rendering.as_deref().ok_or_else(missing)
}

fn refused(reason: &str) -> Refusal {
    Refusal::arguments(vec![reason.to_owned()])
}

/// The day that layouts take for today.
fn day(asked: Option<String>) -> Result<String, Refusal> {
    let date = asked.unwrap_or_else(calendar::today);
    if is_date(&date) { Ok(date) } else { Err(refused("`date` must be a date such as 2026-01-31")) }
}

/// The files that came with a call.
fn decoded(files: BTreeMap<String, String>) -> Result<Assets, Refusal> {
    within_limits("assets", &files)?;
    let decode = |(name, base64): (String, String)| {
        if !is_plain(&name) {
            return Err(refused(&format!("`{}` in `assets` is not a relative path", clip(&name, 60))));
        }
        let bytes = BASE64_STANDARD.decode(base64.trim());
        let bytes = bytes.map_err(|_| refused(&format!("`{name}` in `assets` is not base64")))?;
        Ok((name, bytes.into()))
    };
    files.into_iter().map(decode).collect()
}

fn within_limits(argument: &str, files: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if files.len() > MOST_FILES {
        return Err(refused(&format!("`{argument}` has more than {MOST_FILES} files")));
    }
    if files.values().map(String::len).sum::<usize>() > MOST_FILE_BYTES / 3 * 4 {
        return Err(refused(&format!("`{argument}` has more than {} MiB", MOST_FILE_BYTES / 1024 / 1024)));
    }
    Ok(())
}

/// Whether a path leads down.
fn is_plain(path: &str) -> bool {
    let parts = Path::new(path).components();
    !path.is_empty()
        && !path.contains('\\')
        && parts.into_iter().all(|part| matches!(part, Component::Normal(_)))
}

/// A call cannot install the worker; the operator of the server can.
fn no_worker(error: WorkerError) -> Refusal {
    let next = format!(
        "ask the operator of this server to fix that ({}), then call again; `validate`, and `render_document` with \
         `\"validate_only\": true`, work without it",
        error.hint()
    );
    Refusal::because(error.to_string()).next(next)
}
