//! Mermaid in Quarto and Markdown documents, in the result format of Quarto's validator.

use std::{env, fmt::Write as _, time::Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{
    core::{Asked, Core},
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::{
    Toolset,
    diagrams::{
        self, BlockResult, DiagramReport, EngineError, IssueType, MermaidCli, Metadata, UnblockedIssue,
    },
    kinds::{Kind, markdown, quarto},
    text::plural,
};

/// `quarto_validate_mermaid`
pub(super) struct ValidateMermaid;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// The document: Markdown or Quarto.
    content: String,
    /// Treat warnings as errors.
    strict_mode: Option<bool>,
    #[serde(default)]
    engine: Engine,
}

/// `mermaid-cli` also runs Mermaid's command line tool, if installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum Engine {
    #[default]
    Native,
    MermaidCli,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    success: bool,
    total_blocks: usize,
    valid_blocks: usize,
    invalid_blocks: usize,
    /// The first 500 blocks.
    #[schemars(with = "Vec<Block>")]
    results: Vec<BlockResult>,
    /// Diagram content outside of blocks and errors in fences: the first 200.
    #[schemars(with = "Vec<Issue>")]
    unblocked_issues: Vec<UnblockedIssue>,
    issues_total: usize,
    validation_engine: &'static str,
    #[schemars(with = "Map<String, Value>")]
    metadata: Metadata,
    /// Why the other engine could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    engine_error: Option<EngineError>,
}

/// Schema of a [`BlockResult`], without that of its diagnostics.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
#[expect(clippy::struct_field_names, reason = "clients know these names")]
struct Block {
    block_index: usize,
    start_line: u32,
    end_line: u32,
    is_valid: bool,
    diagram_type: String,
    #[schemars(extend("x-nullable" = true))]
    error_message: Option<String>,
    #[schemars(extend("x-nullable" = true))]
    error_line: Option<u32>,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<Vec<Map<String, Value>>>,
}

/// Schema of an [`UnblockedIssue`].
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
#[expect(clippy::struct_field_names, reason = "clients know these names")]
struct Issue {
    line: u32,
    issue_type: IssueType,
    severity: String,
    pattern: String,
    #[schemars(extend("x-nullable" = true))]
    keyword: Option<String>,
    #[schemars(extend("x-nullable" = true))]
    suggestion: Option<String>,
    context: String,
}

/// Maximum number of blocks in an answer.
const BLOCKS: usize = 500;

/// Maximum number of issues in an answer.
const ISSUES: usize = 200;

impl AgentTool for ValidateMermaid {
    type Arguments = Arguments;
    type Answer = Answer;
    const NAME: &'static str = "quarto_validate_mermaid";
    const TITLE: &'static str = "Validate Mermaid in a document";
    const DESCRIPTION: &'static str = "Validates every Mermaid block of a Quarto or Markdown document, and reports what looks like a diagram outside of a block. For fixes use `validate` and `fix_text`.";
    const TOOLSET: Toolset = Toolset::Mermaid;
    const EXAMPLE: &'static str = r#"{"content": "```mermaid\nflowchart TD\n    A --> B\n```\n"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "content"), ("markdown", "content"), ("strict", "strict_mode")];

    fn call(core: &Core, arguments: Arguments) -> Result<Answer, Refusal> {
        let is_quarto = quarto::Quarto.resembles(&arguments.content);
        let kind = if is_quarto { quarto::NAME } else { markdown::NAME };
        let (text, kind) = (Some(arguments.content), Some(kind));
        let subject = core.subject(Asked { text, kind, ..Asked::default() })?;
        let started = Instant::now();
        let outcome = subject.validate();
        core.metrics.findings(&outcome.diagnostics);
        let strict = arguments.strict_mode.unwrap_or_else(strict_by_default);
        let mut report = diagrams::report(&outcome, core.validator.ruleset(), strict, started.elapsed());
        if arguments.engine == Engine::MermaidCli {
            let allowed = core.project.config().server.mermaid_cli;
            let tool = MermaidCli::find_allowed(allowed, &|name| env::var(name).ok());
            // An answer after the deadline would be discarded.
            let left = core.limits.deadline.mul_f32(0.9).saturating_sub(started.elapsed());
            let tool = tool.map(|tool| MermaidCli { total: left, ..tool });
            diagrams::cross_check(&mut report, &outcome, &tool);
        }
        Ok(Answer::new(report, core.limits.diagnostics))
    }
}

/// Whether the server's environment turns strict mode on.
fn strict_by_default() -> bool {
    env::var("QUARTO_MCP_MERMAID_STRICT")
        .is_ok_and(|value| matches!(value.as_str(), "1" | "true" | "yes" | "on"))
}

impl Answer {
    /// The report, truncated to the limits of an answer: at most `diagnostics` findings.
    fn new(report: DiagramReport, diagnostics: usize) -> Self {
        let DiagramReport { mut results, mut unblocked_issues, .. } = report;
        results.truncate(BLOCKS);
        let mut left = diagnostics;
        for result in &mut results {
            result.diagnostics.truncate(left);
            left -= result.diagnostics.len();
        }
        let issues_total = unblocked_issues.len();
        unblocked_issues.truncate(ISSUES);
        Self {
            success: report.success,
            total_blocks: report.total_blocks,
            valid_blocks: report.valid_blocks,
            invalid_blocks: report.invalid_blocks,
            results,
            unblocked_issues,
            issues_total,
            validation_engine: report.validation_engine,
            metadata: report.metadata,
            engine_error: report.engine_error,
        }
    }
}

impl AnswerText for Answer {
    fn text(&self) -> String {
        let word = if self.success { "VALID" } else { "INVALID" };
        let (valid, total, issues) = (self.valid_blocks, self.total_blocks, self.issues_total);
        let verdict = format!(
            "{word}: {valid} of {} valid, {} outside of blocks",
            plural(total, "diagram"),
            plural(issues, "issue")
        );
        let mut text = format!("{verdict}\n");
        for block in self.results.iter().filter(|block| !block.is_valid || !block.warnings.is_empty()) {
            let BlockResult { start_line, end_line, diagram_type, .. } = block;
            let _ = writeln!(text, "lines {start_line}-{end_line} {diagram_type}:");
            if let Some(message) = &block.error_message {
                let line = block.error_line.unwrap_or_default();
                let _ = writeln!(text, "  error in line {line} of the diagram: {message}");
            }
            for warning in &block.warnings {
                let _ = writeln!(text, "  warning: {warning}");
            }
        }
        for issue in &self.unblocked_issues {
            let _ = writeln!(
                text,
                "line {} {}: {} – {}",
                issue.line, issue.severity, issue.message, issue.context
            );
            if let Some(suggestion) = &issue.suggestion {
                let _ = writeln!(text, "  hint: {suggestion}");
            }
        }
        if let Some(error) = &self.engine_error {
            let _ = writeln!(text, "{}: {}", error.code, error.message);
        }
        text
    }
}
