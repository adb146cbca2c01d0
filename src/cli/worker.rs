use std::{io, time::Duration};

use proofmark::render;

use super::exit::{Exit, Fault};

/// Be a process that renders, for another one that says what
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Most memory beyond that of the start, in bytes
    #[arg(long)]
    memory: u64,
    /// Longest time of one document
    #[arg(long)]
    milliseconds: u64,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let time = Duration::from_millis(arguments.milliseconds);
    render::work(io::stdin(), io::stdout(), arguments.memory, time)?;
    Ok(Exit::Clean)
}
