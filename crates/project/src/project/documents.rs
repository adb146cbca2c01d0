//! Finding the documents below folders.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::WalkBuilder;

use super::{config, input::Input, resolved::Project};
use crate::{
    files::{self, IgnoreFiles},
    kinds::{config::RawTemplateMode, made_by_template},
    text::io_reason,
};

/// A document that a client has named, or that is below a folder it has named.
#[derive(Clone)]
#[non_exhaustive]
pub struct Listed {
    /// Its name in reports.
    pub name: String,
    /// The document.
    pub input: Input,
    /// Whether it was named itself, and not a folder above it.
    pub explicit: bool,
}

/// What a walk through folders has found.
#[derive(Default)]
pub struct Walked {
    /// The documents.
    pub documents: Vec<Listed>,
    /// The folders, those that it began with included.
    pub folders: Vec<PathBuf>,
    /// Files of data that are left out since no rule is for them: how reports call each, and its kind.
    pub left_out: Vec<(String, String)>,
    /// Whether symbolic links that lead nowhere are left out.
    only_files: bool,
}

impl Project {
    /// A document that was named itself.
    #[doc(hidden)]
    pub fn listed(&self, input: Input) -> Listed {
        Listed { name: self.name_of(&input), input, explicit: true }
    }

    /// The documents among these files and below these folders: those of known kinds, or all when
    /// `any_kind`. Folders are walked as git sees them, where that is configured.
    pub fn documents(&self, paths: &[PathBuf], any_kind: bool) -> Vec<Listed> {
        self.found(paths, any_kind).documents
    }

    /// Like [`Self::documents`], with the folders that were walked and with what was left out.
    #[doc(hidden)]
    pub fn found(&self, paths: &[PathBuf], any_kind: bool) -> Walked {
        let known =
            |project: &Self, path: &Path, configured: &str| any_kind || project.is_walked(path, configured);
        let mut walked = Walked::default();
        for path in paths {
            if self.locate(path).is_dir() {
                self.walk(path, None, &known, &mut walked);
            } else {
                walked.documents.push(self.listed(Input::file(path)));
            }
        }
        walked
    }

    /// The documents of known kinds below these folders, and the folders that were looked into. With a `depth` of 1
    /// only those in the folders themselves. Symbolic links that lead nowhere are left out.
    #[doc(hidden)]
    pub fn walked(&self, folders: &[PathBuf], depth: Option<usize>) -> Walked {
        let mut walked = Walked { only_files: true, ..Walked::default() };
        for folder in folders {
            self.walk(folder, depth, &Self::is_walked, &mut walked);
        }
        walked
    }

    /// The names of the kinds that documents below the folders that may be read have by their names, without
    /// files of data and the configuration. No more than `most` files and folders are looked at.
    #[doc(hidden)]
    pub fn kinds_below(&self, most: usize) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let walk = |folder: &Path| self.walker(folder).0.build();
        let folders: Vec<PathBuf> = self.read_folders().map(|folder| self.locate(folder)).collect();
        for entry in folders.iter().flat_map(|folder| walk(folder)).take(most).flatten() {
            let (path, file_type) = (entry.path(), entry.file_type());
            let is_file = file_type.is_some_and(|file_type| file_type.is_file());
            if !is_file || entry.file_name() == config::FILE_NAME {
                continue;
            }
            let configured = self.configured_name(path);
            let of_name = || Some(self.kinds().for_name(path).filter(|kind| !kind.is_data())?.name());
            let kind = self.config().kind_of(&configured).or_else(of_name);
            if let Some(kind) = kind.filter(|_| self.config().includes(&configured)) {
                found.insert(kind.to_owned());
            }
        }
        found
    }

    /// Whether the configuration leaves a document out, which holds for files below a folder and not for files
    /// that are named.
    #[doc(hidden)]
    pub fn excludes(&self, listed: &Listed) -> bool {
        let path = listed.input.path().filter(|_| listed.explicit);
        let excludes = |project: &Self, path: &Path| {
            project.config().files.exclude.matches(&project.configured_name(path))
        };
        path.is_some_and(|path| {
            excludes(self, path) || self.owner(path).is_ok_and(|owner| excludes(owner, path))
        })
    }

    /// Whether the kind of a file follows from its name.
    pub fn knows_kind_of(&self, path: &Path) -> bool {
        self.may_read(path, &self.configured_name(path))
    }

    /// Whether a file below a folder is a document: as [`Self::may_read`], and files of data only where a rule of a
    /// pack is for them or the configuration includes them.
    pub(super) fn is_walked(&self, path: &Path, configured: &str) -> bool {
        self.is_readable(path, configured) && self.without_rules(path, configured).is_none()
    }

    /// The kind of a file of data that no rule of a pack is for and that the configuration does not include.
    fn without_rules(&self, path: &Path, configured: &str) -> Option<&str> {
        let named = self.config().kind_of(configured).is_some() || !self.config().files.include.is_empty();
        let data = self.kinds().for_name(path).filter(|kind| !named && kind.is_data())?;
        (!self.has_pack_rules_for(data.name())).then(|| data.name())
    }

    /// Whether a file below a folder may be a document, as it is named.
    fn is_readable(&self, path: &Path, configured: &str) -> bool {
        if !self.may_read(path, configured) {
            return false;
        }
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let is_template = made_by_template(&name).is_some();
        !is_template || self.config().templates_of(Some(configured)) != RawTemplateMode::Never
    }

    /// Whether a file may be a document: the configuration or a kind says so of its name.
    fn may_read(&self, path: &Path, configured: &str) -> bool {
        self.config().kind_of(configured).is_some() || self.kinds().may_read(path)
    }

    /// A walk through a folder, with the hidden files and folders that the configuration includes by their names.
    fn walker(&self, folder: &Path) -> (WalkBuilder, Arc<IgnoreFiles>) {
        let configured = &self.config().files;
        let shown = configured.include.hidden_names();
        files::walker(folder, configured.gitignore, move |name| shown.matches(name))
    }

    /// Adds the documents below a folder. Symbolic links are not followed; one that has a document's name
    /// and leads nowhere is a document that cannot be read.
    fn walk(
        &self,
        folder: &Path,
        depth: Option<usize>,
        known: &dyn Fn(&Self, &Path, &str) -> bool,
        walked: &mut Walked,
    ) {
        let (mut walker, ignore_files) = self.walker(&self.locate(folder));
        walker.max_depth(depth);
        let Walked { documents, folders, left_out, only_files } = walked;
        let mut add = |input: Input| {
            documents.push(Listed { name: self.name_of(&input), input, explicit: false });
        };
        for entry in walker.build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    unreachable(&error).map(&mut add);
                    continue;
                }
            };
            let path = entry.path();
            let Some(file_type) = entry.file_type() else { continue };
            if file_type.is_dir() {
                folders.push(path.to_owned());
                continue;
            }
            // What this configuration leaves out stays out, whatever one inside of it says.
            let is_out = || self.config().files.exclude.matches(&self.configured_name(path));
            let owner = self.owner(path).unwrap_or(self);
            let configured = owner.configured_name(path);
            if !owner.config().includes(&configured) || is_out() {
                continue;
            }
            if !known(owner, path, &configured) {
                let kind = owner.without_rules(path, &configured).filter(|_| file_type.is_file());
                let kind = kind.filter(|_| owner.is_readable(path, &configured));
                left_out.extend(kind.map(|kind| (self.name_of_path(path), kind.to_owned())));
                continue;
            }
            let is_lost = || file_type.is_symlink() && path.metadata().is_err();
            if file_type.is_file() || !*only_files && is_lost() {
                add(Input::file(path));
            }
        }
        if !*only_files {
            for (file, why) in ignore_files.refused() {
                add(Input::unreachable(file, why));
            }
        }
    }
}

/// A folder or file that the walk could not enter.
fn unreachable(error: &ignore::Error) -> Option<Input> {
    match error {
        ignore::Error::WithPath { path, err } => Some(Input::unreachable(path, io_reason(err.io_error()?))),
        ignore::Error::WithDepth { err, .. } => unreachable(err),
        _ => None,
    }
}
