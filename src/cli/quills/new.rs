use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    kinds::quill::{MANIFESTS, is_name},
    project::{Overrides, shown},
};

use super::super::{
    Global,
    exit::{Exit, Fault},
    library::library,
    project::open,
};

/// Create a quill: a folder with a manifest, a layout and an example
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark quills new invoice             quills/invoice with Quill.yaml, plate.typ, example.md
  proofmark quills new offer --from letter  a copy of the quill `letter`, to change
  proofmark quills check quills/invoice    whether it is right, and its example renders")]
pub(in super::super) struct Arguments {
    /// Its name: lower-case letters, digits and _
    name: String,
    /// Quill to copy, such as a built-in one
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Folder that it goes into
    #[arg(long, value_name = "FOLDER", default_value = "quills")]
    into: PathBuf,
}

const FILES: [(&str, &str); 3] = [
    ("Quill.yaml", include_str!("new/quill.yaml")),
    ("plate.typ", include_str!("new/plate.typ")),
    ("example.md", include_str!("new/example.md")),
];

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let name = &arguments.name;
    if !is_name(name) {
        let hint = "begin with a letter and use lower-case letters, digits and `_`";
        return Err(Fault::with_hint(format!("`{name}` is not a valid name for a quill"), hint));
    }
    let folder = arguments.into.join(name);
    if folder.exists() {
        return Err(Fault::usage(format!("`{}` already exists", shown(&folder))));
    }
    let files = match &arguments.from {
        Some(from) => copied(from, name, global)?,
        None => {
            let file =
                |(file, text): (&str, &str)| (file.to_owned(), text.replace("__NAME__", name).into_bytes());
            FILES.into_iter().map(file).collect()
        }
    };
    super::write_files(&folder, &files)
}

/// The files of a quill, with another name in its manifest and its example.
fn copied(from: &str, name: &str, global: &Global) -> Result<BTreeMap<String, Vec<u8>>, Fault> {
    let library = library(&open(global, Overrides::default())?);
    let (quill, mut files) = super::files_of(&library, from)?;
    // Without the version that it may be asked for with.
    let from = quill.name.as_str();
    let example = quill.example_file.as_ref();
    for (path, bytes) in &mut files {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let renamed = if MANIFESTS.contains(&path.as_str()) {
            rename(text, &["name: ", "name = "], from, name)
        } else if Some(path.as_str()) == example.map(|path| path.trim_start_matches("./")) {
            rename(text, &["QUILL: "], from, name)
        } else {
            continue;
        };
        *bytes = renamed.into_bytes();
    }
    Ok(files)
}

/// The text with another value on the first line that has `key` and `from`.
fn rename(text: &str, keys: &[&str], from: &str, name: &str) -> String {
    let mut done = false;
    let line = |line: &str| {
        let trimmed = line.trim_start();
        let value = keys.iter().find_map(|key| trimmed.strip_prefix(key));
        let is_name = value.is_some_and(|value| value.trim().trim_matches(['"', '\'']) == from);
        if done || !is_name {
            return line.to_owned();
        }
        done = true;
        line.replacen(from, name, 1)
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_the_quill_is_changed() {
        let yaml = "quill:\n  name: letter\n  description: A letter\nmain:\n  fields:\n    name: letter\n";
        let expected = yaml.replacen("name: letter", "name: offer", 1);
        assert_eq!(rename(yaml, &["name: ", "name = "], "letter", "offer"), expected);
        assert_eq!(
            rename("[Quill]\nname = \"letter\"\n", &["name = "], "letter", "offer"),
            "[Quill]\nname = \"offer\"\n"
        );
    }
}
