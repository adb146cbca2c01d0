use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Config, FILE_NAME, Layer};
use crate::{
    kinds::{Document, Kind as _, ParseOptions, config},
    text::{Fragment, Source},
};

/// A configuration file that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The file as a document; its observations are the faults.
    pub document: Document,
    /// What it says; absent when there are faults.
    pub config: Option<Config>,
}

/// The configuration file for a folder: the nearest one upward.
pub fn find(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())
}

/// The outermost folder with a configuration around `folder`, which has one itself. What is outside of the repository
/// differs from machine to machine and does not count.
pub fn outermost(folder: &Path) -> &Path {
    let repository = folder.ancestors().position(|folder| folder.join(".git").exists());
    let inside = folder.ancestors().take(repository.map_or(usize::MAX, |above| above + 1));
    inside.filter(|folder| folder.join(FILE_NAME).is_file()).last().unwrap_or(folder)
}

/// Reads a configuration file in the folder `root`, without those that it extends.
pub fn parse(source: &Arc<Source>, root: &Path) -> Loaded {
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = config::Config.parse(source, &fragment, &ParseOptions::default());
    // A tree that conforms has the shape of the type, and every glob can be read.
    if !document.observations.is_empty() || !config::conforms(&document.tree) {
        return Loaded { document, config: None };
    }
    let layer = Layer { value: document.tree.root().to_json(), folder: root.to_owned() };
    let config = Config::layered(vec![layer], root);
    Loaded { document, config }
}
