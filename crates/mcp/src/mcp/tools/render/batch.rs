use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{
        core::Core,
        refusal::Refusal,
        tool::{AgentTool, AnswerText, Needs},
    },
    Bytes, Job, day, decoded, delivery, no_worker, refused, rendering,
};
use crate::{
    Toolset,
    render::{Format, PdfStandard, RenderAnswer},
    text::{clip, plural},
};

/// Most documents of a call.
const MOST_DOCUMENTS: usize = 50;

/// `render_documents`
pub(in super::super) struct RenderDocuments;

#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct BatchArguments {
    /// The documents.
    documents: Vec<BatchDocument>,
    /// Output format; defaults to PDF.
    output_format: Option<Format>,
    /// Standards that PDF conforms to: `a-2b`, `ua-1`.
    pdf_standards: Option<Vec<PdfStandard>>,
    /// Files that the documents name, base64 by path.
    assets: Option<BTreeMap<String, String>>,
    /// Date, such as `2026-01-31`; defaults to today.
    date: Option<String>,
    /// `inline`: the bytes, too, not only the resources to read them from.
    bytes: Option<Bytes>,
}

#[derive(Deserialize, JsonSchema)]
struct BatchDocument {
    /// The document.
    markdown: String,
    /// What the answer calls it (default: its number).
    name: Option<String>,
    /// Quill to use instead of the one that the document names.
    quill_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(in super::super) struct BatchAnswer {
    /// Whether all documents are rendered.
    success: bool,
    /// What came of each document, in their order.
    documents: Vec<BatchResult>,
}

#[derive(Serialize, JsonSchema)]
struct BatchResult {
    name: String,
    #[serde(flatten)]
    answer: RenderAnswer,
}

impl AgentTool for RenderDocuments {
    type Arguments = BatchArguments;
    type Answer = BatchAnswer;
    const NAME: &'static str = "render_documents";
    const TITLE: &'static str = "Render several documents";
    const DESCRIPTION: &'static str =
        "Renders up to 50 Markdown documents; one with errors is reported, and the others are rendered.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Renderer;
    const EXAMPLE: &'static str = r#"{"documents": [{"name": "keys", "markdown": "---\nQUILL: memo\nto: [All]\nfrom: Ada\nsubject: Keys\n---\n\nHello.\n"}]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("format", "output_format")];

    fn call(core: &Core, arguments: BatchArguments) -> Result<BatchAnswer, Refusal> {
        let rendering = rendering(core)?;
        rendering.renderer.check_worker().map_err(no_worker)?;
        if arguments.documents.is_empty() {
            return Err(refused("`documents` is empty"));
        }
        if arguments.documents.len() > MOST_DOCUMENTS {
            return Err(refused(&format!("`documents` has more than {MOST_DOCUMENTS} documents")));
        }
        let mut job = Job {
            quill: None,
            draft: None,
            formats: vec![arguments.output_format.unwrap_or_default()],
            standards: arguments.pdf_standards.unwrap_or_default(),
            assets: decoded(arguments.assets.unwrap_or_default())?,
            date: day(arguments.date)?,
            check_only: false,
            delivery: delivery(arguments.bytes.or(Some(Bytes::Resource))),
        };
        let mut documents = Vec::with_capacity(arguments.documents.len());
        for (index, document) in arguments.documents.into_iter().enumerate() {
            job.quill = document.quill_name;
            let answer = job.run(core, rendering, document.markdown)?;
            documents
                .push(BatchResult { name: document.name.unwrap_or_else(|| (index + 1).to_string()), answer });
        }
        Ok(BatchAnswer { success: documents.iter().all(|document| document.answer.success), documents })
    }
}

impl AnswerText for BatchAnswer {
    fn text(&self) -> String {
        let rendered = self.documents.iter().filter(|document| document.answer.success).count();
        let mut text = format!("RENDERED: {rendered} of {}\n", plural(self.documents.len(), "document"));
        for BatchResult { name, answer } in &self.documents {
            let _ = write!(text, "{}: {}", clip(name, 60), answer.text());
            text.push_str(if text.ends_with('\n') { "" } else { "\n" });
        }
        text
    }

    fn failed(&self) -> bool {
        self.documents.iter().all(|document| !document.answer.success)
    }
}
