use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{kinds::quill::is_name, project::shown};

use super::super::{
    console::Console,
    exit::{Exit, Fault},
};

/// Create a quill: a folder with a manifest, a layout and an example
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark quills new invoice             quills/invoice with Quill.yaml, plate.typ, example.md
  proofmark quills check quills/invoice    whether it is right, and its example renders")]
pub(in super::super) struct Arguments {
    /// Its name: lower-case letters, digits and _
    name: String,
    /// Folder that it goes into
    #[arg(long, value_name = "FOLDER", default_value = "quills")]
    into: PathBuf,
}

const FILES: [(&str, &str); 3] = [
    ("Quill.yaml", include_str!("new/quill.yaml")),
    ("plate.typ", include_str!("new/plate.typ")),
    ("example.md", include_str!("new/example.md")),
];

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let name = &arguments.name;
    if !is_name(name) {
        let hint = "begin with a letter and use lower-case letters, digits and `_`";
        return Err(Fault::with_hint(format!("`{name}` is not a valid name for a quill"), hint));
    }
    let folder = arguments.into.join(name);
    if folder.exists() {
        return Err(Fault::usage(format!("there is `{}` already", shown(&folder))));
    }
    let write = |path: &Path, text: &str| fs::write(path, text).map_err(|error| Fault::write(path, error));
    fs::create_dir_all(&folder).map_err(|error| Fault::write(&folder, error))?;
    for (file, text) in FILES {
        let path = folder.join(file);
        write(&path, &text.replace("__NAME__", name))?;
        Console::print(&format!("{}\n", shown(&path)))?;
    }
    Ok(Exit::Clean)
}
