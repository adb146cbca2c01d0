use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{
        core::Core,
        refusal::Refusal,
        tool::{AgentTool, AnswerText, Image, Needs},
    },
    Bytes, delivery, no_worker, refused, rendering,
};
use crate::{
    Toolset,
    diagnostic::{ClientDiagnostic, ClientFindings, Severity},
    kinds::mermaid::Mermaid,
    project::Input,
    render::{Format, RenderedArtifact},
};

/// `draw_diagram`
pub(in super::super) struct DrawDiagram;

#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct DrawArguments {
    /// The diagram.
    text: String,
    /// Default: SVG.
    format: Option<Format>,
    /// `inline`: the bytes of PNG and PDF, too; `resource`: only the resource to read the drawing from.
    bytes: Option<Bytes>,
}

#[derive(Serialize, JsonSchema)]
pub(in super::super) struct DrawAnswer {
    /// Whether there is a drawing.
    success: bool,
    /// The drawing, as SVG.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    /// The drawing in another format.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_base64: Option<String>,
    mime_type: &'static str,
    /// The resource that the drawing can be read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_uri: Option<String>,
    /// The bytes of PNG, as a picture.
    #[serde(skip)]
    picture: Option<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    #[serde(flatten)]
    findings: ClientFindings,
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
        let rendering = rendering(core)?;
        rendering.renderer.check_worker().map_err(no_worker)?;
        let format = arguments.format.unwrap_or(Format::Svg);
        if format == Format::Html {
            return Err(refused("`format` of a drawing is SVG, PNG or PDF"));
        }
        let input = Input::text(arguments.text).of_kind(Some(Arc::new(Mermaid)));
        let subject = core.project.subject(input).map_err(|_| Refusal::because("the text cannot be read"))?;
        let found = subject.validate().diagnostics;
        let found: Vec<_> = found.iter().filter(|found| found.suppressed.is_none()).collect();
        let error = found.iter().find(|found| found.severity == Severity::Error);
        let drawn = match error {
            Some(error) => Err(error.message.clone()),
            None => rendering.renderer.draw_subject(&subject, format, None),
        };
        let drawn = drawn.map(|mut drawn| (drawn.artifacts.pop(), drawn.diagnostics));
        let (bytes, more, error_message) = match drawn {
            Ok((artifact, more)) => (artifact.map(|artifact| artifact.bytes), more, None),
            Err(reason) => (None, Vec::new(), Some(reason)),
        };
        let is_svg = format == Format::Svg && arguments.bytes != Some(Bytes::Resource);
        let svg = bytes.as_ref().filter(|_| is_svg);
        let svg = svg.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let kept = bytes.map(|bytes| rendering.store.put("diagram", format, bytes));
        let artifact = kept.map(|kept| RenderedArtifact::new(&kept, delivery(arguments.bytes)));
        let part = |part: fn(RenderedArtifact) -> Option<String>| artifact.clone().and_then(part);
        Ok(DrawAnswer {
            success: artifact.is_some(),
            bytes_base64: part(|artifact| artifact.bytes_base64).filter(|_| svg.is_none()),
            svg,
            picture: part(|artifact| artifact.picture),
            resource_uri: part(|artifact| Some(artifact.resource_uri)),
            mime_type: format.mime_type(),
            error_message,
            findings: ClientFindings::of(
                found.into_iter().chain(&more).map(ClientDiagnostic::from).collect(),
                core.limits.of_findings(),
            ),
        })
    }
}

impl AnswerText for DrawAnswer {
    fn text(&self) -> String {
        let mut text = match (&self.error_message, &self.resource_uri) {
            (Some(message), _) => format!("NOT DRAWN: {message}\n"),
            (None, uri) => format!("DRAWN: {} {}\n", self.mime_type, uri.as_deref().unwrap_or_default()),
        };
        text += &self.findings.text();
        text
    }

    fn failed(&self) -> bool {
        !self.success
    }

    fn images(&self) -> Vec<Image> {
        let image = |base64: &String| Image { base64: base64.clone(), mime_type: self.mime_type };
        self.picture.iter().map(image).collect()
    }
}
