use std::time::Duration;

use super::{BlockResult, DiagramReport, IssueType, Metadata, UnblockedIssue};
use crate::{
    diagnostic::{Diagnostic, Severity},
    engine::Outcome,
    kinds::{Document, mermaid},
    rules::Ruleset,
    text::{Span, clip},
    tree::Node,
};

/// Tags of rules that determine the issue type of their findings.
const TYPES: &[(&str, IssueType)] = &[
    ("mermaid-typo", IssueType::Typo),
    ("mermaid-unclosed", IssueType::Unclosed),
    ("mermaid-malformed", IssueType::Malformed),
    ("mermaid-unblocked", IssueType::Unblocked),
];

/// The report on a validated document: Markdown with blocks, or a diagram file.
///
/// `ruleset` is the one the document was validated with, `strict` treats warnings as errors, `took` is the
/// duration of the validation.
pub fn report(outcome: &Outcome, ruleset: &Ruleset, strict: bool, took: Duration) -> DiagramReport {
    let sorter = Sorter { outcome, ruleset, strict };
    let blocks = blocks(&outcome.document);
    let results: Vec<BlockResult> =
        blocks.iter().enumerate().map(|(index, block)| sorter.result(index, block)).collect();
    let valid = results.iter().filter(|result| result.is_valid).count();
    let unblocked_issues = sorter.issues(&blocks);
    let total = results.len();
    let counts = |issue: &UnblockedIssue| strict || issue.severity == "error";
    DiagramReport {
        success: valid == total && !unblocked_issues.iter().any(counts),
        total_blocks: total,
        valid_blocks: valid,
        invalid_blocks: total - valid,
        results,
        unblocked_issues,
        validation_engine: "native",
        metadata: Metadata { total_validation_time_ms: took.as_millis().try_into().unwrap_or(u64::MAX) },
        engine_error: None,
    }
}

/// A diagram and its position.
struct Block<'o> {
    /// The fence, or the whole file.
    span: Span,
    diagram: &'o Document,
    /// Number of fence lines above the diagram: 1, or 0 for a file.
    above: u32,
}

fn blocks(document: &Document) -> Vec<Block<'_>> {
    if document.kind == mermaid::NAME {
        let span = document.source().span();
        return vec![Block { span, diagram: document, above: 0 }];
    }
    let fences = document.tree.root().get("fences");
    let fences = fences.into_iter().flat_map(Node::items).filter(is_mermaid);
    let diagrams = document.embedded.iter().filter(|inner| inner.kind == mermaid::NAME);
    fences.zip(diagrams).map(|(fence, diagram)| Block { span: fence.span(), diagram, above: 1 }).collect()
}

pub(super) fn is_mermaid(fence: &Node<'_>) -> bool {
    let language = fence.get("language").and_then(Node::as_str);
    language.is_some_and(|language| language.eq_ignore_ascii_case(mermaid::NAME))
}

struct Sorter<'o> {
    outcome: &'o Outcome,
    ruleset: &'o Ruleset,
    strict: bool,
}

impl<'o> Sorter<'o> {
    fn standing(&self) -> impl Iterator<Item = &'o Diagnostic> {
        self.outcome.diagnostics.iter().filter(|found| found.suppressed.is_none())
    }

    fn result(&self, index: usize, block: &Block<'_>) -> BlockResult {
        let source = self.outcome.document.source();
        let start_line = source.position(block.span.start).line;
        let last = block.span.end.saturating_sub(1).max(block.span.start);
        let found: Vec<&Diagnostic> =
            self.standing().filter(|found| inside(found, block.span) && self.is_of_diagram(found)).collect();
        let first = found.iter().find(|found| found.severity == Severity::Error);
        let warnings: Vec<String> = found
            .iter()
            .filter(|found| found.severity == Severity::Warning)
            .map(|found| message(found))
            .collect();
        let is_valid = first.is_none() && (warnings.is_empty() || !self.strict);
        let kind = block.diagram.tree.root().get("type").and_then(Node::as_str).unwrap_or("unknown");
        BlockResult {
            block_index: index,
            start_line,
            end_line: source.position(last).line,
            is_valid,
            diagram_type: kind.to_owned(),
            error_message: first.map(|found| message(found)),
            error_line: first.map(|found| (found.location.line + 1).saturating_sub(start_line + block.above)),
            warnings,
            code: (!is_valid).then_some("MERMAID_VALIDATION_FAILED"),
            diagnostics: found.into_iter().cloned().collect(),
        }
    }

    /// Whether the rule is for diagrams, not for the text around them.
    fn is_of_diagram(&self, found: &Diagnostic) -> bool {
        let rule = self.ruleset.find(&found.id).map(|found| found.rule);
        rule.is_some_and(|rule| rule.kinds.iter().any(|kind| kind == mermaid::NAME))
    }

    /// Issues outside of blocks: one per line, the most severe of that line.
    fn issues(&self, blocks: &[Block<'_>]) -> Vec<UnblockedIssue> {
        let mut issues: Vec<UnblockedIssue> = Vec::new();
        for found in self.standing() {
            let Some((issue_type, severity)) = self.issue_type(found, blocks) else { continue };
            let issue = issue(found, issue_type, severity);
            match issues.iter_mut().find(|known| known.line == issue.line) {
                Some(known) if known.severity != "error" && issue.severity == "error" => *known = issue,
                Some(_) => {}
                None => issues.push(issue),
            }
        }
        issues
    }

    /// The type and severity of the issue for a finding: a wrong fence is worse around a diagram, which it
    /// prevents from being rendered, than around code.
    fn issue_type(&self, found: &Diagnostic, blocks: &[Block<'_>]) -> Option<(IssueType, Severity)> {
        let rule = self.ruleset.find(&found.id)?.rule;
        let tagged = |name: &str| rule.tags.iter().any(|tag| tag == name);
        if let Some((_, kind)) = TYPES.iter().find(|(tag, _)| tagged(tag)) {
            return Some((*kind, found.severity));
        }
        let around_block = blocks.iter().any(|block| inside(found, block.span));
        let kind = if rule.name == "unclosed-fence" { IssueType::Unclosed } else { IssueType::Malformed };
        (tagged("fence") && around_block).then_some((kind, Severity::Error))
    }
}

fn inside(found: &Diagnostic, span: Span) -> bool {
    found.location.source.0 == 0
        && found.location.byte_start >= span.start
        && found.location.byte_start <= span.end
}

fn message(found: &Diagnostic) -> String {
    match &found.fix_hint {
        Some(hint) => format!("{}: {} ({hint})", found.id, found.message),
        None => format!("{}: {}", found.id, found.message),
    }
}

fn issue(found: &Diagnostic, issue_type: IssueType, severity: Severity) -> UnblockedIssue {
    let context = found.context.as_deref().unwrap_or_default();
    // A context begins with the line number.
    let line = context.split_once('|').map_or(context, |(_, line)| line).trim();
    let pattern = found.found.as_deref().unwrap_or(line);
    let is_keyword = issue_type == IssueType::Unblocked && pattern.chars().all(char::is_alphanumeric);
    UnblockedIssue {
        line: found.location.line,
        issue_type,
        severity: if severity == Severity::Error { "error" } else { "warning" },
        pattern: clip(pattern, 80).to_string(),
        keyword: is_keyword.then(|| pattern.to_owned()),
        suggestion: found.fix_hint.clone(),
        context: clip(line, 80).to_string(),
        code: match issue_type {
            IssueType::Unblocked => "MERMAID_UNBLOCKED_FOUND",
            IssueType::Typo => "MERMAID_TYPO",
            IssueType::Malformed | IssueType::Unclosed => "MERMAID_MALFORMED_BLOCK",
        },
        id: found.id.clone(),
        message: found.message.clone(),
    }
}
