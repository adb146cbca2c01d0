use std::{fmt::Write as _, io};

use super::{FileReport, Outcome, Reporter, Run, findings, summary};
use crate::Diagnostic;
use crate::{Severity, text::visible};

/// A heading and a table per file with findings, and the totals at the end.
pub(super) struct Markdown<'r> {
    run: &'r Run,
    totals: findings::Totals,
}

impl<'r> Markdown<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, totals: findings::Totals::default() }
    }
}

impl Reporter for Markdown<'_> {
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        let findings = findings::shown(file, &self.run.options);
        if findings.is_empty() {
            return Ok(());
        }
        writeln!(out, "### {}\n", code(file.name))?;
        writeln!(out, "| place | severity | rule | finding |\n|---:|---|---|---|")?;
        for finding in &findings {
            let diagnostic = finding.diagnostic;
            writeln!(
                out,
                "| {}:{} | {} | {} {} | {} |",
                diagnostic.location.line,
                diagnostic.location.column,
                mark(diagnostic.severity),
                code(&diagnostic.id),
                prose(&diagnostic.name),
                cell(finding),
            )?;
        }
        writeln!(out)
    }

    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        self.totals.more(diagnostics);
    }

    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        write!(out, "**{}**", summary::counts(&self.totals))?;
        for remark in summary::remarks(&self.totals, &self.run.options, outcome) {
            write!(out, "; {remark}")?;
        }
        writeln!(out)
    }
}

fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "❌ error",
        Severity::Warning => "⚠️ warning",
        Severity::Note => "ℹ️ note",
    }
}

fn cell(finding: &findings::Finding<'_>) -> String {
    let diagnostic = finding.diagnostic;
    let mut out = prose(&diagnostic.message);
    if let Some(hint) = &diagnostic.fix_hint {
        let lines: Vec<String> = hint.trim_end().lines().map(prose).collect();
        let _ = write!(out, "<br>**help:** {}", lines.join("<br>"));
    }
    if let Some(fix) = diagnostic.fixes.first() {
        let _ = write!(out, "<br>**{}:** {}", findings::fix_label(fix), prose(&fix.title));
    }
    if finding.followers > 0 {
        let _ = write!(out, "<br>+{} that follow from it", finding.followers);
    }
    if let Some(reason) = &diagnostic.suppressed {
        let _ = write!(out, "<br>suppressed: {}", prose(reason));
    }
    out
}

/// Text for a table cell: code spans are kept, all other Markdown syntax is escaped, and what services make links of
/// becomes code.
fn prose(text: &str) -> String {
    let text = visible(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return words(&text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (index, part) in parts.into_iter().enumerate() {
        match index % 2 {
            1 if !part.trim().is_empty() => out.push_str(&code(part)),
            1 => {
                let _ = write!(out, "\\`{}\\`", escape(part));
            }
            _ => out.push_str(&words(part)),
        }
    }
    out
}

/// Escaped text whose addresses, mentions and references to issues are code: no escape keeps all services from making
/// links of them.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for word in text.split_inclusive(' ') {
        let (word, space) = word.strip_suffix(' ').map_or((word, ""), |word| (word, " "));
        if is_linked(word) {
            out.push_str(&code(word));
        } else {
            out.push_str(&escape(word));
        }
        out.push_str(space);
    }
    out
}

fn is_linked(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_reference = |mark: usize| word[mark + 1..].starts_with(|c: char| c.is_ascii_digit());
    lower.contains('@')
        || ["://", "www.", "mailto:", "xmpp:", "gh-"].iter().any(|part| lower.contains(part))
        || word.match_indices('#').any(|(mark, _)| is_reference(mark))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A code span with any `text`; a bar is escaped, as tables require.
fn code(text: &str) -> String {
    let text = visible(text).replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    if longest == 0 {
        return format!("`{text}`");
    }
    // Backticks inside end the span only where there are as many as around it.
    let fence = "`".repeat(if longest == 1 { 2 } else { longest + 1 });
    format!("{fence} {text} {fence}")
}
