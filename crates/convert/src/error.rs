//! Why a document was not converted.

use std::fmt;

/// The codes that clients know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    InvalidInput,
    UnsupportedFormat,
    RenderFailed,
    Timeout,
    DependencyMissing,
    OutputNotFound,
    TemplateNotFound,
    TemplateUrlInvalid,
    TemplateInvalid,
}

impl ErrorCode {
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidInput => "INVALID_INPUT",
            Self::UnsupportedFormat => "UNSUPPORTED_FORMAT",
            Self::RenderFailed => "RENDER_FAILED",
            Self::Timeout => "TIMEOUT",
            Self::DependencyMissing => "DEPENDENCY_MISSING",
            Self::OutputNotFound => "OUTPUT_NOT_FOUND",
            Self::TemplateNotFound => "TEMPLATE_NOT_FOUND",
            Self::TemplateUrlInvalid => "TEMPLATE_URL_INVALID",
            Self::TemplateInvalid => "TEMPLATE_INVALID",
        }
    }
}

/// Why a document was not converted, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertError {
    pub code: ErrorCode,
    pub message: String,
    /// What to install or to change.
    pub details: String,
    /// What the other program said.
    pub output: String,
}

impl ConvertError {
    pub fn new(code: ErrorCode, message: impl Into<String>, details: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: details.into(), output: String::new() }
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)
    }
}
