//! The projects that documents belong to, opened when the first document comes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::project::{Configuration, OpenErrors, Overrides, Project};

use super::buffers::OpenTexts;

/// What projects are opened with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which configuration holds.
    pub configuration: Configuration,
    /// What the command line asks for besides.
    pub overrides: Overrides,
    /// Where the pages on rules are.
    pub rule_pages: Option<String>,
}

impl Options {
    /// Options with this configuration and these overrides, without an address of pages on rules.
    pub fn new(configuration: Configuration, overrides: Overrides) -> Self {
        Self { configuration, overrides, rule_pages: None }
    }
}

/// A project, or what replaces it while its configuration has errors.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) project: Arc<Project>,
    /// The configuration that cannot be used.
    pub(super) misconfigured: Option<Arc<str>>,
}

/// The projects by folder.
pub(super) struct Projects {
    options: Options,
    folders: Vec<PathBuf>,
    opened: HashMap<PathBuf, Opened>,
    buffers: Arc<OpenTexts>,
}

impl Projects {
    pub(super) fn new(options: Options) -> Self {
        Self { options, folders: Vec::new(), opened: HashMap::new(), buffers: Arc::default() }
    }

    /// The text of each open file.
    pub(super) fn buffers(&self) -> &OpenTexts {
        &self.buffers
    }

    /// The folders that are open in the editor.
    pub(super) fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = folders;
    }

    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Opens projects anew when they are asked for: a configuration, a pack or a quill has changed.
    pub(super) fn reload(&mut self) {
        self.opened.clear();
    }

    /// The project of a document: that of the innermost open folder around it, or of its own folder. Also what is wrong
    /// with its configuration, when that is first seen.
    pub(super) fn of(&mut self, path: Option<&Path>) -> (Opened, Option<String>) {
        let folder = match path {
            Some(path) => {
                let around = self.folders.iter().filter(|folder| path.starts_with(folder));
                let innermost = around.max_by_key(|folder| folder.components().count());
                innermost.cloned().or_else(|| path.parent().map(Path::to_owned)).unwrap_or_default()
            }
            None => self.folders.first().cloned().unwrap_or_default(),
        };
        if let Some(opened) = self.opened.get(&folder) {
            return (opened.clone(), None);
        }
        let own = (!folder.as_os_str().is_empty()).then(|| folder.clone());
        let overrides = Overrides {
            folder: own,
            nearest: true,
            buffers: Some(self.buffers.clone()),
            ..self.options.overrides.clone()
        };
        let (opened, problem) = match Project::open(&self.options.configuration, overrides.clone()) {
            Ok(project) => (Opened { project: Arc::new(project), misconfigured: None }, None),
            Err(errors) => {
                let file = self.options.configuration.file(&folder).unwrap_or_default();
                let file = file.file_name().map_or("proofmark.toml".into(), |name| name.to_string_lossy());
                let project = Project::open(
                    &Configuration::Default,
                    Overrides { folder: overrides.folder, ..Overrides::default() },
                );
                let project = Arc::new(project.unwrap_or_else(|_| Project::builtin()));
                (
                    Opened { project, misconfigured: Some(Arc::from(file.as_ref())) },
                    Some(summary(&file, &errors)),
                )
            }
        };
        self.opened.insert(folder, opened.clone());
        (opened, problem)
    }
}

fn summary(file: &str, errors: &OpenErrors) -> String {
    let first = errors.0.first().map(ToString::to_string).unwrap_or_default();
    format!("Proofmark cannot use {file}: {first}")
}
