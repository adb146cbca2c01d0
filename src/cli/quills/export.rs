use std::path::PathBuf;

use crate::project::{Overrides, shown};

use super::super::{
    Global,
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
    /// Name of the quill, with its version if it has several: letter@0.2
    name: String,
    /// Folder for its files, which must not exist yet [default: quills/NAME]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let library = library(&open(global, Overrides::default())?);
    let (quill, files) = super::files_of(&library, &arguments.name)?;
    let folder = arguments.output.clone().unwrap_or_else(|| PathBuf::from("quills").join(&quill.name));
    if folder.exists() {
        let hint = "name another folder with `--output`";
        return Err(Fault::with_hint(format!("`{}` already exists", shown(&folder)), hint));
    }
    super::write_files(&folder, &files)
}
