//! The verdict on every Mermaid diagram of a document, in the form that clients of Quarto's validator
//! know: a result a block, and what stands outside of blocks and seems to belong to a diagram.
//!
//! [`report`] makes it of a document that was judged already; [`cross_check`] adds what Mermaid's own
//! command line tool says, where it is installed.

mod mermaid_cli;
mod report;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnostic::Diagnostic;

pub use mermaid_cli::{MermaidCli, MermaidCliError, cross_check};
pub use report::report;

/// What came of the diagrams of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagramReport {
    /// Whether every block is valid and nothing outside of blocks is an error; with `strict_mode`, not
    /// even a warning.
    pub success: bool,
    /// How many diagrams there are.
    pub total_blocks: usize,
    /// How many of them are valid.
    pub valid_blocks: usize,
    /// How many of them are not.
    pub invalid_blocks: usize,
    /// Every block, in the order of the text.
    pub results: Vec<BlockResult>,
    /// What stands outside of blocks, or is wrong with a block's fence.
    pub unblocked_issues: Vec<UnblockedIssue>,
    /// `native`, or `mermaid-cli` where that was asked as well.
    pub validation_engine: &'static str,
    /// Times.
    pub metadata: Metadata,
    /// Why the other engine could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_error: Option<EngineError>,
}

/// What came of one diagram.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlockResult {
    /// Position among the blocks, from 0.
    pub block_index: usize,
    /// Line of the opening fence, from 1.
    pub start_line: u32,
    /// Line of the closing fence, from 1.
    pub end_line: u32,
    /// Whether nothing is wrong with it.
    pub is_valid: bool,
    /// Type of the diagram, such as `flowchart`; `unknown` where nobody can tell.
    pub diagram_type: String,
    /// The first fault.
    pub error_message: Option<String>,
    /// Line of that in the diagram, whose first line is 1.
    pub error_line: Option<u32>,
    /// What is not a fault, in words.
    pub warnings: Vec<String>,
    /// `MERMAID_VALIDATION_FAILED` for a block that is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// All findings of the block, with places in the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

/// What stands outside of blocks and seems to belong to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnblockedIssue {
    /// Line in the document, from 1.
    pub line: u32,
    /// What sort of fault it is.
    pub issue_type: IssueType,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What was found.
    pub pattern: String,
    /// The keyword of Mermaid that was found outside of a block.
    pub keyword: Option<String>,
    /// What to do.
    pub suggestion: Option<String>,
    /// The line, at most 80 characters of it.
    pub context: String,
    /// Code that clients know.
    pub code: &'static str,
    /// Id of the rule.
    pub id: String,
    /// What is wrong.
    pub message: String,
}

/// Sorts of faults outside of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IssueType {
    /// Parts of a diagram that stand in no block.
    Unblocked,
    /// A block whose fence is not right.
    Malformed,
    /// A misspelt word.
    Typo,
    /// A block that is not closed.
    Unclosed,
}

/// Facts about the validation itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Metadata {
    /// How long it took, in milliseconds.
    pub total_validation_time_ms: u64,
}

/// Why an engine could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EngineError {
    /// `MERMAID_CLI_NOT_FOUND`, `MERMAID_CLI_TIMEOUT` or `MERMAID_CLI_ERROR`.
    pub code: &'static str,
    /// What happened, and what to do.
    pub message: String,
}
