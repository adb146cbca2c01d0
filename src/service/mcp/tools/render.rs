use std::{fmt::Write as _, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Image, Needs},
};
use crate::{
    diagnostic::{ClientDiagnostic, Severity},
    engine,
    kinds::{markdown::Markdown, mermaid::Mermaid, quill::is_date},
    project::Input,
    render::{Format, RenderAnswer, RenderedArtifact, Request, WorkerError},
    service::Toolset,
    text::plural,
};

/// Most pages of an answer that a model can look at.
const MOST_IMAGES: usize = 8;

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

    fn images(&self) -> Vec<Image> {
        let pages = self.artifacts.iter().filter(|artifact| artifact.format == Format::Png);
        let image = |artifact: &RenderedArtifact| {
            Some(Image { base64: artifact.bytes_base64.clone()?, mime_type: artifact.mime_type })
        };
        pages.take(MOST_IMAGES).filter_map(image).collect()
    }
}

/// `draw_diagram`
pub(super) struct DrawDiagram;

#[derive(Deserialize, JsonSchema)]
pub(super) struct DrawArguments {
    /// The diagram, in Mermaid.
    text: String,
    /// SVG when absent.
    format: Option<Format>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DrawAnswer {
    /// Whether there is a drawing.
    success: bool,
    /// The drawing, as SVG.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    /// The drawing in another format.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_base64: Option<String>,
    mime_type: &'static str,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    diagnostics: Vec<ClientDiagnostic>,
}

impl AgentTool for DrawDiagram {
    type Arguments = DrawArguments;
    type Answer = DrawAnswer;
    const NAME: &'static str = "draw_diagram";
    const TITLE: &'static str = "Draw a diagram";
    const DESCRIPTION: &'static str = "Draws a Mermaid diagram as SVG or PNG; refused while it has errors.";
    const TOOLSET: Toolset = Toolset::Mermaid;
    const NEEDS: Needs = Needs::Renderer;
    const EXAMPLE: &'static str = r#"{"text": "flowchart LR\n  A --> B\n", "format": "PNG"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("diagram", "text"), ("output_format", "format")];

    fn call(core: &Core, arguments: DrawArguments) -> Result<DrawAnswer, Refusal> {
        let missing = || Refusal::because("this server was started without a renderer");
        let rendering = core.rendering.as_ref().ok_or_else(missing)?;
        rendering.renderer.check_worker().map_err(no_worker)?;
        let input = Input::text(arguments.text).of_kind(Some(Arc::new(Mermaid)));
        let subject = core.project.subject(input).map_err(|_| Refusal::because("the text cannot be read"))?;
        let found = subject.validate().diagnostics;
        let found: Vec<_> = found.iter().filter(|found| found.suppressed.is_none()).collect();
        let format = arguments.format.unwrap_or(Format::Svg);
        let error = found.iter().find(|found| found.severity == Severity::Error);
        let drawn = match error {
            Some(error) => Err(error.message.clone()),
            None => rendering.renderer.draw(subject.text(), format, None),
        };
        let (bytes, error_message) = match drawn {
            Ok(bytes) => (Some(bytes), None),
            Err(reason) => (None, Some(reason)),
        };
        let is_svg = format == Format::Svg;
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        Ok(DrawAnswer {
            success: bytes.is_some(),
            svg: bytes.as_ref().filter(|_| is_svg).map(text),
            bytes_base64: bytes.as_ref().filter(|_| !is_svg).map(|bytes| BASE64_STANDARD.encode(bytes)),
            mime_type: format.mime_type(),
            error_message,
            diagnostics: found.into_iter().map(ClientDiagnostic::from).collect(),
        })
    }
}

impl AnswerText for DrawAnswer {
    fn text(&self) -> String {
        let mut text = match (&self.error_message, &self.svg) {
            (Some(message), _) => format!("NOT DRAWN: {message}\n"),
            (None, Some(svg)) => format!("DRAWN\n{svg}\n"),
            (None, None) => format!("DRAWN: {}\n", self.mime_type),
        };
        text.extend(self.diagnostics.iter().map(ClientDiagnostic::text));
        text
    }

    fn failed(&self) -> bool {
        !self.success
    }

    fn images(&self) -> Vec<Image> {
        let image = |base64: &String| Image { base64: base64.clone(), mime_type: self.mime_type };
        self.bytes_base64.iter().filter(|_| self.mime_type == Format::Png.mime_type()).map(image).collect()
    }
}
