use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    input::{Input, Origin},
    resolved::Project,
};
use crate::{
    files::{self, Beside, Jail, Place, ReplaceError, Unreadable},
    kinds::FileState,
    text::Source,
};

/// The file of a document and those beside it, as far as they may be read.
pub(super) enum Neighbors<'p> {
    /// The document has no file.
    None,
    /// The files beside a document that the user of the process has named, with its path if it is a file.
    Named(Option<PathBuf>, Jail),
    /// The files beside a document below an allowed folder.
    Below(Beside<'p>),
}

/// A document that was read.
pub(super) struct Read<'p> {
    pub(super) source: Result<Source, Unreadable>,
    pub(super) neighbors: Neighbors<'p>,
    /// Where the document is, or is to be.
    pub(super) path: Option<PathBuf>,
}

impl<'p> Read<'p> {
    /// Reads the text of a document and finds out what is beside it.
    pub(super) fn new(project: &'p Project, input: Input) -> Self {
        match (project.roots(), &input.path) {
            (None, _) => Self::named(project, input),
            (Some(_), None) => {
                let source = text(project, input.origin, &input.label);
                Self { source, neighbors: Neighbors::None, path: None }
            }
            (Some(roots), Some(path)) if input.origin == Origin::File => {
                match roots.read(path, project.folder(), project.limits().text_bytes) {
                    Ok((source, beside)) => {
                        let path = Some(beside.document().to_owned());
                        Self { source: Ok(source), neighbors: Neighbors::Below(beside), path }
                    }
                    Err(unreadable) => {
                        let beside = roots.beside(path, project.folder(), project.limits().text_bytes);
                        let path = beside.map(|beside| beside.document().to_owned());
                        Self { source: Err(unreadable), neighbors: Neighbors::None, path }
                    }
                }
            }
            (Some(roots), Some(path)) => {
                let beside = roots.beside(path, project.folder(), project.limits().text_bytes);
                let full = beside.as_ref().map_or(path.as_path(), |beside| beside.document()).to_owned();
                let source = text(project, input.origin, &project.name_of_path(&full));
                let neighbors = beside.map_or(Neighbors::None, Neighbors::Below);
                Self { source, neighbors, path: Some(full) }
            }
        }
    }

    /// A document that the user of the process has named.
    fn named(project: &'p Project, input: Input) -> Self {
        let limit = project.limits().text_bytes;
        let name = project.name_of(&input);
        let path = input.path.as_deref().map(|path| project.locate(path));
        // Text without a name on standard input belongs to the working directory.
        let around = path
            .clone()
            .or_else(|| input.is_stdin().then(|| project.locate(Path::new(input.label.as_ref()))));
        let jail = around.map(|path| Jail::around(&path, &project.readable(), limit));
        let own = path.clone().filter(|_| matches!(input.origin, Origin::File | Origin::KnownFile(_)));
        let source = match (&own, input.origin) {
            (Some(path), Origin::File) => files::read(path, &name, limit),
            (_, origin) => text(project, origin, &name),
        };
        Self { source, neighbors: jail.map_or(Neighbors::None, |jail| Neighbors::Named(own, jail)), path }
    }
}

/// Text that is not read from a file.
fn text(project: &Project, origin: Origin, name: &str) -> Result<Source, Unreadable> {
    match origin {
        Origin::Text(text) | Origin::KnownFile(text) => Ok(Source::new(name, text)),
        Origin::Stdin => files::read_open(io::stdin().lock(), name, None, project.limits().text_bytes),
        Origin::File => Err(Unreadable::because(name, "there is no such file")),
        Origin::Unreachable(why) => Err(Unreadable::because(name, &why)),
    }
}

impl Neighbors<'_> {
    /// Whether there are none.
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Reads a file by its path relative to the document's folder.
    pub(super) fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self {
            Self::None => Err(io::ErrorKind::NotFound.into()),
            Self::Named(_, jail) => jail.read(path),
            Self::Below(beside) => beside.read(path),
        }
    }

    /// What is at a path relative to the document's folder.
    pub(super) fn state(&self, path: &str) -> FileState {
        let is_folder = match self {
            Self::None => return FileState::Unknown,
            Self::Named(_, jail) => jail.is_folder(path),
            Self::Below(beside) => beside.is_folder(path),
        };
        match is_folder {
            Ok(true) => FileState::Folder,
            Ok(false) => FileState::File,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                    FileState::Missing
                }
                _ => FileState::Unknown,
            },
        }
    }

    /// Replaces the document's own file in one step, if it still has the content `expected`.
    pub(super) fn replace(&self, name: &str, expected: &str, text: &str) -> Result<(), ReplaceError> {
        match self {
            Self::Named(Some(path), _) => files::replace(path, expected, text),
            Self::None | Self::Named(None, _) => Err(io::Error::from(io::ErrorKind::NotFound).into()),
            Self::Below(beside) => beside.replace(name, expected, text),
        }
    }

    /// The file of the document at this path, which need not exist.
    pub(super) fn place(&self, path: &Path) -> io::Result<Place> {
        match self {
            Self::None => Err(io::ErrorKind::NotFound.into()),
            Self::Named(..) => Place::at(path),
            Self::Below(beside) => beside.place(),
        }
    }
}
