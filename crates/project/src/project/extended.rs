//! Reading a configuration with those that it extends.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    config::{self, Config, Layer},
    error::{Findings, OpenError},
    found::{Origin, path_outside},
    index::Index,
    names::relative,
    vendored::{self, RemoteSource},
};
use crate::{
    budget,
    engine::{Settings, Validator},
    files,
    kinds::{Document, Limits, Observation},
    rules::Ruleset,
    text::{Source, io_reason},
    tree::Node,
};

/// Most configurations that extend each other in turn.
const DEEPEST: usize = 8;

/// A file that a configuration is made of.
#[derive(Debug)]
pub(super) struct Part {
    /// Its content.
    pub(super) source: Arc<Source>,
    /// What there is to say about it because of where it comes from.
    pub(super) facts: Vec<Observation>,
}

/// The configuration in a file, and the files that it is made of, its own last; with the errors that they have by
/// themselves. Those that take the rules to know come later.
pub(super) fn read(
    path: &Path,
    folder: &Path,
    origin: &Origin,
    index: Option<&Index>,
) -> Result<(Vec<Part>, Config), OpenError> {
    let (read, spent) = Limits::default().budget().spend(|| read_all(path, folder, origin, index));
    let Some(limit) = spent.exceeded else { return read };
    // What was read by then is a part of what the file says.
    let name = relative(&folder.join(path), folder);
    let fact = Observation::about_file("budget-exceeded").with("limit", limit.to_string());
    Err(budget::despite(|| refused(&Arc::new(Source::new(name.as_str(), "")), vec![fact])))
}

fn read_all(
    path: &Path,
    folder: &Path,
    origin: &Origin,
    index: Option<&Index>,
) -> Result<(Vec<Part>, Config), OpenError> {
    let mut reader = Reader {
        folder,
        origin,
        index,
        parts: Vec::new(),
        layers: Vec::new(),
        extended: Vec::new(),
        chain: Vec::new(),
    };
    let document = reader.read(path)?;
    let root = path.parent().unwrap_or(Path::new(""));
    // What conforms by itself conforms with others.
    let config = Config::layered(reader.layers, root).ok_or_else(|| faulty(&document))?;
    Ok((reader.parts, Config { extended: reader.extended, ..config }))
}

struct Reader<'r> {
    /// The working directory.
    folder: &'r Path,
    origin: &'r Origin,
    /// The next commit, where that is what is validated.
    index: Option<&'r Index>,
    parts: Vec<Part>,
    layers: Vec<Layer>,
    extended: Vec<PathBuf>,
    /// The files that extend the next one.
    chain: Vec<PathBuf>,
}

impl Reader<'_> {
    /// Reads a file after those that it extends.
    fn read(&mut self, path: &Path) -> Result<Document, OpenError> {
        let name = relative(&self.folder.join(path), self.folder);
        let full = self.folder.join(path);
        if self.origin.is_outside(&full) {
            return Err(refused(&Arc::new(Source::new(name.as_str(), "")), vec![path_outside(&name)]));
        }
        let staged = self.index.and_then(|index| index.text(&files::plain(&full)));
        let source = match staged {
            Some(text) => Ok(Source::new(name.as_str(), text)),
            None => files::read(path, &name, Limits::default().text_bytes),
        };
        let source = Arc::new(
            source.map_err(|unreadable| refused(&Arc::from(unreadable.source), vec![unreadable.fact]))?,
        );
        let root = path.parent().unwrap_or(Path::new(""));
        let loaded = config::parse(&source, root);
        let mut document = loaded.document;
        if loaded.config.is_none() {
            return Err(faulty(&document));
        }
        let outside = self.origin.outside(&document.tree, full.parent().unwrap_or(self.folder));
        if !outside.is_empty() {
            return Err(refused(&source, outside));
        }
        self.chain.push(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        let mut unusable = Vec::new();
        for item in document.tree.root().get("extends").into_iter().flat_map(Node::items) {
            let Some(written) = item.as_str() else { continue };
            let named = if RemoteSource::is_meant(written) {
                vendored::locate(root, written)
            } else {
                Ok(root.join(written))
            };
            match named.and_then(|path| self.found(&path)) {
                Ok(path) => {
                    self.read(&path)?;
                    self.extended.push(path);
                }
                Err(detail) => {
                    let seen = Observation::new("extended-unusable", item.span()).on(item.id());
                    unusable.push(seen.with("file", written).with("detail", detail));
                }
            }
        }
        self.chain.pop();
        if !unusable.is_empty() {
            document.observations.extend(unusable);
            return Err(faulty(&document));
        }
        let folder = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut value = document.tree.root().to_json();
        let mut facts: Vec<Observation> = self.origin.foreign(path).into_iter().collect();
        facts.extend(self.origin.remove_decisions(&document.tree, &mut value, !self.chain.is_empty()));
        self.layers.push(Layer { value, folder });
        self.parts.push(Part { source, facts });
        Ok(document)
    }

    /// The file that is meant by a path; or why it cannot be used.
    fn found(&self, path: &Path) -> Result<PathBuf, String> {
        let path = if path.is_dir() { path.join(config::FILE_NAME) } else { path.to_owned() };
        let full = path.canonicalize().map_err(|error| io_reason(&error))?;
        if self.chain.contains(&full) {
            return Err("it extends this file itself".to_owned());
        }
        if self.chain.len() >= DEEPEST {
            return Err(format!("more than {DEEPEST} configurations extend each other"));
        }
        Ok(path)
    }
}

fn validator() -> Validator {
    Validator::new(Ruleset::builtin(), Settings::default())
}

/// What keeps a file from being used that the file alone does not show.
fn refused(source: &Arc<Source>, facts: Vec<Observation>) -> OpenError {
    let diagnostics = validator().run_facts(source, facts);
    OpenError::Findings(Findings { diagnostics, sources: vec![Arc::clone(source)] })
}

/// The errors of a file.
fn faulty(document: &Document) -> OpenError {
    let diagnostics = validator().validate_document(document);
    OpenError::Findings(Findings { diagnostics, sources: document.tree.sources().to_vec() })
}
