//! The command line: one file per subcommand, exit codes in [`exit`].

mod arguments;
mod batch;
mod check;
mod completions;
mod console;
mod convert;
#[cfg(feature = "render")]
mod draw;
mod exit;
mod explain;
mod failure;
mod fix;
mod in_order;
mod init;
mod input;
mod kinds;
#[cfg_attr(not(feature = "render"), path = "no_layouts.rs")]
mod layouts;
#[cfg(feature = "render")]
mod library;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod mermaid_report;
mod names;
mod org;
mod outputs;
mod packs;
mod panics;
mod progress;
mod project;
#[cfg(feature = "render")]
mod quills;
#[cfg(feature = "render")]
mod render;
mod reports;
mod rules;
#[cfg(feature = "mcp")]
mod serve;
mod sink;
mod snapshot;
mod statistics;
mod style;
mod templates;
mod timing;
mod tree;
mod validate;
mod watch;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use self::{
    console::{ColorChoice, Console},
    exit::{Exit, Fault},
};

/// Validates structured documents and reports what is wrong, where, why, and how to fix it.
#[derive(Debug, Parser)]
#[command(
    name = "proofmark",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  proofmark check docs                     check every document below docs
  proofmark check - --kind markdown <a.md  check standard input
  proofmark fix --diff docs                show what safe fixes would change
  proofmark explain FM101                  what a rule checks, why, and how to fix it
  proofmark render letter.md               letter.pdf, if the document is valid

Exit codes: 0 no findings at or above --fail-level, 1 findings, 2 a mistake in the command, the
configuration or a rule file, 3 an internal error.

`proofmark init` writes a commented proofmark.toml. Colors follow NO_COLOR and the terminal."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What every command understands.
#[derive(Debug, clap::Args)]
struct Global {
    /// Configuration file [default: the nearest proofmark.toml in this folder or a parent folder]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long, global = true, conflicts_with = "config", help_heading = "Global options")]
    isolated: bool,
    /// When to use color; `auto` means on a terminal, unless `NO_COLOR` is set
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Global options"
    )]
    color: ColorChoice,
    /// What is kept between the runs of a command that watches files.
    #[arg(skip)]
    session: crate::project::Session,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    Fix(fix::Arguments),
    Batch(batch::Arguments),
    Snapshot(snapshot::Arguments),
    Convert(convert::Arguments),
    Explain(explain::Arguments),
    Rules(rules::Arguments),
    Packs(packs::Arguments),
    Kinds(kinds::Arguments),
    Tree(tree::Arguments),
    #[cfg(feature = "render")]
    Render(render::Arguments),
    #[cfg(feature = "render")]
    Draw(draw::Arguments),
    #[cfg(feature = "render")]
    Quills(quills::Arguments),
    Templates(templates::Arguments),
    Org(org::Arguments),
    Init(init::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    // Found by the name of the protocol, too.
    #[cfg(feature = "mcp")]
    #[command(alias = "mcp")]
    Serve(serve::Arguments),
    #[cfg(feature = "lsp")]
    Lsp(lsp::Arguments),
}

/// All commands with their arguments, as the reference lists them.
pub fn commands() -> clap::Command {
    let mut root = <Cli as clap::CommandFactory>::command();
    root.build();
    root
}

/// Runs the command that the arguments name; the first one is the name of the program.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    status_with(arguments).into()
}

/// Like [`main_with`], for a program that ends by itself: gives the number that it exits with.
pub fn status_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    panics::keep_quiet();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if asks_for_version(&arguments) {
        let _ = Console::print(VERSION);
        return Exit::Clean.code();
    }
    let json = failure::wants_json(&arguments);
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) if json && error.use_stderr() => return failure::usage(&error).code(),
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Clean }.code();
        }
    };
    let outcome = panics::caught(|| run(cli)).unwrap_or_else(|panic| Err(Fault::Internal(panic)));
    // Another program may be writing what was replaced.
    crate::files::settle();
    let format = failure::wanted_format(&arguments);
    let failed = |fault: Fault| match format {
        _ if json => failure::fault(&fault),
        Some(format) => failure::report(&fault, format),
        None => fault.report(),
    };
    outcome.unwrap_or_else(failed).code()
}

/// What `--version` prints.
const VERSION: &str = concat!("proofmark ", env!("CARGO_PKG_VERSION"), "\n");

/// Whether the version is all that is asked for. Then the arguments of all commands need not be described, which takes longer than
/// everything else.
fn asks_for_version(arguments: &[OsString]) -> bool {
    matches!(arguments, [_, only] if only == "--version" || only == "-V")
}

fn run(cli: Cli) -> Result<Exit, Fault> {
    let Cli { global, command } = cli;
    let console = Console::new(global.color);
    match command {
        Command::Check(arguments) => check::run(&arguments, &global, console),
        Command::Fix(arguments) => fix::run(&arguments, &global, console),
        Command::Batch(arguments) => batch::run(&arguments, &global),
        Command::Convert(arguments) => convert::run(&arguments, &global, console),
        Command::Snapshot(arguments) => snapshot::run(&arguments, &global, console),
        Command::Explain(arguments) => explain::run(&arguments, &global, console),
        Command::Rules(arguments) => rules::run(&arguments, &global, console),
        Command::Packs(arguments) => packs::run(&arguments, &global, console),
        Command::Kinds(arguments) => kinds::run(&arguments, &global, console),
        Command::Tree(arguments) => tree::run(&arguments, &global, console),
        #[cfg(feature = "render")]
        Command::Render(arguments) => render::run(&arguments, &global, console),
        #[cfg(feature = "render")]
        Command::Draw(arguments) => draw::run(&arguments, &global, console),
        #[cfg(feature = "render")]
        Command::Quills(arguments) => quills::run(&arguments, &global, console),
        Command::Templates(arguments) => templates::run(&arguments, &global),
        Command::Org(arguments) => org::run(&arguments, &global),
        Command::Init(arguments) => init::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        #[cfg(feature = "mcp")]
        Command::Serve(arguments) => serve::run(&arguments, &global),
        #[cfg(feature = "lsp")]
        Command::Lsp(arguments) => lsp::run(&arguments, &global),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_version_is_the_same_with_and_without_a_parser() {
        assert_eq!(VERSION, Cli::command().render_version());
        let asks = |arguments: &[&str]| {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            asks_for_version(&arguments)
        };
        assert!(asks(&["proofmark", "--version"]) && asks(&["proofmark", "-V"]));
        assert!(!asks(&["proofmark"]) && !asks(&["proofmark", "check", "--version"]));
    }
}
