//! The format `mermaid-report` of `check`: the verdict on every diagram, one JSON object per document.

use std::{io::Write, time::Duration};

use crate::{
    diagnostic::report::write_json,
    diagrams::{self, MermaidCli, MermaidCliError},
    engine::Outcome,
    rules::Ruleset,
};
use serde::Serialize;

use super::exit::Fault;

/// How diagrams are reported.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct DiagramArguments {
    /// What validates the diagrams of a `mermaid-report`: this program alone, or Mermaid's own command line
    /// tool (`mmdc`, or `MERMAID_CLI_PATH`) as well
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", help_heading = "Report")]
    engine: Engine,
    /// In a `mermaid-report`, a warning makes a diagram invalid
    #[arg(long, env = "QUARTO_MCP_MERMAID_STRICT", help_heading = "Report", hide_env_values = true)]
    strict_mode: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    #[default]
    Native,
    MermaidCli,
}

/// Writes reports on the diagrams of documents.
pub(super) struct DiagramReporter {
    strict: bool,
    tool: Option<Result<MermaidCli, MermaidCliError>>,
}

#[derive(Serialize)]
struct Line<'l> {
    file: &'l str,
    #[serde(flatten)]
    report: &'l diagrams::DiagramReport,
}

impl DiagramReporter {
    pub(super) fn new(arguments: DiagramArguments) -> Self {
        let asked = arguments.engine == Engine::MermaidCli;
        let tool = asked.then(|| MermaidCli::find(&|name| std::env::var(name).ok()));
        Self { strict: arguments.strict_mode, tool }
    }

    /// Writes the report on a document; returns whether its diagrams are valid.
    pub(super) fn file(
        &self,
        name: &str,
        outcome: &Outcome,
        ruleset: &Ruleset,
        took: Duration,
        out: &mut dyn Write,
    ) -> Result<bool, Fault> {
        let mut report = diagrams::report(outcome, ruleset, self.strict, took);
        if let Some(tool) = &self.tool {
            diagrams::cross_check(&mut report, outcome, tool);
        }
        write_json(&Line { file: name, report: &report }, out)?;
        writeln!(out)?;
        Ok(report.success)
    }
}
