use schemars::JsonSchema;
use serde::Serialize;

use super::{Format, Kept};
use crate::diagnostic::{ClientDiagnostic, ClientFindings, Diagnostic, Severity};

/// What came of a request to render, as clients of `render_document` know it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RenderAnswer {
    /// Whether there are artifacts, or there is nothing against making them.
    pub success: bool,
    /// The rendered document: one artifact, or one a page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<RenderedArtifact>,
    /// Which stage failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<ErrorType>,
    /// The first fault in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Findings: remarks of a success, faults of a failure.
    #[serde(flatten)]
    pub findings: ClientFindings,
}

/// A rendered document or a page of one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RenderedArtifact {
    /// What it is.
    pub format: Format,
    /// The bytes, unless they are left to the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_base64: Option<String>,
    /// Its media type.
    pub mime_type: &'static str,
    /// How many bytes it has.
    pub size_bytes: usize,
    /// The resource that it can be read from.
    pub resource_uri: String,
    /// The bytes in a form that a model can look at: those of a page as PNG.
    #[serde(skip)]
    pub picture: Option<String>,
}

/// Where the bytes of a rendered document are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// In its resource, and pages that a model can look at also in the answer, as pictures.
    #[default]
    Shown,
    /// Only in its resource.
    Resource,
    /// In the answer, too.
    Inline,
}

/// Which stage failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ErrorType {
    /// The quill is not there, or none is named.
    InvalidQuillName,
    /// The document cannot be read.
    ParseError,
    /// The document is not right.
    ValidationError,
    /// The quill's glue template cannot be filled in.
    TemplateError,
    /// The layout fails.
    CompilationError,
    /// A limit, or the machine.
    SystemError,
}

impl RenderedArtifact {
    /// A kept document as an answer has it.
    pub fn new(kept: &Kept, delivery: Delivery) -> Self {
        let is_picture = kept.format == Format::Png && delivery != Delivery::Resource;
        Self {
            format: kept.format,
            picture: is_picture.then(|| kept.base64()),
            bytes_base64: (delivery == Delivery::Inline).then(|| kept.base64()),
            mime_type: kept.format.mime_type(),
            size_bytes: kept.bytes.len(),
            resource_uri: kept.uri(),
        }
    }
}

impl ErrorType {
    /// The stage that a finding belongs to.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        match diagnostic.name.as_str() {
            "unknown-quill" | "unknown-quill-wanted" | "no-quill-to-render" => Self::InvalidQuillName,
            "glue-failed" => Self::TemplateError,
            "layout-failed"
            | "missing-asset"
            | "missing-package"
            | "optional-field-needed"
            | "quill-refused" => Self::CompilationError,
            "quill-unreadable" | "render-too-slow" | "render-too-large" | "too-many-pages"
            | "renderer-stopped" | "no-render-worker" => Self::SystemError,
            _ if ["FM", "YM", "PM"].iter().any(|start| diagnostic.id.starts_with(start)) => Self::ParseError,
            _ => Self::ValidationError,
        }
    }
}

impl RenderAnswer {
    /// The answer with these findings, as many as its limits on their number and bytes allow; a failure when one of them is an error that is not suppressed.
    pub fn new(artifacts: Vec<RenderedArtifact>, diagnostics: &[Diagnostic], limits: (usize, usize)) -> Self {
        let standing: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.suppressed.is_none()).collect();
        let first = standing.iter().find(|d| d.severity == Severity::Error);
        Self {
            success: first.is_none(),
            artifacts,
            error_type: first.map(|first| ErrorType::of(first)),
            error_message: first.map(|first| first.message.clone()),
            findings: ClientFindings::of(standing.into_iter().map(ClientDiagnostic::from).collect(), limits),
        }
    }
}
