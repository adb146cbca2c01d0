//! Arguments that several commands share.

use std::path::PathBuf;

use crate::{
    diagnostic::Severity,
    project::{EnvironmentOverrides, Overrides, RuleOverrides},
};

use super::{in_order::default_jobs, names::RuleName};

/// What the commands that validate documents share: `check`, `fix`, `snapshot`, `batch`.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    #[command(flatten)]
    pub(super) environment: EnvironmentArguments,
    /// Number of threads [default: one per CPU]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

impl RunArguments {
    /// The overrides of the configuration.
    pub(super) fn overrides(&self) -> Overrides {
        Overrides {
            rules: self.rules.overrides(),
            environment: self.environment.of_process(),
            ..Overrides::default()
        }
    }

    /// Threads for at most this many documents.
    pub(super) fn jobs(&self, documents: usize) -> usize {
        // Asking how many threads there are takes a dozen system calls.
        let usual = || if documents > 1 { default_jobs() } else { 1 };
        self.jobs.unwrap_or_else(usual).min(documents.max(1))
    }
}

/// Which rules are on.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct RuleArguments {
    /// Run only these rules: ids, starts of ids (FM), names, tags, packs, or all
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "RULES",
        value_parser = RuleName,
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    select: Vec<String>,
    /// Run these rules, too
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "RULES",
        value_parser = RuleName,
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    extend: Vec<String>,
    /// Do not run these rules
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "RULES",
        value_parser = RuleName,
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    ignore: Vec<String>,
}

impl RuleArguments {
    pub(super) fn overrides(&self) -> RuleOverrides {
        let trimmed = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        let Self { select, extend, ignore } = self;
        RuleOverrides { select: trimmed(select), extend: trimmed(extend), ignore: trimmed(ignore) }
    }
}

/// Which quills documents may name besides the configured ones.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct QuillArguments {
    /// Validate documents against the built-in quills that they name; overrides the configuration
    #[arg(long, conflicts_with = "no_builtin_quills")]
    builtin_quills: bool,
    /// Do not validate documents against the built-in quills that they name
    #[arg(long)]
    no_builtin_quills: bool,
}

impl QuillArguments {
    /// The overrides with the choice of quills.
    pub(super) fn with(&self, overrides: Overrides) -> Overrides {
        let chosen = (self.builtin_quills || self.no_builtin_quills).then_some(self.builtin_quills);
        Overrides { builtin_quills: chosen, ..overrides }
    }
}

/// Which environment variables documents may refer to.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct EnvironmentArguments {
    /// Read the variables that documents may refer to from FILE (NAME=value lines); `check` and `fix` also know those
    /// of the process. References to other variables are errors
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
    /// References to variables that are not set are errors
    #[arg(long)]
    strict_env: bool,
}

impl EnvironmentArguments {
    /// For documents that will run in the environment of the process.
    pub(super) fn of_process(&self) -> EnvironmentOverrides {
        EnvironmentOverrides { of_process: true, ..self.of_elsewhere() }
    }

    /// For documents of others: with `--strict-env`, which asks for missing variables, those of the process are
    /// there; their values never become part of a result.
    pub(super) fn of_records(&self) -> EnvironmentOverrides {
        EnvironmentOverrides { of_process: self.strict_env, ..self.of_elsewhere() }
    }

    /// For documents that will run elsewhere: only what is said here is known of their environment.
    pub(super) fn of_elsewhere(&self) -> EnvironmentOverrides {
        EnvironmentOverrides {
            files: self.env_file.clone(),
            strict: self.strict_env,
            ..EnvironmentOverrides::default()
        }
    }
}

/// When a run fails.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct FailArguments {
    /// Lowest severity that makes the run fail [default: error]
    #[arg(long, value_name = "LEVEL", value_parser = severity)]
    pub(super) fail_level: Option<Severity>,
    /// Succeed although there are findings
    #[arg(long)]
    pub(super) exit_zero: bool,
}

/// Reads the name of a severity.
fn severity(name: &str) -> Result<Severity, String> {
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    let found = all.into_iter().find(|severity| severity.name() == name);
    found.ok_or_else(|| "severities are error, warning and note".to_owned())
}

/// For people or for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// One JSON value
    Json,
}

/// For people, for programs, or for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum PageFormat {
    /// For people
    #[default]
    Text,
    /// One JSON value
    Json,
    /// Markdown, as in the documentation
    Markdown,
}
