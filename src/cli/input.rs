//! Which documents a command is about: files that are named, files below folders, standard input.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::WalkBuilder;
use proofmark::{
    kinds::{Kind, Kinds},
    rules::Ruleset,
};

use super::{
    exit::{Fault, shown},
    known_kinds,
    workspace::Workspace,
};

/// The documents that are named on the command line.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct InputArguments {
    /// Files and folders; - for standard input [default: .]
    #[arg(value_name = "PATHS")]
    pub(super) paths: Vec<PathBuf>,
    /// Kind of the documents, whatever their names say
    #[arg(long, value_name = "KIND")]
    pub(super) kind: Option<String>,
    /// Dialect of the kind, where it has several
    #[arg(long, value_name = "DIALECT")]
    pub(super) dialect: Option<String>,
    /// Hold documents to the built-in quills that they name, as `render` does
    #[cfg(feature = "render")]
    #[arg(long)]
    pub(super) builtin_quills: bool,
    /// Name that standard input has in reports and by which its kind is known
    #[arg(long, value_name = "PATH")]
    pub(super) stdin_filename: Option<PathBuf>,
}

/// A document to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// What it is called in reports.
    pub(super) name: String,
    /// Where it is.
    pub(super) place: Place,
    /// Whether it was named itself, and not a folder above it.
    pub(super) explicit: bool,
}

/// Where a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Stdin,
    File(PathBuf),
    /// A file that cannot be reached, and why.
    Unreachable(PathBuf, String),
}

impl InputArguments {
    /// The kind that the command line says.
    pub(super) fn kind(&self, ruleset: &Ruleset) -> Result<Option<Arc<dyn Kind>>, Fault> {
        self.kind.as_deref().map(|name| known_kinds::named(name, ruleset)).transpose()
    }

    /// All documents, ordered by name, each once.
    pub(super) fn inputs(&self, workspace: &Workspace) -> Result<Vec<Input>, Fault> {
        let here = [PathBuf::from(".")];
        let paths = if self.paths.is_empty() { &here[..] } else { &self.paths };
        let missing: Vec<String> = paths
            .iter()
            .filter(|path| *path != Path::new("-") && path.symlink_metadata().is_err())
            .map(|path| format!("there is no `{}`", shown(path)))
            .collect();
        if !missing.is_empty() {
            return Err(Fault::usage(missing.join("\n")));
        }
        let mut inputs = Vec::new();
        for path in paths {
            if path == Path::new("-") {
                inputs.push(self.stdin(workspace)?);
            } else if path.is_dir() {
                walk(path, workspace, self.kind.is_some(), &mut inputs);
            } else {
                let name = workspace.name_of(path);
                inputs.push(Input { name, place: Place::File(path.clone()), explicit: true });
            }
        }
        inputs.sort_by(|a, b| a.name.cmp(&b.name).then(b.explicit.cmp(&a.explicit)));
        inputs.dedup_by(|b, a| a.name == b.name);
        Ok(inputs)
    }

    fn stdin(&self, workspace: &Workspace) -> Result<Input, Fault> {
        let named = self.stdin_filename.as_deref();
        let configured = named.and_then(|path| workspace.config.kind_of(&workspace.configured_name(path)));
        let known = named.is_some_and(|path| configured.is_some() || may_be_document(path));
        if self.kind.is_none() && !known {
            let option = "--kind or --stdin-filename";
            return Err(known_kinds::unknown("standard input", option, &Ruleset::builtin()));
        }
        let name = named.map_or_else(|| "<stdin>".to_owned(), |path| workspace.name_of(path));
        Ok(Input { name, place: Place::Stdin, explicit: true })
    }
}

/// Adds the documents below a folder. Symbolic links are not followed; one that has a document's name
/// and leads nowhere is a document that cannot be read.
fn walk(folder: &Path, workspace: &Workspace, any_kind: bool, inputs: &mut Vec<Input>) {
    let files = &workspace.config.files;
    let mut walker = WalkBuilder::new(folder);
    walker.standard_filters(files.gitignore).hidden(true).require_git(false).follow_links(false);
    for entry in walker.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                inputs.extend(unreachable(&error, workspace));
                continue;
            }
        };
        let path = entry.path();
        let Some(file_type) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let configured = workspace.configured_name(path);
        let known = any_kind || workspace.config.kind_of(&configured).is_some() || may_be_document(path);
        if !known || !workspace.config.includes(&configured) {
            continue;
        }
        let lost = file_type.is_symlink() && path.metadata().is_err();
        if file_type.is_file() || lost {
            let name = workspace.name_of(path);
            inputs.push(Input { name, place: Place::File(path.to_owned()), explicit: false });
        }
    }
}

/// A folder or file that the walk could not enter.
fn unreachable(error: &ignore::Error, workspace: &Workspace) -> Option<Input> {
    let (path, detail) = match error {
        ignore::Error::WithPath { path, err } => (path.clone(), err.io_error()?.kind().to_string()),
        ignore::Error::WithDepth { err, .. } => return unreachable(err, workspace),
        _ => return None,
    };
    let name = workspace.name_of(&path);
    Some(Input { name, place: Place::Unreachable(path, detail), explicit: false })
}

/// Whether a file's name lets it be a document: it has the name or the extension of some kind.
fn may_be_document(path: &Path) -> bool {
    static EXTENSIONS: std::sync::OnceLock<HashSet<String>> = std::sync::OnceLock::new();
    let extensions = EXTENSIONS.get_or_init(|| {
        let kinds = Kinds::builtin();
        let globs = kinds.iter().flat_map(|kind| kind.globs());
        let known = globs.filter_map(|glob| glob.rsplit_once('.')).map(|(_, extension)| extension);
        known
            .flat_map(|extension| [extension].into_iter().chain((extension == "yaml").then_some("yml")))
            .map(str::to_owned)
            .collect()
    });
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| extensions.contains(extension.as_str()))
}
