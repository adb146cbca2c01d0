//! How a run ends: exit codes, and what is said when it cannot do its work.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use crate::{
    diagnostic::{
        Diagnostic,
        report::{self, FileReport, Format, ReportOptions, Run},
    },
    files::NotAnOutput,
    project::{OpenError, OpenErrors, WriteError},
    text::{Source, visible},
};

pub(super) use crate::project::shown;

use super::console::{ColorChoice, Console};

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// Nothing that counts was found.
    Clean = 0,
    /// Findings at or above the level that makes a run fail.
    Findings = 1,
    /// The command, the configuration or a rule file is wrong.
    Usage = 2,
    /// Proofmark is wrong.
    Internal = 3,
}

impl Exit {
    /// [`Self::Findings`] when there are any.
    pub(super) fn findings(any: bool) -> Self {
        if any { Self::Findings } else { Self::Clean }
    }

    /// The number.
    pub(super) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command cannot do its work.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// The command line asks for something that cannot be.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A file that the command needs cannot be read or written.
    #[error("cannot {action} `{}`: {source}", shown(.path))]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why the file cannot be read or written.
        source: io::Error,
    },
    /// Several reasons.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<Fault>),
    /// The configuration or a rule file has these findings, shown as a report.
    #[error("{report}")]
    Findings {
        /// The report.
        report: String,
        /// The findings.
        diagnostics: Vec<Diagnostic>,
        /// The sources that they are in, the file itself first.
        sources: Vec<Arc<Source>>,
    },
    /// A result cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    /// A state that the program was not made for.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Fault {
    pub(super) fn usage(what: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), hint: None }
    }

    pub(super) fn with_hint(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), hint: Some(hint.into()) }
    }

    /// An argument that this build cannot do.
    #[cfg(not(feature = "render"))]
    pub(super) fn without_renderer(argument: &str) -> Self {
        let hint = "build with the feature `render`, which is on by default";
        Self::with_hint(
            format!("`{argument}` needs the built-in quills, which this build does not have"),
            hint,
        )
    }

    /// A file that a result is not written to.
    pub(super) fn output(error: &NotAnOutput) -> Self {
        Self::with_hint(visible(&error.to_string()), error.hint())
    }

    pub(super) fn read(path: &Path, source: io::Error) -> Self {
        Self::File { action: "read", path: path.to_owned(), source }
    }

    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self::File { action: "write", path: path.to_owned(), source }
    }

    /// Findings that keep a command from its work.
    pub(super) fn findings(diagnostics: &[Diagnostic], sources: &[Arc<Source>]) -> Self {
        let color = Console::new(ColorChoice::Auto).error_color();
        let options = ReportOptions { color, width: Console::error_width(), ..ReportOptions::default() };
        let run = Run { version: env!("CARGO_PKG_VERSION").to_owned(), options, ..Run::default() };
        let name = sources.first().map_or("", |source| source.name());
        let file = FileReport { name, sources, diagnostics };
        let outcome = report::Outcome { exit_code: Exit::Usage.code(), truncated: None };
        let mut text = Vec::new();
        // Writing into memory does not fail.
        let _ = report::write(Format::Pretty, &run, &[file], &outcome, &mut text);
        Self::Findings {
            report: String::from_utf8_lossy(&text).into_owned(),
            diagnostics: diagnostics.to_vec(),
            sources: sources.to_vec(),
        }
    }

    /// One of several reasons for which a project cannot be opened.
    pub(super) fn of_error(error: &OpenError) -> Self {
        match error {
            OpenError::Findings(findings) => Self::of(findings),
            error => Self::usage(error.to_string()),
        }
    }

    /// The failures that a failure consists of.
    pub(super) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Several(faults) => faults.iter().flat_map(Self::parts).collect(),
            other => vec![other],
        }
    }

    /// How a run with this failure ends. A closed output pipe is not a failure.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::File { .. } | Self::Several(_) | Self::Findings { .. } => Exit::Usage,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean,
            Self::Output(_) | Self::Internal(_) => Exit::Internal,
        }
    }

    /// What to do about the failure.
    pub(super) fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } => hint.as_deref(),
            Self::Internal(_) => Some("this is a bug in Proofmark: please report it with the input"),
            Self::Several(faults) => faults.iter().find_map(Self::hint),
            _ => None,
        }
    }

    /// The findings that keep the command from its work, as JSON; null without any.
    pub(super) fn diagnostics(&self) -> serde_json::Value {
        match self {
            Self::Findings { diagnostics, .. } => serde_json::to_value(diagnostics).unwrap_or_default(),
            Self::Several(faults) => {
                let all = faults.iter().map(Self::diagnostics).filter_map(|list| match list {
                    serde_json::Value::Array(items) => Some(items),
                    _ => None,
                });
                all.flatten().collect()
            }
            _ => serde_json::Value::Null,
        }
    }

    /// Reports the failure on standard error; returns how the run ends.
    pub(super) fn report(&self) -> Exit {
        let exit = self.exit();
        if let Self::Several(faults) = self {
            for fault in faults {
                fault.report();
            }
            return exit;
        }
        let mut out = io::stderr().lock();
        let _ = match self {
            _ if exit == Exit::Clean => Ok(()),
            Self::Findings { report, .. } => write!(out, "{report}"),
            other => other.to_string().lines().try_for_each(|line| writeln!(out, "error: {}", visible(line))),
        };
        if let Some(hint) = self.hint() {
            let _ = writeln!(out, "hint: {hint}");
        }
        exit
    }
}

impl From<OpenErrors> for Fault {
    fn from(OpenErrors(errors): OpenErrors) -> Self {
        let mut faults: Vec<Self> = errors.into_iter().map(Self::from).collect();
        match faults.pop() {
            Some(only) if faults.is_empty() => only,
            last => Self::Several(faults.into_iter().chain(last).collect()),
        }
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Findings(findings) => Self::of(&findings),
            OpenError::File { path, source } => Self::read(&path, source),
            OpenError::UnknownRule { name, nearest } => Self::unknown_rule(&name, nearest.as_deref()),
            OpenError::UnknownKind(error) => error.into(),
            OpenError::UnknownDialect(error) => error.into(),
            error => Self::usage(error.to_string()),
        }
    }
}

impl From<WriteError> for Fault {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Failed { name, source } => Self::write(Path::new(&name), source),
            error @ WriteError::Changed(_) => Self::with_hint(error.to_string(), "run the command again"),
            error => Self::Internal(error.to_string()),
        }
    }
}
