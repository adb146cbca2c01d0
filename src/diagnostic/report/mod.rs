//! How findings are shown: one file per format, all fed file by file.
//!
//! A [`Reporter`] gets [`Reporter::begin`] once, [`Reporter::file`] for every file that was looked
//! at (clean ones too) and [`Reporter::end`] once. Nothing of a file is kept after its call except
//! counts, so that a run over ten thousand files needs the memory of one.
//!
//! Everything that comes from a document passes [`crate::text::visible`] or an escaping of the
//! format before it is written.

mod concise;
mod escaped;
mod findings;
mod github;
mod gitlab;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod pretty;
mod sarif;
mod summary;

use std::{fmt, io, str::FromStr, sync::Arc};

use super::{Diagnostic, Severity, Truncated};
use crate::text::Source;

/// A form in which findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// Excerpts of the text with labels, hints and fixes, for people.
    #[default]
    Pretty,
    /// One line a finding, in the form of compilers: `file:line:column: error: message [ID name]`.
    Concise,
    /// One JSON object: [`super::Envelope`].
    Json,
    /// One JSON object a line: every [`Diagnostic`], then the envelope without them.
    Jsonl,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// Code quality report of GitLab.
    Gitlab,
    /// JUnit XML: a suite a file, a case a finding.
    Junit,
    /// Tables in Markdown, for comments and step summaries.
    Markdown,
}

impl Format {
    /// All formats, the one for people first.
    pub const ALL: [Self; 9] = [
        Self::Pretty,
        Self::Concise,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Markdown,
    ];

    /// The name it is chosen by.
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
        }
    }

    /// What it is for, in one line.
    pub fn description(self) -> &'static str {
        match self {
            Self::Pretty => "excerpts with labels, hints and fixes",
            Self::Concise => "one line a finding, as compilers write it",
            Self::Json => "one JSON object with summary and diagnostics",
            Self::Jsonl => "one JSON object a line, the summary last",
            Self::Sarif => "SARIF 2.1.0, for code scanning",
            Self::Github => "annotations of GitHub Actions",
            Self::Gitlab => "code quality report of GitLab",
            Self::Junit => "JUnit XML, for test reports",
            Self::Markdown => "tables, for comments and step summaries",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no [`Format`].
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
    /// Severity where nothing overrides it.
    pub severity: Severity,
    /// What it checks, in one sentence without markup.
    pub short: String,
    /// What it checks, why, and how to mend it, in Markdown.
    pub help_markdown: String,
    /// Page about the rule.
    pub help_uri: Option<String>,
    /// Topics.
    pub tags: Vec<String>,
    /// Version of the program that brought it.
    pub since: String,
}

/// How a report is to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOptions {
    /// Write ANSI colours.
    pub color: bool,
    /// Columns of the terminal; texts are not wrapped where there is none.
    pub width: Option<usize>,
    /// Show findings that a comment or a baseline takes out of the verdict.
    pub show_suppressed: bool,
    /// Show findings that follow from others in full instead of counting them.
    pub show_caused: bool,
    /// Least severity that makes a run fail: what JUnit calls a failure.
    pub fail_level: Severity,
    /// Folder of the working directory below the repository's root, put before file names where
    /// readers want them relative to the repository: SARIF, GitHub, GitLab.
    pub prefix: String,
    /// Command that applies safe fixes, named in the summary.
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
            fix_command: "proofmark fix".to_owned(),
        }
    }
}

/// What is the same for all files of a run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Version of the program.
    pub version: String,
    /// Fingerprint of the rules that were on.
    pub ruleset: String,
    /// The rules that were on, in any order.
    pub rules: Vec<RuleInfo>,
    /// How the report is to look.
    pub options: ReportOptions,
}

/// One file that was looked at.
#[derive(Debug, Clone, Copy)]
pub struct FileReport<'a> {
    /// Name of the file, as in [`super::Location::file`].
    pub name: &'a str,
    /// The texts that places belong to, by [`crate::text::SourceId`]; empty where the file could
    /// not be read.
    pub sources: &'a [Arc<Source>],
    /// Its findings, in order.
    pub diagnostics: &'a [Diagnostic],
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Exit code of the process.
    pub exit_code: u8,
    /// Present when not all findings were handed over.
    pub truncated: Option<Truncated>,
}

/// Writes findings in one format.
pub trait Reporter {
    /// Starts the report.
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()>;

    /// Adds a file, clean or not.
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()>;

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
    }
}

/// Writes a whole report of files already at hand.
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
