//! The verdict on every Mermaid diagram of a document, in the result format of Quarto's validator: one
//! result per block, and issues for diagram content outside of blocks.
//!
//! [`report`] creates it from a validated document; [`cross_check`] adds the errors of Mermaid's own command
//! line tool, if it is installed.

mod mermaid_cli;
mod report;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnostic::Diagnostic;

pub use mermaid_cli::{MermaidCli, MermaidCliError, cross_check};
pub use report::report;

/// The results for the diagrams of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagramReport {
    /// Whether every block is valid and no issue outside of blocks is an error or, with `strict_mode`, a
    /// warning.
    pub success: bool,
    /// Number of diagrams.
    pub total_blocks: usize,
    /// Number of valid diagrams.
    pub valid_blocks: usize,
    /// Number of invalid diagrams.
    pub invalid_blocks: usize,
    /// All blocks, in the order of the text.
    pub results: Vec<BlockResult>,
    /// Diagram content outside of blocks and errors in fences.
    pub unblocked_issues: Vec<UnblockedIssue>,
    /// `native`, or `mermaid-cli` if that tool was used too.
    pub validation_engine: &'static str,
    /// Timing.
    pub metadata: Metadata,
    /// Why the other engine could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_error: Option<EngineError>,
}

/// The result for one diagram.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlockResult {
    /// Position among the blocks, from 0.
    pub block_index: usize,
    /// Line of the opening fence, from 1.
    pub start_line: u32,
    /// Line of the closing fence, from 1.
    pub end_line: u32,
    /// Whether it is valid.
    pub is_valid: bool,
    /// Type of the diagram, such as `flowchart`, or `unknown`.
    pub diagram_type: String,
    /// The first error.
    pub error_message: Option<String>,
    /// Line of that error in the diagram, from 1.
    pub error_line: Option<u32>,
    /// Messages of the warnings.
    pub warnings: Vec<String>,
    /// `MERMAID_VALIDATION_FAILED` for a block that is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// All findings of the block, with locations in the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

/// Diagram content outside of blocks, or an error in a fence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnblockedIssue {
    /// Line in the document, from 1.
    pub line: u32,
    /// Type of the issue.
    pub issue_type: IssueType,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The text that was found.
    pub pattern: String,
    /// The Mermaid keyword that was found outside of a block.
    pub keyword: Option<String>,
    /// What to do.
    pub suggestion: Option<String>,
    /// The line, at most 80 characters.
    pub context: String,
    /// Code in the format of Quarto's validator.
    pub code: &'static str,
    /// Id of the rule.
    pub id: String,
    /// What is wrong.
    pub message: String,
}

/// Types of issues outside of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IssueType {
    /// Parts of a diagram outside of blocks.
    Unblocked,
    /// A block with a malformed fence.
    Malformed,
    /// A misspelled word.
    Typo,
    /// A block that is not closed.
    Unclosed,
}

/// Metadata of the validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Metadata {
    /// Duration in milliseconds.
    pub total_validation_time_ms: u64,
}

/// Why an engine could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EngineError {
    /// `MERMAID_CLI_NOT_FOUND`, `MERMAID_CLI_TIMEOUT` or `MERMAID_CLI_ERROR`.
    pub code: &'static str,
    /// What happened, and what to do.
    pub message: String,
}
