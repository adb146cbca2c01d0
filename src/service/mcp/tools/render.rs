use std::{fmt::Write as _, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{
    core::{Core, TEXT},
    tool::{AgentTool, Needs, Refusal, Spoken},
};
use crate::{
    diagnostic::ClientDiagnostic,
    engine,
    kinds::{Limits, quill::is_date},
    render::{Format, RenderAnswer, RenderedArtifact, Request, WorkerError},
    service::Toolset,
    text::Source,
};

/// `render_document`
pub(super) struct RenderDocument;

#[derive(Deserialize, JsonSchema)]
pub(super) struct RenderArguments {
    /// The document.
    markdown: String,
    /// Quill to render with, instead of the one that the document names.
    quill_name: Option<String>,
    /// What to make; PDF when absent.
    output_format: Option<Format>,
    /// Only hold the document to its quill.
    validate_only: Option<bool>,
    /// Day of the document as `2026-01-31`, for the same bytes every day; today when absent.
    date: Option<String>,
    /// Whether the answer has the bytes, or only the resource to read them from; inline when absent.
    bytes: Option<Bytes>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Bytes {
    Inline,
    Resource,
}

impl AgentTool for RenderDocument {
    type Arguments = RenderArguments;
    type Answer = RenderAnswer;
    const NAME: &'static str = "render_document";
    const TITLE: &'static str = "Render a document";
    const DESCRIPTION: &'static str =
        "Makes a PDF, SVG or PNG of a Markdown document with its quill; refused while it has errors.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Renderer;
    const EXAMPLE: &'static str = r#"{"markdown": "---\nQUILL: memo\nto: [All]\nfrom: Ada\nsubject: Keys\n---\n\nHello.\n", "bytes": "resource"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "markdown"), ("quill", "quill_name"), ("format", "output_format")];

    fn call(core: &Core, arguments: RenderArguments) -> Result<RenderAnswer, Refusal> {
        let missing = || Refusal::because("this server was started without a renderer");
        let rendering = core.rendering.as_ref().ok_or_else(missing)?;
        let text_bytes = core.limits.text_bytes;
        let date = arguments.date.unwrap_or_else(engine::today);
        if !is_date(&date) {
            return Err(Refusal::arguments(vec!["write `date` as a day, such as 2026-01-31".into()]));
        }
        let check_only = arguments.validate_only.unwrap_or(false);
        if !check_only {
            rendering.renderer.check_worker().map_err(no_worker)?;
        }
        let source = Arc::new(Source::new(TEXT, arguments.markdown));
        let format = arguments.output_format.unwrap_or_default();
        let request = Request {
            source: &source,
            quill: arguments.quill_name.as_deref(),
            format,
            ppi: None,
            date: &date,
            limits: Limits { text_bytes, ..Limits::default() },
            force: false,
            check_only,
        };
        let rendered = rendering.renderer.render(&request, &core.validator);
        let inline = arguments.bytes != Some(Bytes::Resource);
        let artifacts = rendered.artifacts.iter().map(|artifact| {
            let kept = rendering.store.put(&rendered.quill, artifact.format, Arc::clone(&artifact.bytes));
            RenderedArtifact::new(&kept, inline)
        });
        Ok(RenderAnswer::new(artifacts.collect(), &rendered.diagnostics))
    }
}

/// A call cannot install the worker; whoever runs the server can.
fn no_worker(error: WorkerError) -> Refusal {
    let next = format!(
        "ask whoever runs this server to fix that ({}), then call again; `validate`, and `render_document` with \
         `\"validate_only\": true`, work without it",
        error.hint()
    );
    Refusal::because(error.to_string()).next(next)
}

impl Spoken for RenderAnswer {
    fn text(&self) -> String {
        let verdict = match &self.error_message {
            None if self.artifacts.is_empty() => "NOTHING AGAINST RENDERING".to_owned(),
            None => format!("RENDERED: {} artifacts", self.artifacts.len()),
            Some(message) => format!("NOT RENDERED: {message}"),
        };
        let mut text = format!("{verdict}\n");
        for artifact in &self.artifacts {
            let _ = writeln!(
                text,
                "{} {} bytes: {}",
                artifact.format, artifact.size_bytes, artifact.resource_uri
            );
        }
        text.extend(self.diagnostics.iter().map(ClientDiagnostic::text));
        text + if self.success { &verdict } else { "Next: mend the document and call render_document again" }
    }

    fn failed(&self) -> bool {
        !self.success
    }
}
