//! Which documents a command is about: files that are named, files below folders, standard input.

use std::path::{Path, PathBuf};

use crate::project::{Input, Listed, Overrides, Project, Walked, shown};

use super::{arguments::QuillArguments, exit::Fault};

/// The documents that are named on the command line.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct InputArguments {
    /// Files and folders; - for standard input [default: .]
    #[arg(value_name = "PATHS")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    kind: KindArguments,
    #[command(flatten)]
    quills: QuillArguments,
    /// Leave out files that the configuration excludes even if they are passed explicitly, for example by pre-commit hooks
    #[arg(long)]
    force_exclude: bool,
    /// File name of standard input, for reports and to detect its kind
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,
}

/// What documents are read as.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct KindArguments {
    /// Kind of the documents, instead of the detected one
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Dialect of the kind, if it has several
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
}

impl KindArguments {
    /// The overrides with kind and dialect of all documents.
    pub(super) fn with(&self, overrides: Overrides) -> Overrides {
        Overrides { kind: self.kind.clone(), dialect: self.dialect.clone(), ..overrides }
    }
}

impl InputArguments {
    /// The overrides with kind, dialect and quills of all documents.
    pub(super) fn with(&self, overrides: Overrides) -> Overrides {
        self.quills.with(self.kind.with(overrides))
    }

    /// All documents, ordered by name, each once.
    pub(super) fn documents(&self, project: &Project) -> Result<Vec<Listed>, Fault> {
        Ok(self.found(project)?.documents)
    }

    /// Like [`Self::documents`], with what was left out.
    pub(super) fn found(&self, project: &Project) -> Result<Walked, Fault> {
        // The name of standard input says that it is meant.
        let here = [PathBuf::from(if self.stdin_filename.is_some() { "-" } else { "." })];
        let paths = if self.paths.is_empty() { &here[..] } else { &self.paths };
        if self.stdin_filename.is_some() && !paths.iter().any(|path| path == Path::new("-")) {
            let what = "`--stdin-filename` names standard input, which is not among the paths";
            return Err(Fault::with_hint(what, "write `-` for standard input"));
        }
        let missing: Vec<String> = paths
            .iter()
            .filter(|path| *path != Path::new("-") && path.symlink_metadata().is_err())
            .map(|path| format!("there is no `{}`", shown(path)))
            .collect();
        if !missing.is_empty() {
            return Err(Fault::usage(missing.join("\n")));
        }
        let (streams, files): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| path == Path::new("-"));
        let mut found = project.found(&files, self.kind.kind.is_some());
        let documents = &mut found.documents;
        if self.force_exclude {
            documents.retain(|listed| !project.excludes(listed));
        }
        if !streams.is_empty() {
            documents.push(self.stdin(project)?);
        }
        documents.sort_by(|a, b| a.name.cmp(&b.name).then(b.explicit.cmp(&a.explicit)));
        documents.dedup_by(|b, a| a.name == b.name);
        found.left_out.sort();
        found.left_out.dedup();
        Ok(found)
    }

    fn stdin(&self, project: &Project) -> Result<Listed, Fault> {
        let named = self.stdin_filename.as_deref();
        if self.kind.kind.is_none() && !named.is_some_and(|path| project.knows_kind_of(path)) {
            return Err(Fault::unknown_kind("standard input", "--kind or --stdin-filename", project));
        }
        let input = Input::stdin();
        Ok(project.listed(match named {
            Some(path) => input.at(path),
            None => input,
        }))
    }
}
