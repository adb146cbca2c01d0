//! Commands about rules and packs.

mod docs;
mod import;
mod list;
mod new;
mod schema;
mod scores;
mod test;
mod trace;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Subcommand;

use crate::files;

use super::{
    Global,
    console::Console,
    exit::{Exit, Fault, shown},
    explain::{Explained, diff},
    style::Style,
};

pub(super) use test::{Arguments as TestArguments, run as test};

/// List, test, create, import and trace rules
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Test(test::Arguments),
    New(new::Arguments),
    Import(import::Arguments),
    Docs(docs::Arguments),
    Schema(schema::Arguments),
    Trace(trace::Arguments),
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments, global, console),
        Command::Test(arguments) => test::run(arguments, global, console),
        Command::New(arguments) => new::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Docs(arguments) => docs::run(arguments, global, console),
        Command::Schema(arguments) => schema::run(arguments, console),
        Command::Trace(arguments) => trace::run(arguments, global, console),
    }
}

/// Files that the program writes, and whether they are to be written or compared.
struct Generated {
    /// Path and text of every file.
    files: Vec<(PathBuf, String)>,
    /// Folders in which nothing else may be.
    whole: Vec<PathBuf>,
    /// How the files are written, for whoever finds them out of date.
    command: &'static str,
}

impl Generated {
    /// Writes the files, or compares them with what is there.
    fn settle(self, check: bool, console: Console) -> Result<Exit, Fault> {
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
        let stale: Vec<&(PathBuf, String)> =
            self.files.iter().filter(|(path, text)| read(path) != *text).collect();
        let surplus = self.surplus();
        if check {
            let style = Style::new(console.color());
            for (path, text) in &stale {
                let changes = style.diff(&diff(&read(path), text));
                Console::print(&format!("out of date: {}\n{changes}\n\n", shown(path)))?;
            }
            for path in &surplus {
                Console::print(&format!("not generated: {}\n", shown(path)))?;
            }
            let differ = !stale.is_empty() || !surplus.is_empty();
            if differ {
                Console::note(&format!("run `{}`", self.command));
            }
            return Ok(Exit::findings(differ));
        }
        for (path, text) in &stale {
            let write = || {
                fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
                files::put(path, text.as_bytes())
            };
            write().map_err(|error| Fault::write(path, error))?;
        }
        for path in &surplus {
            fs::remove_file(path).map_err(|error| Fault::write(path, error))?;
        }
        let unchanged = self.files.len() - stale.len();
        Console::note(&format!(
            "{} written, {unchanged} as they were, {} removed",
            stale.len(),
            surplus.len()
        ));
        Ok(Exit::Clean)
    }

    /// Files in completely generated folders that are not among the generated files.
    fn surplus(&self) -> Vec<PathBuf> {
        let entries =
            self.whole.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        let found = entries.map(|entry| entry.path()).filter(|path| path.is_file());
        let mut surplus: Vec<PathBuf> =
            found.filter(|path| !self.files.iter().any(|(own, _)| own == path)).collect();
        surplus.sort();
        surplus
    }
}
