//! Where a command runs: the working directory and the configuration that holds there.

use std::{
    env,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use proofmark::{
    config::{self, Config},
    engine::{Settings, Validator},
    files,
    kinds::Limits,
    rules::Ruleset,
    text::Source,
};

use super::{
    Global,
    exit::{Fault, shown},
};

/// The working directory and its configuration.
#[derive(Debug)]
pub(super) struct Workspace {
    /// What is configured.
    pub(super) config: Config,
    /// The text of the configuration file, where there is one.
    pub(super) source: Option<Arc<Source>>,
    /// The working directory.
    pub(super) folder: PathBuf,
    /// The folder that globs of the configuration are relative to.
    root: PathBuf,
}

impl Workspace {
    /// Reads the configuration.
    pub(super) fn load(global: &Global) -> Result<Self, Fault> {
        let folder = env::current_dir().map_err(|error| Fault::read(Path::new("."), error))?;
        let (source, config) = match config_file(global, &folder) {
            None => (None, Config::default()),
            Some(path) => {
                let (source, config) = read_config(&path, &folder)?;
                (Some(source), config)
            }
        };
        let config = config.with_environment(&|name| env::var(name).ok());
        let config = config.map_err(|error| Fault::usage(error.to_string()))?;
        let root = folder.join(&config.root);
        Ok(Self { config, source, folder, root })
    }

    /// How a path is called in reports: relative to the working directory, with `/`.
    pub(super) fn name_of(&self, path: &Path) -> String {
        relative(&self.folder.join(path), &self.folder)
    }

    /// A path as the globs of the configuration see it.
    pub(super) fn configured_name(&self, path: &Path) -> String {
        relative(&self.folder.join(path), &self.root)
    }

    /// Folders below which a document may read files beside it.
    pub(super) fn jail_roots(&self) -> [&Path; 2] {
        [&self.root, &self.folder]
    }
}

/// The configuration file that holds.
pub(super) fn config_file(global: &Global, folder: &Path) -> Option<PathBuf> {
    match &global.config {
        _ if global.isolated => None,
        Some(path) => Some(path.clone()),
        None => config::find(folder),
    }
}

/// The configuration in a file, with the faults that it has by itself; those that take the rules to
/// know come later.
fn read_config(path: &Path, folder: &Path) -> Result<(Arc<Source>, Config), Fault> {
    let name = relative(&folder.join(path), folder);
    let validator = || Validator::new(Ruleset::builtin(), Settings::default());
    let source = files::read(path, &name, Limits::default().text_bytes);
    let source = Arc::new(source.map_err(|unreadable| {
        let outcome = validator().run_fact(&Arc::from(unreadable.source), unreadable.fact);
        Fault::findings(&outcome.diagnostics, outcome.document.tree.sources())
    })?);
    let root = path.parent().unwrap_or(Path::new(""));
    let loaded = config::parse(&source, root);
    let faulty = || {
        let diagnostics = validator().judge(&loaded.document);
        Fault::findings(&diagnostics, loaded.document.tree.sources())
    };
    Ok((source, loaded.config.ok_or_else(faulty)?))
}

/// A path relative to a folder, both absolute, with `/`; it may start with `..`.
pub(super) fn relative(path: &Path, folder: &Path) -> String {
    let (path, folder) = (plain(path), plain(folder));
    let shared = path.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let mut relative = PathBuf::new();
    relative.extend(folder[shared..].iter().map(|_| ".."));
    relative.extend(&path[shared..]);
    let name = shown(&relative);
    if name.is_empty() { ".".to_owned() } else { name }
}

/// The parts of a path without `.` and `..`.
fn plain(path: &Path) -> Vec<&std::ffi::OsStr> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part.as_os_str()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_working_directory() {
        let name = |path: &str| relative(Path::new(path), Path::new("/home/ada/work"));
        assert_eq!(name("/home/ada/work/docs/./a.md"), "docs/a.md");
        assert_eq!(name("/home/ada/b.md"), "../b.md");
        assert_eq!(name("/tmp/c.md"), "../../../tmp/c.md");
        assert_eq!(name("/home/ada/work/docs/../a.md"), "a.md");
    }
}
