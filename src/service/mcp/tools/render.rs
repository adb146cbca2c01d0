use std::{fmt::Write as _, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Needs},
};
use crate::{
    diagnostic::ClientDiagnostic,
    engine,
    kinds::{markdown::Markdown, quill::is_date},
    project::Input,
    render::{Format, RenderAnswer, RenderedArtifact, Request, WorkerError},
    service::Toolset,
    text::plural,
};

/// `render_document`
pub(super) struct RenderDocument;

#[derive(Deserialize, JsonSchema)]
pub(super) struct RenderArguments {
    /// The document.
    markdown: String,
    /// Quill to render with, instead of the one that the document names.
    quill_name: Option<String>,
    /// Output format; defaults to PDF.
    output_format: Option<Format>,
    /// Only validate the document against its quill.
    validate_only: Option<bool>,
    /// Date of the document, such as `2026-01-31`, for reproducible output; defaults to today.
    date: Option<String>,
    /// Whether the answer contains the bytes or only the resource to read them from; defaults to inline.
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
    const DESCRIPTION: &'static str = "Renders a Markdown document with its quill to PDF, SVG or PNG; refused while the document has errors.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Renderer;
    const EXAMPLE: &'static str = r#"{"markdown": "---\nQUILL: memo\nto: [All]\nfrom: Ada\nsubject: Keys\n---\n\nHello.\n", "bytes": "resource"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "markdown"), ("quill", "quill_name"), ("format", "output_format")];

    fn call(core: &Core, arguments: RenderArguments) -> Result<RenderAnswer, Refusal> {
        let missing = || Refusal::because("this server was started without a renderer");
        let rendering = core.rendering.as_ref().ok_or_else(missing)?;
        let date = arguments.date.unwrap_or_else(engine::today);
        if !is_date(&date) {
            return Err(Refusal::arguments(vec!["`date` must be a date such as 2026-01-31".into()]));
        }
        let check_only = arguments.validate_only.unwrap_or(false);
        if !check_only {
            rendering.renderer.check_worker().map_err(no_worker)?;
        }
        let input = Input::text(arguments.markdown).of_kind(Some(Arc::new(Markdown)));
        let subject = core.project.subject(input).map_err(|_| Refusal::because("the text cannot be read"))?;
        let format = arguments.output_format.unwrap_or_default();
        let request = Request {
            subject: &subject,
            quill: arguments.quill_name.as_deref(),
            format,
            ppi: None,
            date: &date,
            force: false,
            check_only,
        };
        let rendered = rendering.renderer.render(&request);
        let inline = arguments.bytes != Some(Bytes::Resource);
        let artifacts = rendered.artifacts.iter().map(|artifact| {
            let kept = rendering.store.put(&rendered.quill, artifact.format, Arc::clone(&artifact.bytes));
            RenderedArtifact::new(&kept, inline)
        });
        Ok(RenderAnswer::new(artifacts.collect(), &rendered.diagnostics))
    }
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

impl AnswerText for RenderAnswer {
    fn text(&self) -> String {
        let verdict = match &self.error_message {
            None if self.artifacts.is_empty() => "READY TO RENDER".to_owned(),
            None => format!("RENDERED: {}", plural(self.artifacts.len(), "artifact")),
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
        text + if self.success { "" } else { "Next: fix the document and call render_document again" }
    }

    fn failed(&self) -> bool {
        !self.success
    }
}
