use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    super::super::{
        core::Core,
        refusal::Refusal,
        tool::{AgentTool, AnswerText, Image, Needs},
    },
    Bytes, Job, day, decoded, delivery,
    draft::{Draft, draft},
    no_worker, refused, rendering,
};
use crate::{
    Toolset,
    render::{Format, PdfStandard, RenderAnswer, RenderedArtifact},
    text::plural,
};

/// Most pages of an answer that a model can look at.
const MOST_IMAGES: usize = 8;

/// `render_document`
pub(in super::super) struct RenderDocument;

#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct RenderArguments {
    /// The document.
    markdown: String,
    /// Quill to use instead of the one that the document names.
    quill_name: Option<String>,
    /// Output format; defaults to PDF.
    output_format: Option<Format>,
    /// Several formats in one call, instead of `output_format`.
    output_formats: Option<Vec<Format>>,
    /// Standards that PDF conforms to: `a-2b`, `ua-1`.
    pdf_standards: Option<Vec<PdfStandard>>,
    /// Files that the document names, base64 by path.
    assets: Option<BTreeMap<String, String>>,
    /// Files of a quill to try, text by path, among them `Quill.yaml`.
    quill_files: Option<BTreeMap<String, String>>,
    /// Or its folder, below the allowed folders.
    quill_folder: Option<String>,
    /// Only validate the document against its quill.
    validate_only: Option<bool>,
    /// Date, such as `2026-01-31`; defaults to today.
    date: Option<String>,
    /// `inline`: the bytes, too; `resource`: only the resource to read them from.
    bytes: Option<Bytes>,
}

impl AgentTool for RenderDocument {
    type Arguments = RenderArguments;
    type Answer = RenderAnswer;
    const NAME: &'static str = "render_document";
    const TITLE: &'static str = "Render a document";
    const DESCRIPTION: &'static str = "Renders a Markdown document with its quill to PDF, SVG, PNG or HTML; refused while the document has errors.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Renderer;
    const EXAMPLE: &'static str =
        r#"{"markdown": "---\nQUILL: memo\nto: [All]\nfrom: Ada\nsubject: Keys\n---\n\nHello.\n"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "markdown"), ("quill", "quill_name"), ("format", "output_format")];

    fn call(core: &Core, arguments: RenderArguments) -> Result<RenderAnswer, Refusal> {
        let rendering = rendering(core)?;
        let check_only = arguments.validate_only.unwrap_or(false);
        if !check_only {
            rendering.renderer.check_worker().map_err(no_worker)?;
        }
        let draft = match draft(core, arguments.quill_files.as_ref(), arguments.quill_folder.as_deref())? {
            Some(Draft::Usable(library, name)) => Some((library, name)),
            Some(Draft::Wrong(answer)) => return Ok(*answer),
            None => None,
        };
        let formats = match (arguments.output_format, arguments.output_formats) {
            (Some(_), Some(_)) => {
                return Err(refused("give either `output_format` or `output_formats`, not both"));
            }
            (_, Some(formats)) if formats.is_empty() => return Err(refused("`output_formats` is empty")),
            (_, Some(formats)) => formats,
            (format, None) => vec![format.unwrap_or_default()],
        };
        let job = Job {
            quill: draft.as_ref().map(|(_, name)| name.clone()).or(arguments.quill_name),
            draft: draft.map(|(library, _)| library),
            formats,
            standards: arguments.pdf_standards.unwrap_or_default(),
            assets: decoded(arguments.assets.unwrap_or_default())?,
            date: day(arguments.date)?,
            check_only,
            delivery: delivery(arguments.bytes),
        };
        job.run(core, rendering, arguments.markdown)
    }
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
        text += &self.findings.text();
        text + if self.success { "" } else { "Next: fix the document and call render_document again" }
    }

    fn failed(&self) -> bool {
        !self.success
    }

    fn images(&self) -> Vec<Image> {
        let image = |artifact: &RenderedArtifact| {
            Some(Image { base64: artifact.picture.clone()?, mime_type: artifact.mime_type })
        };
        self.artifacts.iter().filter_map(image).take(MOST_IMAGES).collect()
    }
}
