use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::project::config::FILE_NAME;

use super::{
    console::Console,
    exit::{Exit, Fault, shown},
};

/// Write a commented proofmark.toml
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder of the file [default: .]
    #[arg(value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    folder: PathBuf,
}

/// What the file says at first: nothing that differs from having none.
const TEXT: &str = include_str!("init.toml");

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let path = arguments.folder.join(FILE_NAME);
    let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
    let written = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Fault::with_hint(format!("`{}` already exists", shown(&path)), "it is left as it is")
        }
        _ => Fault::write(&path, error),
    })?;
    file.write_all(TEXT.as_bytes()).map_err(|error| Fault::write(&path, error))?;
    Console::note(&format!("wrote {}", shown(&path)));
    Ok(Exit::Clean)
}
