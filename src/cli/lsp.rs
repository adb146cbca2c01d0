use std::io;

use crate::{
    lsp::{self, Ended},
    project::Overrides,
};

use super::{
    Global,
    arguments::{EnvironmentArguments, RuleArguments},
    exit::{Exit, Fault},
};

/// Serve an editor by the Language Server Protocol, over standard input and output
///
/// Editors start this command themselves. Each document uses the nearest `proofmark.toml` in its folder or a parent
/// folder, as in `proofmark check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark lsp                                    what an editor runs
  proofmark lsp --ignore FM104                     the same without a rule
  proofmark lsp --rule-pages https://example.org/rules

docs/editors.md has configurations for Neovim, Helix, Emacs and Zed.")]
pub(super) struct Arguments {
    /// Accepted for clients that always pass it; standard input and output are the only channel
    #[arg(long)]
    stdio: bool,
    /// Address of the pages on rules, for the links of diagnostics [default: pages that the server writes]
    #[arg(long, value_name = "URL")]
    rule_pages: Option<String>,
    #[command(flatten)]
    environment: EnvironmentArguments,
    #[command(flatten)]
    rules: RuleArguments,
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let overrides = Overrides {
        rules: arguments.rules.overrides(),
        environment: arguments.environment.of_process(),
        ..Overrides::default()
    };
    let mut options = lsp::Options::new(global.configuration(), overrides);
    options.rule_pages.clone_from(&arguments.rule_pages);
    match lsp::serve(options, io::stdin(), io::stdout())? {
        Ended::Properly => Ok(Exit::Clean),
        Ended::Abruptly => Ok(Exit::Findings),
    }
}
