//! Report formats: one file per format; all receive findings file by file.
//!
//! A [`Reporter`] receives [`Reporter::begin`] once, [`Reporter::file`] for every checked file (clean
//! files included) and [`Reporter::end`] once. Only counts are kept between files, so a run over ten
//! thousand files needs the memory of one.
//!
//! All text from a document passes through [`crate::text::visible`] or the escaping of the format before
//! it is written.

mod azure;
mod checkstyle;
mod concise;
mod escaped;
mod escaped_xml;
mod findings;
mod fixable;
mod github;
mod gitlab;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod pretty;
mod rdjson;
mod sarif;
mod summary;

use std::{fmt, io, str::FromStr, sync::Arc};

pub use escaped::{escape_json, write_json};
pub use fixable::Fixable;

use super::{Diagnostic, Severity, Truncated};
use crate::text::Source;

/// A report format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Format {
    /// Source excerpts with labels, hints and fixes, for people.
    #[default]
    Pretty,
    /// One line per finding, as compilers write it: `file:line:column: error: message [ID name]`.
    Concise,
    /// One JSON object: [`super::Envelope`].
    Json,
    /// One JSON object per line: every [`Diagnostic`], then the envelope without them.
    Jsonl,
    /// SARIF 2.1.0.
    Sarif,
    /// GitHub Actions workflow commands.
    Github,
    /// GitLab code quality report.
    Gitlab,
    /// JUnit XML: one suite per file, one case per finding.
    Junit,
    /// Markdown tables, for comments and step summaries.
    Markdown,
    /// XML of Checkstyle.
    Checkstyle,
    /// Reviewdog Diagnostic Format, one JSON object.
    Rdjson,
    /// Logging commands of Azure Pipelines.
    Azure,
}

impl Format {
    /// All formats; the one for people is first.
    pub const ALL: [Self; 12] = [
        Self::Pretty,
        Self::Concise,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Markdown,
        Self::Checkstyle,
        Self::Rdjson,
        Self::Azure,
    ];

    /// The name of the format on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pretty => "pretty",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Checkstyle => "checkstyle",
            Self::Rdjson => "rdjson",
            Self::Azure => "azure",
        }
    }

    /// Whether a report in this format says anything about fixes: those for people do with the summary only, which they leave
    /// out where they are `quiet`.
    #[doc(hidden)]
    pub fn shows_fixes(self, quiet: bool) -> bool {
        match self {
            Self::Concise => !quiet,
            Self::Gitlab | Self::Junit | Self::Checkstyle => false,
            Self::Pretty
            | Self::Json
            | Self::Jsonl
            | Self::Sarif
            | Self::Github
            | Self::Markdown
            | Self::Rdjson
            | Self::Azure => true,
        }
    }

    /// How names of files of this format end, the usual one first.
    #[doc(hidden)]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Pretty | Self::Concise | Self::Github | Self::Azure => &["txt"],
            Self::Json | Self::Gitlab | Self::Rdjson => &["json"],
            Self::Jsonl => &["jsonl", "ndjson"],
            Self::Sarif => &["sarif", "json"],
            Self::Junit | Self::Checkstyle => &["xml"],
            Self::Markdown => &["md", "markdown"],
        }
    }

    /// A one-line description.
    pub fn description(self) -> &'static str {
        match self {
            Self::Pretty => "excerpts with labels, hints and fixes",
            Self::Concise => "one line per finding, as compilers write it",
            Self::Json => "one JSON object with summary and diagnostics",
            Self::Jsonl => "one JSON object per line, the summary last",
            Self::Sarif => "SARIF 2.1.0, for code scanning",
            Self::Github => "GitHub Actions annotations",
            Self::Gitlab => "GitLab code quality report",
            Self::Junit => "JUnit XML, for test reports",
            Self::Markdown => "tables, for comments and step summaries",
            Self::Checkstyle => "XML of Checkstyle, for code review tools",
            Self::Rdjson => "Reviewdog Diagnostic Format, with suggestions",
            Self::Azure => "logging commands of Azure Pipelines",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not a [`Format`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{0}`")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// What a report says about a rule besides its findings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleInfo {
    /// Stable id, such as `QT510`.
    pub id: String,
    /// Name, such as `undefined-variable`.
    pub name: String,
    /// Default severity.
    pub severity: Severity,
    /// What the rule checks, in one sentence without markup.
    pub short: String,
    /// What the rule checks, why, and how to fix findings, in Markdown.
    pub help_markdown: String,
    /// URL of the rule's page.
    pub help_uri: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Version of the program that introduced the rule.
    pub since: String,
}

/// Options of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent options")]
pub struct ReportOptions {
    /// Whether to write ANSI colors.
    pub color: bool,
    /// Columns of the terminal; without a terminal, text is not wrapped.
    pub width: Option<usize>,
    /// Whether to show findings that a comment or a baseline suppresses.
    pub show_suppressed: bool,
    /// Whether to show consequences of other findings instead of counting them.
    pub show_caused: bool,
    /// Lowest severity that makes a run fail (a failure in JUnit).
    pub fail_level: Severity,
    /// Path of the working directory relative to the repository's root, prepended to file names in formats
    /// that need names relative to the repository: SARIF, GitHub, GitLab.
    pub prefix: String,
    /// Whether reports for people leave out the summary.
    pub quiet: bool,
    /// Command that applies safe fixes, for the summary; empty where all fixes were tried already.
    pub fix_command: String,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            color: false,
            width: None,
            show_suppressed: false,
            show_caused: false,
            fail_level: Severity::Error,
            prefix: String::new(),
            quiet: false,
            fix_command: "proofmark fix".to_owned(),
        }
    }
}

/// Properties of a run that are the same for all files.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Version of the program.
    pub version: String,
    /// Fingerprint of the enabled rules.
    pub ruleset: String,
    /// The enabled rules, in any order.
    pub rules: Vec<RuleInfo>,
    /// Options of the report.
    pub options: ReportOptions,
}

/// One checked file.
#[derive(Debug, Clone, Copy)]
pub struct FileReport<'a> {
    /// Name of the file, as in [`super::Location::file`].
    pub name: &'a str,
    /// The sources that locations refer to, by [`crate::text::SourceId`]; empty if the file could not be
    /// read.
    pub sources: &'a [Arc<Source>],
    /// The findings of the file, in order.
    pub diagnostics: &'a [Diagnostic],
}

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Exit code of the process.
    pub exit_code: u8,
    /// Present if not all findings were passed to the reporter.
    pub truncated: Option<Truncated>,
}

/// Writes findings in one format.
pub trait Reporter {
    /// Starts the report. Most formats have nothing before the first file.
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }

    /// Adds a file, clean or not.
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()>;

    /// Counts findings of the last file that are not shown.
    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        let _ = diagnostics;
    }

    /// Ends the report.
    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()>;
}

/// The reporter for a format.
pub fn reporter(format: Format, run: &Run) -> Box<dyn Reporter + '_> {
    match format {
        Format::Pretty => Box::new(pretty::Pretty::new(run)),
        Format::Concise => Box::new(concise::Concise::new(run)),
        Format::Json => Box::new(json::Json::new(run)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(run)),
        Format::Sarif => Box::new(sarif::Sarif::new(run)),
        Format::Github => Box::new(github::Github::new(run)),
        Format::Gitlab => Box::new(gitlab::Gitlab::new(run)),
        Format::Junit => Box::new(junit::Junit::new(run)),
        Format::Markdown => Box::new(markdown::Markdown::new(run)),
        Format::Checkstyle => Box::new(checkstyle::Checkstyle::new(run)),
        Format::Rdjson => Box::new(rdjson::Rdjson::new(run)),
        Format::Azure => Box::new(azure::Azure::new(run)),
    }
}

/// Writes a complete report of the given files.
pub fn write(
    format: Format,
    run: &Run,
    files: &[FileReport<'_>],
    outcome: &Outcome,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut reporter = reporter(format, run);
    reporter.begin(out)?;
    for file in files {
        reporter.file(file, out)?;
    }
    reporter.end(outcome, out)
}
