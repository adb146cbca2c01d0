use std::{fs, path::PathBuf};

use crate::project::{Overrides, shown};

use super::super::{
    Global,
    console::Console,
    exit::{Exit, Fault},
    library::library,
    project::open,
};

/// Write the files of a quill to a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark quills export letter            quills/letter, which takes the place of the built-in quill
  proofmark quills export letter -o mine/   mine/ with its manifest, layout and example

`proofmark quills new NAME --from QUILL` copies a quill under another name.")]
pub(in super::super) struct Arguments {
    /// Name of the quill, with its version where it has several: letter@0.2
    name: String,
    /// Folder that its files go into, which must not exist; `quills/NAME` when absent
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let library = library(&open(global, Overrides::default())?);
    let quill = super::named(&library, &arguments.name)?;
    let folder = arguments.output.clone().unwrap_or_else(|| PathBuf::from("quills").join(&quill.name));
    if folder.exists() {
        let hint = "name another folder with `--output`";
        return Err(Fault::with_hint(format!("there is `{}` already", shown(&folder)), hint));
    }
    let bundle = match library.bundle(&arguments.name) {
        Some(Ok(bundle)) => bundle,
        Some(Err(error)) => {
            return Err(Fault::usage(format!("the files of `{}` cannot be read: {error}", quill.name)));
        }
        None => return Err(Fault::usage(format!("quill `{}` has no files", quill.name))),
    };
    for (file, bytes) in bundle.files() {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).map_err(|error| Fault::write(parent, error))?;
        fs::write(&path, bytes).map_err(|error| Fault::write(&path, error))?;
        Console::print(&format!("{}\n", shown(&path)))?;
    }
    Ok(Exit::Clean)
}
