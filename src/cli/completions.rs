use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::{
    Cli,
    console::Console,
    exit::{Exit, Fault},
};

/// Write completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark completions bash > ~/.local/share/bash-completion/completions/proofmark
  proofmark completions zsh > ~/.zfunc/_proofmark
  proofmark completions fish > ~/.config/fish/completions/proofmark.fish")]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "proofmark", &mut script);
    Console::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Clean)
}
