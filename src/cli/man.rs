use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::CommandFactory;
use clap_mangen::Man;

use crate::{files, text::nearest};

use super::{
    Cli,
    console::Console,
    exit::{Exit, Fault},
};

/// Write man pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark man | man -l -                     the page of the program
  proofmark man rules test > page.1            the page of a command
  proofmark man --each /usr/share/man/man1     all pages: proofmark.1, proofmark-check.1, ...")]
pub(super) struct Arguments {
    /// The command to write the page of [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write one page per command into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    each: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let mut program = Cli::command();
    // Once the program is built, commands know their whole names.
    program.build();
    if let Some(folder) = &arguments.each {
        fs::create_dir_all(folder).map_err(|error| Fault::write(folder, error))?;
        write_each(&program, folder)?;
        return Ok(Exit::Clean);
    }
    let mut command = &program;
    for name in &arguments.command {
        command = command.find_subcommand(name).ok_or_else(|| unknown(command, name))?;
    }
    Console::print(&String::from_utf8_lossy(&page(command)))?;
    Ok(Exit::Clean)
}

/// Writes the page of a command and those of its own commands.
fn write_each(command: &clap::Command, folder: &Path) -> Result<(), Fault> {
    let path = folder.join(format!("{}.1", page_name(command)));
    files::put(&path, &page(command)).map_err(|error| Fault::write(&path, error))?;
    let mut own = command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help");
    own.try_for_each(|one| write_each(one, folder))
}

/// The page of a command in roff, without a date: the same program writes the same page.
fn page(command: &clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    // A vector accepts everything that is written to it.
    let _ = Man::new(command.clone()).manual("Proofmark").render(&mut page);
    page
}

/// The name of a command's page: `proofmark-rules-test`.
fn page_name(command: &clap::Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn unknown(command: &clap::Command, name: &str) -> Fault {
    let message = format!("`{}` has no command `{name}`", page_name(command).replace('-', " "));
    match nearest(name, command.get_subcommands().map(clap::Command::get_name)) {
        Some(near) => Fault::with_hint(message, format!("did you mean `{near}`?")),
        None => Fault::with_hint(message, "`proofmark --help` lists the commands"),
    }
}
